"""Writing a move, and reading what was typed as the one legal move that it means."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.errors import NotUnderstood
from engine.notation.form import Form, Said
from engine.notation.typed_words import SEPARATOR, spelled, squashed, words
from engine.notation.vocabulary import EndlessReadings

LONGEST_TEXT = 200
"""Nobody types a longer move; anything longer is not looked at."""
MOST_READINGS = 500
"""What could be read in more ways than this is not looked at further."""
_SEPARATORS = re.compile(rf"\s*[;\n]\s*|\s+{SEPARATOR}\s+", re.IGNORECASE)


def write(forms: Sequence[Form], move: Any) -> str:
    """The canonical text of a move."""
    return next(form for form in forms if form.move is type(move)).write(move)


def separated(text: str) -> list[str]:
    """The moves of a text: between them stands the word ``then``, a ``;`` or the end of a line, and never a comma.

    >>> separated("hire 5,3 0 then pass; done")
    ['hire 5,3 0', 'pass', 'done']
    """
    return [part for part in _SEPARATORS.split(text.strip()) if part]


def read(forms: Sequence[Form], text: str, legal: Sequence[Any], names: Sequence[str] = ()) -> Any:
    """The move that ``text`` means, or NotUnderstood with what was expected and the nearest legal moves.

    1. Every word is read as a word of one kind of move, in its place; printed words and numbers come before the names
       of players.
    2. A legal move that is said whole is meant.
    3. Otherwise the one legal move is that has all that was said; there may be no other.
    4. What is said whole but is not legal is returned all the same: the rules then say why it cannot be played.
    """
    if len(text) > LONGEST_TEXT:
        raise _not_understood(forms, "", legal, f"no move is longer than {LONGEST_TEXT} characters")
    typed = words(text)
    if not typed:
        raise _not_understood(forms, text, legal, "no move was given")
    # 1
    try:
        readings = _readings(forms, typed, ()) or _readings(forms, typed, names)
    except EndlessReadings:
        raise _not_understood(forms, text, legal, f"“{' '.join(text.split())}” could mean too many moves") from None
    whole = {move for form, said in readings if (move := form.whole(said)) is not None}
    for fitting in (
        # 2
        _in_full(forms, [move for move in legal if move in whole], typed),
        # 3
        [move for move in legal if any(_has(form, said, move) for form, said in readings)],
    ):
        if len(fitting) > 1:
            raise _not_understood(forms, text, fitting, f"“{' '.join(text.split())}” could mean several moves")
        if fitting:
            return fitting[0]
    # 4
    meant = _in_full(forms, list(whole), typed)
    if len(meant) == 1:
        return meant[0]
    raise _not_understood(forms, text, legal, f"“{' '.join(text.split())}” is not a move that can be made now")


def usage(forms: Sequence[Form], legal: Sequence[Any]) -> tuple[str, ...]:
    """How the kinds of move that are legal now are written."""
    kinds = {type(move) for move in legal}
    return tuple(form.usage for form in forms if form.move in kinds)


def _readings(forms: Sequence[Form], typed: tuple[str, ...], names: Sequence[str]) -> list[tuple[Form, Said]]:
    found = list(itertools.islice(_each_reading(forms, typed, names), MOST_READINGS + 1))
    if len(found) > MOST_READINGS:
        raise EndlessReadings
    return found


def _each_reading(forms: Sequence[Form], typed: tuple[str, ...], names: Sequence[str]) -> Iterator[tuple[Form, Said]]:
    for form, taken in spelled([(squashed(form.verb), form) for form in forms], typed):
        yield from ((form, said) for said in form.readings(typed[taken:], names))


def _has(form: Form, said: Said, move: Any) -> bool:
    return type(move) is form.move and all(getattr(move, field) == value for field, value in said.items())


def _in_full(forms: Sequence[Form], moves: list[Any], typed: tuple[str, ...]) -> list[Any]:
    """Those of the moves of which no word was cut short or called otherwise; if there are none, all of them."""
    return [move for move in moves if sorted(words(write(forms, move))) == sorted(typed)] or moves


def _not_understood(forms: Sequence[Form], text: str, legal: Sequence[Any], why: str) -> NotUnderstood:
    texts = [write(forms, move) for move in legal]
    typed = " ".join(words(text))
    close = difflib.get_close_matches(typed, texts, n=5, cutoff=0.4) if typed else []
    return NotUnderstood(why, expected=usage(forms, legal), nearest=close or texts[:5])
