"""Golden records: how each is played again from its recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from engine import selfplay
from engine.bots import POLICIES, Policy
from engine.game import AnyGame

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Recipe:
    """A game among bots that shows something worth keeping."""

    shows: str
    bots: tuple[str, ...]
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    policies: Mapping[str, Policy] = field(default_factory=lambda: POLICIES)

    def play(self, game: AnyGame) -> selfplay.Selfplay:
        options = msgspec.convert(dict(self.options), game.options)
        return selfplay.play(game, self.bots, self.seed.to_bytes(32, "big"), options, self.policies)


def folder(key: str) -> Path:
    return HERE / key.replace("-", "_")


def recipes(key: str) -> Mapping[str, Recipe]:
    """What a game's ``golden.py`` lists; nothing if it has none yet, which is a fault of that game's alone."""
    if not (folder(key) / "golden.py").exists():
        return {}
    golden: Mapping[str, Recipe] = import_module(f"tests.games.{key.replace('-', '_')}.golden").GOLDEN
    return golden


def golden_file(key: str, name: str) -> Path:
    return folder(key) / "golden" / f"{name}.poste"
