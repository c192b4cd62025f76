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
from server.mail.addresses import is_address
from server.models import MAILBOXES, OUTBOX, PLAYERS, SEATS, TABLES
from server.problems import Refused
from server.service import daily_caps, players
from server.service.derived import asked_seats
from server.service.notices import POSTED, Notice, enqueue
from server.service.office import Office
from server.service.pages import Delegation, Page
from server.service.players import Player
from server.service.writing import append

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


def show(office: Office, key: Key) -> Json:
    """A player's mailbox."""
    with office.storage.reading() as connection:
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
    office: Office,
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
    with office.storage.writing() as connection:
        player = players.registered(connection, key, locked=True)
        row = _made(connection, player)
        if address is not None and (address != row.address or row.confirmed is None):
            _check_address(office, address)
            code = secrets.token_hex(5)
            handle = _handle(player.id, _mark(office, address))
            changes |= {"address": address, "confirmed": None, "code": code, "handle": handle}
            _ask(office, connection, player, address, code)
            daily_caps.count_confirmation(office, connection, network)
        if changes:
            connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(changes))
        changed = connection.execute(_box(player)).one()
        if changed.frequency != row.frequency:
            # What waits for a digest waits for it no longer, or for an earlier one.
            waiting = update(OUTBOX).where(OUTBOX.c.player == player.id, OUTBOX.c.state == "queued")
            connection.execute(waiting.where(OUTBOX.c.attempts == 0).values(due=office.now()))
        if row.frequency == "off" and changed.frequency != "off" and changed.confirmed is not None:
            _catch_up(office, connection, player.id, again=False)
        return _told(changed)


def _check_address(office: Office, address: str) -> None:
    if not office.settings.mail:
        raise Refused("mail/none", "this server sends no mail")
    if len(address) > _LONGEST_ADDRESS or not is_address(address):
        raise Refused("mail/address", "this is not an address that mail can be sent to; it looks like me@example.org")


def _mark(office: Office, address: str) -> str:
    """What stands for a mailbox where its address is not written: unguessable, and the same however it is spelled.

    Case, and what follows a plus, make no other mailbox of it.
    """
    local, _, domain = address.lower().rpartition("@")
    spelled = f"address {local.partition('+')[0] or local}@{domain}"
    return hmac.digest(office.stationery.secret, spelled.encode(), "sha256").hex()[:24]


def _handle(player: int, mark: str) -> str:
    """What stops the mail of this player to that mailbox: known to whoever reads it, and to nobody else."""
    return f"{player:08x}{mark}"


def handle_of_question(row: Row[Any]) -> str:
    """The handle of the mailbox that this row of the outbox has asked (:func:`_ask`)."""
    return _handle(row.player, row.message_id.split(".")[1])


def _ask(office: Office, connection: Connection, player: Player, address: str, code: str) -> None:
    now, mark = office.now(), _mark(office, address)
    said_stop = connection.scalar(select(OUTBOX.c.created).where(OUTBOX.c.message_id == f"stop.{mark}"))
    if said_stop is not None and said_stop > timestamp(instant(now) - NOT_ASKED_AGAIN):
        raise Refused("mail/stopped", "whoever reads this address does not want to be asked; take another")
    day_ago = timestamp(instant(now) - timedelta(days=1))
    asked = select(func.count()).where(
        OUTBOX.c.player == player.id, OUTBOX.c.kind == "confirmation", OUTBOX.c.created > day_ago
    )
    # An address has so many places a day; that no two mails have the same is the database's own law.
    places = [f"confirmation.{mark}.{now[:10]}.{number}" for number in range(MOST_QUESTIONS)]
    taken = set(connection.scalars(select(OUTBOX.c.message_id).where(OUTBOX.c.message_id.in_(places))))
    free = [place for place in places if place not in taken]
    if (connection.scalar(asked) or 0) >= MOST_QUESTIONS or not free:
        raise Refused("limit/mail", f"{MOST_QUESTIONS} confirmation mails a day must do; try again later", retry=3600)
    enqueue(connection, office.stationery, free[0], player.id, "confirmation", now, body=code)


def confirm(office: Office, key: Key, code: str) -> Json:
    """Confirm the address with the code that was sent there; raises Refused."""
    with office.storage.writing() as connection:
        player = players.registered(connection, key, locked=True)
        if not confirmed(office, connection, player.id, code):
            raise Refused("mail/code", "this is not the code that was sent to your address last")
        return _told(_row(connection, player))


def confirmed(office: Office, connection: Connection, player: int, code: str) -> bool:
    """Whether this code confirms the player's address; if so they are told of the tables that wait for them."""
    row = connection.execute(select(MAILBOXES).where(MAILBOXES.c.player == player)).one_or_none()
    if row is None or row.code is None or not secrets.compare_digest(row.code.encode(), code.strip().lower().encode()):
        return False
    changes = {"confirmed": office.now(), "code": None}
    connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player).values(changes))
    _catch_up(office, connection, player, again=True)
    return True


def _catch_up(office: Office, connection: Connection, player: int, *, again: bool) -> None:
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
                now = office.now()
                anew = update(OUTBOX).where(OUTBOX.c.message_id == message_id, OUTBOX.c.player == player)
                if not again:
                    anew = anew.where(OUTBOX.c.state.in_(("moot", "dead")))
                connection.execute(anew.values(state="queued", due=now, attempts=0, error=None))
                told = {"message_id": message_id, "token": office.stationery.token(message_id), "kind": "turn"}
                place = {"number": row.number, "at_seat": row.seat, "base": asked.base, "told_seq": notice.seq}
                connection.execute(POSTED, {**told, **place, "created": now, "due": now})


