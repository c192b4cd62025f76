"""Deliver a move that was signed and written to a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from client.output import CommandRefused, json_option, print_json, say
from client.screen.shared_options import as_option


@click.command("send")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@as_option
@json_option
def command(file: str, who: str | None, as_json: bool) -> None:
    """Deliver the signed moves in FILE; whoever carries them cannot change them. Twice does no harm.

    \b
    Examples:
        poste send move.txt
        poste send - < letter.txt
    """
    from client.table.player_desk import Desk
    from client.table.turn import deliver
    from client.trust.table_memory import SignedHere
    from engine.record import armour

    text = sys.stdin.read(armour.LONGEST_TEXT + 1) if file == "-" else _text(file)
    desk = Desk.of(who)
    told = []
    for move in armour.read(text):
        memory = desk.memory(move.table)
        chain = desk.sync(memory)
        player = chain.players[move.seat] if move.seat < len(chain.players) else None
        if player is None or not move.signed_by(player.key):
            raise CommandRefused(
                f"The move for table {move.table[:8]} is not signed by the player of seat {move.seat}."
            )
        if player.key == desk.identity.key:
            memory.remember(SignedHere("move", move.signature, move.seat, move.base, move.move))
        sent = deliver(desk, memory, move)
        seq = sent.entry.entry.seq if sent.entry else None
        told.append({"table": move.table, "seat": move.seat, "move": move.move, "seq": seq, "held": seq is None})
        if not as_json:
            where = "held until the others have answered" if seq is None else f"entry {seq}, sealed by the server"
            say(f"Delivered for {player.name} at table {move.table[:8]}: {where}.")
    if as_json:
        print_json({"sent": told})


def _text(file: str) -> str:
    from engine.record import armour

    with Path(file).open(encoding="utf-8", errors="replace") as letter:
        return letter.read(armour.LONGEST_TEXT + 1)
