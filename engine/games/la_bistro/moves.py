"""What a player can do, one kind of move for each line of the notation."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from engine.game import Move
from engine.games.la_bistro.components import BuildingId, CuisineId, RenovationId

Option: TypeAlias = Literal["realtor", "chef", "time", "banker", "ads", "jobs", "renovations"]
OPTIONS: tuple[Option, ...] = get_args(Option)
"""In the order in which they are carried out; the place of an option here is its number on the die."""


class Choose(Move, frozen=True):
    """Choose an option for this phase."""

    option: Option


class Auction(Move, frozen=True):
    """Put a building up for auction, with the opening bid unless bids are sealed."""

    building: BuildingId
    bid: int | None = None


class Decline(Move, frozen=True):
    """Buy nothing in this option."""


class Bid(Move, frozen=True):
    """Bid more than the last bidder."""

    amount: int


class Pass(Move, frozen=True):
    """Leave the auction."""


class Limit(Move, frozen=True):
    """Let the engine bid for you up to this amount."""

    amount: int


class Set(Move, frozen=True):
    """Settle what a restaurant cooks and what it charges."""

    restaurant: int
    cuisine: CuisineId
    price: int


class Borrow(Move, frozen=True):
    """Take a loan."""


class Repay(Move, frozen=True):
    """Pay back this many loans."""

    loans: int


class Advertise(Move, frozen=True):
    """Buy points of Ads for a restaurant."""

    restaurant: int
    points: int


class Hire(Move, frozen=True):
    """Hire from a box of the Jobs Board; ``bid`` opens the auction for an employee that another seat employs."""

    row: int
    column: int
    restaurant: int
    bid: int | None = None


class Renovate(Move, frozen=True):
    """Buy a renovation."""

    item: RenovationId
    restaurant: int


Answer: TypeAlias = Choose | Limit | Pass | Borrow | Repay | Advertise
"""What may be answered under seal."""
AnyMove: TypeAlias = Answer | Auction | Decline | Bid | Set | Hire | Renovate
