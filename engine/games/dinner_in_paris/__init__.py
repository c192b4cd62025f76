"""Dinner in Paris: restaurants round a square and their terraces on it, for two to four players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from engine import game
from engine.chance import Chance
from engine.cited_rules import Rulebook
from engine.errors import OptionsRefused
from engine.game import Step
from engine.games.dinner_in_paris import notation, rules, scoring, telling
from engine.games.dinner_in_paris import scene as drawing
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import MOVES, AnyMove
from engine.games.dinner_in_paris.pieces import pieces
from engine.games.dinner_in_paris.rulebook import RULEBOOK
from engine.games.dinner_in_paris.rules.setup import set_up
from engine.games.dinner_in_paris.state import State
from engine.games.dinner_in_paris.view import View, imagine, view


class Options(game.Options, frozen=True):
    """Which face of the board is played on; ``duo`` is for two players."""

    board: Literal["square", "duo"] = "square"


class DinnerInParis:
    """The game as the engine plays it."""

    key: ClassVar[str] = "dinner-in-paris"
    rules_version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 5)
    rulebook: ClassVar[Rulebook] = RULEBOOK
    options: ClassVar[type[game.Options]] = Options
    states: ClassVar[type[State]] = State
    moves: ClassVar[tuple[type[Any], ...]] = MOVES
    views: ClassVar[type[View]] = View

    def components(self, options: Options) -> Mapping[str, Any]:
        """The component file, which holds both boards."""
        _check_board(options)
        return BOX.facts

    def deal(self, seats: int, options: Options, chance: Chance) -> Step[State]:
        """Setup, §3, up to the choice of objectives."""
        if seats not in self.seats:
            raise OptionsRefused(f"Dinner in Paris is for 2 to 4 players, not {seats}")
        _check_board(options)
        if (options.board, seats) not in BOX.grounds:
            raise OptionsRefused(f"the {options.board} board is for 2 players, not {seats}")
        return set_up(seats, options.board, chance)

    waiting = staticmethod(rules.waiting)
    legal = staticmethod(rules.legal)
    play = staticmethod(rules.play)
    view = staticmethod(view)
    imagine = staticmethod(imagine)
    standing = staticmethod(scoring.standing)
    fallback = staticmethod(rules.fallback)
    pieces = staticmethod(pieces)
    forms = staticmethod(notation.forms)
    tell = staticmethod(telling.tell)
    scene = staticmethod(drawing.scene)


def _check_board(options: Options) -> None:
    if options.board not in BOX.printed.boards:
        raise OptionsRefused(f"there is no board {options.board!r}; there are {', '.join(BOX.printed.boards)}")


GAME: game.Game[State, AnyMove, View] = DinnerInParis()
