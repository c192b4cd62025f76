"""§3.3.6 renovations: the procedure of the Jobs Board, with cut-offs."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove
from engine.games.la_bistro import GAME, events
from engine.games.la_bistro.components import RenovationId
from engine.games.la_bistro.moves import Bid, Decline, Hire, Pass, Renovate
from engine.games.la_bistro.rulebook import AFFORD, ONE_OF_EACH, RENOVATIONS
from engine.games.la_bistro.sheet import sheet
from engine.games.la_bistro.state import House, Market, Renovating, State
from tests.games.la_bistro.positions import (
    ANN,
    BOB,
    BOX,
    CHANCE,
    a_table,
    asked,
    asking,
    choose,
    loaded,
    play,
    restaurant,
)

PATIO, BAR, BANQUET, THEME, LIGHTING = map(RenovationId, ("patio", "bar", "banquet-room", "theme-decor", "lighting"))


def at_the_chart(*mine: str, money: int = 30, time: int = 0) -> State:
    """Ann alone at the Renovations Chart, with the renovations she has."""
    table = a_table([restaurant("B8", renovations=mine)], [restaurant("B9")], money=[money, 30], time=time)
    return asking(table, Renovating(Market("renovations", (ANN,)), ANN))


def items(state: State) -> list[str]:
    return [move.item for move in GAME.legal(state, ANN) if isinstance(move, Renovate)]


@pytest.mark.cites("§3.3.6")
def test_an_item_is_bought_for_its_list_price() -> None:
    step = play(at_the_chart(), (ANN, Renovate(PATIO, 0)))

    assert step.state.table.restaurants[ANN][0].renovations == ("patio",)
    assert step.state.table.money == (26, 30)
    assert events.Renovated(House(ANN, 0), "Patio", 4) in step.events
    assert sheet(BOX, step.state.table.restaurants[ANN][0]) == (0, 0, 2, 12)


@pytest.mark.cites("R30")
def test_r30_each_item_is_had_once_in_a_restaurant() -> None:
    assert "bar" not in items(at_the_chart("bar"))
    with pytest.raises(IllegalMove, match="Bar: this restaurant already has it") as refused:
        GAME.play(at_the_chart("bar"), ANN, Renovate(BAR, 0), CHANCE)
    assert refused.value.rule is ONE_OF_EACH


@pytest.mark.cites("R30")
def test_r30_each_restaurant_of_an_owner_has_its_own() -> None:
    table = a_table([restaurant("B8", renovations=["bar"]), restaurant("B3")], [restaurant("B9")], money=[30, 30])
    state = asking(table, Renovating(Market("renovations", (ANN,)), ANN))

    assert Renovate(BAR, 1) in GAME.legal(state, ANN)
    assert Renovate(BAR, 0) not in GAME.legal(state, ANN)
    after = play(state, (ANN, Renovate(BAR, 1))).state.table.restaurants[ANN]
    assert [each.renovations for each in after] == [("bar",), ("bar",)]


@pytest.mark.cites("§3.3.6", "R15")
@pytest.mark.parametrize(("time", "open_"), [(0, True), (4, True), (5, False), (15, False)])
def test_r15_an_item_is_closed_once_the_time_has_reached_its_cut_off(time: int, open_: bool) -> None:
    state = at_the_chart(time=time)

    assert ("patio" in items(state)) == open_
    if not open_:
        with pytest.raises(IllegalMove, match="Patio: closed since the time reached 5"):
            GAME.play(state, ANN, Renovate(PATIO, 0), CHANCE)


@pytest.mark.cites("R15")
def test_r15_a_cut_off_lasts_for_the_turn() -> None:
    state = asking(a_table([restaurant("B8")], [restaurant("B9")], time=14))

    after = choose(state, "time", "ads", chance=loaded(time=[1, 1])).state
    after = play(after, (BOB, GAME.fallback(after, BOB)), chance=loaded(time=[1, 1])).state

    assert (after.table.turn, after.table.time) == (2, 0)
    assert "patio" in items(asking(after.table, Renovating(Market("renovations", (ANN,)), ANN)))


def both_at_the_chart(money: list[int]) -> State:
    return choose(
        asking(a_table([restaurant("B8")], [restaurant("B9")], money=money)), "renovations", "renovations"
    ).state


@pytest.mark.cites("R15", "§3.3.6")
def test_r15_what_is_sold_in_a_phase_is_sold_to_nobody_else_in_it() -> None:
    state = both_at_the_chart([30, 20])
    state = play(state, (ANN, Bid(0)), (BOB, Pass()), (ANN, Renovate(PATIO, 0))).state
    assert asked(state) == {BOB: "renovate"}

    with pytest.raises(IllegalMove, match="Patio: sold in this phase"):
        GAME.play(state, BOB, Renovate(PATIO, 0), CHANCE)
    again = play(state, (BOB, Decline()), chance=loaded(time=[1])).state
    again = choose(again, "time", "renovations").state

    assert Renovate(PATIO, 0) in GAME.legal(again, BOB)


@pytest.mark.cites("§3.3.6", "R12")
def test_several_bid_for_the_right_to_choose_next() -> None:
    state = both_at_the_chart([20, 30])
    assert asked(state) == {BOB: "bid"}

    after = play(state, (BOB, Bid(3)), (ANN, Pass()), (BOB, Renovate(BAR, 0))).state

    assert after.table.money == (20, 23)


@pytest.mark.cites("R11", "§3.3.6")
def test_r11_who_can_afford_nothing_takes_no_part() -> None:
    assert asked(both_at_the_chart([1, 30])) == {BOB: "renovate"}


@pytest.mark.cites("R13", "§3.3.6")
def test_r13_a_conditional_item_may_be_bought_early() -> None:
    table = a_table([restaurant("B9")], [])
    state = asking(table, Renovating(Market("renovations", (ANN,)), ANN))

    after = play(state, (ANN, Renovate(BANQUET, 0))).state.table.restaurants[ANN][0]

    assert after.renovations == ("banquet-room",)
    assert sheet(BOX, after) == sheet(BOX, restaurant("B9"))


@pytest.mark.cites("R1")
def test_r1_novelty_is_added_once_when_the_item_is_bought() -> None:
    state = at_the_chart()

    after = play(state, (ANN, Renovate(THEME, 0))).state.table.restaurants[ANN][0]

    assert after.novelty == 16
    assert sheet(BOX, after).ambiance == 1


@pytest.mark.cites("R1")
def test_r1_only_unconditional_items_add_novelty() -> None:
    adds = [item for item in [*BOX.employees.values(), *BOX.renovations.values()] if item.effect.novelty]

    assert [item.id for item in adds] == ["theme-decor"]
    assert all(item.needs is None for item in adds)


@pytest.mark.cites("§3.3.6", "R16")
@pytest.mark.parametrize(
    ("move", "why", "rule"),
    [
        (Renovate(RenovationId("moat"), 0), "there is no renovation moat", RENOVATIONS),
        (Renovate(BAR, 1), "you have no restaurant 1", RENOVATIONS),
        (Renovate(BAR, 0), "Bar costs 4, and you have only 3 money", AFFORD),
        (Hire(1, 1, 0), "not what you are asked now: Buy a renovation", RENOVATIONS),
    ],
)
def test_a_refusal_says_why_and_cites_the_rule(move: object, why: str, rule: object) -> None:
    with pytest.raises(IllegalMove, match=why) as refused:
        GAME.play(at_the_chart(money=3), ANN, move, CHANCE)  # type: ignore[arg-type]
    assert refused.value.rule is rule


@pytest.mark.cites("§3.3.6")
def test_one_choice_buys_one_item_for_one_of_two_restaurants() -> None:
    table = a_table([restaurant("B8"), restaurant("B9")], [], money=[2, 30])
    state = asking(table, Renovating(Market("renovations", (ANN,)), ANN))

    assert GAME.legal(state, ANN) == [Renovate(LIGHTING, 0), Renovate(LIGHTING, 1), Decline()]
    assert "renovate" not in asked(play(state, (ANN, Renovate(LIGHTING, 1))).state).values()
