"""What the table looks like."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.game import Seat
from engine.games.dinner_in_paris import GAME
from engine.games.dinner_in_paris.state import State
from engine.scene import svg, text
from tests.games.dinner_in_paris.positions import P, Q, a_game, dealt, play

NAMES = ["ann", "bob", "cy", "dee"]
W9 = a_game(
    4,
    "0 creperie@E1 G2 G3",
    "1 friterie@I1 I2 I3 J2 J3",
    gauges={P: 6},
    hands={P: "coin flour", Q: "coin"},
    kept={P: "neighbours two-coins"},
    fresh=1,
    held={P: "shape-2"},
    row="fountain",
    majority="bands-north-money",
)


def drawn(state: State, seat: Seat | None, width: int = 100) -> str:
    return text.draw(GAME.scene(GAME.view(state, seat), NAMES[: len(state.players)]), width)


def test_the_square_looks_as_kept() -> None:
    kept = Path(__file__).with_name("square.txt").read_text()

    assert drawn(W9, P).startswith(kept)


@pytest.mark.parametrize(
    ("seats", "board", "first", "rows"), [(2, "square", "C", 16), (3, "square", "B", 18), (2, "duo", "A", 16)]
)
def test_only_what_is_in_play_is_drawn(seats: int, board: str, first: str, rows: int) -> None:
    lines = drawn(dealt(seats, board), None).splitlines()

    assert lines[3].split()[0] == first
    assert len(lines[3].split()) == rows
    assert [line.split()[0] for line in lines[4 : 4 + rows]] == [line.split()[-1] for line in lines[4 : 4 + rows]]


def test_the_next_terraces_are_marked_for_whoever_is_to_move() -> None:
    own, other = drawn(W9, P), drawn(W9, Q)

    assert "creperie@E1: F2 H2! F3 H3! G4" in own
    assert " 3 :::  .   .   .   .   +   r2  !   b1  b1 " in own
    assert " 3 :::  .   .   .   .   .   r2  .   b1  b1 " in other
    assert "creperie@E1: " not in other


def test_a_free_pigeon_that_may_be_built_on_shows_both() -> None:
    assert " p+ " in drawn(a_game(4, "0 friterie@H1 H2 H3", gauges={P: 3}), P)


def test_cards_are_shown_to_their_owner_alone() -> None:
    own, other = drawn(W9, P), drawn(W9, None)

    assert "[ neighbours ] usable" in own
    assert "[ two-coins ] from your next turn on" in own
    assert "shape-2" in own
    assert "Your cards" not in other
    assert "shape-2" not in other


def test_objectives_show_how_far_they_have_come() -> None:
    state = a_game(4, "0 creperie@E1 I9 L9 I12", row="fountain")

    assert "common  fountain        4     3/5  5 around the fountain" in drawn(state, P)


def test_of_money_only_ones_own_is_counted() -> None:
    line = next(line for line in drawn(W9, P).splitlines() if line.strip().startswith("money"))

    assert line.split(maxsplit=2)[1:] == ["9", "1 or more  1 or more  1 or more"]


def test_tracks_show_the_price_of_the_next_tile() -> None:
    state = a_game(4, tracks={P: [8, 16, 0, 0]})

    line = next(line for line in drawn(state, P).splitlines() if line.strip().startswith("r ann"))
    assert line.split()[3:9] == ["8/16", "(2)", "16/16", "0/12", "(3)", "0/8"]


def test_a_build_shows_purse_and_covers() -> None:
    assert "Purse: 4; creperie@E1 may cover 2 more" in drawn(play(W9, "place E1 H3 neighbours"), P)


def test_the_choice_of_objectives_shows_slots_and_who_is_missing() -> None:
    state = play(dealt(2), "keep 1")
    shown = drawn(state, P)

    assert "bob still choosing" in shown
    assert "yours, 1" in shown
    assert "yours, 2" in shown


def test_a_drawn_objective_is_among_ones_own() -> None:
    state = a_game(2, phase="drawn-objective", drawn="twenty", claims=1)

    assert "drawn  twenty" in drawn(state, P)
    assert "twenty" not in drawn(state, Q)


def test_the_end_shows_all_hands() -> None:
    shown = drawn(replace(W9, phase="over", end="tracks"), None)

    assert "The end was brought about: two tracks of one player are empty." in shown
    assert "neighbours, two-coins" in shown
    assert "shape-2" in shown
    assert GAME.standing(replace(W9, phase="over")).scores[P].parts["left in hand"] == -4
    assert " -4 " in shown


def test_a_narrow_terminal_gets_the_square_in_words() -> None:
    shown = drawn(W9, P, width=60)

    assert "ann creperie@E1: G2 G3" in shown
    assert "next terrace: F2 H2 F3 H3 G4" in shown
    assert "No restaurant stands yet." in drawn(dealt(2), None, width=60)


def test_a_picture_names_the_restaurant_of_a_cell() -> None:
    picture = svg.draw(GAME.scene(GAME.view(W9, P), NAMES))

    assert picture.count("<title>creperie@E1 (ann)</title>") == 3 + 2
