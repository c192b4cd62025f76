"""Give up a game."""

from __future__ import annotations

import click

from client.options import as_option, confirmed, table_argument, yes_option
from client.output import Refused, json_option, print_json, say


@click.command("resign")
@table_argument
@yes_option
@as_option
@json_option
def command(table: str | None, yes: bool, who: str | None, as_json: bool) -> None:
    """Resign at TABLE: of two players the other has won; more go on without you, as if you let every deadline pass.

    \b
    Example:
        poste resign 7f3a
    """
    from client.desk import Desk
    from client.telling import abandonment
    from client.turn import resign
    from client.words import ABANDONED
    from engine.record.chain import Phase
    from engine.words import won_by_resignation

    desk = Desk.of(who)
    memory = desk.table(table)
    chain = desk.sync(memory)
    if chain.phase is Phase.SITTING:
        raise Refused("The game has not begun. To get up: poste leave")
    if chain.phase is not Phase.PLAYING:
        raise Refused("The game is over.")
    if not confirmed(f"Resign at table {memory.table[:8]}? There is no way back.", yes=yes, default=False):
        raise Refused("You play on.")
    sealed = resign(desk, memory)
    if as_json:
        print_json({"table": memory.table, "entry": sealed.entry})
        return
    say(f"You have resigned at table {memory.table[:8]}.")
    if (victor := memory.chain.victor) is not None:
        say(won_by_resignation(memory.chain.names, victor, 1 - victor))
    elif (why := abandonment(memory.log)) is not None:
        say(f"The table is abandoned: {ABANDONED[why]}.")
