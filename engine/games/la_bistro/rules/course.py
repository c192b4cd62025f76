"""A move on its way: the table as it changes, the chance of this move, and what there is to tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.game import Event, Seat
from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.state import AnyStage, House, Lot, Restaurant, Table


class Hammer(NamedTuple):
    """An auction has ended."""

    lot: Lot
    winner: Seat
    price: int


class Course:
    """What the rules change, one after the other, between two decisions.

    A rule leaves behind either a ``stage`` (somebody is asked), or a ``hammer`` (an auction has ended), or neither: the
    option in progress is finished.
    """

    __slots__ = ("chance", "edition", "events", "hammer", "stage", "table")

    def __init__(self, table: Table, chance: Chance) -> None:
        self.table = table
        self.chance = chance
        self.edition = EDITIONS[table.edition]
        self.events: list[Event] = []
        self.stage: AnyStage | None = None
        self.hammer: Hammer | None = None

    def tell(self, event: Event) -> None:
        """Something happened."""
        self.events.append(event)

    def change(self, **changes: Any) -> None:
        """Change fields of the table."""
        self.table = replace(self.table, **changes)

    def pay(self, seat: Seat, amount: int) -> None:
        """Money from a seat to the bank; a negative amount comes from the bank."""
        money = self.table.money
        self.change(money=with_item(money, seat, money[seat] - amount), bank=self.table.bank + amount)

    def restaurant(self, house: House) -> Restaurant:
        """The restaurant that is meant."""
        return self.table.restaurants[house.seat][house.slot]

    def refit(self, house: House, **changes: Any) -> None:
        """Change fields of a restaurant."""
        seat, slot = house
        mine = self.table.restaurants[seat]
        changed = with_item(mine, slot, replace(mine[slot], **changes))
        self.change(restaurants=with_item(self.table.restaurants, seat, changed))

    def richest_first(self, seats: Iterable[Seat]) -> tuple[Seat, ...]:
        """By money, equal money in an order left to chance (§3.3)."""
        money = self.table.money
        groups: dict[int, list[Seat]] = {}
        for seat in sorted(seats):
            groups.setdefault(money[seat], []).append(seat)
        order: list[Seat] = []
        for amount in sorted(groups, reverse=True):
            equals = groups[amount]
            order += self.chance.shuffled(equals, "tie") if len(equals) > 1 else equals
        return tuple(order)


def without(seats: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    """The other seats, in their order."""
    return tuple([other for other in seats if other != seat])


def clockwise(seats: Iterable[Seat], first: Seat) -> tuple[Seat, ...]:
    """The seats in ascending order, cyclic, from ``first`` on (§3.3)."""
    ring = sorted(seats)
    at = ring.index(first)
    return (*ring[at:], *ring[:at])
