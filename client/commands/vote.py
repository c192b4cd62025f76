"""Vote on whether to go on where somebody lets deadline after deadline pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from client.output import CommandRefused, json_option, print_json, say
from client.screen.shared_options import as_option, table_argument

if TYPE_CHECKING:
    from client.trust.table_clock import Timing
    from engine.game import Seat


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
    from client.screen.absences_and_votes import ballot
    from client.table.player_desk import Desk
    from client.table.statements import my_seat, vote
    from client.table.verified_view import look
    from client.trust.table_clock import timing
    from engine.phrases import listed
    from engine.record.chain import Phase

    desk = Desk.of(who)
    memory = desk.table(table)
    seat = my_seat(desk, desk.sync(memory))
    found = timing(memory.log)
    if seat is not None and (found is None or seat not in found.voters):
        raise CommandRefused(_why_not(found, seat))
    if found is not None and seat in found.voted and choice == "abandon":
        waited = listed([memory.chain.names[each] for each in sorted(found.undecided)])
        raise CommandRefused(
            f"You have voted to abandon it already; the table waits for the vote of {waited}. [vote/twice]"
        )
    sealed = vote(desk, memory, choice)
    if as_json:
        print_json({"table": memory.table, "entry": sealed.entry})
        return
    say(f"You have voted: {choice}.")
    if memory.chain.phase is not Phase.PLAYING:
        say("The table is abandoned.")
        return
    for line in ballot(look(desk, memory)):
        say(line)


def _why_not(found: Timing | None, seat: Seat) -> str:
    if found is not None and seat in found.absent:
        return "The vote is about you: you let the deadline pass. Show that you are there: poste back [vote/none]"
    return "There is nothing to vote on there: nobody has let too many deadlines pass. [vote/none]"
