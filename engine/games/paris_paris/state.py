"""A position: all that lies on the table, hidden or not."""

from __future__ import annotations

from engine.game import Seat, Value
from engine.games.paris_paris.components import MAPS, LineNo, TokenNo


class State(Value, frozen=True):
    """Tuples are indexed by seat or by station; who is to move and whether the game is over follow from ``out``."""

    map: str
    colours: tuple[str, ...]
    first: Seat
    """Where the bus stands."""
    piles: tuple[TokenNo, ...]
    """Face down, pile after pile."""
    out: tuple[TokenNo, ...]
    """Laid out and not yet taken, in their order; empty only when the game is over."""
    parked: tuple[TokenNo, ...]
    gone: tuple[TokenNo, ...]
    markers: tuple[LineNo, ...]
    """One for each seat; then with two players the one that lies face up; then those in the box."""
    shops: tuple[tuple[Seat, ...], ...]
    """At each station the owners of its shops, as they were opened."""
    supply: tuple[int, ...]
    bag: tuple[int, ...]
    visits: tuple[int, ...]
    excursions: tuple[int, ...]
    final: tuple[int, ...]

    @property
    def turn(self) -> Seat | None:
        """Whose turn it is: a pile has one token more than there are seats, so what is out counts the takes."""
        seats = len(self.supply)
        return Seat((self.first + seats + 1 - len(self.out)) % seats) if self.out else None

    @property
    def face_up(self) -> tuple[LineNo, ...]:
        """The marker that lies open beside the board, with two players."""
        seats = len(self.supply)
        return self.markers[seats : seats + MAPS[self.map].players[seats].markers_open]
