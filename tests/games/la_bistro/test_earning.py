"""§4 the earning phase: placing the diners, handing them out, and what comes afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.chance import Chance
from engine.games.la_bistro import events
from engine.games.la_bistro.components import ChartBox
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.rules.earning import Contender, compare, contenders, earn, fame_awards, hand_out, place
from engine.games.la_bistro.state import Diner, House, Income, Out, Restaurant, Round, Table
from tests.games.la_bistro.positions import ANN, BOB, BOX, CHANCE, CY, a_table, loaded, only, restaurant

JOE, MICHAEL, REST = House(ANN, 0), House(BOB, 0), House(CY, 0)


def rivals(*restaurants: Restaurant) -> list[Contender]:
    """One restaurant a seat."""
    return contenders(BOX, [[each] for each in restaurants])


def box(number: int) -> ChartBox:
    return BOX.chart[number - 1]


def compared(number: int, die: int, *restaurants: Restaurant) -> tuple[list[Round], list[House]]:
    rounds, chosen = compare(box(number), die, rivals(*restaurants))
    return rounds, [rival.house for rival in chosen]


def served(number: int, die: int, *restaurants: Restaurant, inflation: int = 0) -> Diner:
    """One diner on one box."""
    (diner,) = hand_out(BOX, rivals(*restaurants), [(number, die)], inflation)
    return diner


def after_diners(table: Table, dice: Sequence[int], inflation: int = 1) -> Course:
    course = Course(table, loaded(diners=dice, inflation=[inflation]))
    earn(course)
    return course


# ------------------------------------------------------------------ placing


@pytest.mark.cites("§4.1")
def test_example_11_the_boxes_in_the_order_in_which_they_are_filled() -> None:
    dice = [1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6]

    placed = place(dice, 15)

    assert [number for number, _ in placed] == [60, 61, 68, 75, 82, 89, 6, 7, 15, 22, 29, 36, 39, 47, 54]


@pytest.mark.cites("§4.1")
def test_if_no_die_fits_the_column_of_the_sum_the_next_box_is_tried_over_the_end_of_the_row() -> None:
    # 14 ones and a four make 18, the last box of row 3; the next that fits is box 19, the first of row 4.
    assert place([1] * 14 + [4], 15)[:3] == [(19, 1), (28, 4), (31, 1)]
    # All sixes make 90, the last box of all: it fits, and the next row is the first.
    assert place([6] * 15, 15)[:2] == [(90, 6), (6, 6)]


@pytest.mark.cites("R18")
def test_r18_equal_dice_wait_for_the_next_pass() -> None:
    # The sum is 23, row 4 column 5: the next box with a die is 25, a one in row 5.
    placed = place([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 4], 15)

    assert [die for _, die in placed] == [1, 2, 4, 1, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1, 1]


@pytest.mark.cites("§4.1")
def test_every_row_receives_one_die_in_the_column_of_its_value() -> None:
    for entry in range(200):
        chance = Chance(bytes(32), entry)
        dice = [chance.roll("diners") for _ in range(15)]

        placed = place(dice, 15)

        assert sorted((number - 1) // 6 for number, _ in placed) == list(range(15))
        assert all((number - 1) % 6 + 1 == die for number, die in placed)
        assert sorted(die for _, die in placed) == sorted(dice)


# ------------------------------------------------------------------ handing out


@pytest.mark.cites("§4.2")
def test_example_3_on_box_7_services_of_7_and_8_are_both_attentive() -> None:
    joe = restaurant("B21", "american", 3, staff=["waitron-manager", "waitron", "busser"])  # Service 7
    michael = restaurant("B4", "american", 5, staff=["waitron-manager", "waitron", "waitron"])  # Service 8
    slow = restaurant("B8", "american", 1)

    rounds, left = compared(7, 1, joe, michael, slow)

    assert [each.criterion for each in rounds] == ["service", "proximity"]
    assert rounds[0] == Round("service", 2, (Out(REST, 1),))
    assert left == [MICHAEL]
    assert box(7).criteria[:3] == ("service", "proximity", "price")


@pytest.mark.cites("§4.2")
def test_example_4_on_box_1_refined_diners_prefer_8_to_7() -> None:
    joe = restaurant("B21", "american", 3, staff=["waitron-manager", "waitron", "busser"])
    michael = restaurant("B20", "american", 5, staff=["waitron-manager", "waitron", "waitron"])

    rounds, left = compared(1, 1, joe, michael)

    assert box(1).colour == "mauve"
    assert rounds == [Round("service", 8, (Out(JOE, 7),))]
    assert left == [MICHAEL]


@pytest.mark.cites("§4.2", "R21")
def test_example_5_on_box_11_the_hills_are_nearer_to_a_five_than_the_seaside() -> None:
    rounds, left = compared(11, 5, restaurant("B21", "american", 3), restaurant("B1", "american", 5))

    assert rounds == [Round("proximity", 1, (Out(MICHAEL, 4),))]
    assert left == [JOE]


@pytest.mark.cites("R21")
def test_r21_zone_1_and_zone_6_are_five_apart() -> None:
    rounds, left = compared(2, 6, restaurant("B1", "american", 5), restaurant("B12", "american", 5))

    assert rounds[0] == Round("proximity", 2, (Out(JOE, 5),))
    assert left == [MICHAEL]


@pytest.mark.cites("§4.2", "R20")
def test_example_2_a_split_pays_3_2_and_2_for_prices_of_8_6_and_4() -> None:
    diner = served(
        63, 3, *(restaurant("B8", "american", price) for price in (8, 6, 4))
    )  # novelty, steak, ads, proximity

    assert diner.got == (JOE, MICHAEL, REST)
    assert diner.each == (3, 2, 2)


@pytest.mark.cites("R20", "§4.2")
def test_r20_a_split_die_fills_no_seat_and_pays_no_gold() -> None:
    same = [restaurant("B22", "american", 5), restaurant("B22", "american", 5)]
    free = rivals(*same)

    (first, second) = hand_out(BOX, free, [(88, 4), (72, 6)], 0)

    assert (first.got, first.each, first.gold) == ((JOE, MICHAEL), (3, 3), 0)
    assert second.full == ()


@pytest.mark.cites("§4.2")
def test_a_gold_box_pays_five_more_to_who_receives_the_die() -> None:
    diner = served(51, 3, restaurant("B8", "american", 4), restaurant("B1", "american", 4), inflation=2)

    assert (diner.colour, diner.got, diner.each, diner.gold) == ("gold", (JOE,), (6,), 5)


@pytest.mark.cites("§4.2")
def test_diners_on_mauve_boxes_come_first_then_the_others_each_by_their_box() -> None:
    dice = [1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6]

    order = [diner.box for diner in hand_out(BOX, rivals(restaurant("B8", "american", 2)), place(dice, 15), 0)]

    assert order == [36, 6, 7, 15, 22, 29, 39, 47, 54, 60, 61, 68, 75, 82, 89]


@pytest.mark.cites("§4.2")
def test_a_price_is_compared_by_level_and_by_refined_diners_exactly() -> None:
    cheap, dear = restaurant("B8", "american", 4), restaurant("B8", "american", 6)

    assert compared(4, 4, dear, cheap)[0][0] == Round("price", 2, ())
    assert served(65, 5, dear, cheap).rounds[1] == Round("price", 4, (Out(JOE, 6),))


@pytest.mark.cites("§4.2")
def test_a_cuisine_that_nobody_has_is_ignored() -> None:
    french, steak = restaurant("B14", "french", 8), restaurant("B14", "steak", 8)

    assert compared(20, 2, french, steak)[0] == [Round("cuisine:french", 1, (Out(MICHAEL, 0),))]
    assert compared(20, 2, steak, steak)[0][0] == Round("cuisine:french", 0, ())


@pytest.mark.cites("§4.2")
@pytest.mark.parametrize(
    ("number", "criterion"),
    [(22, "ads"), (32, "novelty"), (21, "fame"), (19, "quality"), (42, "service"), (17, "ambiance")],
)
def test_plain_diners_compare_tiers_and_the_highest_is_best(number: int, criterion: str) -> None:
    low = Contender(JOE, 5, "american", 3, 6, {}, dict.fromkeys((*BOX.tiers, "price"), 2))  # type: ignore[arg-type]
    high = low._replace(house=MICHAEL, tiers={**low.tiers, criterion: 3})

    rounds, left = compare(ChartBox(number, "plain", (criterion,)), 3, [low, high])

    assert rounds == [Round(criterion, 3, (Out(JOE, 2),))]
    assert left == [high]


@pytest.mark.cites("R19", "§4.2")
def test_r19_a_full_restaurant_is_as_if_absent_and_if_all_are_full_the_diner_is_lost() -> None:
    four_seats = rivals(restaurant("B22", "american", 5))

    diners = hand_out(BOX, four_seats, [(b, (b - 1) % 6 + 1) for b in (1, 8, 15, 22, 29, 36)], 0)

    assert [len(diner.got) for diner in diners] == [1, 1, 1, 1, 0, 0]
    assert [diner.full for diner in diners[3:]] == [(), (JOE,), (JOE,)]
    assert diners[-1].each == ()


@pytest.mark.cites("§4.2")
def test_example_8_a_restaurant_without_a_menu_is_never_a_candidate_and_earns_nothing() -> None:
    table = a_table([restaurant("B8")], [restaurant("B22", "american", 5)])

    course = after_diners(table, [3] * 15)

    assert all(House(ANN, 0) not in diner.got for diner in course.table.account.diners)  # type: ignore[union-attr]
    assert course.table.money == (30, 30 + 4 * 5 + course.table.income[BOB].gold)


@pytest.mark.cites("§4.2")
def test_two_restaurants_of_one_owner_compete_like_strangers() -> None:
    mine = [restaurant("B8", "american", 4), restaurant("B9", "american", 5)]

    (split,) = hand_out(BOX, contenders(BOX, [mine]), [(51, 3)], 0)
    (won,) = hand_out(BOX, contenders(BOX, [mine]), [(52, 4)], 0)

    assert (split.got, split.each) == ((House(ANN, 0), House(ANN, 1)), (2, 3))
    assert (won.got, won.rounds[0].out) == ((House(ANN, 1),), (Out(House(ANN, 0), 0),))


# ------------------------------------------------------------------ afterwards


@pytest.mark.cites("§4.3")
def test_ads_fall_to_zero_and_novelty_by_the_diners_served() -> None:
    table = a_table([restaurant("B22", "american", 5, ads=7, novelty=3)], [restaurant("B8", ads=2)])

    after = after_diners(table, [3] * 15).table.restaurants

    assert [each.ads for mine in after for each in mine] == [0, 0]
    assert (after[ANN][0].novelty, after[BOB][0].novelty) == (0, 12)


@pytest.mark.cites("§4.3", "R22")
def test_example_14_fame_goes_by_the_rank_of_the_number() -> None:
    assert fame_awards([5, 5, 3, 2, 0], (3, 2, 1)) == [3, 3, 2, 1, 0]


@pytest.mark.cites("R22")
@pytest.mark.parametrize(
    ("counts", "fame"),
    [([0, 0], [0, 0]), ([1], [3]), ([4, 3, 2, 1], [3, 2, 1, 0]), ([2, 2, 2], [3, 3, 3]), ([7, 0, 1], [3, 0, 2])],
)
def test_r22_no_diners_no_fame_and_only_three_numbers_count(counts: list[int], fame: list[int]) -> None:
    assert fame_awards(counts, (3, 2, 1)) == fame


@pytest.mark.cites("R22")
def test_r22_fame_accumulates() -> None:
    table = a_table([restaurant("B22", "american", 5, fame=4)], [])

    assert after_diners(table, [3] * 15).table.restaurants[ANN][0].fame == 7


@pytest.mark.cites("§4.3")
def test_every_diner_pays_inflation_and_the_price() -> None:
    table = a_table([restaurant("B10", "american", 5)], [], inflation=2)

    course = after_diners(table, [1, 2, 3, 4, 5] * 3)

    (took,) = only(course.events, events.Took)
    assert (took.dice, took.regular, took.inflation) == (6, 30, 12)
    gold = course.table.income[ANN].gold
    assert course.table.income[ANN] == Income(regular=30, inflation=12, gold=gold)
    assert course.table.money[ANN] == 30 + 30 + 12 + gold


@pytest.mark.cites("§4.3", "R23")
def test_example_7_and_r23_interest_is_one_a_loan_as_far_as_money_goes() -> None:
    table = a_table([], [], [], money=[30, 2, 0], loans=[3, 5, 1])

    course = after_diners(table, [3] * 15)

    assert course.table.money == (27, 0, 0)
    assert course.table.loans == (3, 5, 1)
    assert only(course.events, events.Interest)[1] == events.Interest(BOB, 5, 2)


@pytest.mark.cites("§4.3", "§5")
def test_example_7_in_the_last_turn_a_loan_costs_eleven_instead_of_one() -> None:
    table = a_table([], [], [], money=[30, 2, 0], loans=[2, 1, 0], turn=4)

    course = after_diners(table, [3] * 15)

    assert course.table.money == (8, -9, 0)
    assert course.table.loans == (0, 0, 0)
    assert only(course.events, events.Interest) == []


@pytest.mark.cites("§4.3", "R24")
@pytest.mark.parametrize(
    ("players", "table"),
    [
        (2, [0, 0, 1, 1, 2, 2]),
        (3, [0, 0, 1, 1, 2, 2]),
        (4, [0, 0, 1, 1, 2, 2]),
        (5, [1, 1, 2, 2, 3, 3]),
        (6, [2, 2, 3, 3, 4, 4]),
    ],
)
def test_example_9_the_inflation_table(players: int, table: list[int]) -> None:
    before = a_table(*[[]] * players, inflation=2)

    assert [after_diners(before, [3] * 15, die).table.inflation for die in range(1, 7)] == table


@pytest.mark.cites("R24")
def test_r24_the_new_inflation_serves_from_the_next_turn_on_and_is_rolled_even_in_the_last() -> None:
    table = a_table([restaurant("B22", "american", 5)], [], turn=5)

    course = after_diners(table, [3] * 15, inflation=6)

    assert course.table.income[ANN].inflation == 0
    assert events.Inflation(6, 2) in course.events


@pytest.mark.cites("§4.3")
def test_all_dice_are_taken_back() -> None:
    table = a_table([], [], [], jobs=[(1, 1), (2, 2)], aside=4)

    after = after_diners(table, [3] * 15).table

    assert (after.jobs, after.aside, after.unused) == ((), 0, 12)


@pytest.mark.cites("§4.2", "§4.3")
def test_the_account_explains_every_diner() -> None:
    table = a_table([restaurant("B8", "american", 2)], [restaurant("B21", "asian", 5)], inflation=1)

    course = Course(table, CHANCE)
    earn(course)

    account = course.table.account
    assert account is not None
    assert tuple(event.diner for event in only(course.events, events.Served)) == account.diners
    assert len(account.diners) == 15
    for diner in account.diners:
        criteria = tuple(each.criterion for each in diner.rounds)
        assert criteria == box(diner.box).criteria[: len(criteria)]
        out = {gone.house for each in diner.rounds for gone in each.out}
        assert out | set(diner.got) | set(diner.full) == {JOE, MICHAEL}
    for taking in account.takings:
        mine = [diner for diner in account.diners if diner.got == (taking.house,)]
        assert taking.dice == len(mine)
        assert taking.regular + taking.inflation == sum(diner.each[0] for diner in mine)


def test_seats_are_counted_with_what_was_added() -> None:
    table = a_table([restaurant("B22", "american", 5, renovations=["patio"])], [])

    assert only(after_diners(table, [3] * 15).events, events.Took)[0].dice == 6
