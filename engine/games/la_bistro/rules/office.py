"""The options that are settled at a desk: chef and accountant §3.3.1, banker §3.3.3, ad agency §3.3.4."""

from __future__ import annotations

from collections.abc import Sequence

from engine.changed_tuples import with_item
from engine.cited_rules import Rule, require
from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.la_bistro import events
from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.moves import Advertise, AnyMove, Borrow, Repay, Set
from engine.games.la_bistro.rulebook import AD_AGENCY, AFFORD, BANKER, CHEF
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.rules.decision_kind import Answers, DecisionKind
from engine.games.la_bistro.state import Advertising, Banking, House, Menus, Restaurant, Table


def own_restaurant(table: Table, seat: Seat, slot: int, rule: Rule) -> Restaurant:
    """The restaurant in this slot of a seat; raises IllegalMove if there is none."""
    mine = table.restaurants[seat]
    if not 0 <= slot < len(mine):
        have = " and ".join(map(str, range(len(mine))))
        raise IllegalMove(rule, f"you have no restaurant {slot}; you have {have}" if mine else "you have no restaurant")
    return mine[slot]


# ------------------------------------------------------------------ chef and accountant


def begin_menus(course: Course, seats: tuple[Seat, ...]) -> None:
    """Richest first; the order is kept (R6)."""
    queue = course.richest_first(seats)
    if len(queue) > 1:
        course.tell(events.Order("chef", queue))
    course.stage = Menus(queue)


def _menus(table: Table, stage: Menus, seat: Seat) -> Sequence[AnyMove]:  # noqa: ARG001
    menus = EDITIONS[table.edition].menus
    return [
        Set(slot, cuisine, price)
        for slot, restaurant in enumerate(table.restaurants[seat])
        for cuisine, prices in menus[restaurant.building].items()
        for price in prices
    ]


def _check_menu(table: Table, stage: Menus, seat: Seat, move: Set) -> None:  # noqa: ARG001
    edition = EDITIONS[table.edition]
    restaurant = own_restaurant(table, seat, move.restaurant, CHEF)
    cuisine = edition.cuisines.get(move.cuisine)
    if cuisine is None:
        raise IllegalMove(CHEF, f"there is no cuisine {move.cuisine}; there are {', '.join(edition.cuisines)}")
    prices = edition.menus[restaurant.building].get(move.cuisine, ())
    if move.price not in prices:
        building = edition.buildings[restaurant.building]
        raise IllegalMove(
            CHEF,
            f"{cuisine.name} is sold at {' and '.join(cuisine.levels)} prices, {building.street} "
            f"({building.id}) allows {' and '.join(building.levels)}: {_prices(prices)}",
        )


def _prices(prices: tuple[int, ...]) -> str:
    return f"choose {', '.join(map(str, prices))}" if prices else "they do not go together"


def _menu_fallback(table: Table, stage: Menus, seat: Seat) -> AnyMove:  # noqa: ARG001
    """The first restaurant without a menu gets its first cuisine at the highest price; else nothing is changed."""
    mine = table.restaurants[seat]
    slot = next((slot for slot, restaurant in enumerate(mine) if restaurant.cuisine is None), 0)
    restaurant = mine[slot]
    if restaurant.cuisine is not None:
        return Set(slot, restaurant.cuisine, restaurant.price)
    cuisine, prices = next(iter(EDITIONS[table.edition].menus[restaurant.building].items()))
    return Set(slot, cuisine, max(prices))


def _set_menu(course: Course, stage: Menus, answers: Answers) -> None:
    ((seat, move),) = answers
    house, cost = House(seat, move.restaurant), course.edition.printed.costs.chef
    course.pay(seat, cost)
    course.refit(house, cuisine=move.cuisine, price=move.price)
    course.tell(events.Menu(house, course.edition.cuisines[move.cuisine].name, move.price, cost))
    if stage.queue[1:]:
        course.stage = Menus(stage.queue[1:])


MENUS = DecisionKind(
    kind="menu",
    rule=CHEF,
    moves=(Set,),
    prompt=lambda table, stage: "Set cuisine and price of one of your restaurants.",  # noqa: ARG005
    legal=_menus,
    check=_check_menu,
    fallback=_menu_fallback,
    carry_out=_set_menu,
)


# ------------------------------------------------------------------ banker


