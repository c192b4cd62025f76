"""Jobs Board §3.3.5 and renovations §3.3.6: the same procedure at two counters.

Who could buy something takes part (R11). One alone just chooses; several first bid for the right to choose next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.game import Seat
from engine.games.la_bistro import events
from engine.games.la_bistro.components import EDITIONS, EmployeeId, Place
from engine.games.la_bistro.moves import AnyMove, Decline, Hire, Renovate
from engine.games.la_bistro.rulebook import AFFORD, JOBS_BOARD, ONE_OF_EACH, RENOVATIONS
from engine.games.la_bistro.rules import auctions
from engine.games.la_bistro.rules.course import Course, clockwise, without
from engine.games.la_bistro.rules.decision_kind import Answers, DecisionKind
from engine.games.la_bistro.rules.office import own_restaurant
from engine.games.la_bistro.state import EmployeeLot, Hiring, House, Market, Renovating, RightLot, Table


def begin_jobs(course: Course, seats: tuple[Seat, ...]) -> None:
    """Jobs Board, §3.3.5."""
    _next(course, Market("jobs", seats))


def begin_renovations(course: Course, seats: tuple[Seat, ...]) -> None:
    """Renovations, §3.3.6."""
    _next(course, Market("renovations", seats))


def _next(course: Course, market: Market) -> None:
    """Whoever can buy something now takes part; the money of the moment decides who opens (R6)."""
    able = [seat for seat in market.seats if next(_offers(course.table, market, seat), None)]
    if len(able) == 1:
        _ask(course, market, able[0])
    elif able:
        seats = clockwise(able, course.richest_first(able)[0])
        course.tell(events.Contest(market.counter, seats))
        auctions.put_up(course, RightLot(market), seats, minimum=0)


def _ask(course: Course, market: Market, seat: Seat) -> None:
    course.stage = Hiring(market, seat) if market.counter == "jobs" else Renovating(market, seat)


def right_won(course: Course, lot: RightLot, winner: Seat, price: int) -> None:
    """The right is paid for by itself; the list price comes on top (R12)."""
    course.pay(winner, price)
    course.tell(events.Right(winner, lot.market.counter, price))
    _ask(course, lot.market, winner)


def employer_of(table: Table, employee: EmployeeId) -> House | None:
    """Where a unique employee works."""
    for seat, mine in enumerate(table.restaurants):
        for slot, restaurant in enumerate(mine):
            if employee in restaurant.employees:
                return House(Seat(seat), slot)
    return None


# ------------------------------------------------------------------ what may be bought


def _offers(table: Table, market: Market, seat: Seat) -> Iterator[AnyMove]:
    return _hires(table, seat) if market.counter == "jobs" else _renovations(table, market, seat)


def _hires(table: Table, seat: Seat) -> Iterator[AnyMove]:
    edition, money, mine = EDITIONS[table.edition], table.money[seat], table.restaurants[seat]
    for place in table.jobs:
        job = edition.jobs[place]
        employee = edition.employees[job]
        if employee.price > money:
            continue
        employer = employer_of(table, job) if employee.kind == "unique" else None
        if employer is not None and employer.seat == seat:
            continue
        contested = employer is not None and table.auctions == "open"
        for slot, restaurant in enumerate(mine):
            if employee.kind == "listed" and job in restaurant.employees:
                continue
            if contested:
                yield from (Hire(*place, slot, bid) for bid in range(employee.price, money + 1))
            else:
                yield Hire(*place, slot)


def _renovations(table: Table, market: Market, seat: Seat) -> Iterator[AnyMove]:
    for item, renovation in EDITIONS[table.edition].renovations.items():
        if renovation.price <= table.money[seat] and table.time < renovation.cutoff and item not in market.sold:
            for slot, restaurant in enumerate(table.restaurants[seat]):
                if item not in restaurant.renovations:
                    yield Renovate(item, slot)


def _check_hire_or_decline(table: Table, stage: Hiring, seat: Seat, move: Hire | Decline) -> None:  # noqa: ARG001
    if isinstance(move, Hire):
        _check_hire(table, seat, move)


def _check_renovate_or_decline(table: Table, stage: Renovating, seat: Seat, move: Renovate | Decline) -> None:
    if isinstance(move, Renovate):
        _check_renovation(table, stage.market, seat, move)


def _legal(table: Table, stage: Hiring | Renovating, seat: Seat) -> Sequence[AnyMove]:
    return [*_offers(table, stage.market, seat), Decline()]


def _check_hire(table: Table, seat: Seat, move: Hire) -> None:
    edition, money, place = EDITIONS[table.edition], table.money[seat], Place(move.row, move.column)
    if place not in table.jobs:
        free = ", ".join(map(str, table.jobs))
        raise IllegalMove(JOBS_BOARD, f"there is no die on box {place}; there are dice on {free}")
    restaurant = own_restaurant(table, seat, move.restaurant, JOBS_BOARD)
    job = edition.jobs[place]
    employee = edition.employees[job]
    if employee.kind == "listed" and job in restaurant.employees:
        raise IllegalMove(JOBS_BOARD, f"this restaurant already has a {employee.name}")
    if employee.price > money:
        raise IllegalMove(AFFORD, f"the {employee.name} costs {employee.price}, and you have only {money} money")
    employer = employer_of(table, job) if employee.kind == "unique" else None
    if employer is not None and employer.seat == seat:
        raise IllegalMove(JOBS_BOARD, f"the {employee.name} already works for you")
    if employer is None or table.auctions == "sealed-proxy":
        if move.bid is not None:
            raise IllegalMove(JOBS_BOARD, f"there is nothing to bid for the {employee.name} here: leave the bid out")
    elif move.bid is None or move.bid < employee.price:
        raise IllegalMove(JOBS_BOARD, f"the {employee.name} has an employer: open with {employee.price} or more")
    elif move.bid > money:
        raise IllegalMove(AFFORD, f"you have only {money} money")


def _check_renovation(table: Table, market: Market, seat: Seat, move: Renovate) -> None:
    renovation = EDITIONS[table.edition].renovations.get(move.item)
    if renovation is None:
        raise IllegalMove(RENOVATIONS, f"there is no renovation {move.item}")
    name = renovation.name
    if move.item in own_restaurant(table, seat, move.restaurant, RENOVATIONS).renovations:
        raise IllegalMove(ONE_OF_EACH, f"{name}: this restaurant already has it")
    if table.time >= renovation.cutoff:
        raise IllegalMove(RENOVATIONS, f"{name}: closed since the time reached {renovation.cutoff}")
    if move.item in market.sold:
        raise IllegalMove(RENOVATIONS, f"{name}: sold in this phase, wait for the next")
    if renovation.price > table.money[seat]:
        raise IllegalMove(AFFORD, f"{name} costs {renovation.price}, and you have only {table.money[seat]} money")


# ------------------------------------------------------------------ buying


def _buy(course: Course, stage: Hiring | Renovating, answers: Answers) -> None:
    ((seat, move),) = answers
    market = replace(stage.market, seats=without(stage.market.seats, seat))
    if isinstance(move, Hire):
        _hire(course, market, seat, move)
    elif isinstance(move, Renovate):
        _renovate(course, market, seat, move)
    else:
        course.tell(events.Declined(seat, market.counter))
        _next(course, market)


def _hire(course: Course, market: Market, seat: Seat, move: Hire) -> None:
    """The die leaves the board and is set aside until the earning phase (R3)."""
    table, house, place = course.table, House(seat, move.restaurant), Place(move.row, move.column)
    job = course.edition.jobs[place]
    employee = course.edition.employees[job]
    course.change(jobs=tuple([other for other in table.jobs if other != place]), aside=table.aside + 1)
    employer = employer_of(table, job) if employee.kind == "unique" else None
    if employer is not None:
        course.tell(events.Challenge(employee.name, house, employer))
        lot = EmployeeLot(market, job, house, employer)
        auctions.put_up(course, lot, (seat, employer.seat), employee.price, move.bid)
        return
    course.pay(seat, employee.price)
    course.tell(events.Hired(house, employee.name, employee.price))
    _join(course, house, job)
    _next(course, market)


def _join(course: Course, house: House, job: EmployeeId) -> None:
    restaurant = course.restaurant(house)
    novelty = restaurant.novelty + course.edition.employees[job].effect.novelty  # once (R1)
    course.refit(house, employees=(*restaurant.employees, job), novelty=novelty)


def reauctioned(course: Course, lot: EmployeeLot, winner: Seat, price: int) -> None:
    """A challenger who wins pays half to the bank and half, rounded up, to the employer; an employer the bank (R14)."""
    name = course.edition.employees[lot.employee].name
    if winner == lot.employer.seat:
        course.pay(winner, price)
        course.tell(events.Kept(name, lot.employer, price))
    else:
        to_bank = price // 2
        course.pay(winner, price)
        course.pay(lot.employer.seat, to_bank - price)
        course.tell(events.HiredAway(name, lot.challenger, lot.employer, to_bank, price - to_bank))
        staff = course.restaurant(lot.employer).employees
        course.refit(lot.employer, employees=tuple([job for job in staff if job != lot.employee]))
        _join(course, lot.challenger, lot.employee)
    _next(course, lot.market)


def _renovate(course: Course, market: Market, seat: Seat, move: Renovate) -> None:
    renovation, house = course.edition.renovations[move.item], House(seat, move.restaurant)
    restaurant = course.restaurant(house)
    course.pay(seat, renovation.price)
    novelty = restaurant.novelty + renovation.effect.novelty  # once (R1)
    course.refit(house, renovations=(*restaurant.renovations, move.item), novelty=novelty)
    course.tell(events.Renovated(house, renovation.name, renovation.price))
    _next(course, replace(market, sold=(*market.sold, move.item)))


HIRING = DecisionKind(
    kind="hire",
    rule=JOBS_BOARD,
    moves=(Hire, Decline),
    prompt=lambda table, stage: "Hire somebody from the Jobs Board, or decline.",  # noqa: ARG005
    legal=_legal,
    check=_check_hire_or_decline,
    fallback=lambda table, stage, seat: Decline(),  # noqa: ARG005
    carry_out=_buy,
)
RENOVATING = DecisionKind(
    kind="renovate",
    rule=RENOVATIONS,
    moves=(Renovate, Decline),
    prompt=lambda table, stage: "Buy a renovation, or decline.",  # noqa: ARG005
    legal=_legal,
    check=_check_renovate_or_decline,
    fallback=lambda table, stage, seat: Decline(),  # noqa: ARG005
    carry_out=_buy,
)
