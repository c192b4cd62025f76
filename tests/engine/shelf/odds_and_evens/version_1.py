# ruff: noqa: ARG002 - a game has the whole interface, needed or not
"""Odds and Evens by the first version of its rules: five fingers and one die. It stays as it is for ever.

All show fingers at once (sealed), a die says whether odd or even pays, and then all nod (not sealed, in any order).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from engine import game
from engine.chance import Chance
from engine.cited_rules import Rule, Rulebook
from engine.errors import IllegalMove, OptionsRefused, OutOfTurn
from engine.game import Decision, Event, Move, Score, Seat, Standing, Step, Tie, Value
from engine.notation import Form, Number
from engine.scene import Panel, Scene

FINGERS = Rule("§1", "Showing", "Show up to five fingers.")
SHOW = Decision("show", "Show fingers.", sealed=True)
NOD = Decision("nod", "Nod.")


class Options(game.Options, frozen=True):
    rounds: int = 2


class Show(Move, frozen=True):
    fingers: int


class Nod(Move, frozen=True):
    pass


class Shown(Event, frozen=True, kw_only=True):
    fingers: tuple[int, ...]
    die: int


class State(Value, frozen=True):
    rounds: int
    shown: tuple[int | None, ...]
    nodded: tuple[bool, ...]
    points: tuple[int, ...]
    die: int


class View(game.View, frozen=True, kw_only=True):
    rounds: int
    own: int | None
    has_shown: tuple[bool, ...]
    nodded: tuple[bool, ...]
    points: tuple[int, ...]
    die: int


class OddsAndEvens:
    key: ClassVar[str] = "odds-and-evens"
    rules_version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 5)
    rulebook: ClassVar[Rulebook] = Rulebook("Odds and Evens", "traditional", "Show fingers.", (FINGERS,))
    options: ClassVar[type[game.Options]] = Options
    states: ClassVar[type[State]] = State
    moves: ClassVar[tuple[type[Move], ...]] = (Show, Nod)
    views: ClassVar[type[View]] = View

    def components(self, options: Options) -> Mapping[str, Any]:
        return {"fingers": 5, "die": 6}

    def deal(self, seats: int, options: Options, chance: Chance) -> Step[State]:
        if not 1 <= options.rounds <= 20:
            raise OptionsRefused("one to twenty rounds")
        return Step(State(options.rounds, (None,) * seats, (True,) * seats, (0,) * seats, chance.roll("first die")), ())

    def waiting(self, state: State) -> Mapping[Seat, Decision]:
        if not all(state.nodded):
            return {Seat(seat): NOD for seat, nodded in enumerate(state.nodded) if not nodded}
        if not state.rounds:
            return {}
        return {Seat(seat): SHOW for seat, shown in enumerate(state.shown) if shown is None}

    def legal(self, state: State, seat: Seat) -> Sequence[Move]:
        asked = self.waiting(state).get(seat)
        return () if asked is None else [Nod()] if asked == NOD else [Show(fingers) for fingers in range(6)]

    def play(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        if seat not in self.waiting(state):
            raise OutOfTurn("not now")
        if move not in self.legal(state, seat):
            raise IllegalMove(FINGERS, "nobody has so many fingers")
        if isinstance(move, Nod):
            return Step(replace(state, nodded=_with(state.nodded, seat, True)), ())
        assert isinstance(move, Show)
        shown = _with(state.shown, seat, move.fingers)
        if None in shown:
            return Step(replace(state, shown=shown), ())
        die = chance.roll("die")
        points = tuple(had + (sum(map(int, shown)) % 2 == (die + at) % 2) for at, had in enumerate(state.points))
        after = State(state.rounds - 1, (None,) * len(shown), (False,) * len(shown), points, die)
        return Step(after, (Shown(fingers=shown, die=die),))

    def view(self, state: State, seat: Seat | None) -> View:
        return View(
            seat=seat,
            rounds=state.rounds,
            own=None if seat is None else state.shown[seat],
            has_shown=tuple(shown is not None for shown in state.shown),
            nodded=state.nodded,
            points=state.points,
            die=state.die,
        )

    def imagine(self, view: View, chance: Chance) -> State:
        shown = [
            view.own if seat == view.seat else chance.below(6, "fingers") if has else None
            for seat, has in enumerate(view.has_shown)
        ]
        return State(view.rounds, tuple(shown), view.nodded, view.points, view.die)

    def standing(self, state: State) -> Standing:
        scores = [
            Score(Seat(seat), points, {"guesses": points}, (Tie("seat", seat, fewest=True),))
            for seat, points in enumerate(state.points)
        ]
        return Standing.of(scores, final=not self.waiting(state))

    def fallback(self, state: State, seat: Seat) -> Move:
        return self.legal(state, seat)[0]

    def pieces(self, state: State) -> Counter[str]:
        return Counter({"die": 1})

    def forms(self, view: View) -> Sequence[Form]:
        return Form(Show, "show {fingers}", fingers=Number()), Form(Nod, "nod")

    def tell(self, event: Event, names: Sequence[str]) -> str:
        return "All show."

    def scene(self, view: View, names: Sequence[str]) -> Scene:
        return Scene("Odds and Evens", (Panel("Points", ((str(view.points),),)),))


def _with(items: tuple[Any, ...], at: int, item: Any) -> tuple[Any, ...]:
    return (*items[:at], item, *items[at + 1 :])


GAME: game.Game[State, Move, View] = OddsAndEvens()
