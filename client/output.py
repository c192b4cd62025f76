"""What the commands share in talking: data on stdout, talk on stderr, one place for exit codes and errors."""

from __future__ import annotations

import os
import shutil
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from engine.scene import Scene


class ExitCode(IntEnum):
    """How a command ended, for scripts."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3
    UNVERIFIED = 4


class Refused(click.ClickException):
    """Something that cannot be done, said in a sentence or two."""

    exit_code = ExitCode.REFUSED

    def show(self, file: Any = None) -> None:  # noqa: ARG002 - click's signature
        """Say it on stderr."""
        say(self.message)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")


def say(text: str) -> None:
    """Talk to the person: on stderr."""
    click.echo(text, err=True)


def print_json(value: Any) -> None:
    """Print any plain value as JSON on stdout."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode())


def print_scene(scene: Scene) -> None:
    """Draw a scene on stdout: in colour on a terminal, plainly into a pipe."""
    import sys

    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        from rich.console import Console

        from engine.scene import terminal

        console = Console(highlight=False)
        console.print(terminal.draw(scene, console.width))
    else:
        from engine.scene import text

        click.echo(
            text.draw(scene, shutil.get_terminal_size((100, 40)).columns if sys.stdout.isatty() else 100), nl=False
        )


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
        raise error
    say(f"Something went wrong that should not have: {type(error).__name__}: {error}")
    say("Please report it; POSTE_DEBUG=1 shows where it happened.")
    return ExitCode.REFUSED


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ")", "”")) else text + "."
