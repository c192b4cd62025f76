"""What can be tried with days off, weekends, accounts of time, bots that stand in, and votes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from engine.game import Seat
from engine.record.entry import Abandon, Away, Back, Play, Resign, Timeout, Vote, instant, timestamp
from engine.record.replay import move_json, played_for
from tests.attacks.forger import STRANGER, Forge, Forger, Forgery, abandon

forgery = Forgery()
NOVEMBER = {"begins": "2026-11-18T00:00:00.000Z", "ends": "2026-11-25T00:00:00.000Z"}


# Days off.


@forgery("away", "away/too-long")
def more_days_off_than_the_table_allows(forger: Forger) -> int:
    return forger.say(7, Away, seat=0, begins="2027-01-01T00:00:00.000Z", ends="2027-01-06T00:00:00.001Z")


@forgery("away", "away/too-long")
def days_off_that_together_are_more_than_the_table_allows(forger: Forger) -> int:
    """One of five is taken."""
    seat = forger.entry(6, Away).seat
    return forger.say(7, Away, seat=seat, begins="2026-12-01T00:00:00.000Z", ends="2026-12-05T00:00:00.001Z")


@forgery("clocked", "away/too-long")
def days_off_at_a_table_without_vacation(forger: Forger) -> int:
    return forger.say(7, Away, seat=0, **NOVEMBER)


@forgery("two", "clock/none")
def days_off_at_a_table_without_a_clock(forger: Forger) -> int:
    return forger.say(7, Away, seat=0, **NOVEMBER)


@forgery("away", "away/over")
def days_off_after_the_event(forger: Forger) -> int:
    """Whoever has missed a deadline cannot have been away then."""
    return forger.say(8, Away, seat=0, begins="2026-11-18T00:00:00.000Z", ends="2026-11-19T00:00:00.000Z")


@forgery("away", "signature/forged")
def the_server_sends_a_player_on_vacation(forger: Forger) -> int:
    return forger.say(7, Away, forger.server, seat=0, **NOVEMBER)


@forgery("away", "signature/forged")
def a_player_calls_another_back(forger: Forger) -> int:
    seat = forger.entry(6, Away).seat
    return forger.say(7, Back, forger.keys[1 - seat], seat=seat)


@forgery("away", "move/stale")
def days_off_asked_for_at_another_point_of_the_log(forger: Forger) -> int:
    return forger.say(9, Away, seat=0, base=forger.lines[6].hash, **NOVEMBER)


@forgery("away", "move/stale")
def the_server_forgets_days_off(forger: Forger) -> int:
    """Its timeout stands; but the player's next move was signed in a log with them."""
    del forger.lines[6]
    forger.reseal(6)
    return 7


def dated(forger: Forger, number: int, at: str) -> int:
    """The timeout is of another time."""
    assert forger.entry(number, Timeout).why == "deadline"
    forger.edit(number, at=at)
    forger.reseal(number)
    return number


@forgery("away", "timeout/early")
def a_timeout_on_a_day_off(forger: Forger) -> int:
    return dated(forger, 7, "2026-11-19T01:00:00.000Z")


@forgery("away", "timeout/early")
def a_timeout_within_the_hour_after_a_day_off(forger: Forger) -> int:
    """A second of the hour had passed before it."""
    assert forger.entry(6, Away).ends == "2026-11-19T06:40:06.000Z"
    return dated(forger, 7, "2026-11-19T07:40:04.999Z")


@forgery("away", "timeout/early")
def a_timeout_on_a_weekend(forger: Forger) -> int:
    return dated(forger, 9, "2026-11-22T12:00:00.000Z")


@forgery("away", "timeout/early")
def a_timeout_half_an_hour_after_a_weekend(forger: Forger) -> int:
    """Half an hour of Friday and all but a moment of the other half on Monday."""
    return dated(forger, 9, "2026-11-23T00:29:59.999Z")


@forgery("banked", "timeout/early")
def a_timeout_a_moment_before_the_account_is_empty(forger: Forger) -> int:
    number = forger.first(Timeout)
    due = forger.position(number - 1).due(Seat(forger.entry(number, Timeout).seat))
    assert due is not None
    return dated(forger, number, timestamp(instant(due) - timedelta(milliseconds=1)))


@forgery("banked", "timeout/early")
def a_timeout_that_forgets_the_refills(forger: Forger) -> int:
    number = forger.first(Timeout)
    opened = instant(forger.position(number - 1).asked[Seat(forger.entry(number, Timeout).seat)].since)
    return dated(forger, number, timestamp(opened + timedelta(seconds=600)))


# The bot.


def played(forger: Forger, number: int, why: str, **members: Any) -> int:
    """Instead of this entry the server plays for its seat, for this reason, just as it would have to."""
    entry, position = forger.lines[number].entry, forger.position(number - 1)
    assert isinstance(entry, Play | Timeout)
    move = move_json(played_for(position, Seat(entry.seat), number, why))
    said = {"kind": "timeout", "seat": entry.seat, "base": entry.base, "move": move, "why": why, "state": "00" * 32}
    timeout = msgspec.convert({**forger.common(number), **said, **members}, Timeout)
    del forger.lines[number:-1]
    forger.put(number, timeout)
    forger.reseal(number)
    return number


