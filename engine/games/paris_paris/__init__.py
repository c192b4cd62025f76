"""Paris Paris: souvenir shops along five bus lines, for two to four players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from engine import game
from engine.chance import Chance
from engine.cited_rules import Rulebook
from engine.errors import OptionsRefused
from engine.game import Decision, Seat, Step
from engine.games.paris_paris import notation, rules, scoring, telling
from engine.games.paris_paris import scene as drawing
from engine.games.paris_paris.components import MAPS, Map
from engine.games.paris_paris.moves import Take
from engine.games.paris_paris.pieces import pieces
from engine.games.paris_paris.rulebook import RULEBOOK
from engine.games.paris_paris.state import State
from engine.games.paris_paris.view import View, imagine, view

TAKE = Decision("take", "Take a token and open a shop.")


class Options(game.Options, frozen=True):
    """Which map is played, and the colour of each seat's shops, in seat order."""

    map: str = "reconstruction-1"
    colours: tuple[str, str, str, str] = ("grey", "violet", "yellow", "green")


class ParisParis:
    """The game as the engine plays it."""

    key: ClassVar[str] = "paris-paris"
    rules_version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 5)
    rulebook: ClassVar[Rulebook] = RULEBOOK
    options: ClassVar[type[game.Options]] = Options
    states: ClassVar[type[State]] = State
    moves: ClassVar[tuple[type[Take], ...]] = (Take,)
    views: ClassVar[type[View]] = View

    def components(self, options: Options) -> Mapping[str, Any]:
        """The map file."""
        return _map(options).facts

    def deal(self, seats: int, options: Options, chance: Chance) -> Step[State]:
        """Setup, §3, up to the first decision."""
        if seats not in self.seats:
            raise OptionsRefused(f"Paris Paris is for 2 to 4 players, not {seats}")
        known = [seat.colour for seat in _map(options).printed.seats]
        if sorted(options.colours) != sorted(known):
            raise OptionsRefused(f"the colours must be {', '.join(known)}, each once and in any order")
        return rules.set_up(seats, options.map, options.colours, chance)

    def waiting(self, state: State) -> Mapping[Seat, Decision]:
        """The seat whose turn it is."""
        turn = state.turn
        return {} if turn is None else {turn: TAKE}

    legal = staticmethod(rules.legal)

    def play(self, state: State, seat: Seat, move: Take, chance: Chance) -> Step[State]:  # noqa: ARG002
        """One take and what follows from it. Nothing is left to chance once the piles are shuffled."""
        return rules.play(state, seat, move)

    view = staticmethod(view)
    imagine = staticmethod(imagine)
    standing = staticmethod(scoring.standing)
    fallback = staticmethod(rules.fallback)
    pieces = staticmethod(pieces)
    forms = staticmethod(notation.forms)
    tell = staticmethod(telling.tell)
    scene = staticmethod(drawing.scene)


def _map(options: Options) -> Map:
    if options.map not in MAPS:
        raise OptionsRefused(f"there is no map {options.map!r}; there is {', '.join(MAPS)}")
    return MAPS[options.map]


GAME: game.Game[State, Take, View] = ParisParis()
