"""A position: all that lies on the table, hidden or not.

Cards, restaurants and cells are called by their names, as everywhere; terraces are masks of cells (see components).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from engine.game import Seat, Value
from engine.games.dinner_in_paris.components import BOX, Ground, Site

Phase: TypeAlias = Literal[
    "choose-objective",
    "first-draw",
    "action",
    "building",
    "pigeon-draw",
    "free-terrace",
    "discard",
    "drawn-objective",
    "second-claim",
    "over",
]
"""What is being asked."""

Trigger: TypeAlias = Literal["restaurants", "tracks", "no-room"]
"""What brought the end."""


class Player(Value, frozen=True):
    """What lies before one seat; of cards in hand the newest is the last."""

    hand: tuple[str, ...]
    kept: tuple[str, ...]
    """Pigeon cards in hand."""
    used: tuple[str, ...]
    """Pigeon cards face up."""
    held: tuple[str, ...]
    """Objectives in hand; at setup the two that were dealt."""
    claimed: tuple[str, ...]
    gauge: int
    tracks: tuple[int, ...]
    """How many tiles are gone from each track."""


class Restaurant(Value, frozen=True):
    """A restaurant on the line."""

    kind: str
    at: str
    seat: Seat

    @property
    def name(self) -> str:
        """``creperie@F1``."""
        return f"{self.kind}@{self.at}"


class Freed(Value, frozen=True):
    """A restaurant that a neighbours card was played on, and how many terraces it may still cover."""

    restaurant: int
    covers: int


class Turn(Value, frozen=True):
    """How far a turn has come."""

    seat: Seat
    actions: int
    """How many are left."""
    built: bool = False
    fresh: int = 0
    """How many kept pigeon cards, the newest, were drawn in this turn and are not usable yet (R11)."""
    purse: int | None = None
    """The money of the build action that is under way."""
    freed: tuple[Freed, ...] = ()
    free: int | None = None
    """The restaurant that may have a terrace for free."""
    owed: int = 0
    """How many cards a two-resources card still gives."""
    drawn: str | None = None
    """The objective to be kept or shared."""
    claims: int = 0
    """How many objectives this claim action has brought so far."""


class State(Value, frozen=True):
    """Tuples are indexed by seat, by slot, by kind or by restaurant; of a deck the top comes first."""

    board: str
    phase: Phase
    turn: Turn
    players: tuple[Player, ...]
    chosen: tuple[int | None, ...]
    """The sealed answers at setup: the slot that each seat keeps."""
    river: tuple[str | None, ...]
    deck: tuple[str, ...]
    discards: tuple[str, ...]
    pigeons: tuple[str, ...]
    objectives: tuple[str, ...]
    row: tuple[str, ...]
    """The common objectives."""
    majority: str
    supply: tuple[int, ...]
    restaurants: tuple[Restaurant, ...]
    terraces: tuple[int, ...]
    """For each restaurant where it shows a terrace."""
    covered: tuple[tuple[str, int], ...]
    """Terraces under others: where, and of which restaurant."""
    end: Trigger | None

    @property
    def ground(self) -> Ground:
        """The board with its tables."""
        return BOX.grounds[self.board, len(self.players)]

    def usable(self, seat: Seat) -> tuple[str, ...]:
        """The kept pigeon cards that were there before this turn (R11)."""
        kept = self.players[seat].kept
        return kept[: len(kept) - self.turn.fresh] if seat == self.turn.seat else kept

    def site(self, number: int) -> Site:
        """Where a restaurant stands."""
        restaurant = self.restaurants[number]
        return self.ground.sites[BOX.kinds[restaurant.kind].size][restaurant.at]

    def seen(self, seat: Seat) -> int:
        """The terraces that a seat shows."""
        seen = 0
        for restaurant, cells in zip(self.restaurants, self.terraces, strict=True):
            if restaurant.seat == seat:
                seen |= cells
        return seen
