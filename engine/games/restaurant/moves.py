"""What a player can do. Tables and cards are called by their names."""

from __future__ import annotations

from engine.game import Move, Seat


class Take(Move, frozen=True):
    """Take the card of a table and leave a marker there."""

    table: str


class Swap(Move, frozen=True):
    """Give the plat du jour just turned to another seat and draw one of its cards."""

    seat: Seat


class Keep(Move, frozen=True):
    """Keep the plat du jour just turned."""


class Reserve(Move, frozen=True):
    """Lay a reserved menu aside, and with it all the plain menus in hand."""

    card: str


class Done(Move, frozen=True):
    """Nothing more to do in this turn."""


class Serve(Move, frozen=True):
    """Place a card under the marker of an open table."""

    table: str
    card: str


class Stop(Move, frozen=True):
    """Decline the extra move."""
