"""Visits to a table: who one is there, and what there is to read, are of one and the same moment.

Seats change hands before the deal, and keys at any time. So whose a seat is holds for no longer than the state of the
database it was looked up in, and nothing of another state is told to its eyes: neither what came later, nor what one
process remembers while another has written on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from engine.game import Seat
from engine.keys import Key
from server.service.batch_storage import held_moves
from server.service.entry_batch import HeldAnswer
from server.service.folded_tables import FoldedTable
from server.service.server_context import ServerContext
from server.storage.models import ENTRIES, PLAYER_KEYS, PLAYERS


class Visit:
    """A table as it stands at one moment; everything read of it is of that moment."""

    def __init__(self, connection: Connection, folded: FoldedTable) -> None:
        self._connection = connection
        self.folded = folded

    def seat_of(self, key: Key | None) -> Seat | None:
        """The seat of the player whose key this is now, with whichever of their keys they sat down."""
        return self._seat(PLAYERS.c.key == key) if key is not None else None

    def seat_of_player(self, player: int) -> Seat | None:
        """The seat of this player."""
        return self._seat(PLAYERS.c.id == player)

    def _seat(self, whose: ColumnElement[bool]) -> Seat | None:
        seats = {sit.key: Seat(seat) for seat, sit in enumerate(self.folded.table.chain.players) if sit}
        theirs = select(PLAYER_KEYS.c.key).join(PLAYERS, PLAYERS.c.id == PLAYER_KEYS.c.player)
        found = self._connection.scalars(theirs.where(whose, PLAYER_KEYS.c.key.in_(seats)))
        return next((seats[one] for one in found), None)

    def held(self, seat: Seat | None) -> HeldAnswer | None:
        """The sealed answer of this seat that lies with the server."""
        if seat is None or not self.folded.sealed:
            return None
        return held_moves(self._connection, self.folded.number).get(seat)

    def entries(self, after: int) -> Sequence[Any]:
        """The lines after this entry, and what they caused."""
        mine = (ENTRIES.c.table_number == self.folded.number, ENTRIES.c.seq < self.folded.table.chain.length)
        rows = select(ENTRIES.c.line, ENTRIES.c.events).where(*mine, ENTRIES.c.seq > after)
        return self._connection.execute(rows.order_by(ENTRIES.c.seq)).all()


@contextmanager
def visit(context: ServerContext, reference: str) -> Iterator[Visit]:
    """Visit the table of this id (or unambiguous beginning); raises Refused."""
    with context.storage.reading() as connection:
        yield Visit(connection, context.folded_tables.newest(connection, reference))
