"""The bot that does not think."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.chance import Chance
from engine.game import AnyGame


def at_random(game: AnyGame, view: Any, legal: Sequence[Any], chance: Chance) -> Any:  # noqa: ARG001 - a Policy
    """Any legal move, every one as likely as any other."""
    return chance.pick(legal, "move")
