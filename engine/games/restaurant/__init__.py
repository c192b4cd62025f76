"""Restaurant: orders taken from sixty tables and then served, for three to six players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from engine import game
from engine.chance import Chance
from engine.errors import OptionsRefused
from engine.game import Decision, Event, Move, Seat, Standing, Step
from engine.games.restaurant import notation, rules, scoring, telling
from engine.games.restaurant import scene as drawing
from engine.games.restaurant import view as views
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Done, Keep, Reserve, Serve, Stop, Swap, Take
from engine.games.restaurant.pieces import pieces
from engine.games.restaurant.rulebook import RULEBOOK
from engine.games.restaurant.state import Scoring, State
from engine.games.restaurant.view import View
from engine.notation import Form
from engine.rulebook import Rulebook
from engine.scene import Scene


class Options(game.Options, frozen=True):
    """The two variants: the salon is entered by its stairs only; the points noted do not count."""

    stairs: bool = False
    scoring: Scoring = "both"


class Restaurant:
    """The game as the engine plays it."""

    key: ClassVar[str] = "restaurant"
    rules_version: ClassVar[int] = 1
    seats: ClassVar[range] = range(BOX.printed.game.min_players, BOX.printed.game.max_players + 1)
    rulebook: ClassVar[Rulebook] = RULEBOOK
    options: ClassVar[type[game.Options]] = Options
    states: ClassVar[type[State]] = State
    moves: ClassVar[tuple[type[Move], ...]] = (Take, Swap, Keep, Reserve, Done, Serve, Stop)
    views: ClassVar[type[View]] = View

    def components(self, options: Options) -> Mapping[str, Any]:  # noqa: ARG002 - one box for all options
        """The data file."""
        return BOX.facts

    def deal(self, seats: int, options: Options, chance: Chance) -> Step[State]:
        """Setup, §2."""
        if seats not in self.seats:
            raise OptionsRefused(f"Restaurant is for {self.seats[0]} to {self.seats[-1]} players, not {seats}")
        return rules.set_up(seats, options.stairs, options.scoring, chance)

    def waiting(self, state: State) -> Mapping[Seat, Decision]:
        """The seat whose turn it is."""
        return {} if state.stage == "over" else {state.turn: rules.DECISIONS[state.stage, state.leap]}

    def legal(self, state: State, seat: Seat) -> Sequence[Move]:
        """Every answer to the decision that is open."""
        return rules.legal(state, seat)

    def play(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        """One answer and what follows from it."""
        return rules.play(state, seat, move, chance)

    def view(self, state: State, seat: Seat | None) -> View:
        """What is hidden, §7, and what is not."""
        return views.view(state, seat)

    def imagine(self, view: View, chance: Chance) -> State:
        """A position that looks like this."""
        return views.imagine(view, chance)

    def standing(self, state: State) -> Standing:
        """Scoring, §5."""
        return scoring.standing(state)

    def fallback(self, state: State, seat: Seat) -> Move:
        """When a deadline passes, §7.1."""
        return rules.fallback(state, seat)

    def pieces(self, state: State) -> Counter[str]:
        """The sixty cards, wherever they are."""
        return pieces(state)

    def forms(self, view: View) -> Sequence[Form]:
        """How moves are written."""
        return notation.forms(view)

    def tell(self, event: Event, names: Sequence[str]) -> str:
        """One event as a sentence."""
        return telling.tell(event, names)

    def scene(self, view: View, names: Sequence[str]) -> Scene:
        """Reading the board, §8, and what lies beside it."""
        return drawing.scene(view, names)


GAME: game.Game[State, Move, View] = Restaurant()
