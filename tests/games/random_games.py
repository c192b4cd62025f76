"""Every game with every number of seats and every option, played at random: what the generic tests walk through."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from engine import games
from engine.chance import Chance
from engine.errors import EngineError
from engine.game import AnyGame, Seat

KEYS = games.keys()
BOUND = 6_000
"""No random game met so far came near this many moves."""


def variants(game: AnyGame) -> Iterator[Any]:
    """The default options, and each other value that a yes/no or a choice can take."""
    yield game.options()
    for name, hint in get_type_hints(game.options).items():
        values = (True, False) if hint is bool else get_args(hint) if get_origin(hint) is Literal else ()
        for value in values:
            if getattr(game.options(), name) != value:
                yield msgspec.structs.replace(game.options(), **{name: value})


def tables(game: AnyGame) -> Iterator[tuple[str, int, Any]]:
    """Every number of seats and every option that a game takes with them, under a label."""
    for seats, options in itertools.product(game.seats, variants(game)):
        try:
            game.deal(seats, options, Chance(bytes(32)))
        except EngineError:
            continue
        label = ",".join(f"{k}={v}" for k, v in msgspec.to_builtins(options).items() if v != getattr(game.options(), k))
        yield f"{seats}{'-' + label if label else ''}", seats, options


EVERY_GAME = pytest.mark.parametrize("game", [pytest.param(games.load(key), id=key) for key in KEYS])
EVERY_TABLE = pytest.mark.parametrize(
    ("game", "seats", "options"),
    [
        pytest.param(games.load(key), seats, options, id=f"{key}-{label}")
        for key in KEYS
        for label, seats, options in tables(games.load(key))
    ],
)


class Playing:
    """A game played at random, one move at a time."""

    def __init__(self, game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        self.game, self.seats, self.chance = game, seats, Chance(seed)
        dealt = game.deal(seats, options, self.chance.at(0))
        self.state, self.events, self.entry = dealt.state, dealt.events, 0

    @property
    def onlookers(self) -> list[Seat | None]:
        return [None, *map(Seat, range(self.seats))]

    def to_move(self) -> Seat | None:
        return min(self.game.waiting(self.state), default=None)

    def move(self) -> None:
        seat = self.to_move()
        assert seat is not None
        mind = Chance(b"mind", self.entry)
        self.play(seat, mind.pick(self.game.legal(self.state, seat), "move"))

    def play(self, seat: Seat, move: Any) -> None:
        self.entry += 1
        step = self.game.play(self.state, seat, move, self.chance.at(self.entry))
        self.state, self.events = step.state, step.events

    def __iter__(self) -> Iterator[Playing]:
        yield self
        while self.to_move() is not None:
            self.move()
            yield self
            assert self.entry < BOUND, "the game does not end"
