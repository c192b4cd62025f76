"""What players do. A card is named only where it becomes public."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import field

from engine.game import Move
from engine.games.dinner_in_paris.components import BOX


class Keep(Move, frozen=True):
    """Keep an objective secretly: at setup the one in this slot, later the one just drawn."""

    slot: Literal[0, 1] | None = None


class Share(Move, frozen=True):
    """Put the objective just drawn into the common row."""


class Draw(Move, frozen=True):
    """Take a card from the river, or the top of the deck."""

    source: Literal["river", "deck"] = field(name="from")
    slot: int | None = None


class Discard(Move, frozen=True):
    """Put down a card of which there are too many in hand."""

    card: str


class Open(Move, frozen=True, gc=False):
    """Open a restaurant from this cell on, paying with these cards; ``less`` spends a one-less card.

    The cards stand in the order of the component file: in another they would be the same move, but not the same record.
    """

    kind: str
    at: str
    pay: tuple[str, ...]
    less: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError unless the cards are known and in order."""
        places = [BOX.order.get(card, -1) for card in self.pay]
        if -1 in places or places != sorted(places):
            cards = ", ".join(BOX.resources)
            raise ValueError(f"a payment names resource cards in the order of the component file: {cards}")


class Place(Move, frozen=True, gc=False):
    """Place the next terrace of a restaurant, with coins and pigeon cards where it needs them."""

    restaurant: str
    cell: str
    coins: int = 0
    two_coins: int = 0
    neighbours: bool = False


class Skip(Move, frozen=True):
    """Forgo the free terrace that cannot be placed."""


class Claim(Move, frozen=True):
    """Show that an objective is fulfilled; ``bonus`` spends an objective card on a second one."""

    objective: str
    bonus: bool = False


class Play(Move, frozen=True):
    """Play the pigeon card that gives an objective."""

    card: Literal["objective"]


class Done(Move, frozen=True):
    """End the build action, or do without a second claim."""


AnyMove: TypeAlias = Keep | Share | Draw | Discard | Open | Place | Skip | Claim | Play | Done
MOVES = (Keep, Share, Draw, Discard, Open, Place, Skip, Claim, Play, Done)
