"""Changes of key that logs do not tell of yet.

The transaction in which a player changes their key marks every table where they sit (:func:`owe`). No batch is written
for a marked table that does not put the change on record first, whatever becomes of this process in the meantime; so
from that moment on nothing that the former key signs is taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select, update

from engine.game import Seat
from engine.record.chain import Chain
from server.service.entry_batch import Succession
from server.storage.models import PLAYER_KEYS, SEATS, TABLES


def owe(connection: Connection, player: int, now: str) -> list[str]:
    """Mark every table where this player sits, for the clock to see to it at once; gives their ids."""
    sits = select(SEATS.c.table_number).where(SEATS.c.player == player, SEATS.c.live, ~SEATS.c.resigned)
    theirs = select(TABLES.c.number, TABLES.c.id).where(TABLES.c.number.in_(sits)).order_by(TABLES.c.number)
    rows = connection.execute(theirs.with_for_update(key_share=True)).all()
    for row in rows:
        connection.execute(update(TABLES).where(TABLES.c.number == row.number).values(succeeding=True, look=now))
    return [row.id for row in rows]


def owed(connection: Connection, chain: Chain) -> Iterator[tuple[Seat, Succession]]:
    """What is to be put on record at a table, in order: some may have changed their key more than once."""
    for seat, player in enumerate(chain.players):
        key = player.key if player is not None and seat not in chain.resigned else None
        while key is not None:
            row = connection.execute(select(PLAYER_KEYS).where(PLAYER_KEYS.c.former == key)).one_or_none()
            if row is not None:
                yield Seat(seat), Succession(row.key, row.signature, row.consent)
            key = row.key if row is not None else None
