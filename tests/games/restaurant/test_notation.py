"""§8 how moves are written and read at this table."""

from __future__ import annotations

import pytest

from engine.errors import NotUnderstood
from engine.game import Move
from engine.games.restaurant import GAME
from engine.games.restaurant.moves import Done, Keep, Reserve, Serve, Stop, Swap, Take
from engine.games.restaurant.state import State
from engine.notation import read, write
from tests.games.restaurant.positions import ANN, CY, legal, ordering, serving

NAMES = ("ann", "bob", "cy")
ORDER = ordering(["C3"], hands=((), ("R300", "R100", "M100"), ()))
DISH = ordering(["C3"], hands=(("M100",), ("PLAT",), ("M100",)), stage="dish")
AGAIN = ordering(["C3"], hands=((), ("DOUBLE",), ()), stage="again")
CLOSE = ordering(["C3"], hands=((), ("R600",), ()), stage="close")
EVERYTHING = ("PLAT", "DOUBLE", "JUMP", "M100", "R100", "M300", "R300", "M600")
SERVE = serving({"C3": 0, "D3": 1, "C4": 2}, hands=(EVERYTHING, (), ()), served={"C3": "PLAT"}, last="C3")


def understood(state: State, text: str) -> object:
    (seat,) = GAME.waiting(state)
    return read(GAME.forms(GAME.view(state, seat)), text, legal(state), NAMES)


@pytest.mark.cites("§8")
@pytest.mark.parametrize(
    ("state", "move", "text"),
    [
        (ORDER, Take("D3"), "take D3"),
        (ORDER, Reserve("R300"), "reserve r300"),
        (DISH, Swap(CY), "swap 2"),
        (DISH, Keep(), "keep"),
        (AGAIN, Stop(), "stop"),
        (CLOSE, Done(), "done"),
        (SERVE, Serve("D3", "M300"), "serve D3 300"),
        (SERVE, Serve("D3", "R300"), "serve D3 r300"),
        (SERVE, Serve("C4", "PLAT"), "serve C4 plat"),
        (SERVE, Serve("C4", "DOUBLE"), "serve C4 double"),
        (SERVE, Serve("C4", "JUMP"), "serve C4 jump"),
    ],
)
def test_every_move_has_one_text(state: State, move: Move, text: str) -> None:
    (seat,) = GAME.waiting(state)

    assert write(GAME.forms(GAME.view(state, seat)), move) == text
    assert understood(state, text) == move


@pytest.mark.cites("§8")
@pytest.mark.parametrize(
    ("state", "text", "move"),
    [
        (ORDER, "TAKE d 3", Take("D3")),
        (ORDER, "reserve R300", Reserve("R300")),
        (DISH, "swap ann", Swap(ANN)),
        (DISH, "swap C", Swap(CY)),
        (SERVE, "serve d3 600", Serve("D3", "M600")),
        (SERVE, "serve c4 coup double", Serve("C4", "DOUBLE")),
        (SERVE, "serve c4 saut", Serve("C4", "JUMP")),
        (SERVE, "serve c4 reserved menu of 100", Serve("C4", "R100")),
        (CLOSE, "reserve", Reserve("R600")),
    ],
)
def test_what_people_type_is_understood(state: State, text: str, move: Move) -> None:
    assert understood(state, text) == move


@pytest.mark.cites("§8")
def test_what_is_spelled_out_but_illegal_is_left_to_the_rules() -> None:
    assert understood(ORDER, "take J6") == Take("J6")
    assert understood(SERVE, "serve c4 600") == Serve("C4", "M600")


@pytest.mark.cites("§8")
def test_an_ambiguous_or_unknown_text_is_answered_with_the_nearest_moves() -> None:
    with pytest.raises(NotUnderstood, match="could mean several moves"):
        understood(SERVE, "serve c4")
    with pytest.raises(NotUnderstood) as refused:
        understood(ORDER, "taek D3")
    assert "take D3" in refused.value.nearest
    assert refused.value.expected == ("take <table>", "reserve <card>")
