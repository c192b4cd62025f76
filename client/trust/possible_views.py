"""What can be a view of a game: nothing is reckoned from a view that cannot, so that no server can keep a client busy.

1. It is small: so many bytes, lists and words so long, figures so large, and no more.
2. It has the types of this game's views.
3. A position can be imagined that looks exactly like it.
4. In that position there are the pieces of the box, each as often as the box has it.
5. It can be drawn, and its seat, if it is asked, has no more moves than anybody could look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Raw

from engine.chance import Chance
from engine.game import AnyGame, Decision, Seat
from engine.record.entry import Open
from engine.record.replay import game_of, options_of
from engine.typed_json import decode

LARGEST = 131_072
LONGEST_LIST = 1_000
LONGEST_WORD = 200
LARGEST_FIGURE = 1_000_000
"""In either direction; the games there are stay below a hundredth of each."""
MOST_MOVES = 100_000
"""Legal moves of one seat."""


class ImpossibleView(ValueError):
    """No game can look like this."""


def possible(opened: Open, data: Raw) -> tuple[Any, Mapping[Seat, Decision]]:
    """The view, and who is asked what there; raises ImpossibleView, whatever is wrong with it."""
    try:
        return _possible(opened, data)
    except ImpossibleView:
        raise
    except Exception as error:  # a view that breaks the game's own reading of it is none, whatever breaks
        raise ImpossibleView(type(error).__name__) from None


def _possible(opened: Open, data: Raw) -> tuple[Any, Mapping[Seat, Decision]]:
    game = game_of(opened)
    # 1
    if len(memoryview(data)) > LARGEST:
        raise ImpossibleView("it is too long")
    if not all(map(_is_small, _values(decode(data)))):
        raise ImpossibleView("something in it is too large")
    # 2
    view = decode(data, game.views)
    # 3
    state = imagined(game, view)
    if game.view(state, view.seat) != view:
        raise ImpossibleView("no position looks like it")
    # 4
    dealt = game.deal(opened.seats, options_of(game, opened.options), Chance(bytes(32))).state
    if game.pieces(state) != game.pieces(dealt):
        raise ImpossibleView("there is more or less in it than in the box")
    # 5
    game.scene(view, tuple(map(str, range(opened.seats))))
    waiting = game.waiting(state)
    if view.seat in waiting and not 0 < len(game.legal(state, view.seat)) <= MOST_MOVES:
        raise ImpossibleView("it leaves no move, or more than anybody could look at")
    return view, waiting


def imagined(game: AnyGame, view: Any) -> Any:
    """A position that looks like this view: good for everything that depends on the view alone."""
    return game.imagine(view, Chance(bytes(32)))


def _values(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)


def _is_small(value: Any) -> bool:
    match value:
        case str():
            return len(value) <= LONGEST_WORD
        case int() | float():
            return abs(value) <= LARGEST_FIGURE
        case list() | dict():
            return len(value) <= LONGEST_LIST
    return True
