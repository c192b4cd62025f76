"""Give up a game."""

from __future__ import annotations

import click

from client.output import CommandRefused, json_option, print_json, say
from client.screen.shared_options import as_option, confirmed, table_argument, yes_option


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
    from client.phrases import ABANDONED
    from client.screen.table_status import abandonment
    from client.table.player_desk import Desk
    from client.table.turn import resign
    from engine.phrases import won_by_resignation
    from engine.record.chain import Phase

    desk = Desk.of(who)
    memory = desk.table(table)
    chain = desk.sync(memory)
    if chain.phase is Phase.SITTING:
        raise CommandRefused("The game has not begun. To get up: poste leave")
    if chain.phase is not Phase.PLAYING:
        raise CommandRefused("The game is over.")
    if not confirmed(f"Resign at table {memory.table[:8]}? There is no way back.", yes=yes, default=False):
        raise CommandRefused("You play on.")
    sealed = resign(desk, memory)
    if as_json:
        print_json({"table": memory.table, "entry": sealed.entry})
        return
    say(f"You have resigned at table {memory.table[:8]}.")
    if (victor := memory.chain.victor) is not None:
        say(won_by_resignation(memory.chain.names, victor, 1 - victor))
    elif (why := abandonment(memory.log)) is not None:
        say(f"The table is abandoned: {ABANDONED[why]}.")
