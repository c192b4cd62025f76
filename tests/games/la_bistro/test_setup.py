"""§1 and §2: what is in the box, and how it is laid out."""

from __future__ import annotations

import pytest

from engine.errors import OptionsRefused
from engine.game import Seat
from engine.games.la_bistro import GAME, Options
from engine.games.la_bistro.components import BuildingId
from engine.games.la_bistro.sheet import sheet
from tests.games.la_bistro.positions import ANN, BOX, CHANCE, asked, restaurant

PLAYERS = range(2, 7)


@pytest.mark.cites("§2")
@pytest.mark.parametrize("players", PLAYERS)
def test_everybody_starts_with_thirty_or_with_two_players_forty_five(players: int) -> None:
    table = GAME.deal(players, Options(), CHANCE).state.table

    assert table.money == (45 if players == 2 else 30,) * players
    assert table.loans == (0,) * players
    assert table.restaurants == ((),) * players
    assert (table.turn, table.time, table.inflation) == (1, 0, 0)


@pytest.mark.cites("§2")
def test_the_game_has_four_turns_and_with_two_players_five() -> None:
    assert [BOX.turns[players] for players in PLAYERS] == [5, 4, 4, 4, 4]


@pytest.mark.cites("§2")
def test_it_is_for_two_to_six_players() -> None:
    for players in (1, 7):
        with pytest.raises(OptionsRefused, match="2 to 6 players"):
            GAME.deal(players, Options(), CHANCE)


def test_an_unknown_edition_is_refused() -> None:
    for refuse in (lambda o: GAME.deal(3, o, CHANCE), GAME.components):
        with pytest.raises(OptionsRefused, match="no edition 'deluxe'; there is reconstruction-1"):
            refuse(Options(edition="deluxe"))


@pytest.mark.cites("§1")
def test_the_box_has_what_the_rulebook_names() -> None:
    printed = BOX.printed

    assert [zone.name for zone in printed.board.zones] == [
        "Seaside",
        "Industrial Zone",
        "Slums",
        "Downtown",
        "Suburbs",
        "Hills",
    ]
    assert len(BOX.buildings) == 22
    assert list(BOX.cuisines) == ["american", "asian", "barbecue", "fast-food", "french", "italian", "mexican", "steak"]
    assert len(BOX.jobs) == 36
    assert len(BOX.chart) == 90
    colours = [box.colour for box in BOX.chart]
    assert (colours.count("mauve"), colours.count("gold")) == (15, 12)
    unlimited = {job for job, employee in BOX.employees.items() if employee.kind == "unlimited"}
    assert unlimited == {"expediter", "food-runner", "busser", "waitron"}


@pytest.mark.cites("§1")
def test_a_restaurant_is_the_sum_of_its_building_its_staff_and_its_renovations() -> None:
    place = restaurant("B14", "italian", 8, staff=["waitron", "waitron", "sous-chef"], renovations=["bar"])

    assert sheet(BOX, place) == (4, 5, 5, 6)


@pytest.mark.cites("R29")
@pytest.mark.parametrize(("quality", "tier"), [(0, 1), (2, 1), (3, 2), (11, 2), (12, 3), (30, 3)])
def test_example_1_quality_has_the_tiers_0_to_2_then_3_to_11_then_12(quality: int, tier: int) -> None:
    assert BOX.tier("quality", quality) == tier


@pytest.mark.cites("R29")
def test_example_1_from_quality_2_to_4_is_from_the_first_tier_to_the_second() -> None:
    before = restaurant("B14", "american", 8, staff=["cold-food-cook"])
    after = restaurant("B14", "american", 8, staff=["cold-food-cook", "commis", "expediter"])

    assert [BOX.tier("quality", sheet(BOX, each).quality) for each in (before, after)] == [1, 2]
    assert [sheet(BOX, each).quality for each in (before, after)] == [2, 4]


@pytest.mark.cites("R27")
def test_example_10_a_patio_on_an_eight_seat_building_makes_ten_seats_but_not_a_large_one() -> None:
    patio, banquet = restaurant("B2", renovations=["patio"]), restaurant("B2", renovations=["patio", "banquet-room"])

    assert sheet(BOX, patio).seats == 10
    assert not BOX.is_large(BuildingId("B2"))
    assert sheet(BOX, banquet).ambiance == sheet(BOX, patio).ambiance


@pytest.mark.cites("R27")
def test_r27_ten_printed_seats_are_large() -> None:
    assert [building for building in BOX.buildings if BOX.is_large(building)] == ["B3", "B5", "B8", "B12", "B16"]
    assert sheet(BOX, restaurant("B3", renovations=["banquet-room"])).ambiance == 5


@pytest.mark.cites("R28")
def test_r28_any_number_of_restaurants_may_have_added_seats() -> None:
    everywhere = [restaurant(building, renovations=["patio"]) for building in BOX.buildings]

    assert [sheet(BOX, each).seats - BOX.buildings[each.building].seats for each in everywhere] == [2] * 22


@pytest.mark.cites("R7", "R4")
@pytest.mark.parametrize("players", PLAYERS)
def test_r7_in_the_first_phase_seat_0_is_the_first_to_put_up_a_building(players: int) -> None:
    state = GAME.deal(players, Options(), CHANCE).state

    assert asked(state) == {ANN: "nominate"}
    assert state.table.choices == ("realtor",) * players
    assert state.stage.asked == (Seat(0),)


def test_the_components_are_the_file_the_rules_use() -> None:
    assert GAME.components(Options()) is BOX.facts
    assert BOX.facts["edition"]["id"] == "reconstruction-1"
