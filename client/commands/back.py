"""Be back from days off, or take your seat back from a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from client.output import CommandRefused, json_option, print_json, say
from client.screen.shared_options import as_option, table_argument

if TYPE_CHECKING:
    from client.trust.table_memory import Memory
    from engine.game import Seat


PRESENT = "you have no days off, no bot plays for you, and nobody votes on you"


@click.command("back")
@table_argument
@as_option
@json_option
def command(table: str | None, who: str | None, as_json: bool) -> None:
    """End your days off (those to come as well), and take your seat back from a bot: at TABLE, or wherever it applies.

    Where the others vote on going on without you, it ends the vote.

    \b
    Examples:
        poste back
        poste back 7f3a
    """
    from client.table.player_desk import Desk
    from client.table.statements import back, live_tables, my_seat

    desk = Desk.of(who)
    if table is None:
        tables = [memory for memory, seat in live_tables(desk) if _is_away(memory, seat)]
        if not tables:
            raise CommandRefused(f"You are nowhere away: {PRESENT}.")
    else:
        memory = desk.table(table)
        seat = my_seat(desk, desk.sync(memory))
        if seat is not None and not _is_away(memory, seat):
            raise CommandRefused(f"You are not away there: {PRESENT}.")
        tables = [memory]
    told = [{"table": memory.table, "entry": back(desk, memory).entry} for memory in tables]
    if as_json:
        print_json(told)
        return
    for memory in tables:
        say(f"You are back at table {memory.table[:8]}.")


def _is_away(memory: Memory, seat: Seat) -> bool:
    from client.phrases import now
    from client.trust.table_clock import timing

    found = timing(memory.log)
    return found is not None and (seat in found.bots | found.absent or found.absence(seat, now()) is not None)
