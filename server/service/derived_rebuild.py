"""``poste-server rebuild``: what is derived from the logs is worked out anew, and written where it is another.

A table is worked out without holding anybody up, and written under its lock if its log has not grown in the meantime;
else it is worked out once more. What is right is left alone, so a run that was broken off is simply begun again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from engine.errors import EngineError, RecordRejected
from engine.record.chain import Phase, follow
from engine.record.entry import read_line
from engine.record.replay import advance
from engine.record.writer import LoggedTable
from server.service.batch_storage import seat_rows
from server.service.derived_columns import derived, told_events
from server.service.folded_tables import caused
from server.service.server_context import ServerContext, engine_version
from server.storage.models import ENTRIES, SEATS, SNAPSHOTS, TABLES

_ENTRY = ("hash", "seat", "events")
"""The derived columns of an entry."""
_MENDED = (
    update(ENTRIES)
    .where(ENTRIES.c.table_number == bindparam("of"), ENTRIES.c.seq == bindparam("at"))
    .values({name: bindparam(f"new_{name}") for name in _ENTRY})
)


class Rebuilt(Struct, frozen=True):
    """What was written of a table, or why nothing can be worked out of its log."""

    table: str
    entries: int = 0
    columns: tuple[str, ...] = ()
    seats: bool = False
    damaged: str | None = None

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return bool(self.entries or self.columns or self.seats)

    def __str__(self) -> str:
        if self.damaged is not None:
            return f"{self.table}: {self.damaged}"
        entries = [f"{self.entries} {'entry' if self.entries == 1 else 'entries'}"] if self.entries else []
        return f"{self.table}: {', '.join([*entries, *self.columns, *(['seats'] if self.seats else [])])}"


class _Changes(Struct, frozen=True):
    """What has to be written of a table whose log ends with this head."""

    entries: list[dict[str, Any]]
    columns: dict[str, Any]
    seats: list[dict[str, Any]] | None


def rebuild_all(context: ServerContext) -> Iterator[Rebuilt]:
    """Work out every table anew, one after the other."""
    with context.storage.writing() as connection:
        connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.engine != engine_version()))
    last = 0
    while True:
        with context.storage.reading() as connection:
            after = select(TABLES.c.number, TABLES.c.id).where(TABLES.c.number > last).order_by(TABLES.c.number)
            row = connection.execute(after.limit(1)).one_or_none()
        if row is None:
            return
        last = row.number
        yield _rebuilt(context, row.number, row.id)


def _rebuilt(context: ServerContext, number: int, table: str) -> Rebuilt:
    while True:
        with context.storage.reading() as connection:
            row = connection.execute(select(TABLES).where(TABLES.c.number == number)).one()
            try:
                changes = _changes(connection, row)
            except EngineError as error:
                return Rebuilt(table, damaged=f"{error} [{error.code}]")
        told = Rebuilt(table, len(changes.entries), tuple(changes.columns), changes.seats is not None)
        if not told.changed or _write(context, row, changes):
            return told


def _changes(connection: Connection, row: Any) -> _Changes:
    """What does not follow from the log of a table as it stands; raises EngineError."""
    table, entries = LoggedTable(), []
    lines = select(ENTRIES).where(ENTRIES.c.table_number == row.number).order_by(ENTRIES.c.seq)
    for line in connection.execute(lines):
        sealed = read_line(line.line)
        if not line.seq == sealed.entry.seq == table.chain.length or sealed.entry.table != row.id:
            raise RecordRejected("chain/sequence", f"entry {line.seq} does not stand where it belongs", line.seq)
        position = advance(table.chain, table.position, sealed, row.secret)
        table = LoggedTable(follow(table.chain, sealed), position)
        right = (sealed.hash, getattr(sealed.entry, "seat", None), told_events(table, caused(table, sealed)))
        if (line.hash, line.seat, line.events) != right:
            new = {f"new_{name}": value for name, value in zip(_ENTRY, right, strict=True)}
            entries.append({"of": row.number, "at": line.seq, **new})
    columns = {name: value for name, value in derived(table).items() if getattr(row, name) != value}
    seats = seat_rows(connection, row.number, table)
    if any(seat["player"] is None for seat in seats):
        raise RecordRejected("seat/nobody", "somebody sits there whose key nobody has registered")
    stored = select(SEATS).where(SEATS.c.table_number == row.number).order_by(SEATS.c.seat)
    same = [dict(one._mapping) for one in connection.execute(stored)] == seats
    return _Changes(entries, columns, None if same else seats)


def _write(context: ServerContext, row: Any, changes: _Changes) -> bool:
    """Write the changes down under the table's lock; False if its log has grown since they were worked out."""
    mine = TABLES.c.number == row.number
    with context.storage.writing() as connection:
        if connection.scalar(select(TABLES.c.head).where(mine).with_for_update()) != row.head:
            return False
        if changes.entries:
            connection.execute(_MENDED, changes.entries)
        if changes.columns:
            phase = changes.columns.get("phase", row.phase)
            look = {"look": context.now()} if phase == Phase.PLAYING.value else {}  # the clock says itself when again
            connection.execute(update(TABLES).where(mine).values(**changes.columns, **look))
        if changes.seats is not None:
            connection.execute(delete(SEATS).where(SEATS.c.table_number == row.number))
            if changes.seats:
                connection.execute(insert(SEATS), changes.seats)
        connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.table_number == row.number))
    return True
