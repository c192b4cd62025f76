"""Files damaged or made up byte by byte: always a fault, never an accepted change, never a crash or a hang."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.errors import RecordRejected
from engine.record.audit import LARGEST_RECORD, MOST_FAULTS, audit, entries
from engine.record.entry import LONGEST_LINE
from tests.attacks.forger import BASES, evening
from tests.engine.signed_games import a_shelf_of_games

TWO = "two"


def data() -> bytes:
    return evening(TWO).data


def lines() -> list[bytes]:
    return data().splitlines()


def joined(*parts: bytes) -> bytes:
    return b"".join(line + b"\n" for line in parts)


FILES: list[tuple[str, int | None, str, Callable[[], bytes]]] = [
    ("an empty file", None, "record/empty", lambda: b""),
    ("a line end", 0, "entry/not-json", lambda: b"\n"),
    ("garbage", 0, "entry/not-json", lambda: bytes(range(256)) * 4 + b"\n"),
    ("garbage that is not UTF-8", 0, "entry/not-utf8", lambda: bytes(range(255, -1, -1)) * 4),
    ("text", 0, "entry/not-json", lambda: b"Dear auditor,\nall is well.\n"),
    ("the last line end is missing", 44, "record/truncated", lambda: data()[:-1]),
    ("cut off within the last line", 44, "record/truncated", lambda: data()[:-100]),
    ("cut off within a line", 29, "record/truncated", lambda: joined(*lines()[:29]) + lines()[29][:50]),
    ("cut off within the first line", 0, "record/truncated", lambda: data()[:100]),
    ("a blank line at the end", 45, "entry/not-json", lambda: data() + b"\n"),
    ("a blank line in between", 10, "entry/not-json", lambda: joined(*lines()[:10], b"", *lines()[10:])),
    ("a space at the end", 45, "record/truncated", lambda: data() + b" "),
    ("a line of text at the end", 45, "entry/not-json", lambda: data() + b"gg wp\n"),
    ("carriage returns", 0, "entry/not-canonical", lambda: data().replace(b"\n", b"\r\n")),
    ("a byte order mark", 0, "entry/not-json", lambda: b"\xef\xbb\xbf" + data()),
    ("UTF-16", 0, "entry/not-utf8", lambda: data().decode().encode("utf-16")),
    ("a list of entries", 0, "entry/not-json", lambda: b"[" + data().replace(b"\n", b",\n") + b"]\n"),
    ("NUL bytes at the end", 45, "record/truncated", lambda: data() + bytes(512)),
    ("a hole of NUL bytes", 4, "entry/not-json", lambda: joined(*lines()[:4], bytes(600), *lines()[5:])),
    ("the close stands first", 0, "chain/sequence", lambda: joined(lines()[-1], *lines()[:-1])),
    ("backwards", 0, "chain/sequence", lambda: joined(*reversed(lines()))),
    ("a line too long", 1, "entry/too-long", lambda: joined(lines()[0], b"[" * (LONGEST_LINE + 1))),
    ("a line of 60 MB", 0, "entry/too-long", lambda: b"a" * 60_000_000 + b"\n"),
    ("a line of 60 MB without an end", 0, "record/truncated", lambda: b"a" * 60_000_000),
    ("a line of 100 MB", None, "record/too-large", lambda: b"a" * 100_000_000),
    ("nothing but line ends", 0, "entry/not-json", lambda: b"\n" * 50_000_000),
    ("nothing but brackets", 0, "entry/malformed", lambda: (b"[" * 16_000 + b"\n") * 200),
    ("members that stand twice", 0, "entry/duplicate-member", lambda: (b'{"a":1,"a":1}' + b"\n") * 200),
]


@pytest.mark.parametrize(("entry", "code", "file"), [pytest.param(*row[1:], id=row[0]) for row in FILES])
def test_a_damaged_file_is_found(entry: int | None, code: str, file: Callable[[], bytes]) -> None:
    found = audit(file())
    assert not found.valid
    assert (found.faults[0].entry, found.faults[0].code) == (entry, code)
    assert len(found.faults) <= MOST_FAULTS
    assert all(fault.message.isprintable() for fault in found.faults)


def test_the_largest_record_may_be_that_large() -> None:
    assert audit(bytes(LARGEST_RECORD)).faults[0].code != "record/too-large"
    assert audit(bytes(LARGEST_RECORD + 1)).faults[0].code == "record/too-large"


def test_after_a_damaged_line_the_rest_is_still_looked_at() -> None:
    """Two things wrong are two faults, and what merely follows from the first is not a third."""
    damaged = lines()
    damaged[10] = b"?" + damaged[10]
    damaged[20] = damaged[20].replace(b'"kind":"move"', b'"kind":"love"')
    found = audit(joined(*damaged))
    assert [(fault.entry, fault.code) for fault in found.faults] == [(10, "entry/not-json"), (20, "entry/unknown-kind")]
    assert found.entries == len(damaged)


def test_entries_are_read_up_to_the_first_bad_line() -> None:
    assert [sealed.line for sealed in entries(data())] == lines()
    with pytest.raises(RecordRejected) as refused:
        entries(joined(*lines()[:7], b"?"))
    assert (refused.value.entry, refused.value.code) == (7, "entry/not-json")


@st.composite
def mutations(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A valid record, and the same after a change of some bytes."""
    before = evening(draw(st.sampled_from(BASES))).data
    start = draw(st.integers(0, len(before) - 1))
    end = min(len(before), start + draw(st.integers(1, 40)))
    match draw(st.sampled_from(["replace", "bit", "digit", "insert", "delete", "swap", "double", "cut"])):
        case "replace":
            after = before[:start] + draw(st.binary(min_size=1, max_size=8)) + before[end:]
        case "bit":
            flipped = before[start] ^ (1 << draw(st.integers(0, 7)))
            after = before[:start] + bytes([flipped]) + before[start + 1 :]
        case "digit":
            after = before[:start] + draw(st.sampled_from([b"0", b"1", b"f", b"F", b"9"])) + before[start + 1 :]
        case "insert":
            after = before[:start] + draw(st.binary(min_size=1, max_size=8)) + before[start:]
        case "delete":
            after = before[:start] + before[end:]
        case "swap":
            other = draw(st.integers(0, len(before) - 1))
            (a, b), (c, d) = sorted([(start, end), (other, min(len(before), other + end - start))])
            assume(b <= c)
            after = before[:a] + before[c:d] + before[b:c] + before[a:b] + before[d:]
        case "double":
            after = before[:end] + before[start:]
        case _:
            after = before[:start]
    return before, after


@settings(max_examples=300)
@given(mutations())
def test_no_change_of_bytes_is_ever_accepted(mutation: tuple[bytes, bytes]) -> None:
    before, after = mutation
    with a_shelf_of_games():
        found = audit(after)
    assert found.valid == (before == after)
    assert bool(found.faults) == (before != after)


@settings(max_examples=100)
@given(base=st.sampled_from(BASES), data=st.data())
def test_no_order_of_lines_but_the_true_one_is_accepted(base: str, data: st.DataObject) -> None:
    record = [sealed.line for sealed in evening(base).record]
    shuffled = data.draw(st.lists(st.sampled_from(record), max_size=12) | st.permutations(record))
    with a_shelf_of_games():
        assert audit(joined(*shuffled)).valid == (shuffled == record)


@given(st.binary(max_size=2000) | st.lists(st.binary(max_size=50)).map(b"\n".join))
def test_an_audit_of_any_bytes_ends_and_says_no(data: bytes) -> None:
    found = audit(data)
    assert not found.valid
    assert found.faults
