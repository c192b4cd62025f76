"""The clock's rounds: tables whose time has come are looked at, and what is due there is done."""

from __future__ import annotations

import logging
from datetime import timedelta

from sqlalchemy import select, update

from engine.record.entry import AnyEntry, instant, timestamp
from server.clock_guard import ClockDoubted
from server.database_trouble import DatabaseBusy, DatabaseTrouble
from server.models import TABLES
from server.service.office import Office
from server.service.pages import Page
from server.service.writing import append, append_locked

log = logging.getLogger("poste")

MOST = 500
"""Tables looked at in one round; the rest comes with the next."""


def round_of(office: Office) -> int:
    """Look at every table whose time has come, at most :data:`MOST`; gives how many. Raises ClockDoubted.

    A table that somebody else has locked is passed over, and its turn comes again with the next round.
    Of a late move and the clock whichever is written first wins: the other finds the log grown and does nothing.
    """
    due = select(TABLES.c.id).where(TABLES.c.look <= office.guard.believed()).order_by(TABLES.c.look).limit(MOST)
    with office.storage.reading() as connection:
        tables = list(connection.scalars(due))
    busy = 0
    for table in tables:
        try:
            look(office, table)
        except DatabaseBusy:
            busy += 1
        except (DatabaseTrouble, ClockDoubted):
            raise
        except Exception:
            # One table that nobody foresaw must not stop the clocks of all the others.
            log.exception("the clock cannot look at table %s, and tries again in an hour", table)
            with office.storage.writing() as connection:
                connection.execute(update(TABLES).where(TABLES.c.id == table).values(look=_in_an_hour(office)))
    return len(tables) - busy


def _in_an_hour(office: Office) -> str:
    return timestamp(instant(office.guard.believed()) + timedelta(hours=1))


def look(office: Office, table: str) -> None:
    """Play for whoever has let their deadline pass at this table, remind whoever will soon, and say when to look again.

    Nothing is written twice: a page on which nothing happens still tells what there is to tell.
    """
    with office.storage.reading() as connection:
        office.folds.newest(connection, table)
    append(office, table, _looked)


def _looked(page: Page) -> None:
    page.looked = True


def correct_clock(office: Office, table: str) -> AnyEntry:
    """Put on record that the clock was wrong when it dated this table, and is right now; gives the entry.

    Raises Refused where it was not, and ClockDoubted if it is wrong now.
    """
    return append_locked(office, table, lambda page, _: page.correct()).entries[0].entry
