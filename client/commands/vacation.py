"""Take days off, or see how many are left."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from client.output import ExitCode, json_option, print_json, print_text, say
from client.screen.argument_types import Time
from client.screen.shared_options import as_option, table_argument

if TYPE_CHECKING:
    from client.table.player_desk import Desk
    from client.trust.table_memory import Memory
    from engine.game import Seat


@click.command("vacation")
@click.argument("length", type=Time(), required=False)
@table_argument
@click.option(
    "--from", "first", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="The first day (UTC); now unless said."
)
@as_option
@json_option
@click.pass_context
def command(
    ctx: click.Context, length: int | None, table: str | None, first: datetime | None, who: str | None, as_json: bool
) -> None:
    """Take days off for LENGTH, in which your time does not run: at TABLE, or at every table whose clock allows it.

    Without LENGTH you are shown what you have taken this year, and what is left. Ends with exit code 1 if any of these
    tables refuses.

    \b
    Examples:
        poste vacation
        poste vacation 2w
        poste vacation 10d --from 2026-12-20
        poste vacation 3d 7f3a
    """
    from client.table.player_desk import Desk
    from client.table.statements import live_tables
    from engine.phrases import listed

    if first is not None and length is None:
        raise click.UsageError("--from when, but for how long? Say so: poste vacation 2w --from 2026-12-20")
    desk = Desk.of(who)
    tables = live_tables(desk) if table is None else [_named(desk, table)]
    told = [_at(desk, memory, seat, length, first) for memory, seat in tables]
    told.sort(key=lambda each: "code" in each)
    if as_json:
        print_json(told)
    for each in told if not as_json else ():
        print_text(f"{each['table'][:8]}  {each['told']}")
    if not told:
        say("There is no table where you sit and the game is on.")
    refused = [each["table"][:8] for each in told if "code" in each]
    if refused:
        say(f"Your time runs on at {listed(refused)}: these days off were REFUSED there.")
    if length is not None and (refused or not any(each["done"] for each in told)):
        ctx.exit(ExitCode.REFUSED)


def _named(desk: Desk, table: str) -> tuple[Memory, Seat]:
    from client.output import CommandRefused
    from client.table.statements import my_seat

    memory = desk.table(table)
    seat = my_seat(desk, desk.sync(memory))
    if seat is None:
        raise CommandRefused("You do not sit at this table, or its game is not on.")
    return memory, seat


def _at(desk: Desk, memory: Memory, seat: Seat, length: int | None, first: datetime | None) -> dict[str, Any]:
    """What became of it at one table, or how it stands there."""
    from client.connection.http_api import Problem
    from client.phrases import day
    from client.table.statements import away
    from client.trust.table_clock import timing
    from engine.record.entry import Away

    told: dict[str, Any] = {"table": memory.table, "done": False}
    found = timing(memory.log)
    if found is None or not found.clock.vacation:
        why = "no clock, and so no hurry" if found is None else "the clock of this table allows no days off"
        return told | {"allowed": 0, "told": f"{why}."}
    if length is not None:
        try:
            entry = away(desk, memory, *_span(length, first)).entry
        except Problem as problem:
            return told | _account(memory, seat) | {"code": problem.code, "told": f"REFUSED. {problem.message}"}
        if isinstance(entry, Away):
            told |= {"done": True, "begins": entry.begins, "ends": entry.ends}
            account = _account(memory, seat, entry.ends)
            return told | account | {"told": f"days off until {day(entry.ends)} (UTC). {account['told']}"}
    return told | _account(memory, seat)


def _span(length: int, first: datetime | None) -> tuple[str, str]:
    from datetime import UTC, timedelta

    from engine.record.entry import timestamp

    begins = datetime.now(UTC) if first is None else first.replace(tzinfo=UTC)
    return timestamp(begins), timestamp(begins + timedelta(seconds=length))


def _account(memory: Memory, seat: Seat, ends: str | None = None) -> dict[str, Any]:
    """The days off of this year: taken, left, and those that are to come unless they are told anyway (``ends``)."""
    from datetime import UTC, timedelta

    from client.phrases import day, now
    from client.trust.table_clock import timing
    from engine.record.clock import days_off

    found = timing(memory.log)
    if found is None:
        return {}
    year = datetime.now(UTC).year
    taken = days_off(found.attendance.absences[seat], year) / timedelta(days=1)
    left = max(found.clock.vacation - taken, 0)
    coming = found.absence(seat, now())
    told = f"{taken:.3g} of {found.clock.vacation} days off taken in {year}, {left:.3g} left."
    if coming is not None and coming.ends != ends:
        told += f" Days off from {day(coming.begins)} to {day(coming.ends)}."
    days = {"allowed": found.clock.vacation, "taken": round(taken, 3), "left": round(left, 3)}
    return {**days, "away": coming, "told": told}
