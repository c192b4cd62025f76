"""What a move causes. Points are given for each seat, in seat order."""

from __future__ import annotations

from typing import Literal, TypeAlias

from engine.game import Event, Seat, Value
from engine.games.paris_paris.components import Token

Points: TypeAlias = tuple[int, ...]


class Marker(Event, frozen=True):
    """A final-excursion marker was dealt to a seat, which alone is told; or (no seat) lies face up."""

    line: str
    seat: Seat | None = None


class LayOut(Event, frozen=True):
    """The next pile lies beside its stations."""

    tokens: tuple[Token, ...]


class Take(Event, frozen=True):
    """A token was taken."""

    seat: Seat
    station: str
    line: str


class Evict(Event, frozen=True):
    """A shop had to go."""

    owner: Seat
    station: str
    into: Literal["bag", "supply"]


class Open(Event, frozen=True):
    """A shop was opened."""

    seat: Seat
    station: str


class Visit(Event, frozen=True):
    """The station of the token that was left was visited; these are the stations that paid."""

    station: str
    paying: tuple[str, ...]
    points: Points


class Park(Event, frozen=True):
    """The token that was left went to a P space."""

    token: Token


class Stop(Value, frozen=True):
    """One crossing at which the bus stopped."""

    station: str
    points: Points


class Excursion(Event, frozen=True):
    """Two parked tokens of one colour sent the bus along their line."""

    line: str
    stops: tuple[Stop, ...]


class Bus(Event, frozen=True):
    """The bus passed to the new first player."""

    seat: Seat


class FinalExcursion(Event, frozen=True):
    """A seat's marker, or (no seat) the one that lay face up, was driven at the end."""

    line: str
    stops: tuple[Stop, ...]
    seat: Seat | None = None


class Bag(Event, frozen=True):
    """The bag was emptied and counted."""

    counts: tuple[int, ...]
    points: Points


class End(Event, frozen=True):
    """The game is over; seats that share a rank stand together."""

    ranking: tuple[tuple[Seat, ...], ...]
