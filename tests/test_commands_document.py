"""docs/commands.md is every ``--help`` there is, generated with ``--update-golden``."""

from __future__ import annotations

import os
import subprocess
import sys
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


def verbs(group: click.Group) -> list[str]:
    return group.list_commands(click.Context(group))


def document() -> str:
    parts = ["# Every command\n\nGenerated from the commands themselves; `--help` says the same.\n"]
    for name, group in (("poste", poste), ("poste-server", poste_server)):
        parts.append(f"## {name}\n\n```text\n{helped(name)}\n```\n")
        parts += [f"### {name} {verb}\n\n```text\n{helped(name, verb)}\n```\n" for verb in verbs(group)]
    return "\n".join(parts)


def test_the_document_is_what_the_commands_say(request: pytest.FixtureRequest) -> None:
    told = document()
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(told)
    assert DOCUMENT.read_text() == told
