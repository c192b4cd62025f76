"""Realtor, §3.3.0: buildings are put up one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.la_bistro import events
from engine.games.la_bistro.components import EDITIONS, BuildingId
from engine.games.la_bistro.moves import AnyMove, Auction, Decline
from engine.games.la_bistro.rulebook import AFFORD, REALTOR
from engine.games.la_bistro.rules import auctions
from engine.games.la_bistro.rules.course import Course, Hammer, clockwise, without
from engine.games.la_bistro.rules.decision_kind import Answers, DecisionKind
from engine.games.la_bistro.state import BuildingLot, House, Nominating, Restaurant, Table


def unsold(table: Table) -> list[BuildingId]:
    """The buildings that nobody has bought, in the order of the edition."""
    sold = {restaurant.building for mine in table.restaurants for restaurant in mine}
    return [building for building in EDITIONS[table.edition].buildings if building not in sold]


def begin(course: Course, seats: tuple[Seat, ...]) -> None:
    """Richest first; in the first phase from seat 0 (R7). The order is kept (R6)."""
    queue = clockwise(seats, Seat(0)) if course.table.is_first_phase else course.richest_first(seats)
    if len(queue) > 1:
        course.tell(events.Order("realtor", queue))
    _next(course, queue)


def _next(course: Course, queue: tuple[Seat, ...]) -> None:
    """The first who can afford a building is to put one up; the option ends when nobody is left."""
    buildings = EDITIONS[course.table.edition].buildings
    cheapest = min([buildings[building].price for building in unsold(course.table)], default=None)
    while queue and (cheapest is None or course.table.money[queue[0]] < cheapest):
        course.tell(events.Declined(queue[0], "realtor", broke=True))
        queue = queue[1:]
    if queue:
        course.stage = Nominating(queue)


def _legal(table: Table, stage: Nominating, seat: Seat) -> Sequence[AnyMove]:
    buildings, money, alone = EDITIONS[table.edition].buildings, table.money[seat], len(stage.queue) == 1
    moves: list[AnyMove] = []
    for building in unsold(table):
        price = buildings[building].price
        if price > money:
            continue
        if table.auctions == "sealed-proxy":
            moves.append(Auction(building))
        else:
            moves += _nominations(building, price, price if alone else money)
    return [*moves, Decline()]


@lru_cache(maxsize=512)
def _nominations(building: BuildingId, least: int, most: int) -> tuple[Auction, ...]:
    """Kept, as the same hundreds of moves are listed over and over."""
    return tuple([Auction(building, bid) for bid in range(least, most + 1)])


def _check(table: Table, stage: Nominating, seat: Seat, move: Auction | Decline) -> None:
    if isinstance(move, Decline):
        return
    building = EDITIONS[table.edition].buildings.get(move.building)
    if building is None:
        raise IllegalMove(REALTOR, f"there is no building {move.building}")
    if move.building not in unsold(table):
        raise IllegalMove(REALTOR, f"{building.street} ({move.building}) is sold")
    if table.auctions == "sealed-proxy":
        if move.bid is not None:
            raise IllegalMove(REALTOR, "bids are sealed at this table: name the building only")
        bid = building.price
    elif move.bid is None:
        raise IllegalMove(REALTOR, f"say what you bid for {move.building}, {building.price} or more")
    else:
        bid = move.bid
    if bid < building.price:
        raise IllegalMove(REALTOR, f"the list price of {move.building} is {building.price}")
    if bid > table.money[seat]:
        raise IllegalMove(AFFORD, f"you have only {table.money[seat]} money")
    if len(stage.queue) == 1 and bid != building.price:
        raise IllegalMove(REALTOR, f"nobody bids against you: you pay the list price of {building.price}")


def _nominate(course: Course, stage: Nominating, answers: Answers) -> None:
    ((seat, move),) = answers
    if isinstance(move, Decline):  # and takes no more part in this phase (R8)
        course.tell(events.Declined(seat, "realtor"))
        _next(course, stage.queue[1:])
        return
    building = course.edition.buildings[move.building]
    course.tell(events.PutUp(seat, move.building, building.street, building.price))
    lot = BuildingLot(move.building, stage.queue)
    if len(stage.queue) == 1:
        course.hammer = Hammer(lot, seat, building.price)
    else:
        auctions.put_up(course, lot, clockwise(stage.queue, seat), building.price, move.bid)


def sold(course: Course, lot: BuildingLot, winner: Seat, price: int) -> None:
    """The winner pays the bank and is finished for this phase."""
    start, mine = course.edition.printed.start, course.table.restaurants[winner]
    course.pay(winner, price)
    opened = Restaurant(lot.building, start.ads, start.fame, start.novelty)
    course.change(restaurants=with_item(course.table.restaurants, winner, (*mine, opened)))
    street = course.edition.buildings[lot.building].street
    course.tell(events.Bought(House(winner, len(mine)), lot.building, street, price))
    _next(course, without(lot.queue, winner))


NOMINATING = DecisionKind(
    kind="nominate",
    rule=REALTOR,
    moves=(Auction, Decline),
    prompt=lambda table, stage: "Put a building up for auction, or decline.",  # noqa: ARG005
    legal=_legal,
    check=_check,
    fallback=lambda table, stage, seat: Decline(),  # noqa: ARG005
    carry_out=_nominate,
)
