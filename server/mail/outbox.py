"""The outbox: mails that wait to be sent. Each is taken by one worker at a time, and sent at least once.

A worker takes a mail by moving its ``due`` into the future; if the worker dies, the mail is due again by itself. Every
attempt has the same Message-ID, so a mail that arrives twice can be told to be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, select, update

from engine.record.entry import instant, timestamp
from server.models import OUTBOX, PLAYERS
from server.service.office import Office

ATTEMPTS = 10
"""After so many a mail is given up, until an operator retries it: about a day and a half."""
_FIRST_WAIT = timedelta(minutes=1)
_LONGEST_WAIT = timedelta(hours=6)
AT_ONCE = ("answer", "confirmation")
"""What is never collected into a digest: somebody is waiting for it."""


def claim(office: Office, limit: int, player: int | None = None) -> list[Row[Any]]:
    """Take mails that are due (or all that wait for one player), so that no other worker does."""
    now = office.now()
    due = OUTBOX.c.due <= now if player is None else _collectable(player)
    ids = select(OUTBOX.c.id).where(OUTBOX.c.state == "queued", due).order_by(OUTBOX.c.due, OUTBOX.c.id).limit(limit)
    until = timestamp(instant(now) + timedelta(seconds=office.settings.mail_lease))
    taken = (
        update(OUTBOX)
        .where(OUTBOX.c.id.in_(ids.with_for_update(skip_locked=True)))
        .values(due=until, attempts=OUTBOX.c.attempts + 1)
        .returning(*OUTBOX.c)
    )
    with office.storage.jotting() as connection:
        return sorted(connection.execute(taken).all(), key=lambda row: row.id)


def _collectable(player: int) -> ColumnElement[bool]:
    return and_(OUTBOX.c.player == player, OUTBOX.c.kind.not_in(AT_ONCE))


def settle(office: Office, ids: Sequence[int], state: str, error: str | None = None) -> None:
    """These mails are ``sent``, ``moot`` or ``dead``."""
    _change(office, ids, state=state, error=error)


def postpone(office: Office, ids: Sequence[int], until: str) -> None:
    """These mails are not sent before then; that was no attempt."""
    _change(office, ids, due=until, attempts=OUTBOX.c.attempts - 1)


def fail(office: Office, row: Row[Any], why: str, *, permanent: bool) -> None:
    """A mail could not be sent: it is tried again later and later, or given up."""
    if permanent or row.attempts >= ATTEMPTS:
        settle(office, [row.id], "dead", why)
        return
    wait = min(_FIRST_WAIT * 4 ** (row.attempts - 1), _LONGEST_WAIT)
    _change(office, [row.id], due=timestamp(instant(office.now()) + wait), error=why)


def _change(office: Office, ids: Sequence[int], **values: Any) -> None:
    if ids:
        with office.storage.jotting() as connection:
            connection.execute(update(OUTBOX).where(OUTBOX.c.id.in_(ids)).values(**values))


def listed(office: Office, state: str) -> list[Row[Any]]:
    """The mails in a state, oldest first, with the names of their players."""
    query = select(OUTBOX, PLAYERS.c.name).join(PLAYERS, PLAYERS.c.id == OUTBOX.c.player)
    with office.storage.reading() as connection:
        return list(connection.execute(query.where(OUTBOX.c.state == state).order_by(OUTBOX.c.id)).all())


def retry(office: Office, ids: Sequence[int] | None) -> int:
    """Queue mails again that were given up, these or (None) all; gives how many."""
    dead = update(OUTBOX).where(OUTBOX.c.state == "dead").values(state="queued", attempts=0, due=office.now())
    with office.storage.writing() as connection:
        return connection.execute(dead if ids is None else dead.where(OUTBOX.c.id.in_(ids))).rowcount
