"""What the commands share in talking: data on stdout, talk on stderr, one place for exit codes and errors.

Everything that is printed passes here, and nothing passes that a terminal would act on, whoever wrote it; only colours
that we set ourselves, and the bell that we ring, reach it.
"""

from __future__ import annotations

import os
import shutil
import sys
from enum import IntEnum
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from engine.scene import Scene


class ExitCode(IntEnum):
    """How a command ended, for scripts."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3
    UNVERIFIED = 4


class CommandRefused(click.ClickException):
    """Something that cannot be done, said in a sentence or two."""

    exit_code = ExitCode.REFUSED

    def show(self, file: Any = None) -> None:  # noqa: ARG002 - click's signature
        """Say it on stderr."""
        say(self.message)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")


def say(text: str) -> None:
    """Talk to the person: on stderr."""
    click.echo(_lines(text), err=True)


def print_text(text: str = "") -> None:
    """Print data on stdout: a line, or several."""
    click.echo(_lines(text))


def print_json(value: Any) -> None:
    """Print any plain value as JSON on stdout."""
    import msgspec

    from engine.harmless_text import escaped

    click.echo(escaped(msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode()))


def print_record(data: bytes) -> None:
    """Print the lines of a log on stdout: byte for byte, but on a terminal only what is harmless there."""
    if sys.stdout.isatty():
        print_text(data.decode(errors="replace").removesuffix("\n"))
    else:
        sys.stdout.buffer.write(data)


def print_scene(scene: Scene) -> None:
    """Draw a scene on stdout: in colour on a terminal, plainly into a pipe."""
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from engine.scene import terminal

        screen = console()
        print_styled(screen, terminal.draw(scene, screen.width))
    else:
        from engine.scene import text

        width = shutil.get_terminal_size((100, 40)).columns if sys.stdout.isatty() else 100
        print_text(text.draw(scene, width).removesuffix("\n"))


def console() -> Console:
    """The terminal, for what is printed in colour."""
    from rich.console import Console

    return Console(highlight=False)


def print_styled(screen: Console, what: RenderableType) -> None:
    """Print in colour: the styles are ours, and the text between them can set none."""
    from rich.segment import Segment, Segments

    rendered = [each for each in screen.render(what) if not each.control]
    screen.print(Segments([Segment(_lines(each.text), each.style) for each in rendered]), end="")


def ask(question: str, suffix: str = ": ", *, secret: bool = False) -> str:
    """What the person types; nothing is an answer."""
    answer: str = click.prompt(
        _lines(question), prompt_suffix=suffix, default="", show_default=False, hide_input=secret, err=True
    )
    return answer


def agrees(question: str, *, default: bool) -> bool:
    """Whether the person says yes."""
    return click.confirm(_lines(question), default=default, err=True)


def ring_bell() -> None:
    """Make the terminal heard."""
    click.echo("\a", err=True, nl=False)


def _lines(text: str) -> str:
    from engine.harmless_text import shown

    return "\n".join(map(shown, text.split("\n")))


def report_click(error: click.ClickException) -> None:
    """Say what is wrong with how a command was called, in click's words, which quote what was typed."""
    if isinstance(error, CommandRefused):
        error.show()
        return
    told = StringIO()
    error.show(told)
    say(told.getvalue().removesuffix("\n"))


def report_error(error: Exception) -> int:
    """Say what went wrong, and with which exit code to end."""
    from engine.errors import EngineError, NotUnderstood, RecordRejected

    if isinstance(error, NotUnderstood):
        say(f"{_sentence(str(error))}")
        for usage in error.expected:
            say(f"  expected: {usage}")
        if error.nearest:
            say("  perhaps:  " + "\n            ".join(error.nearest))
        return ExitCode.REFUSED
    if isinstance(error, RecordRejected):
        where = f"entry {error.entry}: " if error.entry is not None else ""
        say(f"{where}{_sentence(str(error))} [{error.code}]")
        return ExitCode.UNVERIFIED
    if isinstance(error, EngineError):
        say(f"{_sentence(str(error))} [{error.code}]")
        return ExitCode.REFUSED
    if isinstance(error, OSError) and error.filename:
        say(f"{error.filename}: {(error.strerror or 'cannot be used').lower()}.")
        return ExitCode.REFUSED
    if "POSTE_DEBUG" in os.environ:
        import traceback

        say("".join(traceback.format_exception(error)).removesuffix("\n"))
        return ExitCode.REFUSED
    say(f"Something went wrong that should not have: {type(error).__name__}: {error}")
    say("Please report it; POSTE_DEBUG=1 shows where it happened.")
    return ExitCode.REFUSED


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ")", "”")) else text + "."
