"""What a move causes. What only its owner may know is told to that seat alone, beside what everybody sees."""

from __future__ import annotations

from engine.game import Event, Seat
from engine.games.dinner_in_paris.state import Trigger


class River(Event, frozen=True):
    """The river at the start, or as it was dealt anew."""

    cards: tuple[str | None, ...]


class Dealt(Event, frozen=True):
    """A seat's first cards."""

    seat: Seat
    cards: tuple[str, ...]
    objectives: tuple[str, ...]


class MajorityCard(Event, frozen=True):
    """The majority card that lies face up."""

    card: str


class Chosen(Event, frozen=True):
    """A seat has chosen its first objective."""

    seat: Seat
    objective: str


class CommonRow(Event, frozen=True):
    """The objectives that nobody kept at setup, in seat order."""

    objectives: tuple[str, ...]


class DrawRiver(Event, frozen=True):
    """A card was taken from the river."""

    seat: Seat
    card: str


class DrawDeck(Event, frozen=True):
    """A card was taken from the deck."""

    seat: Seat


class Drawn(Event, frozen=True):
    """Which card it was."""

    seat: Seat
    card: str


class Refill(Event, frozen=True):
    """The next card of the deck went to the river."""

    slot: int
    card: str


class Renew(Event, frozen=True):
    """Too many cards of the river were similar, and it was discarded."""

    cards: tuple[str, ...]


class Reshuffle(Event, frozen=True):
    """The discards became the new deck."""

    cards: int


class Discard(Event, frozen=True):
    """A card too many was put down."""

    seat: Seat
    card: str


class Open(Event, frozen=True):
    """A restaurant was opened."""

    seat: Seat
    kind: str
    at: str
    pay: tuple[str, ...]
    less: bool
    gauge: int


class Place(Event, frozen=True):
    """A terrace was placed, perhaps over one of another seat."""

    seat: Seat
    restaurant: str
    cell: str
    cost: int
    coins: int = 0
    two_coins: int = 0
    neighbours: bool = False
    over: Seat | None = None


class Income(Event, frozen=True):
    """A + was revealed."""

    seat: Seat
    gauge: int


class PigeonPlayed(Event, frozen=True):
    """A pigeon card that acts at once was drawn."""

    seat: Seat
    card: str


class PigeonKept(Event, frozen=True):
    """A pigeon card was drawn and kept."""

    seat: Seat


class PigeonDrawn(Event, frozen=True):
    """Which pigeon card it was."""

    seat: Seat
    card: str


class Skip(Event, frozen=True):
    """A free terrace found no place."""

    seat: Seat


class Built(Event, frozen=True):
    """A build action is over, and this much money was not spent."""

    seat: Seat
    lost: int


class Claim(Event, frozen=True):
    """An objective was fulfilled."""

    seat: Seat
    objective: str
    points: int
    bonus: bool


class ObjectiveCard(Event, frozen=True):
    """A pigeon card was played for an objective."""

    seat: Seat


class ObjectiveDrawn(Event, frozen=True):
    """Which objective was drawn."""

    seat: Seat
    objective: str


class ObjectiveKept(Event, frozen=True):
    """The objective drawn stays secret."""

    seat: Seat


class ObjectiveShared(Event, frozen=True):
    """The objective drawn lies in the common row."""

    seat: Seat
    objective: str


class LastRound(Event, frozen=True):
    """The end was brought about: the round is played to its end."""

    seat: Seat
    trigger: Trigger


class Revealed(Event, frozen=True):
    """What a seat had in hand at the end."""

    seat: Seat
    hand: tuple[str, ...]
    kept: tuple[str, ...]
    objectives: tuple[str, ...]


class MajorityScored(Event, frozen=True):
    """A majority: how many each seat has, and its points."""

    majority: str
    counts: tuple[int, ...]
    points: tuple[int, ...]


class End(Event, frozen=True):
    """The game is over; seats that share a rank stand together."""

    totals: tuple[int, ...]
    ranking: tuple[tuple[Seat, ...], ...]
