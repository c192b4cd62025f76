"""§3.3.1 chef and accountant, §3.3.3 banker, §3.3.4 ad agency."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.la_bistro import GAME, events
from engine.games.la_bistro.components import CuisineId
from engine.games.la_bistro.moves import Advertise, Borrow, Repay, Set
from engine.games.la_bistro.rulebook import AD_AGENCY, AFFORD, BANKER, CHEF
from engine.games.la_bistro.state import Advertising, Banking, House, Menus, State
from tests.games.la_bistro.positions import (
    ANN,
    BOB,
    BOX,
    CHANCE,
    CY,
    a_table,
    asked,
    asking,
    choose,
    loaded,
    play,
    restaurant,
)


def the_chef(building: str) -> State:
    return asking(a_table([restaurant(building)], []), Menus((ANN,)))


def cuisines(building: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for move in GAME.legal(the_chef(building), ANN):
        assert isinstance(move, Set)
        found.setdefault(move.cuisine, set()).add(move.price)
    return found


@pytest.mark.cites("§3.3.1")
def test_a_menu_is_set_and_paid_for() -> None:
    step = play(the_chef("B14"), (ANN, Set(0, CuisineId("italian"), 7)))

    assert step.state.table.restaurants[ANN] == (restaurant("B14", "italian", 7),)
    assert step.state.table.money == (29, 30)
    assert events.Menu(House(ANN, 0), "Italian", 7, 1) in step.events


@pytest.mark.cites("§3.3.1")
def test_a_menu_may_be_repeated_and_is_paid_for_all_the_same() -> None:
    state = asking(a_table([restaurant("B14", "italian", 7)], []), Menus((ANN,)))

    after = play(state, (ANN, Set(0, CuisineId("italian"), 7))).state.table

    assert (after.restaurants[ANN], after.money[ANN]) == (state.table.restaurants[ANN], 29)


@pytest.mark.cites("§3.3.1")
def test_example_6_fast_food_is_low_french_high_american_anything() -> None:
    low, low_or_high, affordable_or_high = {1, 2, 3}, {1, 2, 3, 7, 8}, {4, 5, 6, 7, 8}

    assert cuisines("B14")["american"] == low_or_high
    assert cuisines("B14")["fast-food"] == low
    assert cuisines("B14")["french"] == {7, 8}
    assert cuisines("B12")["american"] == affordable_or_high


@pytest.mark.cites("§3.3.1")
def test_example_6_a_building_without_the_level_forbids_the_cuisine() -> None:
    assert "fast-food" not in cuisines("B12")
    assert "french" not in cuisines("B8")
    with pytest.raises(IllegalMove, match=r"Fast Food is sold at low prices, Main Street \(B12\) allows affordable"):
        GAME.play(the_chef("B12"), ANN, Set(0, CuisineId("fast-food"), 3), CHANCE)


@pytest.mark.cites("§3.3.1")
@pytest.mark.parametrize(
    ("move", "why"),
    [
        (Set(1, CuisineId("italian"), 7), "you have no restaurant 1; you have 0"),
        (Set(0, CuisineId("martian"), 7), "there is no cuisine martian"),
        (Set(0, CuisineId("italian"), 6), "choose 7, 8"),
        (Set(0, CuisineId("italian"), 9), "choose 7, 8"),
        (Borrow(), "not what you are asked now: Set cuisine and price"),
    ],
)
def test_a_menu_that_cannot_be_is_refused(move: object, why: str) -> None:
    with pytest.raises(IllegalMove, match=why) as refused:
        GAME.play(the_chef("B14"), ANN, move, CHANCE)  # type: ignore[arg-type]
    assert refused.value.rule is CHEF


@pytest.mark.cites("§3.3.1", "R6")
def test_richest_first_everybody_sets_one_menu() -> None:
    houses = [[restaurant(building)] for building in ("B8", "B9", "B10")]
    state = choose(asking(a_table(*houses, money=[5, 9, 7])), "chef", "chef", "chef").state
    order = []
    while "menu" in asked(state).values():
        (seat,) = GAME.waiting(state)
        order.append(seat)
        state = play(state, (seat, GAME.legal(state, seat)[0])).state

    assert order == [BOB, CY, ANN]
    assert state.table.money == (4, 8, 6)


@pytest.mark.cites("§3.3.3", "R9")
def test_example_7_a_loan_brings_ten() -> None:
    state = asking(a_table([], [], loans=[0, 2]), Banking((ANN, BOB)))
    assert asked(state) == {ANN: "bank", BOB: "bank"}
    assert all(decision.sealed for decision in GAME.waiting(state).values())

    step = play(state, (ANN, Borrow()), (BOB, Repay(2)))

    assert step.state.table.money == (40, 10)
    assert step.state.table.loans == (1, 0)
    assert step.events[:2] == (events.Borrowed(ANN, 10), events.Repaid(BOB, 2, 20))


@pytest.mark.cites("§3.3.3", "R16")
def test_loans_are_repaid_as_far_as_there_are_any_and_money_lasts() -> None:
    state = asking(a_table([], [], money=[25, 30], loans=[3, 0]), Banking((ANN,)))

    assert GAME.legal(state, ANN) == [Borrow(), Repay(1), Repay(2)]
    for loans, rule in ((0, BANKER), (-1, BANKER), (4, BANKER), (3, AFFORD)):
        with pytest.raises(IllegalMove) as refused:
            GAME.play(state, ANN, Repay(loans), CHANCE)
        assert refused.value.rule is rule
    with pytest.raises(IllegalMove, match="you have no loan to repay"):
        GAME.play(asking(state.table, Banking((BOB,))), BOB, Repay(1), CHANCE)


@pytest.mark.cites("§3.3.4")
def test_a_point_of_ads_costs_two() -> None:
    state = asking(a_table([restaurant("B8"), restaurant("B9")], []), Advertising((ANN,)))

    step = play(state, (ANN, Advertise(1, 5)))

    assert [each.ads for each in step.state.table.restaurants[ANN]] == [0, 5]
    assert step.state.table.money == (20, 30)
    assert events.Advertised(House(ANN, 1), 5, 10) in step.events


@pytest.mark.cites("§3.3.4")
def test_several_advertise_under_seal() -> None:
    houses = [[restaurant(building)] for building in ("B8", "B9", "B10")]
    state = choose(asking(a_table(*houses)), "ads", "time", "ads").state
    assert asked(state) == {ANN: "ads", CY: "ads"}
    assert all(decision.sealed for decision in GAME.waiting(state).values())

    one = play(state, (ANN, Advertise(0, 3)))
    assert (one.events, one.state.table) == ((), state.table)
    two = play(one.state, (CY, Advertise(0, 4)), chance=loaded(time=[1, 1]))

    assert two.state.table.money == (24, 30, 22)


@pytest.mark.cites("R10")
def test_r10_points_of_several_phases_add_up() -> None:
    state = asking(a_table([restaurant("B8", ads=2)], []), Advertising((ANN,)))

    assert play(state, (ANN, Advertise(0, 3))).state.table.restaurants[ANN][0].ads == 5


@pytest.mark.cites("§3.3.4")
def test_zero_points_are_written_in_one_way_only() -> None:
    state = asking(a_table([restaurant("B8"), restaurant("B9")], [], money=[5, 30]), Advertising((ANN,)))

    assert GAME.legal(state, ANN) == [Advertise(0, 0), *[Advertise(slot, p) for slot in (0, 1) for p in (1, 2)]]
    for move, rule in ((Advertise(1, 0), AD_AGENCY), (Advertise(0, -1), AD_AGENCY), (Advertise(0, 3), AFFORD)):
        with pytest.raises(IllegalMove) as refused:
            GAME.play(state, ANN, move, CHANCE)
        assert refused.value.rule is rule


@pytest.mark.cites("§3.3.4")
def test_without_a_restaurant_or_two_money_there_is_nothing_to_ask() -> None:
    state = asking(a_table([], [restaurant("B8")], money=[30, 1]))

    step = choose(state, "ads", "ads", chance=loaded(time=[1]))

    assert step.events[1:3] == (events.Advertised(House(ANN, 0), 0, 0), events.Advertised(House(BOB, 0), 0, 0))
    assert asked(step.state) == {ANN: "option", BOB: "option"}


@pytest.mark.cites("§7")
def test_the_chefs_fallback_fills_in_the_first_missing_menu_at_its_highest_price() -> None:
    both = asking(a_table([restaurant("B8", "asian", 2), restaurant("B14")], []), Menus((ANN,)))
    none = asking(a_table([restaurant("B8", "asian", 2), restaurant("B14", "steak", 7)], []), Menus((ANN,)))

    assert GAME.fallback(both, ANN) == Set(1, CuisineId("american"), 8)
    assert GAME.fallback(none, ANN) == Set(0, CuisineId("asian"), 2)


@pytest.mark.cites("§7")
@pytest.mark.parametrize(("money", "loans", "move"), [(30, 0, Borrow()), (10, 1, Repay(1)), (9, 1, Borrow())])
def test_the_bankers_fallback_repays_one_loan_if_it_can(money: int, loans: int, move: object) -> None:
    state = asking(a_table([], [], money=[money, 30], loans=[loans, 0]), Banking((ANN,)))

    assert GAME.fallback(state, Seat(0)) == move


def test_every_building_has_a_menu() -> None:
    assert all(BOX.menus[building] for building in BOX.buildings)
