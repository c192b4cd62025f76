"""How many lines of play there are: a change in what is legal shows here first."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from engine.games.paris_paris import GAME
from engine.games.paris_paris.state import State
from tests.games.paris_paris.positions import CHANCE, a_game


def lines(state: State, depth: int) -> int:
    """The number of lines of legal moves of this length."""
    if depth == 0:
        return 1
    return sum(
        lines(GAME.play(state, seat, move, CHANCE).state, depth - 1)
        for seat in GAME.waiting(state)
        for move in GAME.legal(state, seat)
    )


OPENING_OF_TWO = GAME.deal(2, GAME.options(), Chance(bytes(32))).state
OPENING_OF_FOUR = GAME.deal(4, GAME.options(), Chance(bytes(32))).state
CROWDED = a_game(
    shops={"louvre": [0, 3], "opera": [2], "odeon": [1, 1], "pompidou": [2, 3]},
    out=["pompidou/teal", "louvre/red", "louvre/orange", "opera/red", "odeon/blue"],
    piles=1,
)


@pytest.mark.parametrize(
    ("state", "counts"),
    [(OPENING_OF_TWO, [3, 6, 18]), (OPENING_OF_FOUR, [4, 13, 33]), (CROWDED, [8, 48, 212])],
    ids=["opening of two", "opening of four", "crowded"],
)
def test_the_number_of_lines_to_depth_three_is_known(state: State, counts: list[int]) -> None:
    assert [lines(state, depth) for depth in (1, 2, 3)] == counts
