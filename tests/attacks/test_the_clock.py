"""What the server can do with the clock and with seats that are given up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from engine.record.entry import Play, Resign, Sit, Timeout, instant, timestamp
from tests.attacks.forger import Forge, Forger, Forgery

forgery = Forgery()


def time_out(forger: Forger, number: int, at: str, **members: Any) -> int:
    """The entry becomes a timeout of its seat at this time, and the game is closed early after it."""
    entry, position = forger.entry(number, Play), forger.position(number - 1)
    fallback = msgspec.to_builtins(position.game.fallback(position.state, min(position.asked)))
    said: dict[str, Any] = {"seat": entry.seat, "base": entry.base, "move": fallback, "why": "deadline"} | members
    common = forger.common(number) | {"at": at}
    del forger.lines[number:-1]
    forger.put(number, Timeout(**common, **said, state="ab" * 32))
    forger.reseal(number)
    return number


@forgery("clocked", "timeout/early")
def a_timeout_before_the_deadline(forger: Forger) -> int:
    return time_out(forger, 7, forger.lines[7].entry.at)


@forgery("clocked", "timeout/early")
def a_timeout_a_millisecond_before_the_deadline(forger: Forger) -> int:
    """The entry before is of 06:40:07; an hour later the clock has run out, and not sooner."""
    assert forger.lines[7].entry.at == "2026-11-18T06:40:07.000Z"
    return time_out(forger, 8, "2026-11-18T07:40:06.999Z")


@forgery("two", "timeout/no-clock")
def a_deadline_passes_at_a_table_without_a_clock(forger: Forger) -> int:
    return time_out(forger, 7, "2036-11-18T06:40:00.000Z")


@forgery("clocked", "timeout/not-fallback")
def a_timeout_that_plays_another_legal_move(forger: Forger) -> int:
    position = forger.position(6)
    seat = min(position.asked)
    fallback = position.game.fallback(position.state, seat)
    other = next(move for move in position.game.legal(position.state, seat) if move != fallback)
    return time_out(forger, 7, "2036-11-18T06:40:00.000Z", move=msgspec.to_builtins(other))


@forgery("clocked", "move/out-of-turn")
def a_timeout_of_a_seat_that_has_answered(forger: Forger) -> int:
    seat = forger.entry(6, Play).seat
    return time_out(forger, 7, "2036-11-18T06:40:00.000Z", seat=seat, base=forger.entry(6, Play).base)


@forgery("clocked", "timeout/early")
def the_end_of_time_is_no_loophole(forger: Forger) -> int:
    """A deadline after the year 9999 is merely not yet passed."""
    for number in range(5):
        forger.edit(number, at="9999-12-31T23:59:59.000Z")
        if isinstance(forger.lines[number].entry, Sit):
            forger.sign(number)
        else:
            forger.reseal(number)
    forger.edit(4, state=forger.dealt_anew(4))
    forger.reseal(4)
    first = forger.position(4)
    common = forger.common(5) | {"at": "9999-12-31T23:59:59.999Z"}
    del forger.lines[5:-1]
    seat = min(first.asked)
    fallback = {"do": "take", "station": "opera", "line": "red"}
    forger.put(
        5, Timeout(**common, seat=seat, base=forger.lines[4].hash, move=fallback, why="deadline", state="ab" * 32)
    )
    forger.reseal(5)
    return 5


def given(forger: Forger, number: int, at: str | None) -> int:
    """The answer is said to have been given then."""
    forger.edit(number, given=at)
    forger.reseal(number)
    return number


@forgery("held", "move/given")
def a_sealed_answer_given_before_it_was_asked_for(forger: Forger) -> int:
    """A gift of time to a friend: the account is charged for less than nothing."""
    number = forger.first(Play)
    opened = forger.position(number - 1).asked[min(forger.position(number - 1).asked)].since
    return given(forger, number, timestamp(instant(opened) - timedelta(milliseconds=1)))


@forgery("held", "move/given")
def a_sealed_answer_given_after_it_was_opened(forger: Forger) -> int:
    """More time taken from an account than has passed."""
    number = forger.first(Play)
    return given(forger, number, timestamp(instant(forger.lines[number].entry.at) + timedelta(milliseconds=1)))


@forgery("held", "move/given")
def a_sealed_answer_that_says_twice_when_it_came(forger: Forger) -> int:
    number = forger.first(Play)
    return given(forger, number, forger.lines[number].entry.at)


@forgery("banked", "move/given")
def an_open_answer_given_before_it_was_put_on_record(forger: Forger) -> int:
    number = forger.first(Play)
    return given(forger, number, forger.lines[number - 1].entry.at)


@forgery("sealed", "move/given")
@forgery("clocked", "move/given")
def an_answer_that_says_when_it_was_given_where_nobody_is_charged(forger: Forger) -> int:
    number = forger.first(Play)
    return given(forger, number, forger.lines[number - 1].entry.at)


@forgery("held", "move/stale")
def a_server_that_changes_its_mind_about_when_an_answer_came(forger: Forger) -> int:
    """Within the bounds it is the server's word; but the next answer names the hash of what it said first."""
    number = forger.first(Play, seat=1)
    given(forger, number, timestamp(instant(forger.lines[number].entry.at) - timedelta(milliseconds=1)))
    return number + 2


@forgery("given up", "seat/resigned")
def somebody_moves_after_resigning(forger: Forger) -> int:
    number = forger.first(Timeout)
    timeout = forger.entry(number, Timeout)
    move = Play(
        table=timeout.table, seq=number, prev=timeout.prev, at=timeout.at, seat=timeout.seat, base=timeout.base,
        move=timeout.move, signature="00" * 64, state=timeout.state,
    )  # fmt: skip
    del forger.lines[number:-1]
    forger.put(number, move)
    forger.sign(number)
    forger.reseal(number + 1)
    return number


@forgery("given up", "seat/resigned")
def somebody_resigns_twice(forger: Forger) -> int:
    number = forger.first(Resign)
    forger.put(number + 1, forger.lines[number].entry)
    forger.sign(number + 1, base=forger.lines[number].hash)
    forger.reseal(number + 2)
    return number + 1


@forgery("given up", "move/stale")
def the_server_forgets_a_resignation(forger: Forger) -> int:
    """The next to move answered a decision that was opened in a log with the resignation in it."""
    number = forger.first(Resign)
    del forger.lines[number]
    forger.reseal(number)
    return number + 1


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)