@forgery("bot", "timeout/reason")
def a_bot_before_enough_deadlines_have_passed(forger: Forger) -> int:
    first = forger.first(Timeout)
    second = next(n for n in range(first + 1, len(forger.lines)) if isinstance(forger.lines[n].entry, Timeout))
    assert forger.entry(second, Timeout).why == "deadline"
    return played(forger, second, "bot")


@forgery("bot", "timeout/reason")
def a_bot_for_a_player_who_misses_nothing(forger: Forger) -> int:
    return played(forger, forger.first(Play), "bot")


@forgery("bot", "timeout/reason")
def a_bot_for_a_player_who_is_back(forger: Forger) -> int:
    start = forger.first(Back) + 1
    number = next(n for n in range(start, len(forger.lines)) if forger.entry(n, Play).seat == 0)
    return played(forger, number, "bot")


@forgery("bot", "timeout/reason")
def a_deadline_of_a_seat_in_a_bots_hands(forger: Forger) -> int:
    """The fallback would be another move, and worse."""
    return played(forger, forger.first(Timeout, why="bot"), "deadline", at="2036-11-18T06:40:00.000Z")


@forgery("bot", "timeout/not-fallback")
def a_bot_that_plays_what_the_server_likes(forger: Forger) -> int:
    number = forger.first(Timeout, why="bot")
    position, chosen = forger.position(number - 1), forger.entry(number, Timeout).move
    legal = map(move_json, position.game.legal(position.state, Seat(0)))
    return played(forger, number, "bot", move=next(move for move in legal if move != chosen))


@forgery("two", "timeout/no-clock")
def a_bot_at_a_table_without_a_clock(forger: Forger) -> int:
    return played(forger, 7, "bot")


@forgery("clocked", "timeout/reason")
def a_bot_at_a_table_where_none_stands_in(forger: Forger) -> int:
    return played(forger, forger.first(Timeout), "bot")


@forgery("bot", "move/stale")
def the_server_forgets_that_a_player_is_back(forger: Forger) -> int:
    """And goes on with the bot; until then the others had signed nothing after it."""
    number = forger.first(Back)
    del forger.lines[number]
    forger.reseal(number)
    return number + 1


@forgery("bot", "signature/forged")
def the_server_calls_a_player_back(forger: Forger) -> int:
    return forger.say(forger.first(Timeout, why="bot"), Back, forger.server, seat=0)


# Votes, and tables given up.


@forgery("voted", "vote/none")
def a_vote_of_the_one_who_is_waited_for(forger: Forger) -> int:
    return forger.say(forger.first(Vote), Vote, seat=0, choice="continue")


@forgery("voted", "vote/none")
def a_vote_before_enough_deadlines_have_passed(forger: Forger) -> int:
    return forger.say(forger.first(Timeout) + 1, Vote, seat=1, choice="abandon")


@forgery("bot", "vote/none")
def a_vote_where_a_bot_stands_in(forger: Forger) -> int:
    return forger.say(forger.first(Timeout, why="bot"), Vote, seat=1, choice="abandon")


@forgery("two", "clock/none")
def a_vote_at_a_table_without_a_clock(forger: Forger) -> int:
    return forger.say(7, Vote, seat=1, choice="abandon")


@forgery("voted", "signature/forged")
def the_server_votes_for_a_player(forger: Forger) -> int:
    return forger.say(forger.first(Vote), Vote, forger.server, seat=1, choice="abandon")


@forgery("voted", "signature/forged")
def a_stranger_votes(forger: Forger) -> int:
    return forger.say(forger.first(Vote), Vote, STRANGER, seat=1, choice="abandon")


@forgery("voted", "move/stale")
def a_vote_kept_for_later(forger: Forger) -> int:
    number = forger.first(Vote)
    old = forger.entry(number, Vote)
    return forger.say(number + 1, Vote, seat=1, choice="abandon", base=old.base, signature=old.signature)


@forgery("voted", "abandon/reason")
def the_server_gives_up_a_table_before_all_have_voted(forger: Forger) -> int:
    return abandon(forger, forger.first(Vote), "voted")


@forgery("voted", "abandon/reason")
def the_server_gives_up_a_table_before_anybody_has_voted(forger: Forger) -> int:
    return abandon(forger, forger.first(Vote) - 1, "voted")


@forgery("bot", "abandon/reason")
@forgery("clocked", "abandon/reason")
@forgery("two", "abandon/reason")
def the_server_gives_up_a_table_where_nobody_may_vote(forger: Forger) -> int:
    return abandon(forger, 12, "voted")


@forgery("bot", "abandon/reason")
def the_server_gives_up_as_idle_a_table_with_a_bot_and_two_players(forger: Forger) -> int:
    return abandon(forger, forger.first(Back) - 1, "idle")


@forgery("voted", "abandon/reason")
def the_server_gives_up_as_idle_a_table_with_one_player_away(forger: Forger) -> int:
    return abandon(forger, forger.first(Abandon) - 1, "idle")


@forgery("idle", "abandon/reason")
def the_server_gives_up_a_table_where_all_but_one_have_missed_two(forger: Forger) -> int:
    return abandon(forger, forger.first(Abandon) - 2, "idle")


@forgery("given up", "seat/resigned")
def one_who_has_resigned_takes_days_off(forger: Forger) -> int:
    number = forger.first(Resign)
    return forger.say(number + 1, Away, seat=forger.entry(number, Resign).seat, **NOVEMBER)


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)
