"""Auctions by mail, §6: of buildings, of the right to choose, of employees; open or by sealed proxy."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.la_bistro import events
from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.moves import AnyMove, Bid, Limit, Pass
from engine.games.la_bistro.rulebook import AFFORD, OPEN_AUCTION, SEALED_PROXY
from engine.games.la_bistro.rules.course import Course, Hammer
from engine.games.la_bistro.rules.decision_kind import Answers, DecisionKind
from engine.games.la_bistro.state import Auction, Bidding, BuildingLot, EmployeeLot, Limits, Lot, Table


def put_up(course: Course, lot: Lot, seats: tuple[Seat, ...], minimum: int, opening: int | None = None) -> None:
    """Begin an auction among these seats, clockwise from the opener, who may have made an opening bid."""
    if course.table.auctions == "open":
        auction = Auction(lot, seats, minimum)
        if opening is not None:
            auction = _raised(course, auction, opening)
        _go_on(course, auction)
        return
    able = tuple([seat for seat in seats if course.table.money[seat] >= minimum])
    for seat in seats:
        if seat not in able:
            course.tell(events.Passed(seat, broke=True))
    if len(able) == 1:
        course.hammer = Hammer(lot, able[0], minimum)
    else:
        course.stage = Limits(Auction(lot, able, minimum))


def _raised(course: Course, auction: Auction, amount: int) -> Auction:
    """The first seat bids, and so leads and stands last."""
    course.tell(events.Bid(auction.seats[0], amount))
    return replace(auction, seats=(*auction.seats[1:], auction.seats[0]), bid=amount)


def _go_on(course: Course, auction: Auction) -> None:
    """Ask the next who can still bid, unless one seat is left."""
    seats = auction.seats
    while len(seats) > 1 and course.table.money[seats[0]] < auction.next_bid:
        course.tell(events.Passed(seats[0], broke=True))
        seats = seats[1:]
    if len(seats) == 1:
        course.hammer = Hammer(auction.lot, seats[0], auction.bid or 0)
    else:
        course.stage = Bidding(replace(auction, seats=seats))


def _lot_name(table: Table, lot: Lot) -> str:
    if isinstance(lot, BuildingLot):
        return f"{EDITIONS[table.edition].buildings[lot.building].street} ({lot.building})"
    if isinstance(lot, EmployeeLot):
        return f"the {EDITIONS[table.edition].employees[lot.employee].name}"
    return f"the right to choose next ({lot.market.counter})"


# ------------------------------------------------------------------ open


def _bid_prompt(table: Table, stage: Bidding) -> str:
    return f"Bid {stage.auction.next_bid} or more for {_lot_name(table, stage.auction.lot)}, or pass."


def _bids(table: Table, stage: Bidding, seat: Seat) -> Sequence[AnyMove]:
    return [*[Bid(amount) for amount in range(stage.auction.next_bid, table.money[seat] + 1)], Pass()]


def _check_bid(table: Table, stage: Bidding, seat: Seat, move: Bid | Pass) -> None:
    if isinstance(move, Pass):
        return
    if move.amount < stage.auction.next_bid:
        raise IllegalMove(OPEN_AUCTION, f"you must bid {stage.auction.next_bid} or more")
    if move.amount > table.money[seat]:
        raise IllegalMove(AFFORD, f"you have only {table.money[seat]} money")


def _bid(course: Course, stage: Bidding, answers: Answers) -> None:
    """Open auction, §6.1."""
    ((seat, move),) = answers
    auction = stage.auction
    if isinstance(move, Bid):
        auction = _raised(course, auction, move.amount)
    else:
        course.tell(events.Passed(seat))
        auction = replace(auction, seats=auction.seats[1:])
    _go_on(course, auction)


BIDDING = DecisionKind(
    kind="bid",
    rule=OPEN_AUCTION,
    moves=(Bid, Pass),
    prompt=_bid_prompt,
    legal=_bids,
    check=_check_bid,
    fallback=lambda table, stage, seat: Pass(),  # noqa: ARG005
    carry_out=_bid,
)


# ------------------------------------------------------------------ sealed proxy


def _limit_prompt(table: Table, stage: Limits) -> str:
    lot = _lot_name(table, stage.auction.lot)
    return f"Name in secret the most you would pay for {lot}, from {stage.auction.minimum} on, or pass."


def _limits(table: Table, stage: Limits, seat: Seat) -> Sequence[AnyMove]:
    limits: list[AnyMove] = [Limit(amount) for amount in range(stage.auction.minimum, table.money[seat] + 1)]
    return limits if seat == stage.auction.bound else [*limits, Pass()]


def _check_limit(table: Table, stage: Limits, seat: Seat, move: Limit | Pass) -> None:
    auction = stage.auction
    if isinstance(move, Pass):
        if seat == auction.bound:
            raise IllegalMove(SEALED_PROXY, f"you put this up and are bound to the list price of {auction.minimum}")
    elif move.amount < auction.minimum:
        raise IllegalMove(SEALED_PROXY, f"your limit must be {auction.minimum} or more")
    elif move.amount > table.money[seat]:
        raise IllegalMove(AFFORD, f"you have only {table.money[seat]} money")


def _limit_fallback(table: Table, stage: Limits, seat: Seat) -> AnyMove:  # noqa: ARG001
    return Limit(stage.auction.minimum) if seat == stage.auction.bound else Pass()


def _play_out(course: Course, stage: Limits, answers: Answers) -> None:
    """Sealed proxy, §6.2: the open auction, each bidding the least it may within its limit; limits are told (R26)."""
    auction = stage.auction
    limits: dict[Seat, int] = {seat: move.amount for seat, move in answers if isinstance(move, Limit)}
    course.tell(events.Limits(auction.seats, tuple([limits.get(seat) for seat in auction.seats])))
    bidders, bid = list(auction.seats), auction.bid
    while len(bidders) > 1:
        least = auction.minimum if bid is None else bid + 1
        seat = bidders.pop(0)
        if limits.get(seat, -1) >= least:
            bid = least
            bidders.append(seat)
    course.hammer = Hammer(auction.lot, bidders[0], bid or 0)


LIMITS = DecisionKind(
    kind="limit",
    rule=SEALED_PROXY,
    moves=(Limit, Pass),
    prompt=_limit_prompt,
    legal=_limits,
    check=_check_limit,
    fallback=_limit_fallback,
    carry_out=_play_out,
    sealed=True,
)
