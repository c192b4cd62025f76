"""Write the record of a table to a file."""

from __future__ import annotations

from pathlib import Path

import click

from client.output import json_option, print_json, print_record, say
from client.screen.shared_options import as_option, table_argument


@click.command("export")
@table_argument
@click.option(
    "-o", "--output", "target", type=click.Path(dir_okay=False, allow_dash=True), help="Where to; - is stdout."
)
@as_option
@json_option
def command(table: str | None, target: str | None, who: str | None, as_json: bool) -> None:
    """Write the verified log of TABLE as a record: complete once the game is over, and then proof of it.

    \b
    Examples:
        poste export 7f3a
        poste export -o game.poste
    """
    from client.table.player_desk import Desk
    from client.table.verified_view import opening
    from client.trust.durable_files import write_whole
    from engine.record.chain import Phase

    desk = Desk.of(who)
    memory = desk.table(table)
    chain = desk.sync(memory)
    data = b"".join(sealed.line + b"\n" for sealed in memory.log)
    if target == "-":
        print_record(data)
        return
    path = Path(target or f"{opening(chain).game.partition('/')[0]}-{memory.table[:8]}.poste")
    write_whole(path.absolute(), data)
    finished = chain.phase is Phase.CLOSED
    if as_json:
        print_json({"table": memory.table, "file": str(path), "entries": chain.length, "finished": finished})
        return
    say(f"{chain.length} entries are in {path}.")
    say(f"Verify it: poste audit {path}" if finished else "The game is not over: the record is not complete yet.")
