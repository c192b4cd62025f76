"""§5 scoring: what counts, in both scorings, and how ties are broken."""

from __future__ import annotations

import pytest

from engine.games.restaurant import GAME
from engine.games.restaurant.moves import Serve
from engine.games.restaurant.state import Scoring, State
from tests.games.restaurant.positions import ANN, BOB, CY, play, serving


def finished(scoring: Scoring = "both") -> State:
    """Bob has served a 600 under ann's marker, and now places his last card."""
    state = serving(
        {"D3": 0, "C3": 0, "B3": 1, "A3": 2},
        served={"D3": "M600", "C3": "M300"},
        last="C3",
        hands=(("R200", "M100"), ("PLAT",), ("M600", "JUMP")),
        turn=1,
        scoring=scoring,
        noted=(1500, 300, 600),
    )
    return play(state, Serve("B3", "PLAT")).state


@pytest.mark.cites("§5", "R20")
def test_example_8_noted_plus_served_less_left() -> None:
    score = GAME.standing(finished()).scores[ANN]

    assert score.parts == {"noted": 1500, "served": 900, "left": -500}
    assert score.total == 1900


@pytest.mark.cites("§5", "R10")
def test_the_summary_says_what_the_rules_do() -> None:
    summary = " ".join(GAME.rulebook.summary.split())

    assert "points noted, plus menus served, less menus left" in summary
    assert "lay it aside with all their plain menus" in summary


@pytest.mark.cites("§5", "R20")
def test_example_8_service_only_drops_the_points_noted_but_res_still_doubles() -> None:
    score = GAME.standing(finished("service-only")).scores[ANN]

    assert score.parts == {"served": 900, "left": -500}
    assert score.total == 400


@pytest.mark.cites("R20")
def test_r20_the_owner_of_the_marker_scores_whoever_served() -> None:
    state = serving({"A1": 1, "A2": 0}, hands=(("M100", "PLAT"), ("PLAT",), ("PLAT",)))

    after = play(state, Serve("A1", "M100")).state

    assert [score.parts["served"] for score in GAME.standing(after).scores] == [0, 100, 0]


@pytest.mark.cites("§5", "§7")
def test_what_is_left_in_hand_counts_only_when_the_game_is_over() -> None:
    state = serving({"A1": 0, "A2": 1}, hands=(("M600",), ("R600",), ("PLAT",)), noted=(600, 600, 0))

    standing = GAME.standing(state)

    assert not standing.final
    assert [score.total for score in standing.scores] == [600, 600, 0]


@pytest.mark.cites("R22")
def test_r22_a_tie_goes_to_more_menus_under_ones_own_markers() -> None:
    state = serving(
        {"A1": 0, "A2": 1, "A3": 1, "A4": 2},
        served={"A1": "M200", "A2": "M100", "A3": "R100"},
        last="A3",
        hands=(("JUMP",), ("JUMP",), ("PLAT",)),
        turn=2,
    )

    standing = GAME.standing(play(state, Serve("A4", "PLAT")).state)

    assert [score.total for score in standing.scores] == [200, 200, 0]
    assert standing.ranking == ((BOB,), (ANN,), (CY,))


@pytest.mark.cites("R22")
def test_r22_what_is_still_tied_is_shared() -> None:
    state = serving(
        {"A1": 0, "A2": 1, "A3": 2},
        served={"A1": "M200", "A2": "R200"},
        last="A2",
        hands=(("JUMP",), ("JUMP",), ("PLAT",)),
        turn=2,
    )

    standing = GAME.standing(play(state, Serve("A3", "PLAT")).state)

    assert standing.winners == (ANN, BOB)
