"""Mailboxes: where players want mail, how often, and whether the mail gateway may speak for them."""

from __future__ import annotations

import hmac
import logging
import re
import secrets
from datetime import timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, Select, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from engine.errors import EngineError
from engine.game import Seat
from engine.keys import Key, Signature, verify
from engine.record.chain import is_ahead
from engine.record.entry import Delegate, Json, Revoke, delegate_message, instant, revoke_message, timestamp
from engine.typed_json import decode
from server.email_addresses import is_address
from server.problems import RequestRefused
from server.service import daily_limits, players
from server.service.derived_columns import asked_seats
from server.service.entry_batch import EntryBatch, SignedDelegation
from server.service.log_append import append
from server.service.mail_notices import POSTED, Notice, enqueue
from server.service.players import Player
from server.service.server_context import ServerContext
from server.storage.models import MAILBOXES, OUTBOX, PLAYERS, SEATS, TABLES

log = logging.getLogger("poste")

FREQUENCIES: Final = ("off", "turns", "hourly", "daily")
MOST_QUESTIONS = 5
"""Confirmation mails that a player may have sent in a day, and that all players together may have sent to one address:
strangers' mailboxes are not ours to fill."""
NOT_ASKED_AGAIN = timedelta(days=365)
"""For how long nobody can have an address asked that has said stop before it was confirmed."""
_LONGEST_ADDRESS = 254
_HANDLE = re.compile(r"[0-7][0-9a-f]{7}[0-9a-f]{24}")
"""A player's number, as large as the database has them, and the mark of an address."""


def show(context: ServerContext, key: Key) -> Json:
    """A player's mailbox."""
    with context.storage.reading() as connection:
        return _told(_row(connection, players.registered(connection, key)))


def _told(row: Row[Any] | None) -> Json:
    if row is None:
        nothing = {"address": None, "confirmed": False, "when": "turns", "private": True}
        return {**nothing, "delegation": None, "revoked": None}
    return {
        "address": row.address,
        "confirmed": row.confirmed is not None,
        "when": row.frequency,
        "private": row.private,
        "delegation": decode(row.delegation) if row.delegation else None,
        "revoked": row.revoked,
    }


def change(
    context: ServerContext,
    key: Key,
    address: str | None,
    when: str | None,
    private: bool | None,
    network: str | None = None,
) -> Json:
    """Change what is given; a new address is asked for confirmation, for a network that may ask (None: this machine's
    own). Raises Refused.

    Who wants mail again is told of the tables that wait for them.
    """
    changes: dict[str, Any] = {} if when is None else {"frequency": when}
    changes |= {} if private is None else {"private": private}
    with context.storage.writing() as connection:
        player = players.registered(connection, key, locked=True)
        row = _made(connection, player)
        if address is not None and (address != row.address or row.confirmed is None):
            _check_address(context, address)
            code = secrets.token_hex(5)
            handle = _handle(player.id, _mark(context, address))
            changes |= {"address": address, "confirmed": None, "code": code, "handle": handle}
            _ask(context, connection, player, address, code)
            daily_limits.count_confirmation(context, connection, network)
        if changes:
            connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(changes))
        changed = connection.execute(_box(player)).one()
        if changed.frequency != row.frequency:
            # What waits for a digest waits for it no longer, or for an earlier one.
            waiting = update(OUTBOX).where(OUTBOX.c.player == player.id, OUTBOX.c.state == "queued")
            connection.execute(waiting.where(OUTBOX.c.attempts == 0).values(due=context.now()))
        if row.frequency == "off" and changed.frequency != "off" and changed.confirmed is not None:
            _catch_up(context, connection, player.id, again=False)
        return _told(changed)


def _check_address(context: ServerContext, address: str) -> None:
    if not context.settings.mail:
        raise RequestRefused("mail/none", "this server sends no mail")
    if len(address) > _LONGEST_ADDRESS or not is_address(address):
        raise RequestRefused(
            "mail/address", "this is not an address that mail can be sent to; it looks like me@example.org"
        )


def _mark(context: ServerContext, address: str) -> str:
    """What stands for a mailbox where its address is not written: unguessable, and the same however it is spelled.

    Case, and what follows a plus, make no other mailbox of it.
    """
    local, _, domain = address.lower().rpartition("@")
    spelled = f"address {local.partition('+')[0] or local}@{domain}"
    return hmac.digest(context.stationery.secret, spelled.encode(), "sha256").hex()[:24]


def _handle(player: int, mark: str) -> str:
    """What stops the mail of this player to that mailbox: known to whoever reads it, and to nobody else."""
    return f"{player:08x}{mark}"


def handle_of_question(row: Row[Any]) -> str:
    """The handle of the mailbox that this row of the outbox has asked (:func:`_ask`)."""
    return _handle(row.player, row.message_id.split(".")[1])


