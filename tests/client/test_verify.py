"""What the client holds against a log, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from client.trust.log_verification import Trust, Unverified, check_receipts, difference, extension
from client.trust.table_clock import timing
from client.trust.table_memory import (
    Damaged,
    HeldByServer,
    Memory,
    Own,
    Receipted,
    SeenView,
    SignedHere,
)
from engine import games
from engine.errors import RecordRejected
from engine.game import Seat
from engine.record.chain import Chain, follow
from engine.record.entry import Bank, Clock, PerDecision, Play, Sealed, Sit, seal
from tests.engine.signed_games import Evening, a_shelf_of_games

BANK = Bank(start=86400, refill=600, most=86400)
GIVEN = "2026-11-18T06:50:00.000Z"


@pytest.fixture(scope="module")
def evening() -> Evening:
    return Evening("client", games.load("paris-paris"), 2).play(6)


def trust(evening: Evening, own: list[Own] | None = None, seat: int = 0) -> Trust:
    signed = signatures(evening, seat) if own is None else own
    return Trust(evening.id, evening.server.public, evening.keys[seat].public, signed)


def signatures(evening: Evening, seat: int) -> list[Own]:
    """Everything a seat signed, as its player remembers it."""
    return [signed(sealed.entry) for sealed in evening.record if getattr(sealed.entry, "seat", None) == seat]


def signed(entry: Any) -> SignedHere:
    if isinstance(entry, Sit):
        return SignedHere("sit", entry.signature, entry.seat, entry.prev)
    return SignedHere("move", entry.signature, entry.seat, entry.base, entry.move)


def lines(evening: Evening) -> list[bytes]:
    return written(evening.record)


def written(record: Sequence[Sealed]) -> list[bytes]:
    return [sealed.line for sealed in record]


def chain_of(record: list[Sealed]) -> Chain:
    chain = Chain()
    for sealed in record:
        chain = follow(chain, sealed)
    return chain


def code_of(evening: Evening, received: list[bytes], trusted: Trust, seen: int = 0) -> str:
    overlap = evening.record[seen - 1] if seen else None
    with pytest.raises(Unverified) as caught:
        extension(chain_of(evening.record[:seen]), overlap, received, trusted)
    return caught.value.code


@pytest.mark.parametrize("seen", [0, 1, 5, 10])
def test_an_honest_log_is_taken_from_wherever_it_was_left(evening: Evening, seen: int) -> None:
    overlap = evening.record[seen - 1] if seen else None
    new = extension(chain_of(evening.record[:seen]), overlap, lines(evening)[max(seen - 1, 0) :], trust(evening))
    assert written(new) == lines(evening)[seen:]


def test_a_log_that_is_empty_or_ends_too_soon(evening: Evening) -> None:
    assert code_of(evening, [], trust(evening)) == "log/empty"
    assert code_of(evening, [], trust(evening), seen=5) == "log/shorter"
    assert code_of(evening, lines(evening)[5:], trust(evening), seen=5) == "log/rewritten"


def test_another_table_and_another_key(evening: Evening) -> None:
    trusted = trust(evening)
    other = msgspec.structs.replace(trusted, table="0" * 32)
    assert code_of(evening, lines(evening), other) == "table/other"
    other = msgspec.structs.replace(trusted, server=evening.keys[1].public)
    assert code_of(evening, lines(evening), other) == "server/key"


def test_a_move_of_mine_that_i_never_signed(evening: Evening) -> None:
    own = signatures(evening, 0)
    assert code_of(evening, lines(evening), trust(evening, own[:-1])) == "own/unsigned"
    assert code_of(evening, lines(evening)[4:], trust(evening, []), seen=5) == "own/unsigned"


def test_a_machine_that_meets_the_table_for_the_first_time_takes_what_the_key_signed(evening: Evening) -> None:
    assert len(extension(Chain(), None, lines(evening), trust(evening, []))) == len(evening.record)


class Answered:
    """Two answers to one decision, of which the second stands in the log."""

    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.entry = next(sealed.entry for sealed in evening.record if isinstance(sealed.entry, Play))
        self.rest = [own for own in signatures(evening, 0) if own != signed(self.entry)]
        self.in_log = signed(self.entry)
        self.other = SignedHere("move", "ab" * 64, self.entry.seat, self.entry.base, {"do": "other"})

    def verified(self, *own: Own) -> bool:
        seat = self.entry.seat
        rest = [each for each in signatures(self.evening, seat) if each != self.in_log]
        try:
            extension(Chain(), None, lines(self.evening), trust(self.evening, [*rest, *own], seat))
        except Unverified as caught:
            if caught.code != "own/superseded":
                raise
            return False
        return True


def test_of_several_sealed_answers_the_last_acknowledged_one_counts(evening: Evening) -> None:
    table = Answered(evening)
    mine, other = table.in_log, table.other
    held, other_held = HeldByServer(mine.signature), HeldByServer(other.signature)
    assert table.verified(other, other_held, mine, held)
    assert table.verified(mine, held, other), "the other one may never have arrived"
    assert table.verified(other, mine), "neither was acknowledged"
    assert not table.verified(mine, held, other, other_held)
    assert not table.verified(mine, other, other_held)
    assert table.verified(mine, held, other, other_held, mine), "taken back, and it may have arrived"
    assert table.verified(mine, held, other, other_held, mine, held)


def held_and_opened(clock: Clock | None, given: bool) -> Evening:
    """Seat 0 has given a sealed answer at 06:50, which is opened at 09:50."""
    with a_shelf_of_games():
        evening = Evening("held", games.load("odds-and-evens"), 2, clock=clock)
    evening.moment = datetime(2026, 11, 18, 9, 50, tzinfo=UTC)
    return evening.move(0, evening.game.legal(evening.table.playing.state, Seat(0))[0], given=GIVEN if given else None)


@pytest.mark.parametrize(
    ("clock", "given", "held", "believed"),
    [
        (BANK, True, [GIVEN], True),
        (BANK, True, ["2026-11-18T06:40:00.000Z"], True),  # a clock may be ten minutes behind
        (BANK, True, ["2026-11-18T06:39:59.999Z"], False),
        (BANK, True, ["2026-11-18T06:30:00.000Z", GIVEN], True),  # taken back, or sent again
        (BANK, True, ["2026-11-18T08:00:00.000Z"], True),  # nobody complains of being charged too little
        (BANK, True, [None], True),
        (BANK, True, [], True),
        (BANK, False, [GIVEN], False),
        (BANK, False, ["2026-11-18T09:41:00.000Z"], True),
        (PerDecision(seconds=3600), False, [GIVEN], True),
        (None, False, [GIVEN], True),
    ],
)
def test_an_account_is_not_charged_for_longer_than_until_the_answer_was_held(
    clock: Clock | None, given: bool, held: list[str | None], believed: bool
) -> None:
    evening = held_and_opened(clock, given)
    answer = signed(evening.record[-1].entry)
    own = [*signatures(evening, 0), *(HeldByServer(answer.signature, at) for at in held)]
    if believed:
        assert len(extension(Chain(), None, lines(evening), trust(evening, own))) == len(evening.record)
    else:
        assert code_of(evening, lines(evening), trust(evening, own)) == "own/given"


def test_what_is_said_of_when_an_answer_was_given_is_held_against_the_log() -> None:
    evening = held_and_opened(BANK, given=True)
    entry = evening.record[-1].entry
    late, early = (
        [*evening.record[:-1], seal(msgspec.structs.replace(entry, given=given), evening.server)]
        for given in (entry.at, "2026-11-18T06:40:02.999Z")
    )
    assert code_of(evening, written(late), trust(evening)) == "move/given"
    with pytest.raises(RecordRejected, match="but asked for at 2026-11-18T06:40:03") as refused:
        timing(early)
    assert refused.value.code == "move/given"


def test_a_receipt_must_be_found_in_the_log(evening: Evening) -> None:
    receipt = Receipted(evening.record[6].line.decode())
    check_receipts(evening.record, [receipt])
    with pytest.raises(Unverified, match="receipt/withheld"):
        check_receipts(evening.record[:6], [receipt])
    with pytest.raises(Unverified, match="receipt/contradicted"):
        check_receipts([*evening.record[:6], evening.record[7]], [receipt])


def test_where_two_logs_part(evening: Evening) -> None:
    told = lines(evening)
    assert difference(evening.record, told, evening.server.public) is None
    shorter = difference(evening.record, told[:4], evening.server.public)
    assert shorter is not None
    assert (shorter.code, shorter.entry) == ("log/shorter", 4)
    rewritten = difference(evening.record, [told[0], b"?"], evening.server.public)
    assert rewritten is not None
    assert (rewritten.code, rewritten.entry) == ("log/rewritten", 1)


def test_memory_keeps_what_it_is_given(tmp_path: Path, evening: Evening) -> None:
    memory = Memory(tmp_path / evening.id)
    memory.begin("http://server")
    memory.append(evening.record[:4])
    memory.append([])
    memory.remember(signed(evening.record[1].entry))
    memory.remember(signed(evening.record[1].entry))
    memory.remember(HeldByServer("ab" * 64))
    memory.remember_view(SeenView(3, 0, msgspec.Raw(b"{}"), {}))
    memory.remember_view(SeenView(3, 0, msgspec.Raw(b"{}"), {}))
    other = Memory(tmp_path / evening.id)
    assert written(other.log) == lines(evening)[:4]
    assert other.chain.head == chain_of(evening.record[:4]).head
    assert other.server == "http://server"
    assert len(other.own()) == 2, "the same thing twice in a row is one thing"
    assert [seen.seq for seen in other.views()] == [3]
    memory.append(evening.record[4:])
    assert written(other.log) == lines(evening), "what another process adds is seen"


@pytest.mark.parametrize("cut", [1, 100, 300])
def test_memory_forgets_a_torn_line_and_goes_on(tmp_path: Path, evening: Evening, cut: int) -> None:
    folder = tmp_path / evening.id
    Memory(folder).append(evening.record[:5])
    path = folder / "log.poste"
    path.write_bytes(path.read_bytes()[:-cut])
    memory = Memory(folder)
    assert written(memory.log) == lines(evening)[:4]
    memory.append(evening.record[4:])
    assert written(Memory(folder).log) == lines(evening)


@pytest.mark.parametrize("file", ["log.poste", "own.jsonl", "views.jsonl"])
def test_damage_to_the_memory_is_said(tmp_path: Path, evening: Evening, file: str) -> None:
    memory = Memory(tmp_path / evening.id)
    memory.append(evening.record[:3])
    (memory.folder / file).write_bytes(b"nonsense\n")
    with pytest.raises(Damaged, match="damaged"):
        _ = (Memory(memory.folder).log, memory.own(), memory.views())


def test_a_line_taken_out_of_the_memory_is_noticed(tmp_path: Path, evening: Evening) -> None:
    memory = Memory(tmp_path / evening.id)
    memory.append([evening.record[0], *evening.record[2:4]])
    with pytest.raises(Damaged, match="damaged"):
        _ = Memory(memory.folder).log
