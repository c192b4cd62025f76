"""Get up from a table before the game has begun."""

from __future__ import annotations

import click

from client.output import CommandRefused, json_option, print_json, say
from client.screen.shared_options import as_option, confirmed, table_argument, yes_option


@click.command("leave")
@table_argument
@yes_option
@as_option
@json_option
def command(table: str | None, yes: bool, who: str | None, as_json: bool) -> None:
    """Give your seat at TABLE back before the game has begun; afterwards, poste resign.

    \b
    Example:
        poste leave 7f3a
    """
    from client.table.player_desk import Desk
    from client.table.turn import resign
    from engine.record.chain import Phase

    desk = Desk.of(who)
    memory = desk.table(table)
    phase = desk.sync(memory).phase
    if phase is not Phase.SITTING:
        begun = phase is Phase.PLAYING
        raise CommandRefused("The game has begun. To give it up: poste resign" if begun else "The table is closed.")
    if not confirmed(f"Leave table {memory.table[:8]}?", yes=yes):
        raise CommandRefused("You stay.")
    sealed = resign(desk, memory)
    if as_json:
        print_json({"table": memory.table, "entry": sealed.entry})
        return
    say(f"You have left table {memory.table[:8]}.")
