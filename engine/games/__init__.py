"""The games, found because their folders are here; nothing else lists them.

A folder exports ``GAME``, the newest version of its rules. Where tables may still be played by older ones it also
exports ``FORMER``: the games of those versions, each just as it was.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
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


def versions(key: str) -> Mapping[int, AnyGame]:
    """Every version of the rules of this game that can be played, the newest last; raises UnknownGame.

    >>> list(versions("paris-paris"))
    [1]
    """
    if key not in keys():
        raise UnknownGame(f"there is no game “{key[:40]}”; there are {', '.join(keys())}")
    folder = import_module(f"{__name__}.{key.replace('-', '_')}")
    known: tuple[AnyGame, ...] = (*getattr(folder, "FORMER", ()), folder.GAME)
    return {game.rules_version: game for game in sorted(known, key=lambda game: game.rules_version)}


def load(key: str, version: int | None = None) -> AnyGame:
    """The game of this key, in this version of its rules (None: the newest); raises UnknownGame."""
    known = versions(key)
    wanted = max(known) if version is None else version
    if wanted not in known:
        raise UnknownGame(f"{key} is known in {_versions(known)} of its rules, not in {version}")
    return known[wanted]


def _versions(known: Mapping[int, AnyGame]) -> str:
    *others, last = map(str, known)
    return f"versions {', '.join(others)} and {last}" if others else f"version {last}"
