"""Take your turn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from client.output import CommandRefused, json_option, print_json, print_scene, print_text, say
from client.screen.shared_options import (
    as_option,
    confirmed,
    dry_run_option,
    move_argument,
    yes_option,
)

if TYPE_CHECKING:
    from client.table.player_desk import Desk
    from client.table.verified_view import Seen
    from client.trust.table_memory import Memory


@click.command("play", context_settings={"ignore_unknown_options": True})
@move_argument
@click.option(
    "--to", "letter", type=click.Path(dir_okay=False, allow_dash=True), help="Write the signed move here, send nothing."
)
@yes_option
@dry_run_option
@as_option
@json_option
def command(
    words: tuple[str, ...], letter: str | None, yes: bool, dry_run: bool, who: str | None, as_json: bool
) -> None:
    """Play MOVE at TABLE (the one you last meant, unless said). Without a MOVE you are offered the choices.

    The beginning of a word will do, and what only one legal move could mean may be left out. Several moves are
    separated by “then”, or by “;” in quotes.

    \b
    Examples:
        poste play
        poste play take louvre/red
        poste play 7f3a take louvre --yes
        poste play take D4 then done
        poste play take louvre/red --to move.txt    (and later, or elsewhere: poste send move.txt)
    """
    from client.screen.table_or_move import table_and_move
    from client.table.player_desk import Desk
    from client.table.verified_view import look
    from engine.notation import separated

    desk = Desk.of(who)
    table, text = table_and_move(desk, words)
    memory, moves = desk.table(table), separated(text)
    if letter is not None and len(moves) > 1:
        raise CommandRefused(
            "Only one move at a time can be written to a file: the next depends on what follows from it."
        )
    seen = look(desk, memory)
    before = seen.chain.length - 1
    played: list[dict[str, Any]] = []
    for number, each in enumerate(moves or [None]):
        if number:
            seen = look(desk, memory)
            _still_asked(seen, moves[number:])
        played.append(_play(desk, seen, each, letter=letter, yes=yes, dry_run=dry_run, as_json=as_json))
    if dry_run or letter is not None:
        if as_json:
            print_json({"table": memory.table, "moves": played, "sent": False})
        return
    _tell(desk, memory, before, played, as_json=as_json)


def _still_asked(seen: Seen, left: list[str]) -> None:
    from client.table.turn import asked_now
    from engine.errors import OutOfTurn

    try:
        asked_now(seen)
    except (OutOfTurn, CommandRefused) as why:
        raise CommandRefused(f"Not played: {' then '.join(left)}. {str(why)[:1].upper()}{str(why)[1:]}.") from None


def _play(
    desk: Desk, seen: Seen, text: str | None, *, letter: str | None, yes: bool, dry_run: bool, as_json: bool
) -> dict[str, Any]:
    from client.table.turn import chosen, deliver, sign, written

    move = chosen(seen, text) if text is not None else _offered(seen)
    canonical = written(seen, move)
    told: dict[str, Any] = {"text": canonical, "move": move}
    if dry_run:
        if not as_json:
            print_text(canonical)
        say("This is legal; nothing was signed or sent.")
        return told
    if not confirmed(f"Play “{canonical}”?", yes=yes):
        raise CommandRefused("Nothing was played.")
    signed = sign(desk, seen, move)
    if letter is not None:
        _write(letter, seen, canonical, signed)
        return told
    sent = deliver(desk, seen.memory, signed)
    if sent.entry is None:
        say(f"Sealed: {canonical}. It is opened when everybody has answered; until then you may replace it.")
        return told | {"seq": None, "held": True}
    say(f"Played: {canonical} (entry {sent.entry.entry.seq}, sealed by the server).")
    return told | {"seq": sent.entry.entry.seq, "held": False}


def _offered(seen: Seen) -> Any:
    from client.screen.move_picker import choose
    from client.table.turn import asked_now

    asked_now(seen)
    if not sys.stdin.isatty():
        raise CommandRefused("Which move? poste moves lists them; without a terminal it must be said.")
    print_scene(seen.game.scene(seen.view, seen.chain.names))
    if seen.mine is not None:
        say(f"\n{seen.mine.prompt}")
    return choose(seen)


def _write(letter: str, seen: Seen, text: str, signed: Any) -> None:
    from engine.record import armour

    seat = seen.chain.names[signed.seat]
    block = f"{seat} plays “{text}” at table {signed.table[:8]}.\n\n{armour.write(signed)}"
    if letter == "-":
        print_text(block.removesuffix("\n"))
        return
    Path(letter).write_text(block, encoding="utf-8")
    say(f"Signed and written to {letter}, not sent. Deliver it with: poste send {letter}")


def _tell(desk: Desk, memory: Memory, before: int, played: list[dict[str, Any]], *, as_json: bool) -> None:
    from client.screen.table_status import happened, position, status
    from client.table.verified_view import look

    seen = look(desk, memory)
    events = happened(desk, seen, before)
    if as_json:
        print_json({"table": memory.table, "moves": played, "sent": True, "happened": events, "now": position(seen)})
        return
    if sys.stdout.isatty():
        print_scene(seen.game.scene(seen.view, seen.chain.names))
        print_text()
    for line in (*events, *status(seen)):
        print_text(line)
