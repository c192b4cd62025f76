"""Bots: the same seed makes the same choices, thinking beats not thinking, and none ever sees the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from engine import games, selfplay
from engine.bots import POLICIES
from engine.bots.greedy import lead
from engine.chance import Chance
from engine.game import AnyGame, Score, Seat, Standing

PARIS = games.load("paris-paris")
EVERY_POLICY = pytest.mark.parametrize("policy", sorted(POLICIES))


def a_decision(seed: bytes = b"decision") -> tuple[Any, Seat]:
    state = PARIS.deal(3, PARIS.options(), Chance(seed)).state
    for entry in range(1, 8):
        seat = min(PARIS.waiting(state))
        state = PARIS.play(state, seat, PARIS.legal(state, seat)[0], Chance(seed, entry)).state
    return state, min(PARIS.waiting(state))


@EVERY_POLICY
def test_the_same_seed_makes_the_same_choice(policy: str) -> None:
    state, seat = a_decision()
    view, legal = PARIS.view(state, seat), PARIS.legal(state, seat)
    choices = [POLICIES[policy](PARIS, view, legal, Chance(b"mind", 5)) for _ in range(3)]
    assert choices[0] in legal
    assert choices == [choices[0]] * 3


def test_another_seed_may_make_another_choice() -> None:
    state, seat = a_decision()
    view, legal = PARIS.view(state, seat), PARIS.legal(state, seat)
    chosen = {str(POLICIES["random"](PARIS, view, legal, Chance(b"mind", entry))) for entry in range(50)}
    assert len(chosen) == len(legal)


def test_a_single_move_needs_no_thought() -> None:
    state, seat = a_decision()
    only = PARIS.legal(state, seat)[:1]
    blindfold: Any = Blindfold(PARIS, [])
    assert POLICIES["greedy"](blindfold, PARIS.view(state, seat), only, Chance(b"mind")) == only[0]
    assert blindfold.imagined == []


def test_greedy_beats_random() -> None:
    """Thirty games, greedy on either seat in turn; by chance it would win half of them."""
    won = 0
    for number in range(30):
        seat = number % 2
        bots = ["greedy", "random"] if seat == 0 else ["random", "greedy"]
        won += selfplay.play(PARIS, bots, bytes([number]) * 32).standing.winners == (seat,)
    assert won > 20


def test_the_lead_is_over_the_best_rival() -> None:
    standing = Standing.of([Score(Seat(seat), total, {}) for seat, total in enumerate([5, 9, 7])], final=False)
    assert [lead(standing, Seat(seat)) for seat in range(3)] == [-4, 2, -2]


class Blindfold:
    """A game that shows a bot no state but those it imagined itself."""

    def __init__(self, game: AnyGame, imagined: list[Any]) -> None:
        self._game, self.imagined = game, imagined

    def _own(self, state: Any) -> Any:
        assert any(state is own for own in self.imagined), "a bot looked at a state that it did not imagine"
        return state

    def imagine(self, view: Any, chance: Chance) -> Any:
        self.imagined.append(self._game.imagine(view, chance))
        return self.imagined[-1]

    def play(self, state: Any, seat: Seat, move: Any, chance: Chance) -> Any:
        step = self._game.play(self._own(state), seat, move, chance)
        self.imagined.append(step.state)
        return step

    def standing(self, state: Any) -> Standing:
        return self._game.standing(self._own(state))

    def legal(self, state: Any, seat: Seat) -> Sequence[Any]:
        return self._game.legal(self._own(state), seat)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a bot has no business with {name}")


@EVERY_POLICY
def test_a_bot_gets_by_with_a_view(policy: str) -> None:
    state, seat = a_decision()
    view, legal = PARIS.view(state, seat), PARIS.legal(state, seat)
    blindfold: Any = Blindfold(PARIS, [])
    assert POLICIES[policy](blindfold, view, legal, Chance(b"mind")) in legal
    assert all(own is not state for own in blindfold.imagined)


@EVERY_POLICY
def test_a_bot_chooses_the_same_in_worlds_it_cannot_tell_apart(policy: str) -> None:
    state, seat = a_decision()
    other = PARIS.imagine(PARIS.view(state, seat), Chance(b"another world"))
    assert other != state
    chosen = [
        POLICIES[policy](PARIS, PARIS.view(world, seat), PARIS.legal(world, seat), Chance(b"mind"))
        for world in (state, other)
    ]
    assert chosen[0] == chosen[1]


def test_every_decision_is_thought_over_in_worlds_of_its_own() -> None:
    """Neither the worlds nor the luck of one decision come back in the next."""
    state, seat = a_decision()
    view, legal = PARIS.view(state, seat), PARIS.legal(state, seat)
    piles = []
    for entry in range(4):
        blindfold: Any = Blindfold(PARIS, [])
        POLICIES["greedy"](blindfold, view, legal, Chance(b"mind", entry))
        piles += [own.piles for own in blindfold.imagined[:3]]
    assert len(set(piles)) == 12
