"""What a move causes."""

from __future__ import annotations

from typing import Literal, TypeAlias

from engine.game import Event, Seat

Ending: TypeAlias = Literal["empty-hand", "dead-end", "declined", "blocked"]


class Take(Event, frozen=True):
    """A card was taken from a table; a function card is shown to all, of a menu only that it is one (no card)."""

    seat: Seat
    table: str
    card: str | None = None


class Menu(Event, frozen=True):
    """The menu that was taken, told to its taker alone."""

    seat: Seat
    card: str


class Lapse(Event, frozen=True):
    """The extra move of a function card came to nothing: there was no card for it."""

    seat: Seat


class Swap(Event, frozen=True):
    """A plat du jour went to the target, and one card came back for it."""

    seat: Seat
    target: Seat


class Drawn(Event, frozen=True):
    """The card that came back in a swap, told to both who know it."""

    seat: Seat
    target: Seat
    card: str


class Keep(Event, frozen=True):
    """A plat du jour was kept."""

    seat: Seat


class Stop(Event, frozen=True):
    """An extra move was declined."""

    seat: Seat


class Reserve(Event, frozen=True):
    """A packet was laid: the reserved menu on top, and how many menus lie face down under it."""

    seat: Seat
    card: str
    face_down: int


class DeadEnd(Event, frozen=True):
    """No card touches the table of the newest marker, and the next seat has to start again."""

    table: str
    seat: Seat


class Count(Event, frozen=True):
    """The orders are over: what everybody's menus are worth, and who serves first."""

    noted: tuple[int, ...]
    first: Seat


class Serve(Event, frozen=True):
    """A card was served under somebody's marker."""

    seat: Seat
    table: str
    card: str
    owner: Seat


class Pass(Event, frozen=True):
    """A seat that can place nothing was passed over."""

    seat: Seat


class Over(Event, frozen=True):
    """The services ended, by the last thing this seat did."""

    seat: Seat
    why: Ending


class Left(Event, frozen=True):
    """What everybody has left in hand."""

    hands: tuple[tuple[str, ...], ...]


class End(Event, frozen=True):
    """The game is over; seats that share a rank stand together."""

    ranking: tuple[tuple[Seat, ...], ...]
