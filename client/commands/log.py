"""Read the log of a table, verified line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from client.options import as_option, table_argument
from client.output import json_option, print_json

if TYPE_CHECKING:
    from client.desk import Desk
    from client.memory import Memory
    from client.seeing import Seen


@click.command("log")
@table_argument
@click.option("--after", type=int, default=-1, help="Only what follows this entry.")
@click.option("--accept", is_flag=True, help="Accept what you signed on another machine.")
@as_option
@json_option
def command(table: str | None, after: int, accept: bool, who: str | None, as_json: bool) -> None:
    """Print the log of TABLE: who did what, when (in UTC). It is public; what is hidden in the game is not in it.

    \b
    Examples:
        poste log
        poste log 7f3a --after 20 --json
    """
    from client.desk import Desk
    from client.seeing import look

    desk = Desk.of(who)
    memory = desk.table(table)
    if accept:
        _accept(desk, memory)
    if as_json:
        desk.sync(memory)
        entries = [sealed for sealed in memory.log if sealed.entry.seq > after]
        print_json([{"entry": sealed.entry, "hash": sealed.hash, "seal": sealed.seal} for sealed in entries])
        return
    seen = look(desk, memory)
    told = _teller(seen)
    for sealed in memory.log:
        if sealed.entry.seq > after:
            entry = sealed.entry
            click.echo(f"{entry.seq:>4}  {entry.at[:10]} {entry.at[11:16]}  {told(entry)}")


def _accept(desk: Desk, memory: Memory) -> None:
    """Take what the player's key signed elsewhere for the player's own, one entry after the other."""
    from client.memory import Signed
    from client.verify import Unverified
    from engine.record.entry import Play, Resign, Sit, read_line

    while True:
        try:
            desk.sync(memory)
        except Unverified as found:
            if found.code != "own/unsigned" or found.entry is None:
                raise
            entry = read_line(desk.api(memory.server).log(memory.table, after=found.entry - 1)[0]).entry
            if not isinstance(entry, Sit | Play | Resign):
                raise
            base = entry.prev if isinstance(entry, Sit) else entry.base
            memory.remember(Signed("elsewhere", entry.signature, entry.seat, base))
        else:
            return


def _teller(seen: Seen) -> Callable[[Any], str]:
    """How to say an entry in words."""
    from client.telling import listed
    from client.turn import written
    from engine.record.entry import Abandon, Close, Open, Play, Resign, Sit, Timeout
    from engine.record.replay import move_of

    names = list(seen.chain.names)

    def move(entry: Play | Timeout) -> str:
        return written(seen, move_of(seen.game, entry.move)) if seen.view is not None else "moves"

    def tell(entry: Any) -> str:
        match entry:
            case Open():
                return f"A table for {entry.game} is opened, with {entry.seats} seats."
            case Sit():
                return f"{entry.name} sits down at seat {entry.seat}."
            case Play():
                return f"{names[entry.seat]}: {move(entry)}"
            case Timeout():
                why = "has resigned" if entry.why == "resigned" else "let the deadline pass"
                return f"{names[entry.seat]} {why}: {move(entry)}"
            case Resign():
                return f"{names[entry.seat]} gets up." if entry.state is None else f"{names[entry.seat]} resigns."
            case Abandon():
                return f"The table is abandoned ({entry.why})."
            case Close() if entry.standing is not None:
                winners = [names[seat] for seat in entry.standing.winners]
                return f"The table is closed, the secret revealed. First: {listed(winners)}."
            case Close():
                return "The table is closed."
        return "The game is dealt."

    return tell
