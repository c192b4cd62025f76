"""Legal moves against an independent brute-force reading of the rules, at every step of random games."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import msgspec
import pytest
from msgspec.structs import replace

from engine import notation
from engine.chance import Chance
from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.dinner_in_paris import GAME
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Place
from engine.games.dinner_in_paris.rules.objectives import fulfilled
from engine.games.dinner_in_paris.rules.turn import ending, fits
from engine.games.dinner_in_paris.state import State
from tests.games.dinner_in_paris.oracle import PRINTED, Oracle
from tests.games.dinner_in_paris.positions import dealt

JUDGED = ("action", "building", "free-terrace", "second-claim")
TABLES = [(2, "square"), (2, "duo"), (3, "square"), (4, "square")]


def random_game(seats: int, board: str, seed: int) -> Iterator[tuple[State, Seat]]:
    """Every position of a random game and who is to move; everybody begins with pigeon cards that can be used."""
    state = dealt(seats, board, seed)
    cards = ("neighbours", "one-less", "two-coins", "objective")
    pigeons = list(state.pigeons)
    for card in cards * seats:
        pigeons.remove(card)
    players = tuple(replace(player, kept=cards) for player in state.players)
    state = replace(state, players=players, pigeons=tuple(pigeons))
    luck, mind = Chance(b"luck", seed), Chance(b"mind", seed)
    for move_no in itertools.count():
        waiting = GAME.waiting(state)
        if not waiting:
            return
        seat = min(waiting)
        yield state, seat
        legal = GAME.legal(state, seat)
        # Terraces next to and on top of others are rare by chance alone.
        daring = [move for move in legal if isinstance(move, Place) and move.neighbours]
        move = mind.at(move_no).pick(daring or legal, "move")
        state = GAME.play(state, seat, move, luck.at(move_no)).state


def encoded(moves: object) -> list[bytes]:
    return sorted(msgspec.json.encode(move) for move in moves)  # type: ignore[attr-defined]


@pytest.mark.cites("§6.1", "§6.2", "§6.3", "§7")
@pytest.mark.parametrize(
    ("seats", "board", "seed"), [(2, "square", 42), (2, "duo", 43), (3, "square", 10), (4, "square", 0)]
)
def test_legal_is_exactly_what_the_oracle_finds(seats: int, board: str, seed: int) -> None:
    judged = freed = protected = 0
    for state, seat in random_game(seats, board, seed):
        if state.phase in JUDGED:
            oracle = Oracle(state, seat)
            assert encoded(GAME.legal(state, seat)) == encoded(oracle.legal())
            judged += 1
            freed += bool(state.turn.freed)
            protected += oracle.protected
    assert min(judged, freed, protected) > 0, "a game that shows little"


@pytest.mark.cites("§1")
def test_the_duo_board_plays_exactly_like_the_third_ring_of_the_square() -> None:
    def moved(text: str) -> str:
        return re.sub(r"\b([A-P])(\d+)\b", lambda cell: f"{chr(ord(cell[1]) + 2)}{int(cell[2]) + 2}", text)

    for (duo, seat), (square, _) in zip(random_game(2, "duo", 5), random_game(2, "square", 5), strict=True):
        texts = [
            [notation.write(GAME.forms(GAME.view(state, seat)), move) for move in GAME.legal(state, seat)]
            for state in (duo, square)
        ]
        assert [moved(text) for text in texts[0]] == texts[1]
        assert GAME.standing(duo) == GAME.standing(square)


@pytest.mark.cites("§6.2", "§6.3")
@pytest.mark.parametrize(("seats", "board"), TABLES)
def test_play_accepts_a_placement_exactly_where_it_is_legal(seats: int, board: str) -> None:
    """Every cell of the board is tried for every restaurant, with and without a card."""
    for number, (state, seat) in enumerate(random_game(seats, board, seed=10 + seats)):
        if state.phase not in ("action", "building", "free-terrace") or number % 9:
            continue
        legal = set(encoded(GAME.legal(state, seat)))
        for restaurant, cell, card in itertools.product(state.restaurants, state.ground.names, (False, True)):
            move = Place(restaurant.name, cell, neighbours=card)
            if msgspec.json.encode(move) in legal:
                GAME.play(state, seat, move, Chance(b"try"))
            else:
                with pytest.raises(IllegalMove):
                    GAME.play(state, seat, move, Chance(b"try"))


@pytest.mark.cites("§7", "R18")
@pytest.mark.parametrize(("seats", "board"), TABLES)
def test_every_objective_is_judged_as_the_oracle_judges_it(seats: int, board: str) -> None:
    met = 0
    for number, (state, _) in enumerate(random_game(seats, board, seed=20 + seats)):
        if number % 40 == 0 or state.end:
            for seat, card in itertools.product(map(Seat, range(seats)), BOX.objectives):
                holds = fulfilled(state.ground, card, state.seen(seat), state.players[seat].tracks)
                assert holds == Oracle(state, seat).is_fulfilled(card), card
                met += holds
        if state.end:
            break
    assert met


@pytest.mark.cites("§8", "R20")
@pytest.mark.parametrize(("seats", "board"), TABLES)
def test_nothing_fits_exactly_when_the_oracle_finds_nothing(seats: int, board: str) -> None:
    for number, (state, _) in enumerate(random_game(seats, board, seed=30 + seats)):
        if number % 15:
            continue
        # With an empty supply only terraces count; nothing but the square may matter.
        bare = replace(state, supply=(0,) * len(PRINTED.restaurants), end=None)
        rich = [
            replace(
                bare,
                phase="building",
                turn=replace(bare.turn, seat=Seat(seat), purse=99, freed=(), free=None, fresh=0),
                players=tuple(replace(player, kept=()) for player in bare.players),
            )
            for seat in range(seats)
        ]
        somebody = any(list(Oracle(each, each.turn.seat).places()) for each in rich)
        assert (ending(bare) is not None) == (not somebody or ending(state) in ("restaurants", "tracks"))
        sites = {move.kind for move in Oracle(_paid_for(state), state.turn.seat).opens()}
        assert fits(state) == bool(sites)


def _paid_for(state: State) -> State:
    """The position with a hand that pays for everything."""
    hand = tuple(
        card for card in ("potatoes", "tomatoes", "cheese", "meat", "bread", "flour", "seafood") for _ in range(2)
    )
    seat = state.turn.seat
    players = [replace(player, hand=hand, kept=()) for player in state.players]
    return replace(state, players=tuple(players), turn=replace(state.turn, seat=seat, fresh=0))
