"""La Bistro: restaurants, their staff and their diners, for two to six players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from engine import game
from engine.chance import Chance
from engine.cited_rules import Rulebook
from engine.errors import OptionsRefused
from engine.game import Standing, Step
from engine.games.la_bistro import moves, notation, rules, scoring, telling
from engine.games.la_bistro import pieces as box
from engine.games.la_bistro import scene as drawing
from engine.games.la_bistro.components import EDITIONS, Edition
from engine.games.la_bistro.moves import AnyMove
from engine.games.la_bistro.rulebook import RULEBOOK
from engine.games.la_bistro.state import State
from engine.games.la_bistro.view import View, imagine, view


class Options(game.Options, frozen=True):
    """Which edition is played, and how its auctions are held."""

    edition: str = "reconstruction-1"
    auctions: Literal["open", "sealed-proxy"] = "open"


class LaBistro:
    """The game as the engine plays it."""

    key: ClassVar[str] = "la-bistro"
    rules_version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 7)
    rulebook: ClassVar[Rulebook] = RULEBOOK
    options: ClassVar[type[game.Options]] = Options
    states: ClassVar[type[State]] = State
    moves: ClassVar[tuple[type[AnyMove], ...]] = (
        moves.Choose,
        moves.Auction,
        moves.Decline,
        moves.Bid,
        moves.Pass,
        moves.Limit,
        moves.Set,
        moves.Borrow,
        moves.Repay,
        moves.Advertise,
        moves.Hire,
        moves.Renovate,
    )
    views: ClassVar[type[View]] = View

    def components(self, options: Options) -> Mapping[str, Any]:
        """The edition file."""
        return _edition(options).facts

    def deal(self, seats: int, options: Options, chance: Chance) -> Step[State]:
        """Setup, §2, up to the first decision."""
        if seats not in self.seats:
            raise OptionsRefused(f"La Bistro is for 2 to 6 players, not {seats}")
        _edition(options)
        return rules.deal(seats, options.edition, options.auctions, chance)

    waiting = staticmethod(rules.waiting)
    legal = staticmethod(rules.legal)
    play = staticmethod(rules.play)
    view = staticmethod(view)
    imagine = staticmethod(imagine)

    def standing(self, state: State) -> Standing:
        """Everybody's money, less the loans."""
        return scoring.standing(state.table, final=state.over)

    fallback = staticmethod(rules.fallback)

    def pieces(self, state: State) -> Counter[str]:
        """Components, §1, wherever they are, and the money."""
        return box.pieces(state.table)

    forms = staticmethod(notation.forms)
    tell = staticmethod(telling.tell)
    scene = staticmethod(drawing.scene)


def _edition(options: Options) -> Edition:
    if options.edition not in EDITIONS:
        raise OptionsRefused(f"there is no edition {options.edition!r}; there is {', '.join(EDITIONS)}")
    return EDITIONS[options.edition]


GAME: game.Game[State, AnyMove, View] = LaBistro()
