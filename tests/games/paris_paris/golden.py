"""Whole games, one for each way in which one can go."""

from __future__ import annotations

from collections.abc import Mapping

from tests.games.golden_recipes import Recipe

GOLDEN: Mapping[str, Recipe] = {
    "two-players": Recipe("no bag, and a marker face up that is driven last", ("greedy", "random"), seed=1),
    "three-players": Recipe("one seat alone has most in the bag and is paid", ("greedy", "random", "random"), seed=0),
    "four-players": Recipe(
        "a tie for most in the bag pays nobody; the colours go by other seats",
        ("greedy", "random", "greedy", "random"),
        seed=1,
        options={"colours": ("green", "yellow", "grey", "violet")},
    ),
    "empty-supply": Recipe("in round 20 a seat has no shop left and takes a token only", ("random",) * 2, seed=109),
    "tie-break": Recipe("two lead with equal points, and fewer shops on the board decide", ("random",) * 3, seed=21),
    "shared-victory": Recipe("two lead with equal points and as many shops on the board", ("random",) * 3, seed=107),
}
