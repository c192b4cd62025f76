"""§5 visit: the tourists go where the token points that nobody took."""

from __future__ import annotations

import pytest

from engine.games.paris_paris import GAME, events, rules
from engine.games.paris_paris.moves import Take
from tests.games.paris_paris.positions import BOX, CHANCE, GREEN, a_game, kinds


def visited(shops: dict[str, list[int]], left: str) -> tuple[int, ...]:
    """What each seat scores when this token is left."""
    return rules.visit(a_game(shops=shops, out=[left])).state.visits


@pytest.mark.cites("§5")
def test_w1_a_shop_at_the_station_scores_and_nothing_else() -> None:
    assert visited({"les-halles": [0], "pompidou": [1]}, "les-halles/teal") == (1, 0, 0, 0)


@pytest.mark.cites("§5")
def test_w2_else_the_nearest_shops_in_both_directions_score() -> None:
    assert visited({"montmartre": [0], "louvre": [0], "luxembourg": [1]}, "opera/red") == (2, 0, 0, 0)


@pytest.mark.cites("§5", "R8", "R9")
def test_w3_at_a_crossing_the_nearest_over_both_lines_score() -> None:
    assert visited({"invalides": [1], "luxembourg": [0], "opera": [1]}, "st-germain/brown") == (1, 1, 0, 0)


@pytest.mark.cites("§5", "R9")
def test_w4_without_a_shop_on_the_line_nobody_scores() -> None:
    state = a_game(shops={"bastille": [0], "louvre": [1]}, out=["republique/blue"])

    step = rules.visit(state)

    assert step.state.visits == (0, 0, 0, 0)
    assert step.events == (events.Visit("republique", (), (0, 0, 0, 0)),)


@pytest.mark.cites("§5")
def test_w12_both_shops_of_a_nearest_crossing_score() -> None:
    shops = {"st-germain": [3, 3], "odeon": [3, 0], "quartier-latin": [1]}

    assert visited(shops, "luxembourg/red") == (1, 0, 0, 3)


@pytest.mark.cites("R8")
@pytest.mark.parametrize("colour", ["red", "brown"])
def test_r8_the_colour_of_a_crossings_token_does_not_matter(colour: str) -> None:
    assert visited({"odeon": [0], "luxembourg": [1]}, f"st-germain/{colour}") == (1, 1, 0, 0)


@pytest.mark.cites("R9")
def test_r9_the_nearest_is_taken_over_both_lines_together_not_on_each() -> None:
    assert visited({"invalides": [0], "opera": [1]}, "st-germain/red") == (1, 0, 0, 0)


@pytest.mark.cites("R9")
def test_r9_distance_never_changes_lines() -> None:
    # St-Nicolas is two steps from Les Halles by way of Pompidou, but on another line.
    assert visited({"st-nicolas": [0], "notre-dame": [1]}, "les-halles/teal") == (0, 1, 0, 0)


@pytest.mark.cites("R10")
def test_r10_no_station_is_counted_twice_in_a_visit() -> None:
    for rings in BOX.rings:
        reached = [place for ring in rings for place in ring]
        assert len(set(reached)) == len(reached)


@pytest.mark.cites("R12", "§6")
def test_r12_the_visit_comes_before_the_excursion_in_the_last_round_too() -> None:
    state = a_game(out=["bourse/teal", "pompidou/teal"], parked=["les-halles/teal"], to_move=3)

    step = GAME.play(state, GREEN, Take("bourse", "teal"), CHANCE)

    assert kinds(step.events)[:6] == ["Take", "Open", "Visit", "Park", "Excursion", "Bus"]
    assert kinds(step.events)[6:] == ["FinalExcursion"] * 4 + ["Bag", "End"]
