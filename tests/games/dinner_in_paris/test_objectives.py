"""§7 objectives: when each is fulfilled, and claiming them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.games.dinner_in_paris import GAME, events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.rulebook import BONUS, LATER, OBJECTIVES, PIGEONS
from engine.games.dinner_in_paris.rules.objectives import fulfilled, progress
from engine.games.dinner_in_paris.state import State
from tests.games.dinner_in_paris.positions import P, Q, a_game, asked, play, refused, texts, told

GROUND = BOX.grounds["square", 4]
NONE = (0, 0, 0, 0)


def holds(card: str, cells: str = "", tracks: tuple[int, ...] = NONE) -> bool:
    """Whether terraces on these cells, and tracks with so many tiles gone, fulfil an objective."""
    return fulfilled(GROUND, card, GROUND.mask(cells.split()), tracks)


def block(first: str, last: str) -> str:
    """All cells of a rectangle."""
    columns, rows = range(ord(first[0]), ord(last[0]) + 1), range(int(first[1:]), int(last[1:]) + 1)
    return " ".join(f"{chr(column)}{row}" for row in rows for column in columns)


@pytest.mark.cites("§7")
@pytest.mark.parametrize(
    ("card", "enough", "short"),
    [
        ("every-decor", "D5 I4 I9 O7", "D5 I4 I9 Q17"),
        ("lights", "O7 D12", "O7 Q9"),
        ("flower-beds", "I4 J4 H15 I15", "I4 J4 K4 H15"),
        ("bands", "D5 E5 N14 O14", "D5 E5 F5 N14"),
        ("fountain", "I9 L9 I12 L12 J8", "I9 L9 I12 L12"),
        ("quarters", "B2 B3 B4 S2 S3 S4 B19 B18 B17 S19 S18 S17", "B2 B3 B4 B5 S2 S3 S4 B19 B18 B17 S19 S18"),
        ("north", block("B2", "J2"), block("B2", "I2") + " B11"),
        ("south", block("B11", "J11"), block("B11", "I11") + " B10"),
        ("east", block("K2", "S2"), block("K2", "R2") + " J2"),
        ("west", block("B2", "J2"), block("B2", "I2") + " K2"),
    ],
)
def test_decor_quarters_and_zones_count_visible_terraces(card: str, enough: str, short: str) -> None:
    assert holds(card, enough)
    assert not holds(card, short)


@pytest.mark.cites("§7", "R17")
@pytest.mark.parametrize(
    ("card", "enough", "short"),
    [
        ("twenty", (10, 5, 5, 0), (16, 3, 0, 0)),
        ("every-category", (3, 3, 3, 3), (16, 16, 12, 2)),
        ("full-category", (0, 0, 12, 0), (15, 15, 11, 7)),
    ],
)
def test_what_is_placed_is_counted_on_the_tracks(card: str, enough: tuple[int, ...], short: tuple[int, ...]) -> None:
    assert holds(card, tracks=enough)
    assert not holds(card, tracks=short)


SHAPES = [card for card in BOX.objectives if card.startswith("shape")]


def drawn(rows: tuple[str, ...], column: int = 5, row: int = 8) -> str:
    """The cells of a figure drawn somewhere."""
    return " ".join(
        f"{chr(ord('A') + column + x)}{row + y}"
        for y, letters in enumerate(rows)
        for x, letter in enumerate(letters)
        if letter == "#"
    )


def turned(rows: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("".join(column) for column in zip(*reversed(rows), strict=True))


@pytest.mark.cites("§7", "R18")
@pytest.mark.parametrize("card", SHAPES)
def test_a_shape_may_be_turned_but_not_flipped(card: str) -> None:
    rows = BOX.objectives[card].shape
    mirrored = tuple(row[::-1] for row in rows)
    rotations = [rows, turned(rows), turned(turned(rows)), turned(turned(turned(rows)))]

    assert all(holds(card, drawn(each)) for each in rotations)
    assert holds(card, drawn(mirrored)) == (mirrored in rotations)


@pytest.mark.cites("R18")
@pytest.mark.parametrize("card", SHAPES)
def test_a_shape_may_lie_within_a_larger_area_but_needs_all_its_cells(card: str) -> None:
    cells = drawn(BOX.objectives[card].shape).split()

    assert holds(card, block("B2", "H8"))
    assert holds(card, " ".join([*cells, "S2", "S3", "R2"]))
    for missing in cells:
        assert not holds(card, " ".join(cell for cell in cells if cell != missing))


@pytest.mark.cites("R18")
def test_a_shape_does_not_run_over_the_edge_of_the_board() -> None:
    # Were rows one endless line, S5 and B6 would be close; they are not.
    assert not holds("shape-2", "R5 S5 R6 S6 B7 B8")


@pytest.mark.cites("§7")
def test_w8_objective() -> None:
    state = a_game(
        4,
        "0 pizzeria@E1 E2 F2 E3 F3 E4",
        phase="first-draw",
        gauges={P: 3},
        held={P: "shape-2"},
        objectives="quarters",
    )
    before = GAME.standing(state).scores[P].total

    after = play(state, "draw deck", "place E1 E5", "done", "claim shape-2", "keep")

    assert after.players[P].claimed == ("shape-2",)
    assert after.players[P].held == ("quarters",)
    # Of the 6 points more, 2 are the sixth tile's.
    assert GAME.standing(after).scores[P].total - before == 4 + 2
    over = GAME.standing(replace(after, phase="over"))
    assert over.scores[P].parts["left in hand"] == -BOX.objectives["quarters"].points


TWO_LIGHTS = ("0 pizzeria@E1 O7 D12",)
"""Terraces at both street lights, wherever they come from."""


@pytest.mark.cites("§7")
def test_an_objective_must_be_at_hand_and_fulfilled() -> None:
    state = a_game(4, *TWO_LIGHTS, held={P: "north", Q: "lights"})

    assert refused(state, "claim lights") is OBJECTIVES
    assert refused(state, "claim north") is OBJECTIVES
    assert not any(text.startswith("claim") for text in texts(state))


@pytest.mark.cites("§7")
def test_an_objective_of_the_row_is_not_replaced() -> None:
    state = a_game(4, *TWO_LIGHTS, row="north lights south")

    after = play(state, "claim lights")

    assert after.row == ("north", "south")
    assert after.players[P].claimed == ("lights",)
    assert (asked(after), after.turn.actions) == (["action"], 1)


@pytest.mark.cites("§7")
def test_an_objective_of_the_hand_is_replaced_by_one_to_keep_or_share() -> None:
    state = a_game(4, *TWO_LIGHTS, held={P: "lights"}, row="north", objectives="twenty")

    claimed = play(state, "claim lights")
    assert (asked(claimed), claimed.turn.drawn) == (["drawn-objective"], "twenty")
    assert play(claimed, "keep").players[P].held == ("twenty",)
    assert play(claimed, "share").row == ("north", "twenty")
    assert refused(claimed, "keep 1") is OBJECTIVES


@pytest.mark.cites("§7", "§9")
def test_a_drawn_objective_is_seen_by_its_owner_until_it_is_shared() -> None:
    state = a_game(4, *TWO_LIGHTS, held={P: "lights"}, objectives="twenty")
    claimed = play(state, "claim lights")

    assert [GAME.view(claimed, seat).drawn for seat in (P, Q, None)] == ["twenty", None, None]
    assert told(state, "claim lights", "share")[-2:] == [
        events.ObjectiveDrawn(seat=P, objective="twenty", to=(P,)),
        events.ObjectiveShared(seat=P, objective="twenty"),
    ]
    assert told(state, "claim lights", "keep")[-1] == events.ObjectiveKept(seat=P)


def without_objectives(state: State) -> State:
    return replace(state, objectives=())


@pytest.mark.cites("R19")
def test_with_an_empty_deck_nothing_is_drawn() -> None:
    state = without_objectives(a_game(4, *TWO_LIGHTS, held={P: "lights"}, kept={P: "objective"}))

    assert refused(state, "play objective") is BONUS
    assert "play objective" not in texts(state)
    assert asked(play(state, "claim lights")) == ["second-claim"]
    assert asked(play(state, "claim lights", "done")) == ["action"]


@pytest.mark.cites("R19")
def test_a_second_claim_is_offered_to_whoever_has_a_usable_pigeon_card() -> None:
    for kept, fresh, offered in (
        ("", 0, False),
        ("one-less", 0, True),
        ("objective", 0, True),
        ("objective", 1, False),
    ):
        state = a_game(4, *TWO_LIGHTS, row="lights", kept={P: kept}, fresh=fresh)
        assert asked(play(state, "claim lights")) == (["second-claim"] if offered else ["action"])


@pytest.mark.cites("R19", "§6.3")
def test_a_second_claim_needs_an_objective_card() -> None:
    cells = block("B2", "J2")
    both = a_game(4, f"0 pizzeria@E1 {cells}", row="north west", kept={P: "objective"})
    other = a_game(4, f"0 pizzeria@E1 {cells}", row="north west", kept={P: "one-less"})

    after = play(both, "claim north", "claim west bonus")
    assert after.players[P].claimed == ("north", "west")
    assert (after.players[P].kept, after.players[P].used) == ((), ("objective",))
    assert (asked(after), after.turn.actions) == (["action"], 1)
    assert texts(play(other, "claim north")) == ["done"]
    assert refused(play(other, "claim north"), "claim west bonus") is PIGEONS
    assert refused(play(both, "claim north"), "claim west") is BONUS
    assert refused(both, "claim north bonus") is BONUS


@pytest.mark.cites("R11")
def test_an_objective_card_of_this_turn_brings_no_second_claim() -> None:
    state = a_game(4, *TWO_LIGHTS, row="lights north", kept={P: "one-less objective"}, fresh=1)

    assert refused(play(state, "claim lights"), "claim north bonus") is LATER


@pytest.mark.cites("R19")
def test_there_is_one_second_claim_in_an_action() -> None:
    state = a_game(4, f"0 pizzeria@E1 {block('B2', 'J2')}", row="north west shape-5", kept={P: "objective objective"})

    assert asked(play(state, "claim north", "claim west bonus")) == ["action"]


@pytest.mark.cites("R19")
def test_a_second_claim_may_use_the_objective_just_drawn() -> None:
    state = a_game(
        4, f"0 pizzeria@E1 {block('B2', 'J2')}", held={P: "north"}, objectives="west south", kept={P: "objective"}
    )

    after = play(state, "claim north", "keep", "claim west bonus")

    assert asked(after) == ["drawn-objective"]
    assert asked(play(after, "share")) == ["action"]
    assert after.players[P].claimed == ("north", "west")


@pytest.mark.cites("R19")
def test_the_same_terraces_may_serve_several_objectives() -> None:
    state = a_game(4, f"0 pizzeria@E1 {block('B2', 'J2')}", row="north west")

    assert play(state, "claim north", "claim west").players[P].claimed == ("north", "west")


@pytest.mark.cites("§6.3", "§7")
def test_an_objective_card_may_be_played_for_another_objective_without_an_action() -> None:
    state = a_game(4, row="north", kept={P: "objective"}, objectives="twenty")

    drawing = play(state, "play objective")
    assert (asked(drawing), drawing.players[P].used) == (["drawn-objective"], ("objective",))
    after = play(drawing, "keep")
    assert (asked(after), after.turn.actions) == (["action"], 2)
    assert after.players[P].held == ("twenty",)
    assert refused(after, "play objective") is PIGEONS


@pytest.mark.cites("R17")
def test_covered_terraces_do_not_help_a_zone() -> None:
    state = a_game(4, f"0 pizzeria@E1 {block('B2', 'I2')}", tracks={P: [0, 9, 0, 0]}, row="north")

    assert refused(state, "claim north") is OBJECTIVES


@pytest.mark.cites("§7")
@pytest.mark.parametrize(
    ("card", "cells", "tracks", "far"),
    [
        ("fountain", "I9 L9 I12", NONE, (3, 5)),
        ("lights", "O7 Q9", NONE, (1, 2)),
        ("flower-beds", "I4 J4 K4 H15", NONE, (3, 4)),
        ("every-decor", "D5 E5 I4", NONE, (2, 4)),
        ("quarters", "B2 B3 B4 B5 S2", NONE, (4, 12)),
        ("west", "B2 B3 K2", NONE, (2, 9)),
        ("twenty", "", (3, 2, 1, 0), (6, 20)),
        ("every-category", "", (9, 2, 1, 0), (6, 12)),
        ("full-category", "", (9, 2, 1, 2), (2, 8)),
        ("shape-2", "E2 F2 E3 F3 E4", NONE, (5, 6)),
        ("shape-2", "", NONE, (0, 6)),
    ],
)
def test_how_far_an_objective_has_come(card: str, cells: str, tracks: tuple[int, ...], far: tuple[int, int]) -> None:
    assert progress(GROUND, card, GROUND.mask(cells.split()), tracks) == far
