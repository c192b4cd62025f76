"""Where a record comes from: a file, or a table whose log is remembered here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem


class RecordSource(click.ParamType[str]):
    """A file (``-`` is stdin), or a table by its id."""

    name = "record"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value itself, if it can be either."""
        if value != "-" and not Path(value).is_file() and not is_table(value):
            self.fail(f"“{value}” is neither a file nor the id of a table.", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Tables that begin like this, and files as the shell knows them."""
        from client.screen.shell_completion import completed, tables

        files = click.Path(dir_okay=False).shell_complete(ctx, param, incomplete)
        return [*completed(None, lambda desk: tables(desk, incomplete)), *files]


def is_table(value: str) -> bool:
    """Whether this can be the id of a table rather than a file."""
    return not Path(value).is_file() and re.fullmatch(r"[0-9a-f]{4,32}", value.lower()) is not None


def record_bytes(source: str, who: str | None = None) -> bytes:
    """The record of a file or of a table; a table that is over is taken from memory, and no server is asked."""
    if not is_table(source):
        from client.trust.record_files import read_bytes

        return read_bytes(source)
    from client.table.player_desk import Desk
    from engine.record.chain import Phase

    desk = Desk.of(who)
    memory = desk.table(source)
    if memory.chain.phase is not Phase.CLOSED:
        desk.sync(memory)
    return b"".join(sealed.line + b"\n" for sealed in memory.log)
