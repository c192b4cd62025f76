"""Storing pages: the statements of the one short transaction in which a log grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from engine.record.canonical import canonical
from engine.record.chain import Phase
from engine.record.writer import Table
from server.models import ENTRIES, HELD, PLAYER_KEYS, SEATS, TABLES
from server.service.derived import derived
from server.service.folding import Folds
from server.service.pages import Held, HeldMoves, Page

_UPDATED = update(TABLES).where(TABLES.c.number == bindparam("of"), TABLES.c.head == bindparam("from"))
"""Locks a table's row and sees that its head is still the same, in one statement."""


def store(folds: Folds, snapshot_every: int, connection: Connection, pages: Sequence[Page]) -> bool:
    """Write pages of different tables down.

    False if the head of one of the tables is no longer the one its page was written for; the transaction is of no use
    then.
    """
    written = [page for page in pages if page.lines]
    if written:
        rows = [_row(page) for page in written]
        if connection.execute(_UPDATED, rows).rowcount != len(rows):
            return False
        connection.execute(insert(ENTRIES), [line for page in written for line in page.lines])
    for page in pages:
        _store_rest(folds, snapshot_every, connection, page)
    return True


def _row(page: Page) -> dict[str, Any]:
    return {"of": page.folded.number, "from": page.folded.table.chain.head, **derived(page.table)}


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
    seated = {seat: sit.key for seat, sit in enumerate(table.chain.players) if sit}
    owners = select(PLAYER_KEYS.c.key, PLAYER_KEYS.c.player).where(PLAYER_KEYS.c.key.in_(seated.values()))
    players = {row.key: row.player for row in connection.execute(owners)}
    connection.execute(delete(SEATS).where(SEATS.c.table_number == number))
    gone, live = table.chain.resigned, table.chain.phase is not Phase.CLOSED
    rows = [
        {"table_number": number, "seat": seat, "player": players[key], "resigned": seat in gone, "live": live}
        for seat, key in seated.items()
    ]
    if rows:
        connection.execute(insert(SEATS), rows)


def _hold(connection: Connection, number: int, seat: int, held: Held) -> None:
    connection.execute(delete(HELD).where(HELD.c.table_number == number, HELD.c.seat == seat))
    row = {"base": held.base, "move": canonical(held.move).decode(), "signature": held.signature}
    connection.execute(insert(HELD), {"table_number": number, "seat": seat, **row})


def held_moves(connection: Connection, number: int) -> HeldMoves:
    """The sealed answers that lie with the office for this table."""
    rows = connection.execute(select(HELD).where(HELD.c.table_number == number))
    return {row.seat: Held(row.base, msgspec.json.decode(row.move), row.signature) for row in rows}
