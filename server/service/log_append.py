"""Appending to a log: one short transaction, and what is said has been done.

The entries are worked out on a :class:`EntryBatch` first, without a lock. Then, in one transaction: lock the table and
see that its head is still the one the batch was written for (else write the batch again), set the derived columns,
insert the lines, commit. Only then does anybody hear of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec
from sqlalchemy import Connection, bindparam

from engine.errors import EngineError
from server.clock_guard import is_ahead
from server.problems import DamagedLog, RequestRefused
from server.service.batch_storage import held_moves, store
from server.service.entry_batch import EntryBatch, HeldAnswers
from server.service.folded_tables import FoldedTable, lookup
from server.service.key_successions import owed
from server.service.server_context import ServerContext
from server.storage.models import TABLES

Act: TypeAlias = Callable[[EntryBatch], None]
LockedAct: TypeAlias = Callable[[EntryBatch, Connection], None]

_DATED_AHEAD = (
    "this table is dated ahead of the server's clock, so one of the two is wrong; it goes on when the operator has "
    "put that right"
)
_LOCKED = lookup().where(TABLES.c.number == bindparam("of")).with_for_update()


def append(context: ServerContext, reference: str, act: Act) -> EntryBatch:
    """Let ``act`` write a batch for this table and append it; raises what ``act`` raises, and then nothing happened.

    ``act`` may be called again, with a fresh batch, if somebody else was faster; always before it is concluded that
    there is nothing to append.
    """
    folded = context.folded_tables.recent(reference)
    batch = None if folded.sealed else _attempt(context, folded, act)
    if batch is None or not batch.lines or not context.group_commit.send(folded.number, batch):
        return append_locked(context, reference, lambda batch, _: act(batch))
    return _kept(context, batch)


def append_locked(context: ServerContext, reference: str, act: LockedAct) -> EntryBatch:
    """The same, under the table's lock from the start.

    For what hangs on more than the log: ``act`` reads it with the connection it gets, and nobody who changes it and
    then appends to this table comes in between. Changes of key that the log does not tell of yet come first.
    """
    number = context.folded_tables.place(reference).number
    with context.storage.writing() as connection:
        row = connection.execute(_LOCKED, {"of": number}).one()
        folded = context.folded_tables.brought_up(connection, row)
        held = held_moves(connection, number) if folded.sealed else {}

        def succeed_and_act(batch: EntryBatch) -> None:
            if row.succeeding:
                batch.succeeding = True
                for seat, succession in owed(connection, batch.table.chain):
                    batch.succeed(seat, succession)
            act(batch, connection)

        batch = _written(context, folded, held, succeed_and_act)
        if not store(context.folded_tables, context.stationery, context.settings.snapshot_every, connection, [batch]):
            raise DamagedLog(f"table {folded.id}: its head has moved under its own lock")
    return _kept(context, batch)


def _kept(context: ServerContext, batch: EntryBatch) -> EntryBatch:
    """A batch that is on disk, so that everybody may hear of it."""
    context.folded_tables.keep(msgspec.structs.replace(batch.folded, table=batch.table))
    context.news.ring()
    return batch


def _attempt(context: ServerContext, folded: FoldedTable, act: Act) -> EntryBatch | None:
    """A batch written without a lock; None if it has to be written again for what the log has become since."""
    try:
        return _written(context, folded, {}, act)
    except (EngineError, RequestRefused):
        with context.storage.reading() as connection:
            row = connection.execute(lookup().where(TABLES.c.number == folded.number)).one()
            if row.succeeding or context.folded_tables.brought_up(connection, row) is not folded:
                return None
        raise


def _written(context: ServerContext, folded: FoldedTable, held: HeldAnswers, act: Act) -> EntryBatch:
    batch = EntryBatch(context.key, folded, held, context.guard.believed())
    act(batch)
    if is_ahead(batch.table.chain.at, batch.now):
        raise RequestRefused("server/clock", _DATED_AHEAD, retry=60)
    try:
        batch.settle()
    except EngineError as error:  # what was accepted before cannot be refused now
        raise DamagedLog(f"table {folded.id} cannot go on: {error.code}: {error}") from error
    return batch
