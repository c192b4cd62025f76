"""docs/commands.md is every ``--help`` there is, generated with ``--update-golden``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from client.cli import poste
from server.cli import cli as poste_server

DOCUMENT = Path(__file__).parent.parent / "docs" / "commands.md"


def helped(name: str, *verb: str) -> str:
    return subprocess.run(
        [Path(sys.executable).parent / name, *verb, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "100"},
    ).stdout.strip()


def chapters(name: str, command: click.Command, *verb: str) -> Iterator[str]:
    """The help of a command, and of every command below it."""
    yield f"{'#' * min(2 + len(verb), 4)} {' '.join((name, *verb))}\n\n```text\n{helped(name, *verb)}\n```\n"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from chapters(name, below, *verb, each)


def document() -> str:
    parts = ["# Every command\n\nGenerated from the commands themselves; `--help` says the same.\n"]
    for name, group in (("poste", poste), ("poste-server", poste_server)):
        parts += chapters(name, group)
    return "\n".join(parts)


def test_the_document_is_what_the_commands_say(request: pytest.FixtureRequest) -> None:
    told = document()
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(told)
    assert DOCUMENT.read_text() == told
