# ruff: noqa: ARG002 - as in the version before
"""Odds and Evens: the smallest game with everything a record has to cope with, two versions of its rules included.

It lies outside ``engine/games`` and is found as soon as its shelf is a place to look for games. By the newest rules a
fist may not be shown, and two dice are rolled where there was one; all else is taken over from the version before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from engine import game
from engine.chance import Chance
from engine.errors import IllegalMove
from engine.game import Move, Seat, Step

from .version_1 import FINGERS, OddsAndEvens, Options, Show, Shown, State, View
from .version_1 import GAME as VERSION_1


class TwoDice(OddsAndEvens):
    rules_version: ClassVar[int] = 2

    def components(self, options: Options) -> Mapping[str, Any]:
        return {"fingers": 5, "dice": 2}

    def legal(self, state: State, seat: Seat) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if not _is_fist(move)]

    def play(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        if seat in self.waiting(state) and _is_fist(move):
            raise IllegalMove(FINGERS, "a fist is not a finger")
        step = super().play(state, seat, move, chance)
        for shown in step.events:
            assert isinstance(shown, Shown)
            die = shown.die + chance.roll("second die")
            points = tuple(had + (sum(shown.fingers) % 2 == (die + at) % 2) for at, had in enumerate(state.points))
            return Step(replace(step.state, points=points, die=die), (Shown(fingers=shown.fingers, die=die),))
        return step


def _is_fist(move: Move) -> bool:
    return isinstance(move, Show) and move.fingers == 0


GAME: game.Game[State, Move, View] = TwoDice()
FORMER: tuple[game.AnyGame, ...] = (VERSION_1,)
