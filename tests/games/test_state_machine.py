"""One state machine plays every game: hypothesis chooses the game, the seats, the seed and every move."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.strategies import DataObject, binary, data, sampled_from

from engine import games
from engine.chance import Chance
from engine.errors import OutOfTurn
from engine.game import AnyGame, Seat, encode_state, redeal


class AnyTable(RuleBasedStateMachine):
    game: AnyGame
    state: Any

    @initialize(key=sampled_from(games.keys()), seed=binary(min_size=32, max_size=32), choice=data())
    def deal(self, key: str, seed: bytes, choice: DataObject) -> None:
        self.game, self.chance, self.entry = games.load(key), Chance(seed), 0
        self.seats = choice.draw(sampled_from(self.game.seats))
        self.state = self.game.deal(self.seats, self.game.options(), self.chance).state
        self.box = self.game.pieces(self.state)

    @precondition(lambda self: self.game.waiting(self.state))
    @rule(choice=data())
    def play_a_legal_move(self, choice: DataObject) -> None:
        seat = min(self.game.waiting(self.state))
        move = choice.draw(sampled_from(list(self.game.legal(self.state, seat))))
        self.entry += 1
        self.state = self.game.play(self.state, seat, move, self.chance.at(self.entry)).state

    @precondition(lambda self: self.game.waiting(self.state))
    @rule()
    def let_the_deadline_pass(self) -> None:
        seat = min(self.game.waiting(self.state))
        self.entry += 1
        self.state = self.game.play(
            self.state, seat, self.game.fallback(self.state, seat), self.chance.at(self.entry)
        ).state

    @rule(choice=data())
    def speak_out_of_turn(self, choice: DataObject) -> None:
        waiting = self.game.waiting(self.state)
        idle = [seat for seat in map(Seat, range(self.seats)) if seat not in waiting]
        if not idle or not waiting:
            return
        before = encode_state(self.state)
        move = choice.draw(sampled_from(list(self.game.legal(self.state, min(waiting)))))
        try:
            self.game.play(self.state, choice.draw(sampled_from(idle)), move, self.chance.at(self.entry + 1))
        except OutOfTurn:
            assert encode_state(self.state) == before
        else:
            raise AssertionError("a seat that was not asked has moved")

    @precondition(lambda self: not self.game.waiting(self.state))
    @rule()
    def the_end_is_the_end(self) -> None:
        assert self.game.standing(self.state).final
        assert not any(self.game.legal(self.state, seat) for seat in map(Seat, range(self.seats)))

    @invariant()
    def every_piece_is_somewhere(self) -> None:
        if hasattr(self, "state"):
            assert self.game.pieces(self.state) == self.box

    @invariant()
    def a_view_is_blind_to_what_is_hidden(self) -> None:
        if not hasattr(self, "state"):
            return
        for seat in [None, *map(Seat, range(self.seats))]:
            other = redeal(self.game, self.state, seat, self.chance.at(self.entry))
            assert self.game.view(other, seat) == self.game.view(self.state, seat)


TestAnyTable = AnyTable.TestCase
TestAnyTable.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
