"""The clock's rounds: tables whose time has come are looked at, and what is due there is done."""

from __future__ import annotations

import logging
from datetime import timedelta

from sqlalchemy import select, update

from engine.record.entry import AnyEntry, instant, timestamp
from server.clock_guard import ClockDoubted
from server.service.entry_batch import EntryBatch
from server.service.log_append import append, append_locked
from server.service.server_context import ServerContext
from server.storage.database_trouble import DatabaseBusy, DatabaseTrouble
from server.storage.models import TABLES

log = logging.getLogger("poste")

MOST = 500
"""Tables looked at in one round; the rest comes with the next."""


def round_of(context: ServerContext) -> int:
    """Look at every table whose time has come, at most :data:`MOST`; gives how many. Raises ClockDoubted.

    A table that somebody else has locked is passed over, and its turn comes again with the next round.
    Of a late move and the clock whichever is written first wins: the other finds the log grown and does nothing.
    """
    due = select(TABLES.c.id).where(TABLES.c.look <= context.guard.believed()).order_by(TABLES.c.look).limit(MOST)
    with context.storage.reading() as connection:
        tables = list(connection.scalars(due))
    busy = 0
    for table in tables:
        try:
            look(context, table)
        except DatabaseBusy:
            busy += 1
        except (DatabaseTrouble, ClockDoubted):
            raise
        except Exception:
            # One table that nobody foresaw must not stop the clocks of all the others.
            log.exception("the clock cannot look at table %s, and tries again in an hour", table)
            with context.storage.writing() as connection:
                connection.execute(update(TABLES).where(TABLES.c.id == table).values(look=_in_an_hour(context)))
    return len(tables) - busy


def _in_an_hour(context: ServerContext) -> str:
    return timestamp(instant(context.guard.believed()) + timedelta(hours=1))


def look(context: ServerContext, table: str) -> None:
    """Play for whoever has let their deadline pass at this table, remind whoever will soon, and say when to look again.

    Nothing is written twice: a batch on which nothing happens still tells what there is to tell.
    """
    with context.storage.reading() as connection:
        context.folded_tables.newest(connection, table)
    append(context, table, _looked)


def _looked(batch: EntryBatch) -> None:
    batch.looked = True


def correct_clock(context: ServerContext, table: str) -> AnyEntry:
    """Put on record that the clock was wrong when it dated this table, and is right now; gives the entry.

    Raises Refused where it was not, and ClockDoubted if it is wrong now.
    """
    return append_locked(context, table, lambda batch, _: batch.correct()).entries[0].entry
