"""Read the log of a table, verified line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from client.output import json_option, print_json, print_text
from client.screen.shared_options import as_option, table_argument

if TYPE_CHECKING:
    from client.table.player_desk import Desk
    from client.trust.table_memory import Memory


@click.command("log")
@table_argument
@click.option("--after", type=int, default=-1, help="Only what follows this entry.")
@click.option(
    "--accept",
    is_flag=True,
    help="Accept what you signed elsewhere, or what only your own clock denied.",
)
@as_option
@json_option
def command(table: str | None, after: int, accept: bool, who: str | None, as_json: bool) -> None:
    """Print the log of TABLE: who did what, when (in UTC). It is public; what is hidden in the game is not in it.

    \b
    Examples:
        poste log
        poste log 7f3a --after 20 --json
    """
    from client.screen.log_sentences import told
    from client.table.player_desk import Desk
    from client.table.verified_view import look

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
    for sealed in memory.log:
        if sealed.entry.seq > after:
            entry = sealed.entry
            print_text(f"{entry.seq:>4}  {entry.at[:10]} {entry.at[11:16]}  {told(seen, entry)}")


def _accept(desk: Desk, memory: Memory) -> None:
    """Take what the player's key signed elsewhere for the player's own, one entry after the other; and what is dated
    before the last look for new, since it was this machine's clock that was wrong.
    """
    from client.trust.log_verification import BACKDATED, Unverified, is_by_mail
    from client.trust.table_memory import SignedHere
    from engine.record.entry import Delegate, SignedEntry, read_line

    accepted: set[int] = set()
    while True:
        try:
            desk.sync(memory)
        except Unverified as found:
            if found.code == BACKDATED and memory.synced is not None:
                memory.remember_sync(None)
                continue
            if found.code != "own/unsigned" or found.entry is None or found.entry in accepted:
                raise
            accepted.add(found.entry)
            lines = desk.api(memory.server).log(memory.table, after=found.entry - 1)
            if not lines:
                raise
            entry = read_line(lines[0]).entry
            if not isinstance(entry, SignedEntry):
                raise
            base = getattr(entry, "base", entry.prev)
            signatures = [entry.signature]
            if is_by_mail(entry):  # with it, what allows it and whatever else comes by mail
                mine = [sealed.entry for sealed in memory.log if isinstance(sealed.entry, Delegate)]
                signatures = [each.signature for each in mine if each.seat == entry.seat] or signatures
            for signature in signatures:
                memory.remember(SignedHere("elsewhere", signature, entry.seat, base))
        else:
            return
