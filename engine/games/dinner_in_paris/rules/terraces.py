"""Build, §6.2: where a restaurant may have its next terrace, whatever that costs."""

from __future__ import annotations

from typing import NamedTuple

from engine.game import Seat
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.state import State


class Square(NamedTuple):
    """The terraces that are seen, as they look to one seat."""

    own: int
    others: int
    """Those of other seats."""
    beside_others: int
    """The cells that touch them."""


class Reach(NamedTuple):
    """The cells that a restaurant's next terrace could have."""

    free: int
    """By the rules of building."""
    beside: int
    """If it may touch terraces of other seats."""
    over: int
    """If it may cover terraces of other seats, and these need not be connected (see :func:`covers`)."""


def square(state: State, seat: Seat) -> Square:
    """The terraces of this seat and of the others."""
    own = others = 0
    for restaurant, cells in zip(state.restaurants, state.terraces, strict=True):
        if restaurant.seat == seat:
            own |= cells
        else:
            others |= cells
    return Square(own, others, state.ground.touching(others))


def reach(state: State, number: int, seen: Square) -> Reach:
    """Where a restaurant's next terrace may go.

    It touches a terrace that the restaurant shows or, if there is none, the restaurant itself (R9). It never touches
    a terrace of another restaurant of the same seat.
    """
    ground, shown = state.ground, state.terraces[number]
    near = ground.touching(shown) if shown else state.site(number).front
    near &= ground.terrain & ~ground.touching(seen.own ^ shown)
    empty = near & ~seen.own & ~seen.others
    beside = empty & seen.beside_others
    return Reach(empty ^ beside, beside, near & seen.others)


def covers(state: State, over: int) -> int:
    """Those of these terraces that may be covered (R15): their restaurant's others still reach it without them."""
    allowed = 0
    for number, cells in enumerate(state.terraces):
        for _, bit in state.ground.each(cells & over):
            if _linked(state, number, cells ^ bit):
                allowed |= bit
    return allowed


def _linked(state: State, number: int, cells: int) -> bool:
    """Whether from each of these cells a chain of them leads to the restaurant."""
    touching = state.ground.touching
    reached, more = 0, cells & state.site(number).front
    while more != reached:
        reached, more = more, cells & (more | touching(more))
    return reached == cells


def taken(state: State) -> int:
    """The cells of the line that restaurants stand on."""
    cells, sites = 0, state.ground.sites
    for restaurant in state.restaurants:
        cells |= sites[BOX.kinds[restaurant.kind].size][restaurant.at].cells
    return cells


def anybody_can_place(state: State) -> bool:
    """Whether some seat has a tile and a cell for it, money and pigeon cards aside (R20)."""
    for seat, player in enumerate(state.players):
        seen = square(state, Seat(seat))
        for number, restaurant in enumerate(state.restaurants):
            category = BOX.kinds[restaurant.kind].category - 1
            left = player.tracks[category] < len(BOX.tracks[category].cost)
            if restaurant.seat == seat and left and reach(state, number, seen).free:
                return True
    return False
