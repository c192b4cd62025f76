"""Players that see a view and their legal moves, never the state; the same seed makes the same choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from engine.bots.at_random import at_random
from engine.bots.greedy import greedy
from engine.chance import Chance
from engine.game import AnyGame

Policy: TypeAlias = Callable[[AnyGame, Any, Sequence[Any], Chance], Any]
"""Chooses one of the legal moves: (game, view of the seat to move, legal moves, chance) -> move."""

POLICIES: Mapping[str, Policy] = {"random": at_random, "greedy": greedy}
