"""Vote on whether to go on where somebody lets deadline after deadline pass."""

from __future__ import annotations

import click

from client.options import as_option, table_argument
from client.output import Refused, json_option, print_json, say


@click.command("vote")
@click.argument("choice", type=click.Choice(["continue", "abandon"]))
@table_argument
@as_option
@json_option
def command(choice: str, table: str | None, who: str | None, as_json: bool) -> None:
    """Vote at TABLE: continue gives whoever is late another chance; abandon ends it if all who still act agree.

    \b
    Examples:
        poste vote continue
        poste vote abandon 7f3a
    """
    from client.desk import Desk
    from client.statements import my_seat, vote
    from client.timing import timing
    from engine.record.chain import Phase

    desk = Desk.of(who)
    memory = desk.table(table)
    seat = my_seat(desk, desk.sync(memory))
    found = timing(memory.log)
    if seat is not None and (found is None or seat not in found.voters):
        raise Refused("There is nothing to vote on there: nobody has let too many deadlines pass. [vote/none]")
    sealed = vote(desk, memory, choice)
    if as_json:
        print_json({"table": memory.table, "entry": sealed.entry})
        return
    say(f"You have voted: {choice}.")
    if memory.chain.phase is not Phase.PLAYING:
        say("The table is abandoned.")