def stop(office: Office, handle: str) -> str | None:
    """Send no more mail to the player of this handle at the address it was sent to; gives their name, or None if it is
    nobody's.

    An address that nobody has confirmed is not asked again for a long time, whoever wants that.
    """
    with office.storage.writing() as connection:
        box = select(PLAYERS.c.name, MAILBOXES).join(MAILBOXES).where(MAILBOXES.c.handle == handle)
        row = connection.execute(box).one_or_none()
        if row is not None and row.confirmed is not None:
            connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == row.player).values(frequency="off"))
        elif row is not None and row.address is not None:
            _never_ask(office, connection, row.player, _mark(office, row.address))
        elif row is None:
            return _stopped_asking(office, connection, handle)
        return str(row.name)


def _stopped_asking(office: Office, connection: Connection, handle: str) -> str | None:
    """The same for a handle out of a question that its player has taken elsewhere since."""
    if not _HANDLE.fullmatch(handle):
        return None
    player, mark = int(handle[:8], 16), handle[8:]
    asked = select(PLAYERS.c.name).join(OUTBOX).where(OUTBOX.c.player == player, OUTBOX.c.kind == "confirmation")
    name = connection.scalar(asked.where(OUTBOX.c.message_id.startswith(f"confirmation.{mark}.")).limit(1))
    if name is not None:
        _never_ask(office, connection, player, mark)
    return name


def _never_ask(office: Office, connection: Connection, player: int, mark: str) -> None:
    """Take back every question that waits for an answer from this address, and remember that it said stop."""
    waiting = update(MAILBOXES).where(MAILBOXES.c.handle.endswith(mark), MAILBOXES.c.confirmed.is_(None))
    connection.execute(waiting.values(address=None, code=None))
    message_id, now = f"stop.{mark}", office.now()
    connection.execute(delete(OUTBOX).where(OUTBOX.c.message_id == message_id))
    enqueue(connection, office.stationery, message_id, player, "stop", now)
    connection.execute(update(OUTBOX).where(OUTBOX.c.message_id == message_id).values(state="moot"))


def delegate(office: Office, key: Key, delegation: Delegation) -> Json:
    """Keep what a player signed to let the gateway speak for them; raises Refused."""
    _check_moments(delegation.begins, delegation.ends)
    if delegation.to != office.gateway.public:
        raise Refused("delegation/other", "this delegation is not to this server's mail gateway")
    message = delegate_message(key, delegation.to, delegation.begins, delegation.ends, delegation.tables)
    if not verify(key, message, delegation.signature):
        raise Refused("signature/forged", "you did not sign this delegation")
    if delegation.ends <= office.now():
        raise Refused("delegation/time", "this delegation is over already")
    _check_not_ahead(office, delegation.begins)
    with office.storage.writing() as connection:
        player = players.registered(connection, key, locked=True)
        row = _made(connection, player)
        if row.revoked is not None and delegation.begins <= row.revoked:
            why = f"you have revoked whatever you delegated before {row.revoked}; sign one that begins later"
            raise Refused("delegation/revoked", why, revoked=row.revoked)
        former = _delegation(row)
        if former is not None and delegation != former and delegation.begins <= former.begins:
            why = f"you have delegated anew at {former.begins}; sign one that begins later"
            raise Refused("delegation/replaced", why)
        kept = msgspec.json.encode(delegation).decode()
        connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(delegation=kept))
        return _told(_row(connection, player))


def revoke(office: Office, key: Key, before: str, signature: Signature) -> Json:
    """Take a player's word that what they delegated before then is void, for good; raises Refused.

    It is put on record wherever such a delegation stands.
    """
    _check_moments(before)
    if not verify(key, revoke_message(key, before), signature):
        raise Refused("signature/forged", "you did not sign this revocation")
    _check_not_ahead(office, before)
    with office.storage.writing() as connection:
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
            _revoke_at(office, row.id, Seat(row.seat), before, signature)
        except EngineError as error:
            log.error("table %s: the revocation of seat %s could not be put on record: %s", row.id, row.seat, error)
    return told


def _check_moments(*moments: str) -> None:
    for moment in moments:
        try:
            instant(moment)
        except ValueError:
            raise Refused("request/malformed", f"there is no {moment}") from None


def _check_not_ahead(office: Office, moment: str) -> None:
    """Raise Refused if this is of times to come: only what is later could replace it, so nothing could until then."""
    if is_ahead(moment, now := office.now()):
        why = f"you signed this for {moment}, and here it is {now}: set the clock of your machine right, and sign anew"
        raise Refused("delegation/time", why)


def _revoke_at(office: Office, table: str, seat: Seat, before: str, signature: Signature) -> None:
    def act(page: Page) -> None:
        last = page.table.chain.delegations[seat] if page.table.chain.delegations else None
        if isinstance(last, Delegate) and last.begins < before:
            said = {"seat": seat, "before": before, "signature": signature}
            page.add(page.clerk.say(page.table, page.at, Revoke, **said))

    append(office, table, act)


def delegation_of(connection: Connection, key: Key) -> Delegation | None:
    """What the player with this key has delegated."""
    row = connection.execute(select(MAILBOXES.c.delegation).join(PLAYERS).where(PLAYERS.c.key == key)).one_or_none()
    return _delegation(row) if row is not None else None


def _delegation(row: Row[Any]) -> Delegation | None:
    return decode(row.delegation, Delegation) if row.delegation else None


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
