"""Sit down at a table."""

from __future__ import annotations

import click

from client.output import json_option, print_json, say
from client.screen.shared_options import as_option, table_argument


@click.command("join")
@table_argument
@click.option("--seat", type=click.IntRange(min=0), help="Which seat; the first free one unless said.")
@as_option
@json_option
def command(table: str | None, seat: int | None, who: str | None, as_json: bool) -> None:
    """Take a seat at TABLE. The game begins when the last seat is taken.

    With your seat you bring fresh chance of your own, so that nobody else can choose how the cards fall.

    \b
    Examples:
        poste join 7f3a
        poste join 7f3a --seat 1
    """
    from client.screen.table_status import headline, position, status
    from client.table.player_desk import Desk
    from client.table.turn import sit
    from client.table.verified_view import look

    desk = Desk.of(who)
    memory = desk.table(table)
    sit(desk, memory, seat)
    seen = look(desk, memory)
    if as_json:
        print_json(position(seen))
        return
    say(headline(seen))
    for line in status(seen):
        say(line)
