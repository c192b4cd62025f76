"""What a move causes. What is printed is called by its printed name, so that an event can be told without its edition.

Every event that moves money says how much: the books can be kept from events alone.
"""

from __future__ import annotations

from engine.game import Event, Seat
from engine.games.la_bistro.moves import Option
from engine.games.la_bistro.state import Diner, House


class Phase(Event, frozen=True):
    """A preparation phase begins."""

    turn: int
    phase: int


class Applicant(Event, frozen=True):
    """A row and a column were rolled for the Jobs Board; the die stays unused if that box has one."""

    row: int
    column: int
    employee: str
    placed: bool


class Reveal(Event, frozen=True):
    """What everybody chose, in seat order."""

    options: tuple[Option, ...]


class Order(Event, frozen=True):
    """The order in which an option is carried out."""

    option: Option
    seats: tuple[Seat, ...]


class PutUp(Event, frozen=True):
    """A building is put up for auction."""

    seat: Seat
    building: str
    street: str
    price: int


class Bid(Event, frozen=True):
    """A bid."""

    seat: Seat
    amount: int


class Passed(Event, frozen=True):
    """A seat leaves the auction; ``broke``: because it could not bid any more."""

    seat: Seat
    broke: bool = False


class Limits(Event, frozen=True):
    """The sealed limits of those who were asked, clockwise from the opener (None: passed)."""

    seats: tuple[Seat, ...]
    limits: tuple[int | None, ...]


class Bought(Event, frozen=True):
    """A building was bought."""

    house: House
    building: str
    street: str
    price: int


class Declined(Event, frozen=True):
    """A seat buys nothing in this option; ``broke``: it could not have afforded anything."""

    seat: Seat
    option: Option
    broke: bool = False


class Menu(Event, frozen=True):
    """A restaurant has its cuisine and its price."""

    house: House
    cuisine: str
    price: int
    cost: int


class Borrowed(Event, frozen=True):
    """A loan was taken."""

    seat: Seat
    amount: int


class Repaid(Event, frozen=True):
    """Loans were paid back."""

    seat: Seat
    loans: int
    amount: int


class Advertised(Event, frozen=True):
    """Ads were bought; none at all by who wanted or could do nothing."""

    house: House
    points: int
    cost: int


class Contest(Event, frozen=True):
    """Several seats bid for the right to choose next, in this order."""

    option: Option
    seats: tuple[Seat, ...]


class Right(Event, frozen=True):
    """The right to choose was won."""

    seat: Seat
    option: Option
    price: int


class Hired(Event, frozen=True):
    """An employee was hired."""

    house: House
    employee: str
    price: int


class Challenge(Event, frozen=True):
    """A unique employee is to be hired away."""

    employee: str
    challenger: House
    employer: House


class HiredAway(Event, frozen=True):
    """The challenger won; the price is shared by the bank and the former employer."""

    employee: str
    house: House
    employer: House
    to_bank: int
    to_employer: int


class Kept(Event, frozen=True):
    """The employer won and paid the bank."""

    employee: str
    employer: House
    price: int


class Renovated(Event, frozen=True):
    """A renovation was bought."""

    house: House
    item: str
    price: int


class TimePasses(Event, frozen=True):
    """The cube on the Time Track moved (None: it left the track)."""

    dice: tuple[int, ...]
    time: int | None


class DinersCome(Event, frozen=True):
    """The earning phase begins: the dice, their sum, and the box on which the first was placed."""

    turn: int
    dice: tuple[int, ...]
    first: int


class Served(Event, frozen=True):
    """One diner and why; a share or a bonus is paid at once."""

    diner: Diner


class Took(Event, frozen=True):
    """A restaurant is paid for its diners, grows older by them, and may become better known."""

    house: House
    dice: int
    inflation: int
    regular: int
    fame: int
    novelty: int


class Interest(Event, frozen=True):
    """A seat paid interest, as far as its money went."""

    seat: Seat
    loans: int
    amount: int


class Settled(Event, frozen=True):
    """A seat paid back its loans at the end."""

    seat: Seat
    loans: int
    amount: int


class Inflation(Event, frozen=True):
    """The Inflation from the next turn on."""

    die: int
    inflation: int


class End(Event, frozen=True):
    """The game is over; seats that share a rank stand together."""

    ranking: tuple[tuple[Seat, ...], ...]
