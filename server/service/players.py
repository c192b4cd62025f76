"""Players: a name, and the key that answers to it."""

from __future__ import annotations

from msgspec import Struct
from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from engine.keys import Key, Signature, tagged, verify
from engine.record.canonical import canonical
from server.models import PLAYER_KEYS, PLAYERS, TABLES
from server.problems import Refused
from server.service import daily_caps
from server.service.office import Office
from server.service.pages import now


class Player(Struct, frozen=True):
    """Somebody who plays here."""

    id: int
    name: str
    key: Key
    since: str


def register(office: Office, key: Key, name: str, network: str | None = None) -> tuple[Player, bool]:
    """Register a key under a name, and whether that is news; raises Refused if either is taken, or if there have been
    enough from this network today (None: from this machine).
    """
    try:
        with office.storage.writing() as connection:
            row = {"name": name, "folded": name.casefold(), "key": key, "since": now()}
            connection.execute(insert(PLAYERS), row)
            player = named(connection, name)
            connection.execute(insert(PLAYER_KEYS), {"key": key, "player": player.id})
            daily_caps.count_registration(office, connection, network)
            return player, True
    except IntegrityError:
        pass
    with office.storage.reading() as connection:
        known = by_key(connection, key)
        if known is not None and known.name == name:
            return known, False
    why = f"this key is {known.name}'s" if known else f"the name {name} (or this key) is somebody else's"
    raise Refused("player/taken", why)


def rotate(office: Office, key: Key, name: str, new: Key, signature: Signature) -> Player:
    """Give a player another key, which has signed for it; the old one no longer speaks for them."""
    with office.storage.writing() as connection:
        player = named(connection, name)
        if player.key != key:
            raise Refused("seat/not-yours", f"{player.name} has another key than the one that signed this request")
        said = {"name": player.name, "old": key, "new": new}
        if not verify(new, tagged("rotate", canonical(said)), signature):
            raise Refused("signature/forged", "the new key did not sign this change")
        if connection.scalar(select(PLAYER_KEYS.c.player).where(PLAYER_KEYS.c.key == new)) is not None:
            raise Refused("player/taken", "the new key is in use already, or was")
        connection.execute(update(PLAYERS).where(PLAYERS.c.id == player.id).values(key=new))
        connection.execute(insert(PLAYER_KEYS), {"key": new, "player": player.id})
        return named(connection, name)


def show(office: Office, name: str) -> Player:
    """The player of this name; raises Refused."""
    with office.storage.reading() as connection:
        return named(connection, name)


def named(connection: Connection, name: str) -> Player:
    """The player of this name, whatever its case; raises Refused."""
    folded = name.casefold() if name.isprintable() else ""
    row = connection.execute(select(PLAYERS).where(PLAYERS.c.folded == folded)).one_or_none()
    if row is None:
        raise Refused("player/unknown", f"nobody is registered as {name[:32]!r}")
    return Player(row.id, row.name, row.key, row.since)


def by_key(connection: Connection, key: Key | None) -> Player | None:
    """The player whose key this is now."""
    row = connection.execute(select(PLAYERS).where(PLAYERS.c.key == key)).one_or_none()
    return Player(row.id, row.name, row.key, row.since) if row else None


def known(office: Office, key: Key | None) -> int | None:
    """The number of the player whose key this is now."""
    if key is None:
        return None
    with office.storage.reading() as connection:
        player = by_key(connection, key)
    return player.id if player is not None else None


def registered(connection: Connection, key: Key) -> Player:
    """The player whose key this is now; raises Refused if it is nobody's."""
    player = by_key(connection, key)
    if player is None:
        raise Refused("player/unknown", "this key is not registered here: choose a name first (POST /v1/players)")
    return player


def opener_keys(connection: Connection, number: int) -> frozenset[Key]:
    """Every key that the opener of this table has had."""
    opener = select(TABLES.c.opener).where(TABLES.c.number == number).scalar_subquery()
    return frozenset(connection.scalars(select(PLAYER_KEYS.c.key).where(PLAYER_KEYS.c.player == opener)))
