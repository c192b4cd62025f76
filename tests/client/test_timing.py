"""Time as the client reckons it: from the log alone, and the same as whoever wrote it."""

from __future__ import annotations

import msgspec
import pytest

from client.trust.table_clock import asked_since, timing
from engine.errors import RecordRejected
from engine.record.entry import Abandon, Bank, Clock, PerDecision, Play, Sealed, Timeout, Timestamp, seal
from tests.client.clocked_tables import DAY, VACATION, asked, clocked
from tests.engine.signed_games import Evening

CLOCKS: dict[str, Clock] = {
    "per decision": PerDecision(seconds=3 * DAY),
    "weekends off": PerDecision(seconds=3 * DAY, weekends_off=True),
    "bank": Bank(start=DAY, refill=600, most=DAY),
    "bank with days off": Bank(start=DAY, refill=600, most=2 * DAY, weekends_off=True, vacation=30),
}


def due(evening: Evening) -> dict[int, Timestamp]:
    """What the client makes of it."""
    found = timing(evening.record)
    assert found is not None
    return {seat: found.due(seat, asked.since) for seat, asked in evening.table.playing.asked.items()}


def told(evening: Evening) -> dict[int, Timestamp | None]:
    """What the engine knew when it wrote the log."""
    return {seat: evening.table.playing.due(seat) for seat in evening.table.playing.asked}


def resealed(evening: Evening, entry: Play | Timeout | Abandon) -> list[Sealed]:
    """The log with another last entry."""
    return [*evening.record[:-1], seal(entry, evening.server)]


@pytest.mark.parametrize("name", CLOCKS)
def test_the_time_left_is_what_the_clerk_reckoned(name: str) -> None:
    evening = clocked(name, CLOCKS[name])
    for pause in (0, 3600, 0.3 * DAY, 7):
        evening.wait(pause)
        evening.play(1)
        assert due(evening) == told(evening)
    if CLOCKS[name].vacation:
        evening.days_off(asked(evening), 2)
        assert due(evening) == told(evening)
        evening.wait(DAY)
        evening.back(asked(evening))
        assert due(evening) == told(evening)
    evening.wait(6 * DAY)
    evening.timeout()
    assert due(evening) == told(evening)


@pytest.mark.parametrize("name", CLOCKS)
def test_after_a_correction_all_time_begins_anew(name: str) -> None:
    evening = clocked(name, CLOCKS[name]).play(3)
    evening.wait(30 * DAY).timeout().wait(-30 * DAY).correct()
    assert due(evening) == told(evening)
    for question in evening.table.playing.asked.values():
        assert asked_since(evening.record, question.base) == question.since == evening.record[-1].entry.at
    evening.play(2)
    assert due(evening) == told(evening)
    newest = next(iter(evening.table.playing.asked.values()))
    assert asked_since(evening.record, newest.base) == newest.since
    assert asked_since(evening.record, "ab" * 32) is None
    evening.wait(6 * DAY).timeout()
    assert due(evening) == told(evening)


def test_a_timeout_after_a_correction_that_comes_too_early_is_found() -> None:
    evening = clocked("early", PerDecision(seconds=3 * DAY)).wait(2 * DAY)
    evening.wait(3 * DAY).timeout().wait(-4 * DAY).correct().wait(3 * DAY).timeout()
    timeout = evening.record[-1].entry
    assert isinstance(timeout, Timeout)
    early = msgspec.structs.replace(timeout, at=evening.later(seconds=-3600))
    with pytest.raises(RecordRejected, match="is up at") as found:
        timing(resealed(evening, early))
    assert found.value.code == "timeout/early"


def test_a_table_without_a_clock_has_no_time() -> None:
    assert timing(clocked("none", None).record) is None
    assert timing(clocked("begun", VACATION).record[:2]) is None


def test_days_off_move_the_deadline() -> None:
    evening = clocked("days off", VACATION)
    seat = asked(evening)
    before = due(evening)[seat]
    evening.days_off(seat, 2)
    assert due(evening)[seat] > before
    found = timing(evening.record)
    assert found is not None
    absence = found.absence(seat, evening.now)
    assert absence is not None
    assert absence.ends[:10] == "2026-11-20"
    assert found.absence(1 - seat, evening.now) is None
    assert found.absence(seat, evening.later(days=3)) is None


def test_bots_and_votes_follow_from_the_log() -> None:
    bot = clocked("bots", PerDecision(seconds=60, strikes=1))
    late = asked(bot)
    bot.wait(60).timeout()
    found = timing(bot.record)
    assert found is not None
    assert found.bots == {late}
    assert not found.voters
    vote = clocked("votes", PerDecision(seconds=60, strikes=1, then="vote"))
    late = asked(vote)
    vote.wait(60).timeout()
    found = timing(vote.record)
    assert found is not None
    assert not found.bots
    assert found.voters == {1 - late}
    vote.vote(1 - late, "abandon").abandon("voted")
    assert timing(vote.record) is not None


def refused(log: list[Sealed]) -> str:
    with pytest.raises(RecordRejected) as found:
        timing(log)
    return found.value.code


def test_a_timeout_that_is_called_too_early() -> None:
    evening = clocked("early", PerDecision(seconds=60))
    evening.wait(60).timeout()
    timeout = evening.record[-1].entry
    assert isinstance(timeout, Timeout)
    early = msgspec.structs.replace(timeout, at=evening.record[-2].entry.at)
    assert refused(resealed(evening, early)) == "timeout/early"
    assert refused(resealed(evening, msgspec.structs.replace(timeout, why="bot"))) == "timeout/reason"
    assert refused(resealed(evening, msgspec.structs.replace(timeout, base="0" * 64))) == "move/stale"


def test_what_needs_a_clock_where_there_is_none() -> None:
    away = clocked("clockless", VACATION).days_off(0, 1)
    bare = clocked("clockless", None)
    assert refused([*bare.record, away.record[-1]]) == "clock/none"
    evening = clocked("clockless", PerDecision(seconds=60))
    evening.wait(60).timeout()
    assert refused([*bare.record, evening.record[-1]]) == "timeout/no-clock"


def test_more_days_off_than_there_are() -> None:
    away = clocked("too long", VACATION).days_off(0, 20)
    short = clocked("too long", PerDecision(seconds=3 * DAY, vacation=1))
    assert refused([*short.record, away.record[-1]]) == "away/too-long"


@pytest.mark.parametrize("why", ["idle", "voted"])
def test_a_table_abandoned_without_reason(why: str) -> None:
    evening = clocked("abandoned", PerDecision(seconds=60, strikes=1, then="vote"))
    evening.play(2)
    last = evening.record[-1]
    given = {"table": evening.id, "seq": last.entry.seq + 1, "prev": last.hash, "at": last.entry.at, "kind": "abandon"}
    entry = msgspec.convert({**given, "why": why, "state": "0" * 64}, Abandon)
    assert refused([*evening.record, seal(entry, evening.server)]) == "abandon/reason"
