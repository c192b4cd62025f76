"""The outbox: mails that wait to be sent. Each is taken by one worker at a time, and sent at least once.

A worker takes a mail by moving its ``due`` into the future; if the worker dies, the mail is due again by itself. Every
attempt has the same Message-ID, so a mail that arrives twice can be told to be one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

import msgspec
from sqlalchemy import Row, delete, insert, or_, select, update

from engine.keys import sha256
from engine.record.entry import instant, timestamp
from server.mail.letters.letter_parts import Letter
from server.mail.outgoing.outbox_letters import Kept, Recipient
from server.service.server_context import ServerContext
from server.storage.models import MAILBOXES, OUTBOX, PLAYERS, TABLES

ATTEMPTS = 10
"""After so many a mail is given up, until an operator retries it: about thirty hours."""
_FIRST_WAIT = timedelta(minutes=1)
_LONGEST_WAIT = timedelta(hours=6)
AT_ONCE = ("answer", "confirmation", "digest")
"""What is never collected into a digest: somebody is waiting for it, or it is one."""
KEPT = timedelta(days=30)
"""How long mails are kept that nobody can answer any more: long enough for any mail server to deliver one twice."""


def claim(context: ServerContext, limit: int, player: int | None = None) -> list[Row[Any]]:
    """Take mails that are due (or those that wait for one player's next digest), so that no other worker does."""
    now = context.now()
    wanted = OUTBOX.c.due <= now
    if player is not None:
        # One that was never attempted is in no other worker's hands.
        wanted = or_(wanted, OUTBOX.c.attempts == 0) & (OUTBOX.c.player == player) & OUTBOX.c.kind.not_in(AT_ONCE)
    ids = select(OUTBOX.c.id).where(OUTBOX.c.state == "queued", wanted).order_by(OUTBOX.c.due, OUTBOX.c.id).limit(limit)
    taken = (
        update(OUTBOX)
        .where(OUTBOX.c.id.in_(ids.with_for_update(skip_locked=True)))
        .values(due=_lease(context), attempts=OUTBOX.c.attempts + 1)
        .returning(*OUTBOX.c)
    )
    with context.storage.jotting() as connection:
        return sorted(connection.execute(taken).all(), key=lambda row: row.id)


def _lease(context: ServerContext) -> str:
    return timestamp(instant(context.now()) + timedelta(seconds=context.settings.mail_lease))


def hold(context: ServerContext, ids: Collection[int]) -> None:
    """These mails are still being sent: no other worker may take them yet."""
    _change(context, ids, due=_lease(context))


def sent(context: ServerContext, ids: Collection[int]) -> None:
    """These mails were taken over by the relay, whatever else became of them."""
    if ids:
        with context.storage.jotting() as connection:
            connection.execute(update(OUTBOX).where(OUTBOX.c.id.in_(ids)).values(state="sent", error=None))


def moot(context: ServerContext, ids: Collection[int]) -> None:
    """What these mails tell has passed, or nobody wants to hear it."""
    _change(context, ids, state="moot")


def postpone(context: ServerContext, ids: Collection[int], until: str) -> None:
    """These mails are not sent before then; that was no attempt."""
    _change(context, ids, due=until, attempts=OUTBOX.c.attempts - 1)


def fail(context: ServerContext, row: Row[Any], why: str, *, permanent: bool) -> None:
    """A mail could not be sent: it is tried again later and later, or given up."""
    if permanent or row.attempts >= ATTEMPTS:
        _change(context, [row.id], state="dead", error=why)
        return
    wait = min(_FIRST_WAIT * 4 ** (row.attempts - 1), _LONGEST_WAIT)
    _change(context, [row.id], due=timestamp(instant(context.now()) + wait), error=why)


def _change(context: ServerContext, ids: Collection[int], **values: Any) -> None:
    """Only of mails that still wait: what another worker has meanwhile done to one stays so."""
    if ids:
        waiting = update(OUTBOX).where(OUTBOX.c.id.in_(ids), OUTBOX.c.state == "queued")
        with context.storage.jotting() as connection:
            connection.execute(waiting.values(**values))


def collect(context: ServerContext, to: Recipient, rows: Sequence[Row[Any]], letter: Letter, table: str | None) -> bool:
    """Queue one mail in place of these, as the player's next digest; False if another worker has just made it.

    It is a mail like any other from then on: whoever sends it, and however often, sends the same. One that holds a
    single letter can be replied to as that could have been.
    """
    now = context.now()
    ids = [row.id for row in rows]
    message_id = f"digest.{sha256(f'{to.player} {ids}'.encode())[:32]}"
    digest = {
        "message_id": message_id,
        "token": context.stationery.token(message_id),
        "player": to.player,
        "kind": "digest",
        "body": msgspec.json.encode(Kept(letter, table=table, private=to.private)).decode(),
        "created": now,
        "due": now,
        "attempts": 0,
        "state": "queued",
    }
    if len(rows) == 1:
        digest |= {name: getattr(rows[0], name) for name in ("table_number", "seat", "base", "seq")}
    mine = MAILBOXES.c.player == to.player
    with context.storage.writing() as connection:
        made = update(MAILBOXES).where(mine, MAILBOXES.c.sent.is_not_distinct_from(to.sent)).values(sent=now)
        if connection.execute(made).rowcount == 0:
            return False
        connection.execute(update(OUTBOX).where(OUTBOX.c.id.in_(ids)).values(state="collected"))
        connection.execute(insert(OUTBOX), digest)
    return True


def sweep(context: ServerContext) -> int:
    """Delete mails of long ago that nothing can come of: their table is closed, or they were about none.

    That somebody does not want to be asked (``stop``) is remembered for longer, and is no mail.
    """
    cut = timestamp(instant(context.now()) - KEPT)
    over = select(TABLES.c.number).where(TABLES.c.phase == "closed", TABLES.c.at < cut)
    about = or_(OUTBOX.c.table_number.is_(None), OUTBOX.c.table_number.in_(over))
    with context.storage.jotting() as connection:
        old = delete(OUTBOX).where(OUTBOX.c.state != "queued", OUTBOX.c.due < cut, OUTBOX.c.kind != "stop", about)
        return connection.execute(old).rowcount


def listed(context: ServerContext, state: str) -> list[Row[Any]]:
    """The mails in a state, oldest first, with their players' names and addresses and their tables' ids."""
    query = (
        select(OUTBOX, PLAYERS.c.name, MAILBOXES.c.address, TABLES.c.id.label("table"))
        .join_from(OUTBOX, PLAYERS, PLAYERS.c.id == OUTBOX.c.player)
        .outerjoin(MAILBOXES, MAILBOXES.c.player == OUTBOX.c.player)
        .outerjoin(TABLES, TABLES.c.number == OUTBOX.c.table_number)
    )
    with context.storage.reading() as connection:
        return list(connection.execute(query.where(OUTBOX.c.state == state).order_by(OUTBOX.c.id)).all())


def retry(context: ServerContext, ids: Collection[int] | None) -> int:
    """Queue mails again that were given up, these or (None) all; gives how many."""
    dead = update(OUTBOX).where(OUTBOX.c.state == "dead").values(state="queued", attempts=0, due=context.now())
    with context.storage.writing() as connection:
        return connection.execute(dead if ids is None else dead.where(OUTBOX.c.id.in_(ids))).rowcount
