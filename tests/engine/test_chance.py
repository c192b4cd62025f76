"""Seeded randomness: the published vectors, fairness, and that nothing but seed, entry and label matters."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.chance import Chance

SEED = bytes(range(32))


def test_a_die_with_the_zero_seed() -> None:
    chance = Chance(bytes(32))
    assert [chance.below(6, "die") for _ in range(8)] == [4, 2, 4, 4, 3, 3, 5, 3]


def test_whole_blocks() -> None:
    chance = Chance(SEED, 7)
    drawn = [chance.below(2**64, "x") for _ in range(3)]
    assert drawn == [15683514939656514840, 12020301186353434938, 5943065662595743495]


def test_rejection_sampling_takes_the_next_block_until_one_fits() -> None:
    """Just above half the span only numbers below the bound do: the first two blocks of the test above are refused."""
    chance = Chance(SEED, 7)
    drawn = [chance.below(2**63 + 1, "x") for _ in range(4)]
    assert drawn == [5943065662595743495, 8591102474647480847, 5579991905383615636, 5389738319252749245]


def test_shuffles() -> None:
    assert Chance(SEED, 7).shuffled(range(10), "deck") == (6, 3, 5, 8, 0, 4, 7, 2, 1, 9)
    shuffled = Chance(SEED).shuffled(range(60), "tokens")
    assert shuffled[:12] == (25, 36, 15, 0, 24, 27, 28, 22, 56, 23, 1, 59)


def test_other_draws() -> None:
    chance = Chance(SEED, 7)
    assert chance.below(10**9, "é") == 867772695
    assert (chance.roll("die"), chance.roll("die", 20), chance.pick("abcdef", "letter")) == (1, 3, "c")
    assert Chance(SEED, 2**64 - 1).below(1000, "x") == 917
    assert Chance(SEED, 0).below(1000, "") == 923


def by_the_document(seed: bytes, entry: int, label: str, bounds: list[int]) -> list[int]:
    """The algorithm once more, from docs/record-format.md alone, down to HMAC itself."""
    key = seed.ljust(64, b"\0")

    def hmac(message: bytes) -> bytes:
        inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
        return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()

    name = label.encode()
    start = b"poste-restante/chance/v1\n" + entry.to_bytes(8, "big") + len(name).to_bytes(2, "big") + name
    blocks = (int.from_bytes(hmac(start + counter.to_bytes(8, "big"))[:8], "big") for counter in itertools.count())
    return [next(block % bound for block in blocks if block < bound * (2**64 // bound)) for bound in bounds]


@given(
    seed=st.binary(min_size=32, max_size=32),
    entry=st.integers(0, 2**64 - 1),
    label=st.text(max_size=20),
    bounds=st.lists(st.integers(1, 2**64) | st.integers(1, 100), max_size=6),
)
def test_any_draw_is_the_one_of_the_document(seed: bytes, entry: int, label: str, bounds: list[int]) -> None:
    chance = Chance(seed, entry)
    assert [chance.below(bound, label) for bound in bounds] == by_the_document(seed, entry, label, bounds)


def test_labels_do_not_shift_each_other() -> None:
    alone = Chance(SEED, 3)
    plain = [alone.below(100, "a") for _ in range(5)]
    mixed = Chance(SEED, 3)
    drawn = []
    for _ in range(5):
        mixed.shuffled(range(9), "b")
        drawn.append(mixed.below(100, "a"))
    assert drawn == plain


def test_labels_and_entries_are_not_run_together() -> None:
    """The length of the label is part of the message, so no label with its counter looks like another."""
    seen = Counter(
        Chance(SEED, entry).below(2**64, label)
        for entry in (0, 1, 256, 2**63)
        for label in ("", "\0", "a", "aa", "a\0", "\0\0\0\0\0\0\0\0")
    )
    assert set(seen.values()) == {1}


def test_another_entry_starts_afresh() -> None:
    chance = Chance(SEED, 3)
    first = [chance.below(100, "a") for _ in range(5)]
    chance.at(4).below(100, "a")
    again = chance.at(3)
    assert [again.below(100, "a") for _ in range(5)] == first
    assert chance.entry == again.entry == 3


@pytest.mark.parametrize("bound", [0, -1, 2**64 + 1])
def test_bounds_that_cannot_be_drawn_below_are_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="cannot draw below"):
        Chance(SEED).below(bound, "x")


def test_nothing_cannot_be_picked_from() -> None:
    with pytest.raises(ValueError, match="cannot draw below 0"):
        Chance(SEED).pick([], "x")


def test_an_entry_number_and_a_label_have_room_in_their_fields() -> None:
    for entry in (-1, 2**64):
        with pytest.raises(OverflowError):
            Chance(SEED, entry)
    with pytest.raises(OverflowError):
        Chance(SEED).below(2, "x" * 65_536)


def test_shuffling_few_or_none() -> None:
    assert Chance(SEED).shuffled([], "x") == ()
    assert Chance(SEED).shuffled(["only"], "x") == ("only",)


@given(items=st.lists(st.integers(), max_size=40))
def test_a_shuffle_keeps_every_item(items: list[int]) -> None:
    assert Counter(Chance(SEED).shuffled(items, "x")) == Counter(items)


def chi_square(counts: Counter[object], outcomes: int) -> float:
    expected = counts.total() / outcomes
    return sum((count - expected) ** 2 for count in counts.values()) / expected + expected * (outcomes - len(counts))


@pytest.mark.parametrize(("sides", "limit"), [(2, 10.8), (6, 20.5), (7, 22.5), (100, 148.2)])
def test_every_number_is_as_likely_as_any_other(sides: int, limit: float) -> None:
    """Chi-square below the 99.9 % quantile, over fixed seeds: it holds for ever or never."""
    chance = Chance(SEED, sides)
    counts: Counter[object] = Counter(chance.below(sides, "fair") for _ in range(20_000))
    assert chi_square(counts, sides) < limit


def test_every_order_is_as_likely_as_any_other() -> None:
    counts: Counter[object] = Counter(Chance(SEED, entry).shuffled("abcd", "fair") for entry in range(12_000))
    assert chi_square(counts, 24) < 49.7


def test_a_bound_that_a_plain_remainder_would_favour_is_fair() -> None:
    """Below 3 * 2^62 a plain remainder would give the lower third twice as often."""
    chance = Chance(SEED, 1)
    counts: Counter[object] = Counter(chance.below(3 * 2**62, "fair") // 2**62 for _ in range(6_000))
    assert chi_square(counts, 3) < 13.8
