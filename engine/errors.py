"""What the engine raises on purpose: two families, each error with a stable code.

A :class:`MoveRefused` can be put right by the player; a :class:`RecordRejected` can be put right by nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.harmless_text import shown

if TYPE_CHECKING:
    from engine.cited_rules import Rule


LONGEST_MESSAGE = 400
"""Characters; more of what was quoted helps nobody."""


class EngineError(Exception):
    """Base of everything the engine raises on purpose. Its message may quote anybody: it is short and harmless."""

    code: str

    def __init__(self, message: str = "") -> None:
        super().__init__(shown(message, LONGEST_MESSAGE))


class UnknownGame(EngineError):
    """No such game, or not in that version of its rules."""

    code = "game/unknown"


class OptionsRefused(EngineError):
    """The options or the number of seats do not fit the game."""

    code = "options/invalid"


class MoveRefused(EngineError):
    """The player can put it right and try again."""


class IllegalMove(MoveRefused):
    """A well-formed move that the rules forbid here; says why and cites the rule."""

    code = "move/illegal"

    def __init__(self, rule: Rule, why: str) -> None:
        super().__init__(f"{why} ({rule.title}, {rule.key})")
        self.rule = rule


class InvalidMove(MoveRefused):
    """Not a move of this game at all: wrong shape, wrong types, unknown fields."""

    code = "move/invalid"


class OutOfTurn(MoveRefused):
    """This seat is not being asked anything now."""

    code = "move/out-of-turn"


class StaleMove(MoveRefused):
    """The move answers a decision that is no longer open."""

    code = "move/stale"


class NotUnderstood(MoveRefused):
    """The typed text is not the notation of one legal move."""

    code = "move/not-understood"

    def __init__(self, why: str, *, expected: Sequence[str], nearest: Sequence[str]) -> None:
        super().__init__(why)
        self.expected = tuple(expected)
        self.nearest = tuple(nearest)


class RecordRejected(EngineError):
    """A record that is damaged or forged; trying again cannot help.

    Each check has its own ``code``, so it is an attribute of the instance here. ``entry`` is the number of the entry at
    fault, or None where the fault is the file's.
    """

    def __init__(self, code: str, message: str, entry: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = str(self)
        self.entry = entry
