"""Tables folded from their logs: kept in memory, saved as snapshots now and then, and only the tail replayed.

A folded table is a value that many threads share. It may be behind the log, never beside it: logs only grow, so it is
brought up to date by replaying what came after.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Select, delete, insert, select

from engine.errors import EngineError
from engine.game import Event, Seat, decode_state, encode_state
from engine.keys import Hash
from engine.record.chain import Chain, follow
from engine.record.entry import Sealed, read_line
from engine.record.replay import Asked, Position, advance, deal
from engine.record.secret import state_digest
from engine.record.timekeeping import Attendance
from engine.record.writer import LoggedTable
from engine.typed_json import decode
from server.problems import DamagedLog, RequestRefused
from server.storage.database import Storage
from server.storage.models import ENTRIES, SNAPSHOTS, TABLES

log = logging.getLogger("poste")

_FULL = 32
_SHORTEST = 4
_HEX = frozenset("0123456789abcdef")


class Place(Struct, frozen=True):
    """Which table it is; that never changes."""

    number: int
    id: str


class FoldedTable(Struct, frozen=True):
    """A table as far as it has been folded, with what the server knows of it for good."""

    number: int
    id: str
    secret: bytes
    table: LoggedTable

    @property
    def sealed(self) -> bool:
        """Whether a decision is open that is answered unseen."""
        position = self.table.position
        return position is not None and any(asked.decision.sealed for asked in position.asked.values())


class Snapshot(Struct, frozen=True):
    """What is saved of a folded table; the rest follows from its secret."""

    chain: Chain
    seq: int
    state: msgspec.Raw
    digest: Hash
    asked: dict[int, Asked]
    attendance: Attendance | None


class FoldedTables:
    """The folded tables of one process, the most recently used ones in memory."""

    def __init__(self, storage: Storage, engine: str, size: int) -> None:
        self._storage = storage
        self._engine = engine
        self._size = size
        self._kept: OrderedDict[str, FoldedTable] = OrderedDict()
        self._lock = Lock()

    def place(self, reference: str) -> Place:
        """Which table has this id (or unambiguous beginning); raises Refused."""
        with self._lock:
            folded = self._kept.get(reference)
        if folded is not None:
            return Place(folded.number, folded.id)
        with self._storage.reading() as connection:
            row = found(connection, reference)
        return Place(row.number, row.id)

    def recent(self, reference: str) -> FoldedTable:
        """The table of this id (or unambiguous beginning), perhaps not up to date; raises Refused.

        Good for a batch, which is written only if the table still stands so, and for nothing that is read: who may read
        what is there now is told by a visit (:mod:`server.service.one_moment_reads`).
        """
        with self._lock:
            folded = self._kept.get(reference)
            if folded is not None:
                self._kept.move_to_end(reference)
                return folded
        with self._storage.reading() as connection:
            return self.newest(connection, reference)

    def newest(self, connection: Connection, reference: str) -> FoldedTable:
        """The table of this id (or unambiguous beginning) as this connection sees it; raises Refused."""
        return self.brought_up(connection, found(connection, reference))

    def brought_up(self, connection: Connection, row: Any) -> FoldedTable:
        """The table of this row (:func:`lookup`) as this connection sees it; raises DamagedLog."""
        with self._lock:
            folded = self._kept.get(row.id)
        if folded is not None and folded.table.chain.head == row.head:
            return folded
        try:
            if folded is None or folded.table.chain.length > row.length:
                folded = self._saved(connection, row) or FoldedTable(row.number, row.id, row.secret, LoggedTable())
            folded = replayed(folded, _lines(connection, row.number, folded.table.chain.length, row.length))
        except EngineError as error:
            raise DamagedLog(f"table {row.id} does not replay: {error.code}: {error}") from error
        if folded.table.chain.head != row.head:
            raise DamagedLog(f"table {row.id}: its log does not end with its head")
        self.keep(folded)
        return folded

    def keep(self, folded: FoldedTable) -> None:
        """Remember a table as its log stands on disk."""
        with self._lock:
            kept = self._kept.get(folded.id)
            if kept is None or kept.table.chain.length < folded.table.chain.length:
                self._kept[folded.id] = folded
            self._kept.move_to_end(folded.id)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def forget(self) -> None:
        """Forget everything kept in memory."""
        with self._lock:
            self._kept.clear()

    def save(self, connection: Connection, folded: FoldedTable) -> None:
        """Save a snapshot of a dealt table."""
        connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.table_number == folded.number))
        data = msgspec.json.encode(_snapshot(folded.table))
        connection.execute(insert(SNAPSHOTS), {"table_number": folded.number, "engine": self._engine, "folded": data})

    def _saved(self, connection: Connection, row: Any) -> FoldedTable | None:
        """The table as its snapshot has it: only of this very engine, and only if it is what the log says."""
        saved = select(SNAPSHOTS.c.folded).where(
            SNAPSHOTS.c.table_number == row.number, SNAPSHOTS.c.engine == self._engine
        )
        data = connection.scalar(saved)
        if data is None:
            return None
        try:
            table = _restored(decode(data, Snapshot), row.secret)
        except (msgspec.MsgspecError, EngineError, ValueError, TypeError) as error:
            log.warning("table %s: its snapshot is damaged and not used: %s", row.id, error)
            return None
        end = select(ENTRIES.c.hash).where(
            ENTRIES.c.table_number == row.number, ENTRIES.c.seq == table.chain.length - 1
        )
        if connection.scalar(end) != table.chain.head or table.chain.length > row.length:
            log.warning("table %s: its snapshot is not of this log and not used", row.id)
            return None
        return FoldedTable(row.number, row.id, row.secret, table)


def lookup() -> Select[Any]:
    """The query for what folding needs of a table's row."""
    return select(TABLES.c.number, TABLES.c.id, TABLES.c.secret, TABLES.c.head, TABLES.c.length, TABLES.c.succeeding)


