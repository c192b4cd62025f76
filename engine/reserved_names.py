"""The words that moves are written with, and so the names that nobody can be called by in a move."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from engine import games
from engine.chance import Chance
from engine.errors import OptionsRefused
from engine.game import AnyGame
from engine.notation import Form
from engine.notation.typed_words import SEPARATOR, squashed


def verbs(game: AnyGame) -> frozenset[str]:
    """The words with which the moves of a game begin."""
    return frozenset(form.verb for form in _forms(game.key))


def why_no_name(name: str) -> str | None:
    """Why nobody should be called this where moves are typed; None if there is nothing against it.

    >>> why_no_name("2"), why_no_name("then"), why_no_name("alice")
    ('a number may mean a seat', 'it stands between two moves', None)
    """
    word = squashed(name)
    if word.isdigit():
        return "a number may mean a seat"
    if word == SEPARATOR:
        return "it stands between two moves"
    for key in games.keys():
        if word in _words(key):
            return f"moves are written with it in {games.load(key).rulebook.title}"
    return None


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(word for form in _forms(key) for word in form.words())


@cache
def _forms(key: str) -> tuple[Form, ...]:
    """The forms of a game just dealt, for every number of seats and every choice that its options offer."""
    game = games.load(key)
    found: list[Form] = []
    for seats, options in itertools.product(game.seats, _choices(game)):
        try:
            state = game.deal(seats, options, Chance(bytes(32))).state
        except OptionsRefused:
            continue
        found += game.forms(game.view(state, None))
    return tuple(dict.fromkeys(found))


def _choices(game: AnyGame) -> Iterator[Any]:
    """The usual options, and each other choice that one of them leaves."""
    yield game.options()
    for field, hint in get_type_hints(game.options).items():
        for value in get_args(hint) if get_origin(hint) is Literal else (True, False) if hint is bool else ():
            yield msgspec.structs.replace(game.options(), **{field: value})
