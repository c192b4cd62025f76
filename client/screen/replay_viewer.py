"""Walking through a finished game with the arrow keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Group
from rich.text import Text

from client.output import CommandRefused, console, print_styled
from engine.game import Seat
from engine.phrases import won_by_resignation
from engine.record.replay import Replay
from engine.scene import terminal

FORWARD = {"\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", " ", "\r", "\n", "n", "l", "j"}
BACK = {"\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "\x7f", "p", "h", "k"}
FIRST = {"\x1b[H", "\x1bOH", "\x1b[1~", "g"}
LAST = {"\x1b[F", "\x1bOF", "\x1b[4~", "G"}
QUIT = {"q", "Q", "\x1b", "\x03", "\x04"}


def walk(game: Replay, seat: Seat | None, entry: int | None) -> None:
    """Show one position after the other until the reader has seen enough."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandRefused("--step needs a terminal; use --at N to see one position.")
    screen = console()
    start = game.at(entry) if entry is not None else None
    index = game.positions.index(start) if start else 0
    with _no_echo(), screen.screen():
        while True:
            screen.clear()
            print_styled(screen, frame(game, seat, index, screen.width))
            index_or_none = after_key(click.getchar(), index, len(game.positions))
            if index_or_none is None:
                return
            index = index_or_none


@contextmanager
def _no_echo() -> Iterator[None]:
    """Keep keys that are pressed faster than positions are drawn from appearing on the screen."""
    try:
        import termios
    except ImportError:  # a system without POSIX terminals
        yield
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    quiet = termios.tcgetattr(descriptor)
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(descriptor, termios.TCSANOW, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def after_key(key: str, index: int, positions: int) -> int | None:
    """Where a key leads from here; None to leave."""
    if key in QUIT:
        return None
    if key in FORWARD:
        return min(index + 1, positions - 1)
    if key in BACK:
        return max(index - 1, 0)
    if key in FIRST:
        return 0
    if key in LAST:
        return positions - 1
    return index


def frame(game: Replay, seat: Seat | None, index: int, width: int) -> Group:
    """One position: where in the game it is, what has just happened, and how it looks."""
    position, names = game.positions[index], game.chain.names
    view = position.game.view(position.state, seat)
    told = [position.game.tell(event, names) for event in position.told(seat)]
    told += [won_by_resignation(names, position.victor)] if position.victor is not None else []
    whose = "an onlooker" if seat is None else names[seat]
    return Group(
        progress(index, len(game.positions), width),
        Text(f"entry {position.seq} of {game.chain.length - 1}, as {whose} sees it", style="dim"),
        Text(" ".join(told) or " ", style="italic"),
        terminal.draw(position.game.scene(view, names), width),
        Text("→ next   ← back   Home first   End last   q leave", style="dim"),
    )


def progress(index: int, positions: int, width: int) -> Text:
    """A bar that shows how far the game has come."""
    room = max(width - 2, 1)
    done = room if positions == 1 else round(room * index / (positions - 1))
    return Text.assemble(("━" * done, "green"), ("─" * (room - done), "dim"))