def find(reference: str) -> Select[Any]:
    """The query for the tables (at most two) whose id begins like this; raises Refused if none can."""
    if not set(reference) <= _HEX or not _SHORTEST <= len(reference) <= _FULL:
        raise RequestRefused(
            "table/unknown", f"a table is named by at least {_SHORTEST} of its {_FULL} hexadecimal digits"
        )
    if len(reference) == _FULL:
        return lookup().where(TABLES.c.id == reference)
    return lookup().where(TABLES.c.id >= reference, TABLES.c.id < reference + "g").limit(2)


def found(connection: Connection, reference: str) -> Any:
    """The row (:func:`lookup`) of the table whose id begins like this; raises Refused."""
    rows = connection.execute(find(reference)).all()
    if len(rows) > 1:
        raise RequestRefused("table/ambiguous", f"more than one table begins with {reference}")
    if not rows:
        raise RequestRefused("table/unknown", f"there is no table {reference[:_FULL]}")
    return rows[0]


def _lines(connection: Connection, number: int, start: int, end: int) -> list[bytes]:
    lines = (
        select(ENTRIES.c.line)
        .where(ENTRIES.c.table_number == number, ENTRIES.c.seq >= start, ENTRIES.c.seq < end)
        .order_by(ENTRIES.c.seq)
    )
    return list(connection.scalars(lines))


def replayed(folded: FoldedTable, lines: list[bytes]) -> FoldedTable:
    """The table after these lines, whose signatures were checked when they were written. Raises EngineError."""
    chain, position = folded.table.chain, folded.table.position
    for line in lines:
        sealed: Sealed = read_line(line)
        position = advance(chain, position, sealed, folded.secret)
        chain = follow(chain, sealed)
    return msgspec.structs.replace(folded, table=LoggedTable(chain, position))


def caused(table: LoggedTable, sealed: Sealed) -> tuple[Event, ...]:
    """What the newest entry of this table caused."""
    position = table.position
    return position.events if position is not None and position.seq == sealed.entry.seq else ()


def _snapshot(table: LoggedTable) -> Snapshot:
    position = table.playing
    state = encode_state(position.state)
    asked = {int(seat): asked for seat, asked in position.asked.items()}
    return Snapshot(table.chain, position.seq, msgspec.Raw(state), position.digest, asked, position.attendance)


def _restored(snapshot: Snapshot, secret: bytes) -> LoggedTable:
    dealt = deal(snapshot.chain, secret)
    state = decode_state(dealt.game, bytes(snapshot.state))
    if state_digest(dealt.digest_key, snapshot.seq, state) != snapshot.digest:
        raise ValueError("the state is not the one that was saved")
    position: Position = msgspec.structs.replace(
        dealt,
        seq=snapshot.seq,
        state=state,
        events=(),
        asked={Seat(seat): asked for seat, asked in snapshot.asked.items()},
        attendance=snapshot.attendance,
        victor=snapshot.chain.victor,
    )
    return LoggedTable(snapshot.chain, position)
