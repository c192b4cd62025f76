"""Dinner in Paris: restaurants round a square and their terraces on it, for two to four players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from engine import game
from engine.chance import Chance
from engine.errors import OptionsRefused
from engine.game import Decision, Event, Seat, Standing, Step
from engine.games.dinner_in_paris import notation, rules, scoring, telling
from engine.games.dinner_in_paris import scene as drawing
from engine.games.dinner_in_paris import view as views
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import MOVES, AnyMove
from engine.games.dinner_in_paris.pieces import pieces
from engine.games.dinner_in_paris.rulebook import RULEBOOK
from engine.games.dinner_in_paris.rules.setup import set_up
from engine.games.dinner_in_paris.state import State
from engine.games.dinner_in_paris.view import View
from engine.notation import Form
from engine.rulebook import Rulebook
from engine.scene import Scene


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

    def waiting(self, state: State) -> Mapping[Seat, Decision]:
        """The seat whose turn it is; at setup everybody who has not chosen yet."""
        return rules.waiting(state)

    def legal(self, state: State, seat: Seat) -> Sequence[AnyMove]:
        """Every answer to the decision."""
        return rules.legal(state, seat)

    def play(self, state: State, seat: Seat, move: AnyMove, chance: Chance) -> Step[State]:
        """One move and what follows from it."""
        return rules.play(state, seat, move, chance)

    def view(self, state: State, seat: Seat | None) -> View:
        """What a seat, or an onlooker, may see."""
        return views.view(state, seat)

    def imagine(self, view: View, chance: Chance) -> State:
        """A position that looks like this."""
        return views.imagine(view, chance)

    def standing(self, state: State) -> Standing:
        """Everybody's points."""
        return scoring.standing(state)

    def fallback(self, state: State, seat: Seat) -> AnyMove:
        """The move of a seat that let the deadline pass."""
        return rules.fallback(state, seat)

    def pieces(self, state: State) -> Counter[str]:
        """Components, §2, wherever they are."""
        return pieces(state)

    def forms(self, view: View) -> Sequence[Form]:
        """How moves are written."""
        return notation.forms(view)

    def tell(self, event: Event, names: Sequence[str]) -> str:
        """One event as a sentence."""
        return telling.tell(event, names)

    def scene(self, view: View, names: Sequence[str]) -> Scene:
        """The square and what lies beside it."""
        return drawing.scene(view, names)


def _check_board(options: Options) -> None:
    if options.board not in BOX.printed.boards:
        raise OptionsRefused(f"there is no board {options.board!r}; there are {', '.join(BOX.printed.boards)}")


GAME: game.Game[State, AnyMove, View] = DinnerInParis()
