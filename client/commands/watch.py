"""Wait until it is your turn."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import click

from client.output import CommandRefused, json_option, print_json, print_text, ring_bell, say
from client.screen.shared_options import as_option, table_argument

if TYPE_CHECKING:
    from client.table.player_desk import Desk
    from client.table.verified_view import Seen
    from client.trust.table_memory import Memory


@click.command("watch")
@table_argument
@click.option("--any", "anywhere", is_flag=True, help="Wait for any of your tables.")
@click.option("--timeout", type=float, help="Give up after so many seconds, with exit code 1.")
@click.option("--run", "hook", metavar="COMMAND", envvar="POSTE_NOTIFY", help="Run this when it is your turn.")
@click.option("--bell/--no-bell", default=True, help="Ring the terminal's bell.")
@as_option
@json_option
def command(
    table: str | None,
    anywhere: bool,
    timeout: float | None,
    hook: str | None,
    bell: bool,
    who: str | None,
    as_json: bool,
) -> None:
    """Wait until TABLE asks you something or its game is over, telling what happens meanwhile.

    The command of --run finds the table in POSTE_TABLE and a sentence in POSTE_MESSAGE.

    \b
    Examples:
        poste watch
        poste watch --any --run 'notify-send "$POSTE_MESSAGE"'
    """
    from client.screen.table_status import position, status
    from client.table.player_desk import Desk

    desk = Desk.of(who)
    deadline = time.monotonic() + timeout if timeout is not None else None
    memory = _any_table(desk, deadline) if anywhere else desk.table(table)
    seen = _watch(desk, memory, deadline, quiet=as_json)
    lines = status(seen)
    if bell and sys.stderr.isatty():
        ring_bell()
    if hook:
        _run(hook, memory.table, f"{memory.table[:8]}: {' '.join(lines)}")
    if as_json:
        print_json(position(seen))
        return
    for line in lines:
        print_text(line)


def _watch(desk: Desk, memory: Memory, deadline: float | None, *, quiet: bool) -> Seen:
    from client.screen.table_status import happened
    from client.table.long_polling import LONGEST_WAIT, await_news, patiently
    from client.table.verified_view import look
    from engine.record.chain import Phase

    seen = patiently(lambda: look(desk, memory))
    while seen.chain.phase in (Phase.SITTING, Phase.PLAYING) and not _is_asked(seen):
        if await_news(desk, memory, min(LONGEST_WAIT, _left(deadline))):
            told = seen.chain.length - 1
            seen = patiently(lambda: look(desk, memory))
            if not quiet:
                for line in happened(desk, seen, told):
                    print_text(line)
    return seen


def _is_asked(seen: Seen) -> bool:
    """Whether the player is asked for a move, or for a vote."""
    voting = seen.timing is not None and seen.seat in seen.timing.undecided
    return voting or (seen.mine is not None and seen.held is None)


def _any_table(desk: Desk, deadline: float | None) -> Memory:
    from client.table.long_polling import awaiting, patiently

    told, answer = False, patiently(lambda: desk.api().waiting(0, None))
    while True:
        me = desk.name()
        mine = [each for each in answer.tables if any(asked.name == me and not asked.held for asked in each.waiting)]
        if mine:
            return desk.table(mine[0].table)
        if not told:
            say("Nobody waits for you; waiting ...")
            told = True
        cursor = answer.cursor
        answer = awaiting(lambda wait: desk.api().waiting(wait, cursor), _left(deadline))  # noqa: B023 - called at once


def _left(deadline: float | None) -> float:
    from client.table.long_polling import LONGEST_WAIT

    if deadline is None:
        return LONGEST_WAIT
    left = deadline - time.monotonic()
    if left <= 0:
        raise CommandRefused("It is not your turn yet.")
    return left


def _run(hook: str, table: str, message: str) -> None:
    """Run the player's own command, as the player wrote it."""
    from engine.harmless_text import shown

    environment = {**os.environ, "POSTE_TABLE": table, "POSTE_MESSAGE": shown(message)}
    subprocess.run(hook, shell=True, env=environment, check=False)  # noqa: S602 - it is the player's shell command
