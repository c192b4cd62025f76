"""Views with one thing in them made absurd, and what the client makes of each: run as a process that can be killed.

``python -m tests.client.absurd_views GAME`` takes a position of every kind of decision, and in the view of who is asked
every number, list and word, and puts there what no game has. It prints how many it tried and how many were refused.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from client.trust.possible_views import (
    LARGEST_FIGURE,
    LONGEST_LIST,
    LONGEST_WORD,
    MOST_MOVES,
    ImpossibleView,
    possible,
)
from engine import games
from engine.chance import Chance
from engine.errors import OptionsRefused
from engine.game import AnyGame, Seat
from engine.record.entry import Open
from engine.scene import text
from tests.games.random_games import Playing, variants

FIGURES = (-1, -(10**15), 9_999, LARGEST_FIGURE, LARGEST_FIGURE + 1, 10**15, 10**300)
Path = tuple[str | int, ...]


def opened(game: AnyGame, seats: int, options: Any) -> Open:
    """An opening of this game, as far as a view is concerned."""
    no_hash = "0" * 64
    return Open(
        table="0" * 32,
        seq=0,
        prev=no_hash,
        at="2026-01-01T00:00:00.000Z",
        format="poste-record/1",
        game=f"{game.key}/{game.rules_version}",
        components=no_hash,
        options=msgspec.to_builtins(options),
        seats=seats,
        server=no_hash,
        commitment=no_hash,
    )


def most_seats(game: AnyGame, options: Any) -> int:
    """The most players that these options take."""
    for seats in reversed(game.seats):
        with suppress(OptionsRefused):
            game.deal(seats, options, Chance(bytes(32)))
            return seats
    raise AssertionError(f"nobody can play {game.key} so")


def positions(game: AnyGame) -> Iterator[tuple[Open, Any, Any]]:
    """With every option a position of every kind of decision, the one with the most legal moves, and its view."""
    for options in variants(game):
        found: dict[str, tuple[int, Open, Any, Any]] = {}
        seats = most_seats(game, options)
        for playing in Playing(game, seats, options, b"absurd".ljust(32)):
            for seat, decision in game.waiting(playing.state).items():
                if (count := len(game.legal(playing.state, seat))) > found.get(decision.kind, (0,))[0]:
                    view = msgspec.to_builtins(game.view(playing.state, seat))
                    found[decision.kind] = (count, opened(game, seats, options), playing.state, view)
        yield from ((opening, state, view) for _, opening, state, view in found.values())


def paths(value: Any, here: Path = ()) -> Iterator[Path]:
    """Every place in a view; of a list the first and the last."""
    yield here
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from paths(inner, (*here, name))
    elif isinstance(value, list | tuple):
        for index in sorted({0, len(value) - 1} & set(range(len(value)))):
            yield from paths(value[index], (*here, index))


def absurd(value: Any) -> list[Any]:
    """What may be put in the place of a value."""
    match value:
        case bool():
            return [not value]
        case int():
            return [each for each in FIGURES if each != value]
        case str():
            return ["", "x" * LONGEST_WORD, "x" * (LONGEST_WORD + 1)]
        case list() | tuple() if value:
            first, last = value[0], value[-1]
            return [[], [*value, last], [first] * LONGEST_LIST, [*value] * 20, [first] * 100_000]
        case list() | tuple():
            return [[0] * LONGEST_LIST, ["x"] * LONGEST_LIST, [[]] * LONGEST_LIST]
        case dict():
            return [{}, dict.fromkeys(map(str, range(LONGEST_LIST)), 0)]
        case None:
            return [0, LARGEST_FIGURE, "x"]
    return []


def changed(view: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    view = copy.deepcopy(view)
    inner = view
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return view


def at(view: Any, path: Path) -> Any:
    for step in path:
        view = view[step]
    return view


def judged(opening: Open, view: Any) -> bool:
    """Whether the client takes it for a view; it then lists the moves and draws the table."""
    data = msgspec.Raw(json.dumps(view).encode())
    try:
        _, waiting = possible(opening, data)
    except ImpossibleView:
        return False
    game = games.load(opening.game.partition("/")[0])
    told = msgspec.json.decode(data, type=game.views)
    state = game.imagine(told, Chance(bytes(32)))
    for seat in waiting:
        if seat == told.seat:
            assert 0 < len(game.legal(state, Seat(seat))) <= MOST_MOVES
    text.draw(game.scene(told, [str(seat) for seat in range(opening.seats)]))
    return True


def main(key: str) -> None:
    tried = refused = 0
    for opening, _, honest in positions(games.load(key)):
        view = json.loads(msgspec.json.encode(honest))
        assert judged(opening, view), "an honest view is taken"
        seen: set[tuple[Any, ...]] = set()
        for path in paths(view):
            place = tuple("*" if isinstance(step, int) and step else step for step in path)
            if place in seen:
                continue
            seen.add(place)
            for value in absurd(at(view, path)):
                tried += 1
                refused += not judged(opening, changed(view, path, value))
    print(json.dumps({"tried": tried, "refused": refused}))


if __name__ == "__main__":
    main(sys.argv[1])
