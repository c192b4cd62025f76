"""Whole games that show how the phases go and end."""

from __future__ import annotations

from collections.abc import Mapping

from tests.games.golden_recipes import Recipe

GOLDEN: Mapping[str, Recipe] = {
    "restarts-and-chains": Recipe(
        "three dead ends before thirty cards, four cards in one turn, packets, swaps, a saut in the services",
        ("random",) * 3,
        seed=95,
    ),
    "dead-end": Recipe(
        "with the stairs: a lapsed coup double ends the orders, a dead end the services; the points noted do not count",
        ("random",) * 5,
        seed=48,
        options={"stairs": True, "scoring": "service-only"},
    ),
    "empty-hand": Recipe("a saut is the last card in hand, and ends the game at once", ("random",) * 6, seed=474),
    "declined": Recipe(
        "a saut is declined at a dead end, which ends the services",
        ("random",) * 4,
        seed=938,
        options={"scoring": "service-only"},
    ),
    "blocked": Recipe(
        "with the stairs: everybody in turn is passed over", ("random",) * 3, seed=2576, options={"stairs": True}
    ),
}

SHOWN_IN_PASSING = frozenset({"Take", "Lapse"})
"""A function card is shown to everybody when it is turned, and then goes to a hand like any other."""
