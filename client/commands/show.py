"""Look at a table: the board, your hand, whose turn it is."""

from __future__ import annotations

import click

from client.output import json_option, print_json, print_scene, print_text
from client.screen.shared_options import as_option, table_argument


@click.command("show")
@table_argument
@as_option
@json_option
def command(table: str | None, who: str | None, as_json: bool) -> None:
    """Show the position at TABLE (the one you last meant, unless said) as you may see it.

    \b
    Examples:
        poste show
        poste show 7f3a --json
    """
    from client.screen.table_status import corrections, headline, position, status, time_limit
    from client.table.player_desk import Desk
    from client.table.verified_view import look
    from engine.record.chain import Phase

    desk = Desk.of(who)
    seen = look(desk, desk.table(table))
    if as_json:
        print_json(position(seen))
        return
    if seen.view is not None:
        print_scene(seen.game.scene(seen.view, seen.chain.names))
        print_text()
    print_text(headline(seen))
    for line in [*status(seen), *corrections(seen.memory.log)]:
        print_text(line)
    if seen.chain.phase is Phase.PLAYING and seen.timing is not None:
        print_text(time_limit(seen))
    if seen.mine is not None and seen.held is None:
        print_text("Choose with: poste play    List with: poste moves")
