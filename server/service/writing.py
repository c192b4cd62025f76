"""Appending to a log: one short transaction, and what is said has been done.

The entries are worked out on a :class:`Page` first, without a lock. Then, in one transaction: lock the table and see
that its head is still the one the page was written for (else write the page again), set the derived columns, insert
the lines, commit. Only then does anybody hear of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec
from sqlalchemy import Connection, bindparam

from engine.errors import EngineError
from server.clock_guard import is_ahead
from server.models import TABLES
from server.problems import DamagedLog, Refused
from server.service.folding import Folded, lookup
from server.service.office import Office
from server.service.pages import HeldMoves, Page
from server.service.storing import held_moves, store
from server.service.successions import owed

Act: TypeAlias = Callable[[Page], None]
LockedAct: TypeAlias = Callable[[Page, Connection], None]

_DATED_AHEAD = (
    "this table is dated ahead of the server's clock, so one of the two is wrong; it goes on when the operator has "
    "put that right"
)
_LOCKED = lookup().where(TABLES.c.number == bindparam("of")).with_for_update()


def append(office: Office, reference: str, act: Act) -> Page:
    """Let ``act`` write a page for this table and append it; raises what ``act`` raises, and then nothing happened.

    ``act`` may be called again, with a fresh page, if somebody else was faster; always before it is concluded that
    there is nothing to append.
    """
    folded = office.folds.recent(reference)
    page = None if folded.sealed else _attempt(office, folded, act)
    if page is None or not page.lines or not office.bag.send(folded.number, page):
        return append_locked(office, reference, lambda page, _: act(page))
    return _kept(office, page)


def append_locked(office: Office, reference: str, act: LockedAct) -> Page:
    """The same, under the table's lock from the start.

    For what hangs on more than the log: ``act`` reads it with the connection it gets, and nobody who changes it and
    then appends to this table comes in between. Changes of key that the log does not tell of yet come first.
    """
    number = office.folds.place(reference).number
    with office.storage.writing() as connection:
        row = connection.execute(_LOCKED, {"of": number}).one()
        folded = office.folds.brought_up(connection, row)
        held = held_moves(connection, number) if folded.sealed else {}

        def succeed_and_act(page: Page) -> None:
            if row.succeeding:
                page.succeeding = True
                for seat, succession in owed(connection, page.table.chain):
                    page.succeed(seat, succession)
            act(page, connection)

        page = _written(office, folded, held, succeed_and_act)
        if not store(office.folds, office.stationery, office.settings.snapshot_every, connection, [page]):
            raise DamagedLog(f"table {folded.id}: its head has moved under its own lock")
    return _kept(office, page)


def _kept(office: Office, page: Page) -> Page:
    """A page that is on disk, so that everybody may hear of it."""
    office.folds.keep(msgspec.structs.replace(page.folded, table=page.table))
    office.bell.ring()
    return page


def _attempt(office: Office, folded: Folded, act: Act) -> Page | None:
    """A page written without a lock; None if it has to be written again for what the log has become since."""
    try:
        return _written(office, folded, {}, act)
    except (EngineError, Refused):
        with office.storage.reading() as connection:
            row = connection.execute(lookup().where(TABLES.c.number == folded.number)).one()
            if row.succeeding or office.folds.brought_up(connection, row) is not folded:
                return None
        raise


def _written(office: Office, folded: Folded, held: HeldMoves, act: Act) -> Page:
    page = Page(office.key, folded, held, office.guard.believed())
    act(page)
    if is_ahead(page.table.chain.at, page.now):
        raise Refused("server/clock", _DATED_AHEAD, retry=60)
    try:
        page.settle()
    except EngineError as error:  # what was accepted before cannot be refused now
        raise DamagedLog(f"table {folded.id} cannot go on: {error.code}: {error}") from error
    return page
