"""A position: what lies on the table, what is being asked, and the sealed answers that are in."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, TypeAlias

from msgspec import Meta

from engine.game import Seat, Value, kebab
from engine.games.la_bistro.components import BuildingId, CuisineId, EmployeeId, Place, RenovationId
from engine.games.la_bistro.moves import Answer, Option
from engine.games.la_bistro.printed import Colour

MOST_MONEY = 9_999
"""An evening brings a few hundred; whatever could be bid is listed as a move."""
Purse: TypeAlias = Annotated[int, Meta(ge=-MOST_MONEY, le=MOST_MONEY)]
"""What a seat has, or lacks."""
Price: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_MONEY)]
Dice: TypeAlias = Annotated[int, Meta(ge=0)]


class House(NamedTuple):
    """A restaurant by its owner and its slot there: 0 the first bought, 1 the second."""

    seat: Seat
    slot: int


class Restaurant(Value, frozen=True):
    """A restaurant; what follows from the building, the staff and the renovations is not stored."""

    building: BuildingId
    ads: int
    fame: int
    novelty: int
    cuisine: CuisineId | None = None
    price: int = 0
    employees: tuple[EmployeeId, ...] = ()
    """As they were hired."""
    renovations: tuple[RenovationId, ...] = ()


class Income(Value, frozen=True):
    """What diners have brought a seat so far."""

    regular: int = 0
    inflation: int = 0
    gold: int = 0
    splits: int = 0


class Out(NamedTuple):
    """A restaurant that a criterion put out, and its figure there."""

    house: House
    figure: int


class Round(Value, frozen=True):
    """One criterion applied: the best figure, and who was out."""

    criterion: str
    best: int
    out: tuple[Out, ...]


class Diner(Value, frozen=True):
    """One die of an earning phase: where it stood, who was out when, who got it, and what it pays."""

    die: int
    box: int
    colour: Colour
    full: tuple[House, ...]
    rounds: tuple[Round, ...]
    got: tuple[House, ...]
    """One restaurant; several that split it; or nobody."""
    each: tuple[int, ...]
    """What it pays each of them, without the bonus."""
    gold: int


class Takings(Value, frozen=True):
    """What the dice of a restaurant, split ones apart, come to."""

    house: House
    dice: int
    regular: int
    inflation: int
    fame: int


class Account(Value, frozen=True):
    """The account of an earning phase, diners in the order they were served."""

    turn: int
    diners: tuple[Diner, ...]
    takings: tuple[Takings, ...]


class Table(Value, frozen=True):
    """All that lies open; every seat and every onlooker may see all of it. Tuples are indexed by seat."""

    edition: str
    auctions: Literal["open", "sealed-proxy"]
    turn: int
    phase: int
    """The preparation phases of this turn, from 1."""
    time: int
    inflation: int
    unused: Dice
    """Dice that are neither a player's, nor on the Jobs Board, nor set aside."""
    aside: Dice
    jobs: tuple[Place, ...]
    """Boxes of the Jobs Board with a die, in order."""
    bank: int
    """What the bank has taken in since the start, less what it has paid."""
    money: tuple[Purse, ...]
    loans: tuple[int, ...]
    restaurants: tuple[tuple[Restaurant, ...], ...]
    income: tuple[Income, ...]
    choices: tuple[Option, ...]
    """What everybody chose in this phase; empty until it is revealed."""
    option: Option | None = None
    """The option that is being carried out."""
    account: Account | None = None
    """Of the last earning phase."""

    @property
    def is_first_phase(self) -> bool:
        """The very first preparation phase, in which everybody has the realtor (R4)."""
        return self.turn == self.phase == 1


class BuildingLot(Value, frozen=True, tag_field="lot", tag=kebab):
    """A building; ``queue`` are the seats that have neither bought nor declined, in the order of the option."""

    building: BuildingId
    queue: tuple[Seat, ...]


class Market(Value, frozen=True):
    """The Jobs Board or the Renovations Chart while it is open."""

    counter: Literal["jobs", "renovations"]
    seats: tuple[Seat, ...]
    """Those who chose it and are not finished."""
    sold: tuple[RenovationId, ...] = ()


class RightLot(Value, frozen=True, tag_field="lot", tag=kebab):
    """The right to choose next."""

    market: Market


class EmployeeLot(Value, frozen=True, tag_field="lot", tag=kebab):
    """A unique employee whom ``challenger`` would like to have from ``employer``."""

    market: Market
    employee: EmployeeId
    challenger: House
    employer: House


Lot: TypeAlias = BuildingLot | RightLot | EmployeeLot


class Auction(Value, frozen=True):
    """An auction in progress; with sealed limits the seats stand as they would bid."""

    lot: Lot
    seats: tuple[Seat, ...]
    """Those still in, the next bidder first; who leads stands last."""
    minimum: Price
    bid: Price | None = None
    """The highest so far."""

    @property
    def next_bid(self) -> int:
        """The least that may be bid now."""
        return self.minimum if self.bid is None else self.bid + 1

    @property
    def bound(self) -> Seat | None:
        """The seat that opened at the list price and cannot take it back; nobody opens a right to choose."""
        return None if isinstance(self.lot, RightLot) else self.seats[0]


class Stage(Value, frozen=True, tag_field="stage", tag=kebab):
    """What is being asked."""

    @property
    def asked(self) -> tuple[Seat, ...]:
        """Who is asked."""
        return ()


class Queue(Stage, frozen=True):
    """One seat after the other; the first is asked."""

    queue: tuple[Seat, ...]

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The first in the queue."""
        return self.queue[:1]


class Together(Stage, frozen=True):
    """Several seats at once, under seal, in seat order."""

    seats: tuple[Seat, ...]

    @property
    def asked(self) -> tuple[Seat, ...]:
        """All of them."""
        return self.seats


class Choosing(Together, frozen=True):
    """Which option each takes."""


class Nominating(Queue, frozen=True):
    """Which building is put up."""


class Menus(Queue, frozen=True):
    """What is cooked at what price."""


class Banking(Together, frozen=True):
    """Borrow or repay."""


class Advertising(Together, frozen=True):
    """How much is spent on which restaurant."""


class Bidding(Stage, frozen=True):
    """The next bid of an open auction."""

    auction: Auction

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The next bidder."""
        return self.auction.seats[:1]


class Limits(Stage, frozen=True):
    """How far each would go in an auction."""

    auction: Auction

    @property
    def asked(self) -> tuple[Seat, ...]:
        """All who take part, in seat order."""
        return tuple(sorted(self.auction.seats))


class Buying(Stage, frozen=True):
    """What to buy at the counter."""

    market: Market
    seat: Seat

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The seat that has the right to choose."""
        return (self.seat,)


class Hiring(Buying, frozen=True):
    """Whom to hire."""


class Renovating(Buying, frozen=True):
    """What to renovate."""


class Over(Stage, frozen=True):
    """Nothing any more."""


AnyStage: TypeAlias = (
    Choosing | Nominating | Menus | Banking | Advertising | Bidding | Limits | Hiring | Renovating | Over
)


class State(Value, frozen=True):
    """The open table, and what has been answered under seal: hidden until all have answered."""

    table: Table
    stage: AnyStage
    answers: tuple[Answer | None, ...]
    """By seat; None for who has not answered or is not asked under seal."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.stage, Over)
