"""§8 the board as it is printed, and what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game import Seat
from engine.games.restaurant import GAME
from engine.games.restaurant.moves import Serve
from engine.games.restaurant.state import State
from engine.scene import Scene, svg, text
from tests.games.restaurant.positions import ANN, BOB, ordering, play, serving

NAMES = ("ann", "bob", "cy")
BOARD = (Path(__file__).parent / "board.txt").read_text()
SIGNS = {"p": "PLAT", "d": "DOUBLE", "j": "JUMP", "1": "M100", "2": "M200", "3": "M300", "6": "M600"}


def drawn(state: State, seat: Seat | None = None, width: int = 100) -> str:
    return text.draw(scene(state, seat), width)


def scene(state: State, seat: Seat | None = None) -> Scene:
    return GAME.scene(GAME.view(state, seat), NAMES)


def printed_position(*, stairs: bool = True) -> State:
    """The position of the printed board, read back from it."""
    rows = [line for line in BOARD.splitlines() if line[2] in "123456"]
    columns = {name: BOARD.index(name) for name in "ABCDEFGHIJ"}
    cells = {f"{name}{row[2]}": row[at : at + 2] for row in rows for name, at in columns.items()}
    return serving(
        {table: "abc".index(cell[0]) for table, cell in cells.items() if cell != "::"},
        served={table: SIGNS[cell[1]] for table, cell in cells.items() if cell[1] in SIGNS},
        last="F5",
        hands=(("M300", "M100"), ("JUMP",), ("PLAT",)),
        stairs=stairs,
        noted=(900, 400, 700),
    )


@pytest.mark.cites("§8", "§6")
def test_the_board_is_drawn_as_printed() -> None:
    assert BOARD in drawn(printed_position())


@pytest.mark.cites("§8")
def test_without_the_option_the_wall_of_the_salon_has_no_stairs() -> None:
    lines = drawn(printed_position(stairs=False)).splitlines()

    assert sum(line.strip() == "+-----------------+" for line in lines) == 2
    assert not any("=" in line for line in lines[2:])


@pytest.mark.cites("§8")
def test_the_line_below_names_the_last_table_who_is_to_move_and_where() -> None:
    state = printed_position()

    assert "last F5 (marker of cy, menu of 300)   to serve: ann   open: F4 G5" in drawn(state)
    assert "to take a card: ann   cards: any at the edge" in drawn(ordering())
    assert "last C3 (marker of ann)   to take a card: bob   cards: C2 B3 D3 C4" in drawn(ordering(["C3"]))
    jump = ordering(["C3"], hands=((), ("JUMP",), ()), stage="again", leap=True)
    assert "to take another card or stop: bob   cards: any" in drawn(jump)
    looking = drawn(ordering(["C3"], stage="close", turn=0))
    assert "looking at a card: ann\n" in looking


@pytest.mark.cites("§7", "§8")
def test_one_sees_ones_own_hand_and_packets_and_only_the_top_of_others() -> None:
    laid = ((("R300", "M600", "M600"),), (("R100",),), ())
    state = ordering(["A1"], hands=(("PLAT", "PLAT", "M200"), ("DOUBLE",), ()), packets=laid)

    mine, others = drawn(state, ANN), drawn(state, BOB)

    assert "[ plat ] x2  [ 200 ] outside" in mine
    assert "Packet of ann: r300 over 600 x2" in mine
    assert "Packet of ann: r300 over 2 face down" in others
    assert "Packet of bob: r100 alone" in mine
    assert "[ double ]" in others
    assert "Your hand" not in drawn(state, None)


@pytest.mark.cites("§5", "§7")
def test_what_is_left_is_not_shown_before_the_end() -> None:
    state = serving({"A1": 0, "A2": 1}, hands=(("M100",), ("R600",), ("PLAT",)), noted=(100, 600, 0))
    assert "?" in drawn(state)

    over = drawn(play(state, Serve("A1", "M100")).state)

    assert "?" not in over
    assert "Left to bob: r600" in over
    assert "last A1 (marker of ann, menu of 100)   the game is over" in over
    assert "-1200" in over


@pytest.mark.cites("§5")
def test_with_service_only_the_points_noted_are_shown_apart() -> None:
    state = serving({"A1": 0}, hands=(("M100",), (), ()), noted=(100, 600, 0), scoring="service-only")

    assert "Noted, for who serves first only: ann 100, bob 600, cy 0" in drawn(state)
    assert "noted" not in drawn(state)


def test_a_narrow_terminal_gets_the_tables_row_by_row() -> None:
    lines = drawn(printed_position(), width=40).splitlines()

    assert "  A  B  C  D  E  F  G  H  I  J" in lines
    assert "5 c. b. a. a. bp>c3 b. :: :: ::" in lines
    assert max(map(len, lines)) <= 40


def test_a_picture_says_what_lies_where() -> None:
    picture = svg.draw(scene(printed_position(), ANN))

    for tip in ("F5: cy, menu of 300", "C1: ann, open", "A1: a card face down"):
        assert f"<title>{tip}</title>" in picture
    assert "<title>A1: ann, taken</title>" in svg.draw(scene(ordering(["A1"])))
