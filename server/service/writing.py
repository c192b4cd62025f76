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
from server.models import TABLES
from server.problems import DamagedLog, Refused
from server.service.folding import Folded, lookup
from server.service.office import Office
from server.service.pages import HeldMoves, Page
from server.service.storing import held_moves, store

Act: TypeAlias = Callable[[Page], None]
LockedAct: TypeAlias = Callable[[Page, Connection], None]

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
    then appends to this table comes in between.
    """
    number = office.folds.place(reference).number
    with office.storage.writing() as connection:
        folded = office.folds.brought_up(connection, connection.execute(_LOCKED, {"of": number}).one())
        held = held_moves(connection, number) if folded.sealed else {}
        page = _written(office, folded, held, lambda page: act(page, connection))
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
            if office.folds.newest(connection, folded.id) is not folded:
                return None
        raise


def _written(office: Office, folded: Folded, held: HeldMoves, act: Act) -> Page:
    page = Page(office.key, folded, held, office.now())
    act(page)
    try:
        page.settle()
    except EngineError as error:  # what was accepted before cannot be refused now
        raise DamagedLog(f"table {folded.id} cannot go on: {error.code}: {error}") from error
    return page
