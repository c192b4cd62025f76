"""Canonical JSON: for every value that an entry may hold the same as a general RFC 8785 library writes."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RecordRejected
from engine.record.canonical import DEEPEST, LARGEST_NUMBER, canonical, plain

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
NAMES = st.text(alphabet=st.characters(max_codepoint=127))
SCALARS = st.none() | st.booleans() | st.integers(-LARGEST_NUMBER, LARGEST_NUMBER) | TEXT
PLAIN = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner), max_leaves=30)


@given(PLAIN)
def test_canonical_is_rfc8785(value: Any) -> None:
    plain(value)
    assert canonical(value) == rfc8785.dumps(value)


def test_every_character_is_written_as_rfc8785_says() -> None:
    everything = "".join(chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000) + "\U0001f600\U0010ffff"
    assert canonical(everything) == rfc8785.dumps(everything)


def test_members_are_sorted_and_nothing_is_spaced() -> None:
    assert (
        canonical({"b": [1, True, None], "B": {}, "a": "é\n\x01"})
        == b'{"B":{},"a":"\xc3\xa9\\n\\u0001","b":[1,true,null]}'
    )


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(1.0, id="a fraction"),
        pytest.param(float("nan"), id="not a number"),
        pytest.param(2**53, id="too large"),
        pytest.param(-(2**53), id="too small"),
        pytest.param(10**400, id="far too large"),
        pytest.param({"é": 1}, id="a name that is not ASCII"),
        pytest.param({1: 1}, id="a name that is no text"),
        pytest.param({"a": [{"b": 0.5}]}, id="a fraction deep inside"),
        pytest.param(b"bytes", id="bytes"),
        pytest.param({1, 2}, id="a set"),
        pytest.param(object(), id="an object"),
    ],
)
def test_what_no_entry_may_hold_is_refused(value: Any) -> None:
    with pytest.raises(RecordRejected) as refused:
        plain(value)
    assert refused.value.code == "entry/malformed"


def nested(depth: int, kind: type) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value] if kind is list else {"a": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
def test_nesting_has_a_limit_of_its_own(kind: type) -> None:
    plain(nested(DEEPEST, kind))
    for depth in (DEEPEST + 1, 500, 50_000):
        with pytest.raises(RecordRejected, match="nested"):
            plain(nested(depth, kind))
