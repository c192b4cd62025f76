"""Players: a name, and the key that answers to it."""

from __future__ import annotations

import logging

from msgspec import Struct
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from engine.errors import EngineError
from engine.keys import Key, verify
from engine.record.entry import succeed_message
from engine.reserved_names import why_no_name
from server.problems import DamagedLog, RequestRefused
from server.service import daily_limits
from server.service.entry_batch import EntryBatch, Succession, now
from server.service.key_successions import owe
from server.service.log_append import append_locked
from server.service.server_context import ServerContext
from server.storage.models import MAILBOXES, PLAYER_KEYS, PLAYERS, TABLES

log = logging.getLogger("poste")

MOST_KEYS = 100
"""So many keys a player may have had: every change of them is an entry at each of their tables."""


class Player(Struct, frozen=True):
    """Somebody who plays here."""

    id: int
    name: str
    key: Key
    since: str


def register(context: ServerContext, key: Key, name: str, network: str | None = None) -> tuple[Player, bool]:
    """Register a key under a name, and whether that is news; raises Refused if either is taken, or if there have been
    enough from this network today (None: from this machine).

    Nobody new is called like a word of a move, by which they could not be told from it; whoever is already, stays so.
    """
    if (why := why_no_name(name)) is not None:
        with context.storage.reading() as connection:
            known = by_key(connection, key)
        if known is not None and known.name == name:
            return known, False
        raise RequestRefused("player/name", f"nobody can be called {name}: {why}; choose another name")
    try:
        with context.storage.writing() as connection:
            row = {"name": name, "folded": name.casefold(), "key": key, "since": now()}
            connection.execute(insert(PLAYERS), row)
            player = named(connection, name)
            connection.execute(insert(PLAYER_KEYS), {"key": key, "player": player.id})
            daily_limits.count_registration(context, connection, network)
            return player, True
    except IntegrityError:
        pass
    with context.storage.reading() as connection:
        known = by_key(connection, key)
        if known is not None and known.name == name:
            return known, False
    whose = f"this key is {known.name}'s" if known else f"the name {name} (or this key) is somebody else's"
    raise RequestRefused("player/taken", whose)


def rotate(context: ServerContext, key: Key, name: str, succession: Succession) -> Player:
    """Let a player go on under another key, which the old one and it have signed for; raises Refused.

    From the commit on the old key speaks for nobody, at no table; what it delegated has ended.
    """
    new, message = succession.to, succeed_message(key, succession.to)
    with context.storage.writing() as connection:
        player = named(connection, name, locked=True)
        if player.key != key:
            raise RequestRefused(
                "seat/not-yours", f"{player.name} has another key than the one that signed this request"
            )
        if not verify(key, message, succession.signature):
            raise RequestRefused("signature/forged", "the key that is given up did not sign this change")
        if not verify(new, message, succession.consent):
            raise RequestRefused("signature/forged", "the new key did not sign this change")
        if connection.scalar(select(PLAYER_KEYS.c.player).where(PLAYER_KEYS.c.key == new)) is not None:
            raise RequestRefused("player/taken", "the new key is in use already, or was")
        keys = select(func.count()).where(PLAYER_KEYS.c.player == player.id)
        if (connection.scalar(keys) or 0) >= MOST_KEYS:
            why = f"you have had {MOST_KEYS} keys, and nobody gets more: every one stands in the logs of your tables"
            raise RequestRefused("limit/keys", f"{why}; register another name")
        tables = owe(connection, player.id, context.now())
        connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == player.id).values(delegation=None))
        signed = {"former": key, "signature": succession.signature, "consent": succession.consent}
        connection.execute(insert(PLAYER_KEYS), {"key": new, "player": player.id, **signed})
        # Last: until then others may write what refers to the player, while they hold a table that is waited for here.
        connection.execute(update(PLAYERS).where(PLAYERS.c.id == player.id).values(key=new))
        changed = named(connection, name)
    for table in tables:
        try:
            append_locked(context, table, _nothing_else)
        except (EngineError, DamagedLog) as error:
            log.error("table %s: a change of key could not be put on record: %s", table, error)
    return changed


def _nothing_else(_batch: EntryBatch, _connection: Connection) -> None:
    """What is owed to a log is put on record whatever else a batch is for."""


def show(context: ServerContext, name: str) -> Player:
    """The player of this name; raises Refused."""
    with context.storage.reading() as connection:
        return named(connection, name)


def named(connection: Connection, name: str, *, locked: bool = False) -> Player:
    """The player of this name, whatever its case; raises Refused. ``locked``: until the end they keep their key."""
    folded = name.casefold() if name.isprintable() else ""
    query = select(PLAYERS).where(PLAYERS.c.folded == folded)
    row = connection.execute(query.with_for_update(key_share=True) if locked else query).one_or_none()
    if row is None:
        raise RequestRefused("player/unknown", f"nobody is registered as {name[:32]!r}")
    return Player(row.id, row.name, row.key, row.since)


def by_key(connection: Connection, key: Key | None, *, locked: bool = False) -> Player | None:
    """The player whose key this is now. ``locked``: and to the end of the transaction."""
    query = select(PLAYERS).where(PLAYERS.c.key == key)
    row = connection.execute(query.with_for_update(key_share=True) if locked else query).one_or_none()
    return Player(row.id, row.name, row.key, row.since) if row else None


def known(context: ServerContext, key: Key | None) -> int | None:
    """The number of the player whose key this is now."""
    if key is None:
        return None
    with context.storage.reading() as connection:
        player = by_key(connection, key)
    return player.id if player is not None else None


def registered(connection: Connection, key: Key, *, locked: bool = False) -> Player:
    """The player whose key this is now; raises Refused if it is nobody's. ``locked``: and to the end."""
    player = by_key(connection, key, locked=locked)
    if player is None and connection.scalar(select(PLAYER_KEYS.c.player).where(PLAYER_KEYS.c.key == key)) is not None:
        raise RequestRefused("seat/not-yours", "this key was given up for another: sign with that one")
    if player is None:
        raise RequestRefused(
            "player/unknown", "this key is not registered here: choose a name first (POST /v1/players)"
        )
    return player


def opener_keys(connection: Connection, number: int) -> frozenset[Key]:
    """Every key that the opener of this table has had."""
    opener = select(TABLES.c.opener).where(TABLES.c.number == number).scalar_subquery()
    return frozenset(connection.scalars(select(PLAYER_KEYS.c.key).where(PLAYER_KEYS.c.player == opener)))
