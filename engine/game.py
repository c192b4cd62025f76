"""What a game is: one small interface, and the plain values that pass through it.

States, moves, views and events are frozen ``msgspec`` structs of plain data, so that a snapshot, a digest and a
comparison are one line each and a refused move cannot have changed anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, NewType, Protocol, TypeAlias, TypeVar, runtime_checkable

import msgspec
from msgspec import Struct

from engine.chance import Chance
from engine.cited_rules import Rulebook
from engine.notation import Form
from engine.scene import Scene
from engine.typed_json import decode

Seat = NewType("Seat", int)
Audience: TypeAlias = tuple[Seat, ...] | None
"""Who may know: these seats only, or (None) everybody, onlookers included."""


def kebab(name: str) -> str:
    """The tag of a class: ``LayOut`` is written ``lay-out``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


class Value(Struct, frozen=True, forbid_unknown_fields=True):
    """Frozen plain data, compared by value, with one encoding."""


class Move(Value, frozen=True, tag_field="do", tag=kebab, omit_defaults=True):
    """The answer to a decision. It never names what others may not know at that moment."""


class Event(Value, frozen=True, tag_field="event", tag=kebab, omit_defaults=True, kw_only=True):
    """What a move caused, told to those in ``to`` (None: to everybody)."""

    to: Audience = None


class Options(Value, frozen=True):
    """A game's options: typed fields, every one with a default."""


class View(Value, frozen=True, kw_only=True):
    """All that one seat, or an onlooker (``seat`` None), may see."""

    seat: Seat | None


class Decision(Value, frozen=True):
    """What a seat is being asked now; public, so neither its kind nor its prompt may betray a hand.

    ``sealed`` decisions are answered unseen and revealed together, in seat order, once all have answered.
    """

    kind: str
    prompt: str
    sealed: bool = False


S = TypeVar("S", bound=Value)
M = TypeVar("M", bound=Move)
V = TypeVar("V", bound=View)
T = TypeVar("T", bound=Value)


class Step(Struct, Generic[T], frozen=True):
    """A new state, and what happened on the way to it."""

    state: T
    events: tuple[Event, ...]


class Tie(Value, frozen=True):
    """A tie-break: its name, a seat's figure, and whether more or fewer is better."""

    name: str
    value: int
    fewest: bool = False


class Score(Value, frozen=True):
    """A seat's points: the total, what it is made of, and the tie-breaks in the order they count."""

    seat: Seat
    total: int
    parts: dict[str, int]
    ties: tuple[Tie, ...] = ()

    def rank_key(self) -> tuple[int, ...]:
        """Greater is better."""
        return (self.total, *(-tie.value if tie.fewest else tie.value for tie in self.ties))


class Standing(Value, frozen=True):
    """Scores in seat order, and the seats by rank; seats that share a rank stand together."""

    final: bool
    scores: tuple[Score, ...]
    ranking: tuple[tuple[Seat, ...], ...]

    @classmethod
    def of(cls, scores: Sequence[Score], *, final: bool) -> Standing:
        """Rank the scores by total and tie-breaks; what is equal in all of them is shared.

        >>> standing = Standing.of([Score(Seat(s), t, {}) for s, t in enumerate([3, 7, 7])], final=True)
        >>> standing.ranking
        ((1, 2), (0,))
        """
        ranks: dict[tuple[int, ...], list[Seat]] = {}
        for score in scores:
            ranks.setdefault(score.rank_key(), []).append(score.seat)
        ranking = tuple(tuple(ranks[key]) for key in sorted(ranks, reverse=True))
        return cls(final, tuple(scores), ranking)

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The seats of the first rank."""
        return self.ranking[0]


@runtime_checkable
class Game(Protocol[S, M, V]):
    """What every game folder exports as ``GAME``. All methods are pure."""

    key: ClassVar[str]  # folder name with dashes, URL part and record value
    rules_version: ClassVar[int]
    seats: ClassVar[range]
    rulebook: ClassVar[Rulebook]
    options: ClassVar[type[Options]]
    states: ClassVar[type[Any]]
    moves: ClassVar[tuple[type[Any], ...]]
    views: ClassVar[type[Any]]

    def components(self, options: Any) -> Mapping[str, Any]:
        """The printed facts these options play with, as plain JSON; a record carries their digest."""
        ...

    def deal(self, seats: int, options: Any, chance: Chance) -> Step[S]:
        """The state before the first decision; raises OptionsRefused."""
        ...

    def waiting(self, state: S) -> Mapping[Seat, Decision]:
        """Who is being asked what, in seat order; empty when the game is over."""
        ...

    def legal(self, state: S, seat: Seat) -> Sequence[M]:
        """Every legal move of this seat, in a stable order; depends on nothing the seat may not see."""
        ...

    def play(self, state: S, seat: Seat, move: M, chance: Chance) -> Step[S]:
        """The state after a move; raises IllegalMove or OutOfTurn and then nothing has happened."""
        ...

    def view(self, state: S, seat: Seat | None) -> V:
        """What a seat, or an onlooker, may see: built up field by field, never stripped down."""
        ...

    def imagine(self, view: V, chance: Chance) -> S:
        """A state whose view is this one, everything unseen drawn by chance."""
        ...

    def standing(self, state: S) -> Standing:
        """Scores as everybody may know them; final once the game is over."""
        ...

    def fallback(self, state: S, seat: Seat) -> M:
        """The legal move that is played when a deadline has passed."""
        ...

    def pieces(self, state: S) -> Counter[str]:
        """Every piece of the box and how often: the same all game long."""
        ...

    def forms(self, view: V) -> Sequence[Form]:
        """How each kind of move is written at this table."""
        ...

    def tell(self, event: Event, names: Sequence[str]) -> str:
        """One event as a sentence, players called by their names."""
        ...

    def scene(self, view: V, names: Sequence[str]) -> Scene:
        """The view laid out for the eye."""
        ...


AnyGame: TypeAlias = Game[Any, Any, Any]


def redeal(game: AnyGame, state: Any, seat: Seat | None, chance: Chance) -> Any:
    """Another state that this seat could not tell from this one."""
    return game.imagine(game.view(state, seat), chance)


def told(events: Sequence[Event], seat: Seat | None) -> tuple[Event, ...]:
    """The events this seat, or an onlooker, may know."""
    return tuple(event for event in events if event.to is None or (seat is not None and seat in event.to))


_STATE = msgspec.json.Encoder(order="deterministic")


def encode_state(state: Value) -> bytes:
    """The one encoding of a state: compact JSON, fields in declared order, sets and dicts sorted."""
    return _STATE.encode(state)


def decode_state(game: AnyGame, data: bytes) -> Any:
    """The state that :func:`encode_state` wrote."""
    return decode(data, game.states)
