"""The values a field of a move may take, and the words they are written with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from engine.notation.typed_words import SEPARATOR, spelled, squashed, words

Meanings: TypeAlias = list[tuple[Any, int]]
"""Values that the first words typed may mean, each with the number of words that it takes."""
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
MOST_LISTS = 500
"""What could be read as more lists than this is not looked at further."""


class EndlessReadings(Exception):
    """The words run into each other so that they could be read in endless ways."""


class Words:
    """The values a field may take and the word for each; ``also`` are further spellings that are understood.

    With ``seats`` the values are seats, which may then be called by their players' names where that is no word here.
    """

    def __init__(
        self,
        values: Mapping[Any, str],
        also: Mapping[str, Hashable] | None = None,
        *,
        hint: str = "",
        seats: bool = False,
    ) -> None:
        self.values = dict(values)
        self.hint = hint
        self.seats = seats
        spellings = [(squashed(word), value) for value, word in self.values.items()]
        spellings += [(squashed(word), value) for word, value in (also or {}).items()]
        self._spellings = list(dict.fromkeys(spellings))
        times = Counter(spelling for spelling, _ in self._spellings)
        if unclear := [spelling for spelling in times if times[spelling] > 1 or not spelling]:
            raise ValueError(f"one word for two values, or none for one: {', '.join(unclear)}")
        if any(SEPARATOR in words(word) for word in self.values.values()):
            raise ValueError(f"“{SEPARATOR}” stands between two moves, and so in none")

    def write(self, value: Any) -> str:
        """The word for this value."""
        return str(self.values[value])

    def meanings(self, typed: tuple[str, ...], names: Sequence[str]) -> Meanings:
        """What the first words typed may mean; a player's name is looked at where they are no word of the game."""
        printed = spelled(self._spellings, typed)
        if printed or not self.seats:
            return printed
        called = [(squashed(name), seat) for seat, name in enumerate(names) if seat in self.values]
        return spelled([(name, seat) for name, seat in called if not name.isdigit()], typed)

    def spellings(self) -> Iterator[str]:
        """Every word that is understood here, squashed."""
        return (spelling for spelling, _ in self._spellings)


class Number:
    """A whole number; typed numbers are ``shift`` more than the field's (slots are counted from 1 by people)."""

    def __init__(self, shift: int = 0, *, hint: str = "") -> None:
        self.shift = shift
        self.hint = hint

    def write(self, value: int) -> str:
        """The number as people count."""
        return str(value + self.shift)

    def meanings(self, typed: tuple[str, ...], names: Sequence[str]) -> Meanings:  # noqa: ARG002 - the shape of Words
        """The number that the first word typed is."""
        return [(int(typed[0]) - self.shift, 1)] if typed and _NUMBER.fullmatch(typed[0]) else []

    def spellings(self) -> Iterator[str]:
        """Numbers are no words."""
        return iter(())


class Several:
    """A field that holds one or more values, written one after the other.

    With ``order`` they have one order in which they are written, and may be typed in any.
    """

    def __init__(self, each: Words | Number, order: Callable[[Any], int] | None = None) -> None:
        self.each = each
        self.order = order
        self.hint = each.hint

    def write(self, values: Sequence[Any]) -> str:
        """The words one after the other."""
        return " ".join(self.each.write(value) for value in values)

    def meanings(self, typed: tuple[str, ...], names: Sequence[str]) -> Meanings:
        """The lists that the first words typed may mean; raises EndlessReadings."""
        found: dict[tuple[Any, int], None] = {}
        longest: list[tuple[tuple[Any, ...], int]] = [((), 0)]
        while longest:
            before, start = longest.pop()
            for value, taken in self.each.meanings(typed[start:], names):
                values = (*before, value)
                longer = (tuple(sorted(values, key=self.order)) if self.order else values, start + taken)
                if longer not in found:
                    found[longer] = None
                    longest.append(longer)
            if len(found) > MOST_LISTS:
                raise EndlessReadings
        return list(found)

    def spellings(self) -> Iterator[str]:
        """Every word that is understood here, squashed."""
        return self.each.spellings()


Vocabulary: TypeAlias = Words | Number | Several