def _ask(context: ServerContext, connection: Connection, player: Player, address: str, code: str) -> None:
    now, mark = context.now(), _mark(context, address)
    said_stop = connection.scalar(select(OUTBOX.c.created).where(OUTBOX.c.message_id == f"stop.{mark}"))
    if said_stop is not None and said_stop > timestamp(instant(now) - NOT_ASKED_AGAIN):
        raise RequestRefused("mail/stopped", "whoever reads this address does not want to be asked; take another")
    day_ago = timestamp(instant(now) - timedelta(days=1))
    asked = select(func.count()).where(
        OUTBOX.c.player == player.id, OUTBOX.c.kind == "confirmation", OUTBOX.c.created > day_ago
    )
    # An address has so many places a day; that no two mails have the same is the database's own law.
    places = [f"confirmation.{mark}.{now[:10]}.{number}" for number in range(MOST_QUESTIONS)]
    taken = set(connection.scalars(select(OUTBOX.c.message_id).where(OUTBOX.c.message_id.in_(places))))
    free = [place for place in places if place not in taken]
    if (connection.scalar(asked) or 0) >= MOST_QUESTIONS or not free:
        raise RequestRefused(
            "limit/mail", f"{MOST_QUESTIONS} confirmation mails a day must do; try again later", retry=3600
        )
    enqueue(connection, context.stationery, free[0], player.id, "confirmation", now, body=code)


def confirm(context: ServerContext, key: Key, code: str) -> Json:
    """Confirm the address with the code that was sent there; raises Refused."""
    with context.storage.writing() as connection:
        player = players.registered(connection, key, locked=True)
        if not confirmed(context, connection, player.id, code):
            raise RequestRefused("mail/code", "this is not the code that was sent to your address last")
        return _told(_row(connection, player))


def confirmed(context: ServerContext, connection: Connection, player: int, code: str) -> bool:
    """Whether this code confirms the player's address; if so they are told of the tables that wait for them."""
    row = connection.execute(select(MAILBOXES).where(MAILBOXES.c.player == player)).one_or_none()
    if row is None or row.code is None or not secrets.compare_digest(row.code.encode(), code.strip().lower().encode()):
        return False
    changes = {"confirmed": context.now(), "code": None}
    connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player).values(changes))
    _catch_up(context, connection, player, again=True)
    return True


def _catch_up(context: ServerContext, connection: Connection, player: int, *, again: bool) -> None:
    """Tell a player of the turns they have not taken yet; with ``again`` also of those that were told elsewhere."""
    seats = (
        select(TABLES.c.id, TABLES.c.number, TABLES.c.length, TABLES.c.asked, SEATS.c.seat)
        .join(SEATS, SEATS.c.table_number == TABLES.c.number)
        .where(SEATS.c.player == player, SEATS.c.live, ~SEATS.c.resigned, TABLES.c.turn != ",")
    )
    for row in connection.execute(seats).all():
        for asked in asked_seats(row.asked):
            if asked.seat == row.seat:
                notice = Notice("turn", Seat(row.seat), row.length - 1, asked.base)
                message_id = notice.message_id(row.id)
                now = context.now()
                anew = update(OUTBOX).where(OUTBOX.c.message_id == message_id, OUTBOX.c.player == player)
                if not again:
                    anew = anew.where(OUTBOX.c.state.in_(("moot", "dead")))
                connection.execute(anew.values(state="queued", due=now, attempts=0, error=None))
                told = {"message_id": message_id, "token": context.stationery.token(message_id), "kind": "turn"}
                place = {"number": row.number, "at_seat": row.seat, "base": asked.base, "told_seq": notice.seq}
                connection.execute(POSTED, {**told, **place, "created": now, "due": now})


def stop(context: ServerContext, handle: str) -> str | None:
    """Send no more mail to the player of this handle at the address it was sent to; gives their name, or None if it is
    nobody's.

    An address that nobody has confirmed is not asked again for a long time, whoever wants that.
    """
    with context.storage.writing() as connection:
        box = select(PLAYERS.c.name, MAILBOXES).join(MAILBOXES).where(MAILBOXES.c.handle == handle)
        row = connection.execute(box).one_or_none()
        if row is not None and row.confirmed is not None:
            connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == row.player).values(frequency="off"))
        elif row is not None and row.address is not None:
            _never_ask(context, connection, row.player, _mark(context, row.address))
        elif row is None:
            return _stopped_asking(context, connection, handle)
        return str(row.name)


def _stopped_asking(context: ServerContext, connection: Connection, handle: str) -> str | None:
    """The same for a handle out of a question that its player has taken elsewhere since."""
    if not _HANDLE.fullmatch(handle):
        return None
    player, mark = int(handle[:8], 16), handle[8:]
    asked = select(PLAYERS.c.name).join(OUTBOX).where(OUTBOX.c.player == player, OUTBOX.c.kind == "confirmation")
    name = connection.scalar(asked.where(OUTBOX.c.message_id.startswith(f"confirmation.{mark}.")).limit(1))
    if name is not None:
        _never_ask(context, connection, player, mark)
    return name


