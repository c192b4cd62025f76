"""Mailboxes: where players want mail, how often, and whether the mail gateway may speak for them."""

from __future__ import annotations

import logging
import re
import secrets
from datetime import timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from engine.errors import EngineError
from engine.game import Seat
from engine.keys import Key, Signature, verify
from engine.record.entry import Delegate, Json, Revoke, delegate_message, instant, revoke_message, timestamp
from server.models import MAILBOXES, OUTBOX, PLAYERS, SEATS, TABLES
from server.problems import Refused
from server.service import players
from server.service.derived import asked_seats
from server.service.notices import POSTED, Notice, enqueue
from server.service.office import Office
from server.service.pages import Delegation, Page
from server.service.players import Player
from server.service.writing import append

log = logging.getLogger("poste")

FREQUENCIES: Final = ("off", "turns", "hourly", "daily")
MOST_QUESTIONS = 5
"""Confirmation mails that a player may have sent in a day: strangers' mailboxes are not ours to fill."""
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){0,8}")
_LONGEST_ADDRESS = 254


def show(office: Office, key: Key) -> Json:
    """A player's mailbox."""
    with office.storage.reading() as connection:
        return _told(_row(connection, players.registered(connection, key)))


def _told(row: Row[Any] | None) -> Json:
    if row is None:
        return {"address": None, "confirmed": False, "when": "turns", "private": True, "delegation": None}
    return {
        "address": row.address,
        "confirmed": row.confirmed is not None,
        "when": row.frequency,
        "private": row.private,
        "delegation": msgspec.json.decode(row.delegation) if row.delegation else None,
    }


def change(office: Office, key: Key, address: str | None, when: str | None, private: bool | None) -> Json:
    """Change what is given; a new address is asked for confirmation. Raises Refused."""
    changes: dict[str, Any] = {} if when is None else {"frequency": when}
    changes |= {} if private is None else {"private": private}
    with office.storage.writing() as connection:
        player = players.registered(connection, key)
        row = _made(connection, player)
        if address is not None and (address != row.address or row.confirmed is None):
            _check_address(office, address)
            code = secrets.token_hex(5)
            changes |= {"address": address, "confirmed": None, "code": code}
            _ask(office, connection, player, code)
        if changes:
            connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(changes))
        return _told(_row(connection, player))


def _check_address(office: Office, address: str) -> None:
    if not office.settings.mail:
        raise Refused("mail/none", "this server sends no mail")
    if len(address) > _LONGEST_ADDRESS or not _ADDRESS.fullmatch(address):
        raise Refused("mail/address", "this is not an address that mail can be sent to; it looks like me@example.org")


def _ask(office: Office, connection: Connection, player: Player, code: str) -> None:
    day_ago = timestamp(instant(office.now()) - timedelta(days=1))
    asked = select(func.count()).where(
        OUTBOX.c.player == player.id, OUTBOX.c.kind == "confirmation", OUTBOX.c.created > day_ago
    )
    if (connection.scalar(asked) or 0) >= MOST_QUESTIONS:
        raise Refused("limit/mail", f"{MOST_QUESTIONS} confirmation mails a day must do; try again later", retry=3600)
    message_id = f"confirmation.{secrets.token_hex(12)}"
    enqueue(connection, office.stationery, message_id, player.id, "confirmation", office.now(), body=code)


def confirm(office: Office, key: Key, code: str) -> Json:
    """Confirm the address with the code that was sent there; raises Refused."""
    with office.storage.writing() as connection:
        player = players.registered(connection, key)
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
    _catch_up(office, connection, player)
    return True


def _catch_up(office: Office, connection: Connection, player: int) -> None:
    """Tell a player whose address is new of the turns they have not taken yet."""
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
                told = {"message_id": message_id, "token": office.stationery.token(message_id), "kind": "turn"}
                place = {"number": row.number, "at_seat": row.seat, "base": asked.base, "told_seq": notice.seq}
                connection.execute(POSTED, {**told, **place, "created": now, "due": now})


def stop(office: Office, handle: str) -> str | None:
    """Send no more mail to the player of this handle; gives their name, or None if it is nobody's."""
    with office.storage.writing() as connection:
        who = select(PLAYERS.c.id, PLAYERS.c.name).join(MAILBOXES).where(MAILBOXES.c.handle == handle)
        row = connection.execute(who).one_or_none()
        if row is None:
            return None
        connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == row.id).values(frequency="off"))
        return str(row.name)


def delegate(office: Office, key: Key, delegation: Delegation) -> Json:
    """Keep what a player signed to let the gateway speak for them; raises Refused."""
    if delegation.to != office.gateway.public:
        raise Refused("delegation/other", "this delegation is not to this server's mail gateway")
    message = delegate_message(key, delegation.to, delegation.begins, delegation.ends, delegation.tables)
    if not verify(key, message, delegation.signature):
        raise Refused("signature/forged", "you did not sign this delegation")
    if delegation.ends <= office.now():
        raise Refused("delegation/time", "this delegation is over already")
    with office.storage.writing() as connection:
        player = players.registered(connection, key)
        _made(connection, player)
        kept = msgspec.json.encode(delegation).decode()
        connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(delegation=kept))
        return _told(_row(connection, player))


def revoke(office: Office, key: Key, before: str, signature: Signature) -> Json:
    """Forget a player's delegation, and put its end on record wherever it stands; raises Refused."""
    if not verify(key, revoke_message(key, before), signature):
        raise Refused("signature/forged", "you did not sign this revocation")
    with office.storage.writing() as connection:
        player = players.registered(connection, key)
        _made(connection, player)
        connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(delegation=None))
        told = _told(_row(connection, player))
        seats = select(TABLES.c.id, SEATS.c.seat).join(SEATS, SEATS.c.table_number == TABLES.c.number)
        live = connection.execute(seats.where(SEATS.c.player == player.id, SEATS.c.live)).all()
    for row in live:
        try:
            _revoke_at(office, row.id, Seat(row.seat), before, signature)
        except EngineError as error:
            log.error("table %s: the revocation of seat %s could not be put on record: %s", row.id, row.seat, error)
    return told


def _revoke_at(office: Office, table: str, seat: Seat, before: str, signature: Signature) -> None:
    def act(page: Page) -> None:
        last = page.table.chain.delegations[seat] if page.table.chain.delegations else None
        if isinstance(last, Delegate) and last.begins < before:
            said = {"seat": seat, "before": before, "signature": signature}
            page.add(page.clerk.say(page.table, page.at, Revoke, **said))
            if (held := page.held.get(seat)) is not None and held.by is not None:
                del page.held[seat]

    append(office, table, act)


def delegation_of(connection: Connection, key: Key) -> Delegation | None:
    """What the player with this key has delegated."""
    kept = select(MAILBOXES.c.delegation).join(PLAYERS).where(PLAYERS.c.key == key)
    found = connection.scalar(kept)
    return msgspec.json.decode(found, type=Delegation) if found else None


def _row(connection: Connection, player: Player) -> Row[Any] | None:
    return connection.execute(select(MAILBOXES).where(MAILBOXES.c.player == player.id)).one_or_none()


def _made(connection: Connection, player: Player) -> Row[Any]:
    """The mailbox of a player, made now if they had none."""
    row = _row(connection, player)
    if row is None:
        new = {"player": player.id, "handle": secrets.token_hex(16), "frequency": "turns", "private": True}
        connection.execute(insert(MAILBOXES), new)
        row = _row(connection, player)
    if row is None:
        raise Refused("player/unknown", "there is no such player")
    return row
