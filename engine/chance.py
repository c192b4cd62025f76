r"""Seeded randomness: the same on every machine and every Python, for ever.

A draw depends on the seed, the number of the entry it happens in, its label, and how many draws that label has already
had within that entry; nothing else. So adding a draw never shifts another, and nothing has to be carried along.

The algorithm, precise enough to be written again elsewhere (test vectors: docs/record-format.md)::

    block(label, counter) = HMAC-SHA-256(seed, "poste-restante/chance/v1\n" || u64(entry) || u16(len(label)) || label
                                               || u64(counter))
    below(bound, label)   = the first 8 bytes of the label's next block as a big-endian number x; while
                            x >= bound * floor(2^64 / bound) take the next block; x mod bound
    shuffled(items)       = Fisher-Yates from the end: for i = n-1 .. 1 swap items i and below(i + 1)
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

_TAG = b"poste-restante/chance/v1\n"
_SPAN = 1 << 64


class Chance:
    """The draws of one entry. Make a new one (or :meth:`at`) for each ``deal`` or ``play``.

    >>> chance = Chance(bytes(32), entry=3)
    >>> chance.shuffled("abcde", "letters")
    ('b', 'a', 'c', 'd', 'e')
    >>> chance.at(3).shuffled("abcde", "letters")
    ('b', 'a', 'c', 'd', 'e')
    """

    __slots__ = ("_counters", "_prefix", "_seed", "entry")

    def __init__(self, seed: bytes, entry: int = 0) -> None:
        self._seed = seed
        self.entry = entry
        self._prefix = _TAG + entry.to_bytes(8, "big")
        self._counters: dict[str, int] = {}

    def at(self, entry: int) -> Chance:
        """The draws of another entry under the same seed."""
        return Chance(self._seed, entry)

    def below(self, bound: int, label: str) -> int:
        """A number from 0 to ``bound - 1``, every one as likely as any other."""
        if not 1 <= bound <= _SPAN:
            raise ValueError(f"cannot draw below {bound}")
        limit = _SPAN - _SPAN % bound
        name = label.encode()
        prefix = self._prefix + len(name).to_bytes(2, "big") + name
        counter = self._counters.get(label, 0)
        while True:
            block = hmac.digest(self._seed, prefix + counter.to_bytes(8, "big"), "sha256")
            counter += 1
            drawn = int.from_bytes(block[:8], "big")
            if drawn < limit:
                self._counters[label] = counter
                return drawn % bound

    def shuffled(self, items: Iterable[T], label: str) -> tuple[T, ...]:
        """The items in a random order."""
        deck = list(items)
        for last in range(len(deck) - 1, 0, -1):
            other = self.below(last + 1, label)
            deck[last], deck[other] = deck[other], deck[last]
        return tuple(deck)

    def pick(self, items: Sequence[T], label: str) -> T:
        """One of the items; ``pick(range(n), label)`` draws an index."""
        return items[self.below(len(items), label)]

    def roll(self, label: str, sides: int = 6) -> int:
        """A die: 1 to ``sides``."""
        return self.below(sides, label) + 1
