"""Storing batches: the statements of the one short transaction in which a log grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Insert, bindparam, delete, insert, select, update

from engine.record.canonical import canonical
from engine.record.chain import Phase
from engine.record.writer import LoggedTable
from engine.typed_json import decode
from server.service.derived_columns import DERIVED, derived
from server.service.entry_batch import EntryBatch, HeldAnswer, HeldAnswers
from server.service.folded_tables import FoldedTables
from server.service.mail_notices import Stationery, next_look, notices, post
from server.service.mail_notices import row as notice_row
from server.storage.models import ENTRIES, HELD, PLAYER_KEYS, SEATS, TABLES

_UPDATED = update(TABLES).where(
    TABLES.c.number == bindparam("of"),
    TABLES.c.head == bindparam("from"),
    TABLES.c.succeeding == bindparam("owed"),
)
"""Locks a table's row and sees, in one statement, that its head is still the same, and that the batch puts on record
what changes of key the log does not tell of yet.
"""
_INSERTED = insert(ENTRIES)


def _in_one_go() -> Insert:
    """Both at once, for the usual batch of one line: a round trip less. SQLite has no such statement, and no trips."""
    values: dict[str, Any] = {name: bindparam(name) for name in (*DERIVED, "look", "succeeding")}
    moved = _UPDATED.values(values).returning(TABLES.c.number).cte("moved")
    columns = [column for column in ENTRIES.c if column.name != "table_number"]
    line = select(moved.c.number, *(bindparam(f"line_{column.name}", type_=column.type) for column in columns))
    return insert(ENTRIES).from_select(["table_number", *(column.name for column in columns)], line)


_IN_ONE_GO = _in_one_go().execution_options(preserve_rowcount=True)


def store(
    folded_tables: FoldedTables,
    stationery: Stationery,
    snapshot_every: int,
    connection: Connection,
    batches: Sequence[EntryBatch],
) -> bool:
    """Write batches of different tables down.

    False if the head of one of the tables is no longer the one its batch was written for; the transaction is of no use
    then.
    """
    written = [batch for batch in batches if batch.lines]
    rows, lines = [_row(batch, stationery) for batch in written], [line for batch in written for line in batch.lines]
    told = [notice_row(batch, notice, stationery) for batch in written for notice in notices(batch, stationery)]
    if written and not _grown(connection, rows, lines):
        return False
    for batch in batches:
        _store_rest(folded_tables, snapshot_every, connection, batch)
        if not batch.lines and (batch.looked or batch.succeeding or batch.held != batch.before):
            _look_later(connection, batch, stationery)
    post(connection, told)
    return True


def _grown(connection: Connection, rows: list[dict[str, Any]], lines: list[dict[str, Any]]) -> bool:
    """Move the heads of the tables and insert the lines; False if a head was no longer the same."""
    if len(lines) == 1 and connection.dialect.name == "postgresql":
        line = {f"line_{name}": value for name, value in lines[0].items() if name != "table_number"}
        return connection.execute(_IN_ONE_GO, {**rows[0], **line}).rowcount == 1
    if connection.execute(_UPDATED, _bare(rows)).rowcount != len(rows):
        return False
    connection.execute(_INSERTED, _bare(lines))
    return True


def _bare(rows: list[dict[str, Any]]) -> list[dict[str, Any]] | dict[str, Any]:
    """A single row by itself: the database then does without what it prepares for many."""
    return rows[0] if len(rows) == 1 else rows


def _row(batch: EntryBatch, stationery: Stationery) -> dict[str, Any]:
    look = next_look(batch, stationery)
    where = {"of": batch.folded.number, "from": batch.folded.table.chain.head, "owed": batch.succeeding}
    return {**where, **derived(batch.table), "look": look, "succeeding": False}


def _look_later(connection: Connection, batch: EntryBatch, stationery: Stationery) -> None:
    """Write down, of a batch that adds nothing to the log, what there is to tell and when to look again."""
    if connection.execute(_UPDATED, _row(batch, stationery)).rowcount == 1:
        post(connection, [notice_row(batch, notice, stationery) for notice in notices(batch, stationery)])


def _store_rest(folded_tables: FoldedTables, every: int, connection: Connection, batch: EntryBatch) -> None:
    """What most batches do not change: seats, snapshots, sealed answers."""
    number, before, after = batch.folded.number, batch.folded.table, batch.table
    closed = after.chain.phase is Phase.CLOSED
    if closed or (after.chain.players, after.chain.resigned) != (before.chain.players, before.chain.resigned):
        _seat(connection, number, after)
    if after.position and (closed or after.chain.length // every != before.chain.length // every):
        folded_tables.save(connection, msgspec.structs.replace(batch.folded, table=after))
    for seat in batch.before.keys() - batch.held.keys():
        connection.execute(delete(HELD).where(HELD.c.table_number == number, HELD.c.seat == seat))
    for seat, held in batch.held.items():
        if batch.before.get(seat) != held:
            _hold(connection, number, seat, held)


def _seat(connection: Connection, number: int, table: LoggedTable) -> None:
    """Write down who sits where."""
    rows = seat_rows(connection, number, table)
    connection.execute(delete(SEATS).where(SEATS.c.table_number == number))
    if rows:
        connection.execute(insert(SEATS), rows)


def seat_rows(connection: Connection, number: int, table: LoggedTable) -> list[dict[str, Any]]:
    """Who sits where, as it is written down; whoever has a key that nobody has registered is nobody."""
    seated = {seat: sit.key for seat, sit in enumerate(table.chain.players) if sit}
    owners = select(PLAYER_KEYS.c.key, PLAYER_KEYS.c.player).where(PLAYER_KEYS.c.key.in_(seated.values()))
    players = {row.key: row.player for row in connection.execute(owners)}
    gone, live = table.chain.resigned, table.chain.phase is not Phase.CLOSED
    return [
        {"table_number": number, "seat": seat, "player": players.get(key), "resigned": seat in gone, "live": live}
        for seat, key in seated.items()
    ]


def _hold(connection: Connection, number: int, seat: int, held: HeldAnswer) -> None:
    connection.execute(delete(HELD).where(HELD.c.table_number == number, HELD.c.seat == seat))
    row = {"base": held.base, "move": canonical(held.move).decode(), "signature": held.signature, "by": held.by}
    connection.execute(insert(HELD), {"table_number": number, "seat": seat, "given": held.given, **row})


def held_moves(connection: Connection, number: int) -> HeldAnswers:
    """The sealed answers that lie with the server for this table."""
    rows = connection.execute(select(HELD).where(HELD.c.table_number == number))
    return {row.seat: HeldAnswer(row.base, decode(row.move), row.signature, row.by, row.given) for row in rows}
