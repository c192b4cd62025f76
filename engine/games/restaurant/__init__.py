"""Restaurant: orders taken from sixty tables and then served, for three to six players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from engine import game
from engine.chance import Chance
from engine.cited_rules import Rulebook
from engine.errors import OptionsRefused
from engine.game import Decision, Move, Seat, Step
from engine.games.restaurant import notation, rules, scoring, telling
from engine.games.restaurant import scene as drawing
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Done, Keep, Reserve, Serve, Stop, Swap, Take
from engine.games.restaurant.pieces import pieces
from engine.games.restaurant.rulebook import RULEBOOK
from engine.games.restaurant.state import Scoring, State
from engine.games.restaurant.view import View, imagine, view


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


GAME: game.Game[State, Move, View] = Restaurant()
