"""Whether the first word of a command line names a table or begins a move."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from client.output import CommandRefused

if TYPE_CHECKING:
    from client.table.player_desk import Desk

_ID = re.compile(r"[0-9a-f]{4,32}")


def table_and_move(desk: Desk, words: Sequence[str]) -> tuple[str | None, str]:
    """The table that is named (None: the one last meant), and the text of the move.

    A move begins with letters only. So a first word of hexadecimal digits is a table if there is a digit from 0 to 9 in
    it; without one it is a table only if this machine remembers a table that begins like this. Raises Refused if that
    could be how a move begins as well.
    """
    text = " ".join(words)
    first, _, rest = text.strip().partition(" ")
    table = first.lower()
    if not _ID.fullmatch(table) or (table.isalpha() and not _remembered(desk, table)):
        return None, text
    if table.isalpha() and _begins_a_move(desk, table):
        raise CommandRefused(f"“{first}” may be a table or the beginning of a move; type more of it.")
    return table, rest


def _remembered(desk: Desk, word: str) -> bool:
    return any(table.startswith(word) for table in desk.remembered())


def _begins_a_move(desk: Desk, word: str) -> bool:
    """Whether a move at the table last meant begins like this."""
    from engine.record.replay import game_of
    from engine.reserved_names import verbs

    opened = desk.memory(desk.identity.table).chain.opened if desk.identity.table else None
    return opened is not None and any(verb.startswith(word) for verb in verbs(game_of(opened)))
