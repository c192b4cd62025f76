"""The golden records: which bots play which game, and what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.bots import POLICIES, Policy
from engine.chance import Chance
from engine.game import AnyGame
from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.moves import (
    Advertise,
    Auction,
    Bid,
    Choose,
    Decline,
    Hire,
    Limit,
    Option,
    Pass,
    Renovate,
    Set,
)
from engine.games.la_bistro.view import View
from tests.games.golden_recipes import Recipe

SHOWN_IN_PASSING = frozenset({"Limits"})
"""Limits are told once (R26); afterwards only what they led to is on the table."""


WISHES: tuple[Option, ...] = (
    *("jobs", "jobs", "jobs", "jobs", "jobs"),
    *("renovations", "renovations", "renovations", "renovations"),
    *("realtor", "realtor", "realtor"),
    *("ads", "ads", "time", "banker", "chef"),
)


def keen(game: AnyGame, view: View, legal: Sequence[Any], chance: Chance) -> Any:
    """A bot that wants a running restaurant: it buys, sets a menu, hires and renovates, and bids a little."""
    if isinstance(legal[0], Choose):
        return Choose(_option(view, [move.option for move in legal], chance))
    if any(isinstance(move, Auction) for move in legal):
        price = {key: building.price for key, building in EDITIONS[view.table.edition].buildings.items()}
        near = [
            move
            for move in legal
            if isinstance(move, Auction) and (move.bid or price[move.building]) <= price[move.building] + 2
        ]
        return chance.pick(near, "building")
    if any(isinstance(move, Hire | Renovate) for move in legal):
        return chance.pick([move for move in legal if not isinstance(move, Decline)][:12], "purchase")
    if any(isinstance(move, Bid | Limit) for move in legal):
        low = [move for move in legal if isinstance(move, Bid | Limit)][:6]
        return chance.pick([*low, *[move for move in legal if isinstance(move, Pass)] * 3], "bid")
    if isinstance(legal[0], Set):
        bare = [slot for slot, each in enumerate(view.table.restaurants[view.seat or 0]) if each.cuisine is None]
        return chance.pick([move for move in legal if move.restaurant in bare] or legal, "menu")
    if isinstance(legal[0], Advertise):
        return chance.pick(legal[:5], "ads")
    return chance.pick(legal, "move")


def _option(view: View, options: Sequence[Option], chance: Chance) -> Option:
    mine = view.table.restaurants[view.seat or 0]
    if not mine:
        return "realtor" if view.table.money[view.seat or 0] >= 5 else "banker"
    if any(each.cuisine is None for each in mine) and "chef" in options:
        return "chef"
    return chance.pick([wish for wish in WISHES if wish in options], "option")


_WITH_KEEN: Mapping[str, Policy] = {**POLICIES, "keen": keen}


def _keen(shows: str, players: int, seed: int, **options: str) -> Recipe:
    return Recipe(shows, ("keen",) * players, seed, options, _WITH_KEEN)


GOLDEN: Mapping[str, Recipe] = {
    "two-players": _keen("five turns; unique employees hired away and kept in open auctions; full houses", 2, 1),
    "three-players": _keen("equal money at the end: the more famous restaurant wins", 3, 2),
    "four-players": _keen("open auctions for the right to choose; gold, split and turned away diners", 4, 2),
    "five-at-random": Recipe("interest forgiven, diners lost, loans that lead below zero", ("random",) * 5, 3),
    "six-by-proxy": _keen("every auction by sealed limits, an employee's too", 6, 1, auctions="sealed-proxy"),
}
