"""Storing pages: the statements of the one short transaction in which a log grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Insert, bindparam, delete, insert, select, update

from engine.record.canonical import canonical
from engine.record.chain import Phase
from engine.record.writer import Table
from engine.typed_json import decode
from server.models import ENTRIES, HELD, PLAYER_KEYS, SEATS, TABLES
from server.service.derived import DERIVED, derived
from server.service.folding import Folds
from server.service.notices import Stationery, next_look, notices, post
from server.service.notices import row as notice_row
from server.service.pages import Held, HeldMoves, Page

_UPDATED = update(TABLES).where(
    TABLES.c.number == bindparam("of"),
    TABLES.c.head == bindparam("from"),
    TABLES.c.succeeding == bindparam("owed"),
)
"""Locks a table's row and sees, in one statement, that its head is still the same, and that the page puts on record
what changes of key the log does not tell of yet.
"""
_INSERTED = insert(ENTRIES)


def _in_one_go() -> Insert:
    """Both at once, for the usual page of one line: a round trip less. SQLite has no such statement, and no trips."""
    values: dict[str, Any] = {name: bindparam(name) for name in (*DERIVED, "look", "succeeding")}
    moved = _UPDATED.values(values).returning(TABLES.c.number).cte("moved")
    columns = [column for column in ENTRIES.c if column.name != "table_number"]
    line = select(moved.c.number, *(bindparam(f"line_{column.name}", type_=column.type) for column in columns))
    return insert(ENTRIES).from_select(["table_number", *(column.name for column in columns)], line)


_IN_ONE_GO = _in_one_go().execution_options(preserve_rowcount=True)


def store(
    folds: Folds, stationery: Stationery, snapshot_every: int, connection: Connection, pages: Sequence[Page]
) -> bool:
    """Write pages of different tables down.

    False if the head of one of the tables is no longer the one its page was written for; the transaction is of no use
    then.
    """
    written = [page for page in pages if page.lines]
    rows, lines = [_row(page, stationery) for page in written], [line for page in written for line in page.lines]
    told = [notice_row(page, notice, stationery) for page in written for notice in notices(page, stationery)]
    if written and not _grown(connection, rows, lines):
        return False
    for page in pages:
        _store_rest(folds, snapshot_every, connection, page)
        if not page.lines and (page.looked or page.succeeding or page.held != page.before):
            _look_later(connection, page, stationery)
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


def _row(page: Page, stationery: Stationery) -> dict[str, Any]:
    look = next_look(page, stationery)
    where = {"of": page.folded.number, "from": page.folded.table.chain.head, "owed": page.succeeding}
    return {**where, **derived(page.table), "look": look, "succeeding": False}


def _look_later(connection: Connection, page: Page, stationery: Stationery) -> None:
    """Write down, of a page that adds nothing to the log, what there is to tell and when to look again."""
    if connection.execute(_UPDATED, _row(page, stationery)).rowcount == 1:
        post(connection, [notice_row(page, notice, stationery) for notice in notices(page, stationery)])


def _store_rest(folds: Folds, every: int, connection: Connection, page: Page) -> None:
    """What most pages do not change: seats, snapshots, sealed answers."""
    number, before, after = page.folded.number, page.folded.table, page.table
    closed = after.chain.phase is Phase.CLOSED
    if closed or (after.chain.players, after.chain.resigned) != (before.chain.players, before.chain.resigned):
        _seat(connection, number, after)
    if after.position and (closed or after.chain.length // every != before.chain.length // every):
        folds.save(connection, msgspec.structs.replace(page.folded, table=after))
    for seat in page.before.keys() - page.held.keys():
        connection.execute(delete(HELD).where(HELD.c.table_number == number, HELD.c.seat == seat))
    for seat, held in page.held.items():
        if page.before.get(seat) != held:
            _hold(connection, number, seat, held)


def _seat(connection: Connection, number: int, table: Table) -> None:
    """Write down who sits where."""
    rows = seat_rows(connection, number, table)
    connection.execute(delete(SEATS).where(SEATS.c.table_number == number))
    if rows:
        connection.execute(insert(SEATS), rows)


def seat_rows(connection: Connection, number: int, table: Table) -> list[dict[str, Any]]:
    """Who sits where, as it is written down; whoever has a key that nobody has registered is nobody."""
    seated = {seat: sit.key for seat, sit in enumerate(table.chain.players) if sit}
    owners = select(PLAYER_KEYS.c.key, PLAYER_KEYS.c.player).where(PLAYER_KEYS.c.key.in_(seated.values()))
    players = {row.key: row.player for row in connection.execute(owners)}
    gone, live = table.chain.resigned, table.chain.phase is not Phase.CLOSED
    return [
        {"table_number": number, "seat": seat, "player": players.get(key), "resigned": seat in gone, "live": live}
        for seat, key in seated.items()
    ]


def _hold(connection: Connection, number: int, seat: int, held: Held) -> None:
    connection.execute(delete(HELD).where(HELD.c.table_number == number, HELD.c.seat == seat))
    row = {"base": held.base, "move": canonical(held.move).decode(), "signature": held.signature, "by": held.by}
    connection.execute(insert(HELD), {"table_number": number, "seat": seat, "given": held.given, **row})


def held_moves(connection: Connection, number: int) -> HeldMoves:
    """The sealed answers that lie with the office for this table."""
    rows = connection.execute(select(HELD).where(HELD.c.table_number == number))
    return {row.seat: Held(row.base, decode(row.move), row.signature, row.by, row.given) for row in rows}
