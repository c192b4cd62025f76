"""The games, found because their folders are here; nothing else lists them."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from engine.errors import UnknownGame
from engine.game import AnyGame


@cache
def keys() -> tuple[str, ...]:
    """The key of every game, in alphabetical order; no game is imported for it.

    >>> "paris-paris" in keys()
    True
    """
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if module.ispkg))


def load(key: str, version: int | None = None) -> AnyGame:
    """The game of this key, in this version of its rules (None: the newest); raises UnknownGame."""
    if key not in keys():
        raise UnknownGame(f"there is no game “{key[:40]}”; there are {', '.join(keys())}")
    game: AnyGame = import_module(f"{__name__}.{key.replace('-', '_')}").GAME
    if version not in (None, game.rules_version):
        raise UnknownGame(f"{key} is known in version {game.rules_version} of its rules, not in {version}")
    return game
