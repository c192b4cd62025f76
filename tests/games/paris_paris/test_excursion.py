"""§6 discard and excursion."""

from __future__ import annotations

import pytest

from engine.games.paris_paris import events, rules
from engine.games.paris_paris.scoring import excursion_stops
from tests.games.paris_paris.positions import BOX, a_game, tokens


def driven(shops: dict[str, list[int]], line: str) -> dict[str, tuple[int, ...]]:
    """What each stop pays the four seats, for the stops that pay."""
    stops = excursion_stops(a_game(shops=shops), BOX.line_no[line])
    return {stop.station: stop.points for stop in stops if any(stop.points)}


@pytest.mark.cites("§6")
def test_w5_only_who_is_at_the_stop_scores_and_neighbours_count_on_both_lines() -> None:
    shops = {
        "hotel-de-ville": [0, 1],
        "bastille": [0],
        "pompidou": [0, 2],
        "notre-dame": [2],
        "les-halles": [1],
    }

    assert driven(shops, "orange") == {"hotel-de-ville": (3, 1, 0, 0)}


@pytest.mark.cites("§6")
def test_w13_every_stop_is_scored_by_itself_so_a_shop_can_score_again() -> None:
    shops = {
        "montmartre": [1, 0],
        "pompidou": [3, 2],
        "st-nicolas": [2],
        "pont-neuf": [2],
        "hotel-de-ville": [1],
        "bastille": [1],
        "quartier-latin": [1],
    }
    stops = driven(shops, "teal")

    assert stops == {
        "montmartre": (1, 1, 0, 0),
        "pompidou": (0, 0, 3, 1),
        "hotel-de-ville": (0, 2, 0, 0),
        "quartier-latin": (0, 1, 0, 0),
    }
    assert [sum(points) for points in zip(*stops.values(), strict=True)] == [1, 4, 3, 1]


@pytest.mark.cites("§6")
def test_w14_plain_stations_are_no_stops() -> None:
    assert driven({"notre-dame": [0], "les-halles": [1]}, "teal") == {}


@pytest.mark.cites("§6", "R11")
def test_w15_neighbours_count_once_though_one_has_two_shops_at_the_stop() -> None:
    shops = {"odeon": [0, 0], "pont-neuf": [0, 0], "quartier-latin": [1]}

    assert driven(shops, "brown") == {"odeon": (4, 0, 0, 0), "quartier-latin": (0, 1, 0, 0)}


@pytest.mark.cites("§6")
def test_w16_a_second_token_of_a_colour_starts_an_excursion_and_both_leave() -> None:
    state = a_game(out=["louvre/orange"], parked=["bastille/orange", "odeon/blue"])

    step = rules.park(state)

    assert [event.line for event in step.events if isinstance(event, events.Excursion)] == ["orange"]
    assert step.state.parked == tuple(tokens(["odeon/blue"]))
    assert step.state.gone == (*state.gone, *tokens(["bastille/orange", "louvre/orange"]))


@pytest.mark.cites("§6", "R13")
def test_w16_a_token_of_a_new_colour_is_only_parked() -> None:
    step = rules.park(a_game(out=["louvre/red"], parked=["bastille/orange", "odeon/blue"]))

    assert step.events == (events.Park(BOX.tokens[tokens(["louvre/red"])[0]]),)
    assert step.state.parked == tuple(tokens(["bastille/orange", "odeon/blue", "louvre/red"]))


@pytest.mark.cites("§6")
def test_an_excursion_adds_to_everybodys_points() -> None:
    state = a_game(shops={"louvre": [0, 1], "concorde": [1]}, out=["louvre/orange"], parked=["bastille/orange"])

    assert rules.park(state).state.excursions == (1, 2, 0, 0)


@pytest.mark.cites("R13")
def test_r13_five_colours_may_lie_parked() -> None:
    parked = ["bourse/teal", "opera/red", "odeon/blue", "etoile/orange"]

    assert len(rules.park(a_game(out=["pantheon/brown"], parked=parked)).state.parked) == 5


@pytest.mark.cites("R14")
def test_r14_the_bus_stops_at_the_crossings_from_the_start_of_the_line() -> None:
    stops = [stop.station for stop in excursion_stops(a_game(), BOX.line_no["brown"])]

    assert stops == ["quartier-latin", "odeon", "st-germain", "champs-elysees"]
