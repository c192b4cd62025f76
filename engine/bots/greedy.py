"""The bot that looks one move ahead, in worlds it cannot tell from the real one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.chance import Chance
from engine.game import AnyGame, Seat, Standing

WORLDS = 3
"""How many worlds it imagines for a decision."""
CANDIDATES = 60
"""How many moves it tries; of more, it takes a random sample."""


def greedy(game: AnyGame, view: Any, legal: Sequence[Any], chance: Chance) -> Any:
    """The move that, averaged over imagined worlds, leaves it furthest ahead of its best rival.

    Among equals it takes any: the candidates are shuffled first.
    """
    candidates = chance.shuffled(legal, "move")[:CANDIDATES]
    if len(candidates) == 1:
        return candidates[0]
    # Every candidate is tried in the same worlds with the same luck, so that only the move makes a difference.
    worlds = [(game.imagine(view, _other(chance)), _other(chance)) for _ in range(WORLDS)]

    def promise(move: Any) -> int:
        steps = (game.play(world, view.seat, move, luck.at(luck.entry)) for world, luck in worlds)
        return sum(lead(game.standing(step.state), view.seat) for step in steps)

    return max(candidates, key=promise)


def _other(chance: Chance) -> Chance:
    """Draws that have nothing to do with any others, in this decision or another."""
    return chance.at(chance.below(2**64, "other chance"))


def lead(standing: Standing, seat: Seat) -> int:
    """How far a seat is ahead of the best of the others."""
    others = [score.total for score in standing.scores if score.seat != seat]
    return standing.scores[seat].total - max(others)
