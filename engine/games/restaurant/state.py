"""A position: all that lies on the tables and in the hands, hidden or not."""

from __future__ import annotations

from typing import Literal, TypeAlias

from engine.game import Seat, Value
from engine.games.restaurant.components import CardNo, TableNo

Scoring: TypeAlias = Literal["both", "service-only"]
Stage: TypeAlias = Literal["order", "dish", "again", "close", "serve", "serve-again", "over"]
"""The decision that is open; the first four belong to the orders, the next two to the services."""
Packet: TypeAlias = tuple[CardNo, ...]
"""Menus laid aside: the reserved one that lies face up, then the plain ones."""


class State(Value, frozen=True):
    """Tuples are indexed by table or by seat."""

    stairs: bool
    scoring: Scoring
    stage: Stage
    leap: bool
    """Whether the move is one that a saut gave: it may go anywhere."""
    turn: Seat
    """Whose turn it is, or was when the game ended."""
    last: TableNo | None
    """Where the newest marker stands; in the services, the table served last."""
    tables: tuple[CardNo | None, ...]
    """The card that lies face down on each table."""
    markers: tuple[Seat | None, ...]
    served: tuple[CardNo | None, ...]
    """The card that lies face up under each marker."""
    hands: tuple[tuple[CardNo, ...], ...]
    """Each in order of arrival."""
    packets: tuple[tuple[Packet, ...], ...]
    noted: tuple[int, ...]
    """What each seat was counted when the orders ended; empty until then."""
