"""List what you can do now, in words that you can type back."""

from __future__ import annotations

import click

from client.output import json_option, print_json, print_text, say
from client.screen.shared_options import as_option, table_argument


@click.command("moves")
@table_argument
@as_option
@json_option
def command(table: str | None, who: str | None, as_json: bool) -> None:
    """List your legal moves at TABLE, worked out here from what you see.

    \b
    Examples:
        poste moves
        poste moves 7f3a --json
    """
    from client.table.player_desk import Desk
    from client.table.turn import asked_now, written
    from client.table.verified_view import look
    from engine import notation

    desk = Desk.of(who)
    seen = look(desk, desk.table(table))
    asked_now(seen)
    legal = seen.legal
    if as_json:
        question = seen.mine
        print_json(
            {
                "table": seen.memory.table,
                "seat": seen.seat,
                "base": question.base if question else None,
                "decision": question.kind if question else None,
                "moves": [{"text": written(seen, move), "move": move} for move in legal],
            }
        )
        return
    for move in legal:
        print_text(written(seen, move))
    for usage in notation.usage(seen.game.forms(seen.view), legal):
        say(f"written: {usage}    (beginnings of words will do)")
