"""Words as they are typed: what does not count is taken away, and what is left is held against printed spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

V = TypeVar("V")

SEPARATOR = "then"
"""What stands between two moves, beside ``;`` and the end of a line; so it is no word of a move."""

# A sign before a number belongs to it: nobody who types -5 means 5.
_WORD = re.compile(r"(?<!\S)[-+\u2010-\u2015\u2212]\d[^\W_]*|[^\W_]+")


def words(text: str) -> tuple[str, ...]:
    """The words of a text without case, accents and punctuation.

    >>> words("Take: Hôtel-de-Ville/red!"), words("hire 5,3 -1")
    (('take', 'hotel', 'de', 'ville', 'red'), ('hire', '5', '3', '-1'))
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return tuple(_WORD.findall(plain))


@lru_cache(maxsize=4096)
def squashed(text: str) -> str:
    """Letters and digits only, without case and accents."""
    return "".join(words(text))


def spelled(spellings: Iterable[tuple[str, V]], typed: tuple[str, ...]) -> list[tuple[V, int]]:
    """What the first words typed may mean, each with the number of words that it takes.

    A word may have been typed with gaps, or cut short. What is spelled in full is nothing else's beginning: ``rice``
    never means ``rice-wine``, as ``rice-w`` does. A number is neither cut short nor put together: neither ``D1`` nor
    ``D 1 0`` means ``D10``.
    """
    full: dict[tuple[V, int], None] = {}
    begun: dict[tuple[V, int], None] = {}
    left, run = list(spellings), ""
    for taken, word in enumerate(typed, 1):
        if run[-1:].isdigit() and word[0].isdigit():
            break
        run += word
        left = [(spelling, value) for spelling, value in left if spelling.startswith(run)]
        if not left:
            break
        for spelling, value in left:
            if spelling == run:
                full[value, taken] = None
            elif not run.isdigit() and not (run[-1].isdigit() and spelling[len(run)].isdigit()):
                begun[value, taken] = None
    longest = max((taken for _, taken in full), default=0)
    return [*full, *(meaning for meaning in begun if meaning[1] > longest)]
