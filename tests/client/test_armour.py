"""A signed move as a block of text: what is written is read, and nothing else is."""

from __future__ import annotations

import base64
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RecordRejected
from engine.keys import SigningKey
from engine.record import armour
from engine.record.armour import BEGIN, END, SignedMove
from engine.record.canonical import canonical
from engine.record.entry import move_message

KEY = SigningKey(bytes(32))
TABLE, BASE = "7f3a" * 8, "ab" * 32


def a_move(text: str = "louvre", seat: int = 0) -> SignedMove:
    move = {"do": "take", "station": text}
    return SignedMove(TABLE, BASE, seat, move, KEY.sign(move_message(TABLE, BASE, seat, move)))


def test_a_move_comes_back_as_it_was_signed() -> None:
    block = armour.write(a_move())
    assert max(map(len, block.splitlines())) <= 64
    assert block.isascii()
    (read,) = armour.read(block)
    assert read == a_move()
    assert read.signed_by(KEY.public)
    assert not read.signed_by(SigningKey(b"1" * 32).public)


@given(st.text(max_size=300), st.integers(0, 99))
def test_whatever_a_move_says_it_comes_back(text: str, seat: int) -> None:
    assert armour.read(armour.write(a_move(text, seat))) == [a_move(text, seat)]


def test_what_stands_around_a_block_does_not_matter() -> None:
    block = "".join(f"  {line} \r\n" for line in armour.write(a_move()).splitlines())
    letter = f"Dear Bob,\r\n\r\nmy move:\r\n\r\n{block}\r\nYours, Alice\r\n"
    assert armour.read(letter) == [a_move()]


def test_several_blocks_are_read_in_order_and_a_quoted_one_is_none() -> None:
    quoted = "".join(f"> {line}\n" for line in armour.write(a_move("opera")).splitlines())
    letter = armour.write(a_move("louvre")) + quoted + armour.write(a_move("nation"))
    assert armour.read(letter) == [a_move("louvre"), a_move("nation")]


def block_of(data: bytes) -> str:
    return f"{BEGIN}\n{base64.b64encode(data).decode()}\n{END}\n"


SPECIMENS = {
    "armour/none": "no move at all",
    "armour/too-long": "x" * (armour.LONGEST_TEXT + 1),
    "armour/too-many": armour.write(a_move()) * (armour.MOST_BLOCKS + 1),
}
BROKEN = {
    "no end": armour.write(a_move()).replace(END, ""),
    "begins twice": f"{BEGIN}\n{armour.write(a_move())}",
    "not base64": f"{BEGIN}\n{{}}\n{END}",
    "not ascii": f"{BEGIN}\néé\n{END}",
    "not json": block_of(b"what?"),
    "unknown member": block_of(canonical(a_move()).replace(b'{"base"', b'{"also":1,"base"')),
    "spaces": block_of(canonical(a_move()).replace(b",", b", ")),
    "duplicate member": block_of(canonical(a_move()).replace(b'"seat":0', b'"seat":0,"seat":0')),
    "a float": block_of(canonical(a_move()).replace(b'"seat":0', b'"seat":0.0')),
    "deep": block_of(b"[" * 5000),
}


@pytest.mark.parametrize("code", SPECIMENS)
def test_a_text_that_cannot_be_a_letter_is_refused(code: str) -> None:
    with pytest.raises(RecordRejected) as refused:
        armour.read(SPECIMENS[code])
    assert refused.value.code == code


@pytest.mark.parametrize("name", BROKEN)
def test_a_damaged_block_is_refused(name: str) -> None:
    with pytest.raises(RecordRejected) as refused:
        armour.read(BROKEN[name])
    assert refused.value.code == "armour/broken"


def test_a_block_that_is_too_long_is_refused() -> None:
    with pytest.raises(RecordRejected) as refused:
        armour.read(f"{BEGIN}\n{'A' * (armour.LONGEST_BLOCK + 4)}\n{END}")
    assert refused.value.code == "armour/too-long"


def test_a_move_holds_plain_values_only() -> None:
    data = canonical(a_move()).replace(b'"louvre"', b"1.5")
    with pytest.raises(RecordRejected) as refused:
        armour.read(block_of(data))
    assert refused.value.code == "entry/malformed"


def test_reading_takes_time_in_proportion_to_the_text() -> None:
    hostile = [(f"{BEGIN} \n" * 9000)[: armour.LONGEST_TEXT], "-" * armour.LONGEST_TEXT, "\n" * armour.LONGEST_TEXT]
    for text in hostile:
        began = time.perf_counter()
        with pytest.raises(RecordRejected):
            armour.read(text)
        assert time.perf_counter() - began < 1
