"""The map, what lies beside it, and the score."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game import Seat
from engine.games.paris_paris import GAME
from engine.games.paris_paris.state import State
from engine.scene import Board, Mark, Scene
from engine.scene.text import draw
from tests.games.paris_paris.positions import GREY, a_game

NAMES = ("ann", "bob", "cid", "dee")
EMPTY_MAP = Path(__file__).with_name("empty-map.txt").read_text(encoding="utf-8")
PLAYED = a_game(
    3,
    shops={"odeon": [0, 2], "opera": [1], "louvre": [1]},
    out=["odeon/blue", "odeon/brown", "bourse/teal"],
    to_move=1,
    parked=["etoile/orange"],
    piles=3,
    bag=(2, 0, 0),
    visits=(4, 9, 4),
    markers=("teal", "brown", "red", "blue", "orange"),
)


def drawn(state: State, seat: Seat | None = GREY, width: int = 100) -> str:
    return draw(GAME.scene(GAME.view(state, seat), NAMES[: len(state.supply)]), width)


def test_the_empty_map_is_the_one_of_the_rules() -> None:
    board = GAME.scene(GAME.view(a_game(), None), NAMES).blocks[0]

    assert draw(Scene("", (board,))) == EMPTY_MAP


def test_shops_stand_at_their_stations_and_a_star_marks_a_token() -> None:
    text = drawn(PLAYED)

    assert "[V] Opéra" in text
    assert "Bourse [ ]*" in text
    assert "[V ]------o" in text
    assert "------[GY]*----n" in text


def test_the_map_is_laid_out_on_a_grid_of_100_by_32() -> None:
    board = GAME.scene(GAME.view(PLAYED, GREY), NAMES[:3]).blocks[0]

    assert isinstance(board, Board)
    assert (board.width, board.height) == (100, 32)
    assert len(board.links) == 30
    places = {mark.tip: mark for mark in board.marks if mark.framed}
    assert places["Bourse: no shop"] == Mark((68, 4), (" ",), framed=True, badge="*", tip="Bourse: no shop")
    assert places["Odéon: grey, yellow"].at == (51, 24)


def test_a_narrow_terminal_gets_the_map_line_by_line() -> None:
    text = drawn(PLAYED, width=80)

    assert "+-----" not in text
    assert "red: Gare du Nord [.] Montmartre [..] Opéra [V] Louvre [V.]" in text
    assert "Odéon [GY]*" in text


@pytest.mark.parametrize(
    "line",
    [
        "Paris Paris, round 12 of 15",
        "bob is to take a token. ann has the bus.",
        "Tokens out: bourse/teal, odeon/blue, odeon/brown",
        "Parked: etoile/orange",
        "In the bag: 2",
        "Your marker: teal",
    ],
)
def test_everything_beside_the_map_is_listed(line: str) -> None:
    assert line in [row.strip() for row in drawn(PLAYED).splitlines()]


def test_the_piles_to_come_are_counted_by_colour() -> None:
    unseen = GAME.view(PLAYED, GREY).unseen
    teal = sum(token.line == "teal" for token in unseen)

    assert f"Piles left: 3, with {teal} teal, " in drawn(PLAYED)


def test_the_score_stands_in_order_of_rank() -> None:
    rows = [" ".join(row.split()) for row in drawn(PLAYED).splitlines()[-3:]]

    assert rows == [
        "1 bob V violet 9 0 0 0 9 2 17",
        "2 ann G grey 4 0 0 0 4 1 16",
        "2 cid Y yellow 4 0 0 0 4 1 18",
    ]


def test_an_onlooker_sees_nobodys_marker_but_the_one_face_up() -> None:
    text = drawn(a_game(2, out=["bourse/teal", "opera/red"]), seat=None)

    assert "Your marker" not in text
    assert "Face-up marker: blue" in text
    assert "In the bag" not in text


def test_at_the_end_everything_is_turned_up() -> None:
    text = drawn(a_game(3))

    assert text.startswith("Paris Paris, the end")
    assert "The game is over." in text
    assert "Markers: ann teal, bob red, cid blue" in text
    assert "Tokens out: -" in text
