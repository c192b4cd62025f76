"""§3.3.5 the Jobs Board: hiring, the right to choose, and the unique employees."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.errors import IllegalMove
from engine.games.la_bistro import GAME, events
from engine.games.la_bistro.moves import Bid, Decline, Hire, Limit, Pass, Renovate
from engine.games.la_bistro.rulebook import AFFORD, JOBS_BOARD
from engine.games.la_bistro.sheet import sheet
from engine.games.la_bistro.state import Hiring, House, Market, Restaurant, State
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
    only,
    play,
    restaurant,
)

HEAD_CHEF, SOUS_CHEF, WAITRON, LINE_COOK = (1, 1), (1, 3), (5, 1), (1, 4)


def at_the_board(money: int, *jobs: tuple[int, int], mine: Sequence[Restaurant] = (restaurant("B8"),)) -> State:
    """Ann alone at the Jobs Board."""
    table = a_table(mine, [restaurant("B9")], money=[money, 30], jobs=jobs)
    return asking(table, Hiring(Market("jobs", (ANN,)), ANN))


@pytest.mark.cites("§3.3.5")
def test_a_single_participant_hires_for_the_list_price() -> None:
    step = play(at_the_board(30, SOUS_CHEF, WAITRON), (ANN, Hire(1, 3, 0)))

    assert step.state.table.restaurants[ANN][0].employees == ("sous-chef",)
    assert step.state.table.money == (24, 30)
    assert events.Hired(House(ANN, 0), "Sous Chef", 6) in step.events


@pytest.mark.cites("§3.3.5")
def test_a_single_participant_may_decline() -> None:
    step = play(at_the_board(30, SOUS_CHEF), (ANN, Decline()))

    assert events.Declined(ANN, "jobs") in step.events
    assert step.state.table.money == (30, 30)


@pytest.mark.cites("§3.3.5")
def test_a_listed_job_is_taken_once_in_a_restaurant_an_unlimited_one_any_number_of_times() -> None:
    mine = [restaurant("B8", staff=["sous-chef", "waitron"]), restaurant("B10")]

    assert GAME.legal(at_the_board(30, SOUS_CHEF, WAITRON, mine=mine), ANN) == [
        Hire(1, 3, 1),
        Hire(5, 1, 0),
        Hire(5, 1, 1),
        Decline(),
    ]


@pytest.mark.cites("§3.3.5")
def test_a_waitron_manager_is_another_job_than_a_waitron() -> None:
    mine = [restaurant("B8", staff=["waitron"])]

    assert Hire(4, 3, 0) in GAME.legal(at_the_board(30, (4, 3), mine=mine), ANN)


@pytest.mark.cites("§3.3.5")
@pytest.mark.parametrize(
    ("move", "why"),
    [
        (Hire(2, 2, 0), "no die on box 2,2; there are dice on 1,1, 1,3"),
        (Hire(9, -4, 0), "no die on box 9,-4"),
        (Hire(1, 3, 1), "you have no restaurant 1"),
        (Hire(1, 3, 0), "already has a Sous Chef"),
        (Hire(1, 1, 0, 9), "there is nothing to bid for the Head/Master Chef"),
    ],
)
def test_a_refusal_says_why(move: Hire, why: str) -> None:
    state = at_the_board(30, SOUS_CHEF, HEAD_CHEF, mine=[restaurant("B8", staff=["sous-chef"])])

    with pytest.raises(IllegalMove, match=why) as refused:
        GAME.play(state, ANN, move, CHANCE)
    assert refused.value.rule is JOBS_BOARD


@pytest.mark.cites("R16")
def test_r16_nobody_is_hired_on_credit() -> None:
    with pytest.raises(IllegalMove, match="the Sous Chef costs 6, and you have only 5 money") as refused:
        GAME.play(at_the_board(5, SOUS_CHEF), ANN, Hire(1, 3, 0), CHANCE)
    assert refused.value.rule is AFFORD


def test_nothing_is_renovated_at_the_jobs_board() -> None:
    with pytest.raises(IllegalMove, match="not what you are asked now: Hire somebody"):
        GAME.play(at_the_board(30, WAITRON), ANN, Renovate(next(iter(BOX.renovations)), 0), CHANCE)


# ------------------------------------------------------------------ the right to choose


def three_at_the_board(money: list[int], *jobs: tuple[int, int], auctions: str = "open") -> State:
    houses = [[restaurant(building)] for building in ("B8", "B9", "B10")]
    table = a_table(*houses, money=money, jobs=jobs, auctions=auctions)  # type: ignore[arg-type]
    return choose(asking(table), "jobs", "jobs", "jobs").state


@pytest.mark.cites("§3.3.5", "R12")
def test_r12_several_bid_for_the_right_and_the_list_price_comes_on_top() -> None:
    state = three_at_the_board([20, 30, 25], SOUS_CHEF, WAITRON)
    assert asked(state) == {BOB: "bid"}

    state = play(state, (BOB, Bid(0)), (CY, Bid(2)), (ANN, Pass()), (BOB, Pass())).state
    assert asked(state) == {CY: "hire"}
    assert state.table.money == (20, 30, 23)
    after = play(state, (CY, Hire(1, 3, 0))).state

    assert after.table.money == (20, 30, 17)


@pytest.mark.cites("R12")
def test_r12_the_opener_may_pass_and_the_last_one_left_has_the_right_for_nothing() -> None:
    state = three_at_the_board([20, 30, 25], SOUS_CHEF, WAITRON)
    assert GAME.legal(state, BOB)[0] == Bid(0)

    step = play(state, (BOB, Pass()), (CY, Pass()))

    assert events.Right(ANN, "jobs", 0) in step.events
    assert asked(step.state) == {ANN: "hire"}


@pytest.mark.cites("§3.3.5", "R6")
def test_r6_each_auction_for_the_right_looks_at_the_money_of_the_moment() -> None:
    state = three_at_the_board([20, 30, 25], SOUS_CHEF, WAITRON, LINE_COOK)
    state = play(state, (BOB, Bid(10)), (CY, Pass()), (ANN, Pass()), (BOB, Hire(1, 3, 0))).state
    assert asked(state) == {CY: "bid"}
    other = three_at_the_board([20, 24, 22], SOUS_CHEF, WAITRON, LINE_COOK)
    other = play(other, (BOB, Pass()), (CY, Bid(0)), (ANN, Pass()), (CY, Decline())).state
    assert asked(other) == {BOB: "bid"}


@pytest.mark.cites("§3.3.5")
def test_the_winner_may_decline_and_is_finished_and_the_last_one_needs_no_auction() -> None:
    state = three_at_the_board([20, 30, 25], SOUS_CHEF, WAITRON)
    state = play(state, (BOB, Bid(1)), (CY, Pass()), (ANN, Pass()), (BOB, Decline())).state
    assert asked(state) == {CY: "bid"}

    state = play(state, (CY, Pass()), (ANN, Hire(5, 1, 0))).state

    assert asked(state) == {CY: "hire"}
    assert state.table.money == (17, 29, 25)


@pytest.mark.cites("R11")
def test_r11_who_could_hire_nobody_takes_no_part() -> None:
    assert asked(three_at_the_board([2, 30, 0], WAITRON)) == {BOB: "hire"}
    assert asked(three_at_the_board([2, 30, 3], WAITRON)) == {BOB: "bid"}


@pytest.mark.cites("R11", "§3.3.5")
def test_r11_participants_are_found_anew_after_each_purchase() -> None:
    state = three_at_the_board([4, 30, 25], SOUS_CHEF, WAITRON)

    state = play(state, (BOB, Bid(0)), (CY, Pass()), (ANN, Pass()), (BOB, Hire(5, 1, 0))).state

    assert asked(state) == {CY: "hire"}


@pytest.mark.cites("§3.3.5")
def test_it_ends_when_no_employee_is_left() -> None:
    state = three_at_the_board([20, 30, 25], WAITRON)

    state = play(state, (BOB, Bid(0)), (CY, Pass()), (ANN, Pass()), (BOB, Hire(5, 1, 0))).state

    assert asked(state) == {ANN: "option", BOB: "option", CY: "option"}


@pytest.mark.cites("§3.3.5")
def test_who_paid_too_much_for_the_right_can_only_decline() -> None:
    state = three_at_the_board([20, 30, 25], SOUS_CHEF)

    state = play(state, (BOB, Bid(27)), chance=CHANCE).state

    assert asked(state) == {BOB: "hire"}
    assert GAME.legal(state, BOB) == [Decline()]


@pytest.mark.cites("§6.2", "R12")
def test_by_sealed_proxy_everybody_may_pass_on_the_right_and_the_last_in_turn_has_it() -> None:
    state = three_at_the_board([20, 30, 25], SOUS_CHEF, WAITRON, auctions="sealed-proxy")
    assert asked(state) == {ANN: "limit", BOB: "limit", CY: "limit"}
    assert GAME.legal(state, BOB)[0] == Limit(0)

    nobody = play(state, (ANN, Pass()), (BOB, Pass()), (CY, Pass()))
    contested = play(state, (ANN, Limit(2)), (BOB, Limit(2)), (CY, Limit(3)))

    assert events.Right(ANN, "jobs", 0) in nobody.events
    assert events.Right(CY, "jobs", 3) in contested.events


# ------------------------------------------------------------------ unique employees


def with_a_head_chef(ann: int, bob: int, auctions: str = "open") -> State:
    """Bob employs the Head Chef in his second restaurant; Ann is at the board and may choose."""
    theirs = [restaurant("B9"), restaurant("B10", staff=["waitron", "head-chef"])]
    table = a_table([restaurant("B8")], theirs, money=[ann, bob], jobs=[(1, 2)], auctions=auctions)  # type: ignore[arg-type]
    return asking(table, Hiring(Market("jobs", (ANN,)), ANN))


@pytest.mark.cites("§3.3.5")
def test_a_unique_employee_without_an_employer_is_hired_like_any_other() -> None:
    after = play(at_the_board(30, HEAD_CHEF), (ANN, Hire(1, 1, 0))).state.table

    assert after.restaurants[ANN][0].employees == ("head-chef",)
    assert after.money == (21, 30)


@pytest.mark.cites("§3.3.5")
def test_a_unique_employee_is_not_chosen_by_its_own_employer() -> None:
    mine = [restaurant("B8"), restaurant("B10", staff=["head-chef"])]
    state = at_the_board(30, HEAD_CHEF, WAITRON, mine=mine)

    assert {move.row for move in GAME.legal(state, ANN) if isinstance(move, Hire)} == {5}
    with pytest.raises(IllegalMove, match="already works for you"):
        GAME.play(state, ANN, Hire(1, 1, 0), CHANCE)


@pytest.mark.cites("§3.3.5")
def test_who_wants_it_from_another_opens_with_the_list_price_or_more() -> None:
    state = with_a_head_chef(12, 30)

    assert GAME.legal(state, ANN) == [*[Hire(1, 2, 0, bid) for bid in range(9, 13)], Decline()]
    for bid in (None, 8, 13):
        with pytest.raises(IllegalMove):
            GAME.play(state, ANN, Hire(1, 2, 0, bid), CHANCE)


@pytest.mark.cites("§3.3.5")
def test_example_12_a_challenger_who_wins_at_13_pays_6_to_the_bank_and_7_to_the_employer() -> None:
    state = with_a_head_chef(30, 30)

    step = play(state, (ANN, Hire(1, 2, 0, 9)), (BOB, Bid(12)), (ANN, Bid(13)), (BOB, Pass()))

    assert step.state.table.money == (17, 37)
    assert step.state.table.bank == 6
    assert events.HiredAway("Head/Master Chef", House(ANN, 0), House(BOB, 1), 6, 7) in step.events
    assert step.state.table.restaurants[ANN][0].employees == ("head-chef",)
    assert step.state.table.restaurants[BOB][1].employees == ("waitron",)


@pytest.mark.cites("R14")
def test_r14_an_employer_who_wins_pays_the_bank_and_keeps_the_employee_where_it_is() -> None:
    state = with_a_head_chef(30, 30)

    step = play(state, (ANN, Hire(1, 2, 0, 9)), (BOB, Bid(12)), (ANN, Pass()))

    assert step.state.table.money == (30, 18)
    assert step.state.table.bank == 12
    assert events.Kept("Head/Master Chef", House(BOB, 1), 12) in step.events
    assert step.state.table.restaurants == state.table.restaurants


@pytest.mark.cites("§3.3.5", "R3")
def test_either_way_the_die_is_set_aside_and_the_challenger_finished() -> None:
    for answer in (Pass(), Bid(10)):
        state = play(with_a_head_chef(30, 30), (ANN, Hire(1, 2, 0, 9)), (BOB, answer)).state
        state = play(state, (ANN, Pass())).state if isinstance(answer, Bid) else state
        assert state.table.aside == 1
        assert "hire" not in asked(state).values()


@pytest.mark.cites("§3.3.5")
def test_the_employer_takes_part_whatever_it_had_chosen() -> None:
    state = play(with_a_head_chef(30, 30), (ANN, Hire(1, 2, 0, 9))).state

    assert asked(state) == {BOB: "bid"}


@pytest.mark.cites("§3.3.5", "§6.1")
def test_an_employer_who_cannot_follow_loses_at_once() -> None:
    step = play(with_a_head_chef(30, 9), (ANN, Hire(1, 2, 0, 9)))

    assert events.Passed(BOB, broke=True) in step.events
    assert step.state.table.money == (21, 14)


@pytest.mark.cites("§6.2", "§3.3.5")
def test_by_sealed_proxy_the_challenger_is_bound_to_the_list_price() -> None:
    state = with_a_head_chef(30, 30, auctions="sealed-proxy")
    assert GAME.legal(state, ANN) == [Hire(1, 2, 0), Decline()]
    with pytest.raises(IllegalMove, match="leave the bid out"):
        GAME.play(state, ANN, Hire(1, 2, 0, 9), CHANCE)

    state = play(state, (ANN, Hire(1, 2, 0))).state
    assert GAME.legal(state, ANN)[0] == Limit(9)
    assert Pass() not in GAME.legal(state, ANN)
    won = play(state, (ANN, Limit(14)), (BOB, Limit(12)))
    lost = play(state, (ANN, Limit(9)), (BOB, Limit(20)))

    assert only(won.events, events.HiredAway) == [
        events.HiredAway("Head/Master Chef", House(ANN, 0), House(BOB, 1), 6, 7)
    ]
    assert only(lost.events, events.Kept) == [events.Kept("Head/Master Chef", House(BOB, 1), 10)]


@pytest.mark.cites("§6.2")
def test_by_sealed_proxy_an_employer_too_poor_for_the_list_price_is_not_asked() -> None:
    step = play(with_a_head_chef(30, 8, auctions="sealed-proxy"), (ANN, Hire(1, 2, 0)))

    assert events.Passed(BOB, broke=True) in step.events
    assert step.state.table.money == (21, 13)


# ------------------------------------------------------------------ conditions


@pytest.mark.cites("R13")
def test_r13_an_employee_may_be_hired_before_its_condition_holds() -> None:
    after = play(at_the_board(30, (6, 4)), (ANN, Hire(6, 4, 0))).state.table.restaurants[ANN][0]

    assert after.employees == ("sommelier",)
    assert sheet(BOX, after) == sheet(BOX, restaurant("B8"))
    assert sheet(BOX, restaurant("B8", staff=["sommelier"], renovations=["bar"])) == (0, 4, 4, 10)


@pytest.mark.cites("R13")
def test_r13_a_change_of_cuisine_suspends_what_needs_it_and_brings_it_back() -> None:
    figures = [
        sheet(BOX, restaurant("B14", cuisine, 8, staff=["saucier"])).quality
        for cuisine in ("french", "italian", "french")
    ]

    assert figures == [4, 0, 4]


@pytest.mark.cites("R13")
def test_r13_seats_come_and_go_with_their_condition() -> None:
    seats = [
        sheet(BOX, restaurant("B13", cuisine, 2, renovations=["drive-through"])).seats
        for cuisine in ("fast-food", "american")
    ]

    assert seats == [10, 8]


@pytest.mark.cites("R13")
def test_r13_losing_a_unique_employee_loses_what_it_gave() -> None:
    state = with_a_head_chef(30, 9)
    before = sheet(BOX, state.table.restaurants[BOB][1]).quality

    after = play(state, (ANN, Hire(1, 2, 0, 9))).state.table

    assert (before, sheet(BOX, after.restaurants[BOB][1]).quality, sheet(BOX, after.restaurants[ANN][0]).quality) == (
        6,
        0,
        6,
    )
