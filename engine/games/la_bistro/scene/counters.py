"""The Jobs Board and the Renovations Chart."""

from __future__ import annotations

from engine.game import Seat
from engine.games.la_bistro.components import EDITIONS, Edition, Place
from engine.games.la_bistro.rules.market import employer_of
from engine.games.la_bistro.scene.words import effect_words, house_code, house_sign, needs_words
from engine.games.la_bistro.state import (
    AnyStage,
    Bidding,
    Hiring,
    House,
    Limits,
    Market,
    Renovating,
    RightLot,
    Table,
)
from engine.scene import Board, Line, Mark, Span
from engine.scene import Columns as Rows

DIE = Span("*", fill=230, bold=True)
WIDE = 16
"""The columns of a box of the Jobs Board, its frame and a gap included."""
EDGE = 3


def jobs_board(table: Table) -> Board:
    """Six by six boxes; those with a die have a star in a frame."""
    edition = EDITIONS[table.edition]
    marks = [Mark((0, 0), (Span("Jobs Board", bold=True),))]
    marks += [Mark((EDGE + WIDE * (column - 1), 1), (Span(f"column {column}", dim=True),)) for column in range(1, 7)]
    marks += [Mark((0, row + 1), (Span(str(row), dim=True),)) for row in range(1, 7)]
    for place, job in edition.jobs.items():
        employee, there = edition.employees[job], place in table.jobs
        left, row = EDGE + WIDE * (place.column - 1), place.row + 1
        tip = f"{place}: {employee.name}, {employee.price}, {effect_words(employee.effect)}"
        if there:
            marks.append(Mark((left + 1, row), (DIE,), framed=True, tip=tip))
        name = Span(employee.short or employee.name, bold=there, dim=not there)
        marks.append(Mark((left + 4, row), (name,), tip=tip))
    return Board(EDGE + 6 * WIDE, 8, (), tuple(marks), _summary(table, edition))


def _summary(table: Table, edition: Edition) -> tuple[Line, ...]:
    lines: list[Line] = [(Span("Jobs Board (* a die):", bold=True),)]
    for row in range(1, 7):
        jobs = [(Place(row, column), edition.jobs[Place(row, column)]) for column in range(1, 7)]
        names = [f"{edition.employees[job].name}{'*' * (place in table.jobs)}" for place, job in jobs]
        lines.append((f"{row}: {', '.join(names)}",))
    return tuple(lines)


def for_hire(table: Table) -> Rows:
    """Everybody whose box has a die."""
    edition = EDITIONS[table.edition]
    rows: list[Line] = []
    for place in table.jobs:
        employee = edition.employees[edition.jobs[place]]
        employer = employer_of(table, edition.jobs[place]) if employee.kind == "unique" else None
        kind: Span | str = employee.kind if employer is None else house_sign(employer)
        effect, needs = effect_words(employee.effect), needs_words(edition, employee.needs)
        rows.append((str(place), employee.name, str(employee.price), effect, needs, kind))
    return Rows("For hire", ("box", "job", "price", "effect", "condition", "kind or employer"), tuple(rows), right=(2,))


def renovations(table: Table, stage: AnyStage) -> Rows:
    """Everything on the chart, whether it can be had now, and who has it."""
    edition, market = EDITIONS[table.edition], _market(stage)
    sold = market.sold if market else ()
    rows: list[Line] = []
    for key, item in edition.renovations.items():
        closed = table.time >= item.cutoff
        state = "closed" if closed else "sold" if key in sold else "open"
        has = [
            house_code(House(Seat(seat), slot))
            for seat, mine in enumerate(table.restaurants)
            for slot, restaurant in enumerate(mine)
            if key in restaurant.renovations
        ]
        effect, needs = effect_words(item.effect), needs_words(edition, item.needs)
        name = Span(key, bold=state == "open", dim=state != "open")
        rows.append((name, str(item.price), effect, needs, str(item.cutoff), Span(state, dim=closed), " ".join(has)))
    header = ("item", "price", "effect", "condition", "until", "now", "who has it")
    return Rows("Renovations", header, tuple(rows), right=(1, 4))


def _market(stage: AnyStage) -> Market | None:
    """The counter at which something is going on, if it is one."""
    if isinstance(stage, Hiring | Renovating):
        return stage.market
    if isinstance(stage, Bidding | Limits) and isinstance(stage.auction.lot, RightLot):
        return stage.auction.lot.market
    return None