def begin_banking(course: Course, seats: tuple[Seat, ...]) -> None:
    """All who chose the banker answer at once (R9)."""
    course.stage = Banking(seats)


def _banking(table: Table, stage: Banking, seat: Seat) -> Sequence[AnyMove]:  # noqa: ARG001
    most = min(table.loans[seat], table.money[seat] // EDITIONS[table.edition].printed.costs.loan)
    return [Borrow(), *[Repay(loans) for loans in range(1, most + 1)]]


def _check_banking(table: Table, stage: Banking, seat: Seat, move: Borrow | Repay) -> None:  # noqa: ARG001
    if isinstance(move, Borrow):
        return
    loans, owed = table.loans[seat], move.loans * EDITIONS[table.edition].printed.costs.loan
    require(move.loans >= 1, BANKER, "repay one loan or more")
    require(move.loans <= loans, BANKER, f"you have {loans} loans" if loans else "you have no loan to repay")
    require(owed <= table.money[seat], AFFORD, f"that would be {owed}, and you have only {table.money[seat]} money")


def _bank_fallback(table: Table, stage: Banking, seat: Seat) -> AnyMove:
    repay = Repay(1)
    return repay if repay in _banking(table, stage, seat) else Borrow()


def _bank(course: Course, stage: Banking, answers: Answers) -> None:  # noqa: ARG001
    loan = course.edition.printed.costs.loan
    for seat, move in answers:
        loans = course.table.loans
        more = 1 if isinstance(move, Borrow) else -move.loans
        course.pay(seat, -more * loan)
        course.change(loans=with_item(loans, seat, loans[seat] + more))
        course.tell(events.Borrowed(seat, loan) if more > 0 else events.Repaid(seat, -more, -more * loan))


BANKING = DecisionKind(
    kind="bank",
    rule=BANKER,
    moves=(Borrow, Repay),
    prompt=lambda table, stage: "Take a loan, or repay some.",  # noqa: ARG005
    legal=_banking,
    check=_check_banking,
    fallback=_bank_fallback,
    carry_out=_bank,
    sealed=True,
)


# ------------------------------------------------------------------ ad agency


def begin_advertising(course: Course, seats: tuple[Seat, ...]) -> None:
    """Those who can buy a point are asked, together; for the others there is nothing to decide."""
    table, point = course.table, course.edition.printed.costs.ad_point
    able = tuple([seat for seat in seats if table.restaurants[seat] and table.money[seat] >= point])
    for seat in seats:
        if seat not in able:
            course.tell(events.Advertised(House(seat, 0), 0, 0))
    if able:
        course.stage = Advertising(able)


def _ads(table: Table, stage: Advertising, seat: Seat) -> Sequence[AnyMove]:  # noqa: ARG001
    most = table.money[seat] // EDITIONS[table.edition].printed.costs.ad_point
    slots = range(len(table.restaurants[seat]))
    return [Advertise(0, 0), *[Advertise(slot, points) for slot in slots for points in range(1, most + 1)]]


def _check_ads(table: Table, stage: Advertising, seat: Seat, move: Advertise) -> None:  # noqa: ARG001
    own_restaurant(table, seat, move.restaurant, AD_AGENCY)
    cost = move.points * EDITIONS[table.edition].printed.costs.ad_point
    require(move.points >= 0, AD_AGENCY, "buy zero points or more")
    require(move.points > 0 or move.restaurant == 0, AD_AGENCY, "zero points are written for restaurant 0")
    require(cost <= table.money[seat], AFFORD, f"that costs {cost}, and you have only {table.money[seat]} money")


def _advertise(course: Course, stage: Advertising, answers: Answers) -> None:  # noqa: ARG001
    """Points bought earlier in the turn stay (R10)."""
    for seat, move in answers:
        house, cost = House(seat, move.restaurant), move.points * course.edition.printed.costs.ad_point
        if move.points:
            course.pay(seat, cost)
            course.refit(house, ads=course.restaurant(house).ads + move.points)
        course.tell(events.Advertised(house, move.points, cost))


ADVERTISING = DecisionKind(
    kind="ads",
    rule=AD_AGENCY,
    moves=(Advertise,),
    prompt=lambda table, stage: "Buy points of Ads for one of your restaurants.",  # noqa: ARG005
    legal=_ads,
    check=_check_ads,
    fallback=lambda table, stage, seat: Advertise(0, 0),  # noqa: ARG005
    carry_out=_advertise,
    sealed=True,
)