def _never_ask(context: ServerContext, connection: Connection, player: int, mark: str) -> None:
    """Take back every question that waits for an answer from this address, and remember that it said stop."""
    waiting = update(MAILBOXES).where(MAILBOXES.c.handle.endswith(mark), MAILBOXES.c.confirmed.is_(None))
    connection.execute(waiting.values(address=None, code=None))
    message_id, now = f"stop.{mark}", context.now()
    connection.execute(delete(OUTBOX).where(OUTBOX.c.message_id == message_id))
    enqueue(connection, context.stationery, message_id, player, "stop", now)
    connection.execute(update(OUTBOX).where(OUTBOX.c.message_id == message_id).values(state="moot"))


def delegate(context: ServerContext, key: Key, delegation: SignedDelegation) -> Json:
    """Keep what a player signed to let the gateway speak for them; raises Refused."""
    _check_moments(delegation.begins, delegation.ends)
    if delegation.to != context.gateway.public:
        raise RequestRefused("delegation/other", "this delegation is not to this server's mail gateway")
    message = delegate_message(key, delegation.to, delegation.begins, delegation.ends, delegation.tables)
    if not verify(key, message, delegation.signature):
        raise RequestRefused("signature/forged", "you did not sign this delegation")
    if delegation.ends <= context.now():
        raise RequestRefused("delegation/time", "this delegation is over already")
    _check_not_ahead(context, delegation.begins)
    with context.storage.writing() as connection:
        player = players.registered(connection, key, locked=True)
        row = _made(connection, player)
        if row.revoked is not None and delegation.begins <= row.revoked:
            why = f"you have revoked whatever you delegated before {row.revoked}; sign one that begins later"
            raise RequestRefused("delegation/revoked", why, revoked=row.revoked)
        former = _delegation(row)
        if former is not None and delegation != former and delegation.begins <= former.begins:
            why = f"you have delegated anew at {former.begins}; sign one that begins later"
            raise RequestRefused("delegation/replaced", why)
        kept = msgspec.json.encode(delegation).decode()
        connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(delegation=kept))
        return _told(_row(connection, player))


def revoke(context: ServerContext, key: Key, before: str, signature: Signature) -> Json:
    """Take a player's word that what they delegated before then is void, for good; raises Refused.

    It is put on record wherever such a delegation stands.
    """
    _check_moments(before)
    if not verify(key, revoke_message(key, before), signature):
        raise RequestRefused("signature/forged", "you did not sign this revocation")
    _check_not_ahead(context, before)
    with context.storage.writing() as connection:
        player = players.registered(connection, key, locked=True)
        box = _made(connection, player)
        changes = {"revoked": max(before, box.revoked or "")}
        former = _delegation(box)
        if former is not None and former.begins < before:
            changes["delegation"] = None
        connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(changes))
        told = _told(_row(connection, player))
        seats = select(TABLES.c.id, SEATS.c.seat).join(SEATS, SEATS.c.table_number == TABLES.c.number)
        live = connection.execute(seats.where(SEATS.c.player == player.id, SEATS.c.live)).all()
    for row in live:
        try:
            _revoke_at(context, row.id, Seat(row.seat), before, signature)
        except EngineError as error:
            log.error("table %s: the revocation of seat %s could not be put on record: %s", row.id, row.seat, error)
    return told


def _check_moments(*moments: str) -> None:
    for moment in moments:
        try:
            instant(moment)
        except ValueError:
            raise RequestRefused("request/malformed", f"there is no {moment}") from None


def _check_not_ahead(context: ServerContext, moment: str) -> None:
    """Raise Refused if this is of times to come: only what is later could replace it, so nothing could until then."""
    if is_ahead(moment, now := context.now()):
        why = f"you signed this for {moment}, and here it is {now}: set the clock of your machine right, and sign anew"
        raise RequestRefused("delegation/time", why)


def _revoke_at(context: ServerContext, table: str, seat: Seat, before: str, signature: Signature) -> None:
    def act(batch: EntryBatch) -> None:
        last = batch.table.chain.delegations[seat] if batch.table.chain.delegations else None
        if isinstance(last, Delegate) and last.begins < before:
            said = {"seat": seat, "before": before, "signature": signature}
            batch.add(batch.clerk.say(batch.table, batch.at, Revoke, **said))

    append(context, table, act)


def delegation_of(connection: Connection, key: Key) -> SignedDelegation | None:
    """What the player with this key has delegated."""
    row = connection.execute(select(MAILBOXES.c.delegation).join(PLAYERS).where(PLAYERS.c.key == key)).one_or_none()
    return _delegation(row) if row is not None else None


def _delegation(row: Row[Any]) -> SignedDelegation | None:
    return decode(row.delegation, SignedDelegation) if row.delegation else None


def _box(player: Player) -> Select[Any]:
    return select(MAILBOXES).where(MAILBOXES.c.player == player.id)


def _row(connection: Connection, player: Player) -> Row[Any] | None:
    return connection.execute(_box(player)).one_or_none()


def _made(connection: Connection, player: Player) -> Row[Any]:
    """The mailbox of a player, made now if they had none; nobody else changes it until this transaction ends."""
    new = {"player": player.id, "handle": secrets.token_hex(16), "frequency": "turns", "private": True}
    made = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(MAILBOXES)
    connection.execute(made.values(new).on_conflict_do_nothing(index_elements=["player"]))
    return connection.execute(_box(player).with_for_update()).one()
