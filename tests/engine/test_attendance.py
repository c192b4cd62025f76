"""Who keeps to the clock: accounts of time, missed deadlines, bots that stand in, votes and days off."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
import pytest

from engine import games
from engine.errors import EngineError
from engine.game import AnyGame, Seat
from engine.record.attendance import MOST_ABSENCES, Attendance
from engine.record.audit import audit
from engine.record.chain import Chain
from engine.record.clock import Absence
from engine.record.entry import Bank, Clock, PerDecision, Play, Timeout, seal
from engine.record.replay import deal, move_json, replay
from tests.engine.evenings import Evening, data_of

PARIS = games.load("paris-paris")
HOUR = 3600
DAY = 24 * HOUR
PLAIN = PerDecision(seconds=HOUR)
BOT = PerDecision(seconds=HOUR, strikes=2)
VOTE = PerDecision(seconds=HOUR, strikes=2, then="vote")
VACATION = PerDecision(seconds=HOUR, vacation=10)
BANK = Bank(start=600, refill=60, most=900)
EVERY_GAME = pytest.mark.parametrize("game", [pytest.param(games.load(key), id=key) for key in games.keys()])


def table(clock: Clock | None, seats: int = 2) -> Evening:
    return Evening("attendance", PARIS, seats, clock=clock)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(EngineError) as refused:
        act()
    return refused.value.code


def attendance(evening: Evening) -> Attendance:
    found = evening.table.playing.attendance
    assert found is not None
    return found


def only_acts(*acting: int) -> Callable[[Evening, Seat], bool]:
    """These players move, the others let every deadline pass; a bot needs none."""

    def answer(evening: Evening, seat: Seat) -> bool:
        if seat in acting:
            return False
        evening.wait(0 if seat in evening.table.playing.bots else HOUR).timeout(seat)
        return True

    return answer


def asked(evening: Evening, seat: int) -> Evening:
    """The others move until this seat is being asked."""
    while seat not in evening.table.playing.asked:
        evening.play(1)
    return evening


def strike(evening: Evening, seat: int, times: int) -> Evening:
    """A seat lets so many deadlines pass, while the others move."""
    for _ in range(times):
        asked(evening, seat).wait(HOUR).timeout(seat)
    return evening


def is_proved(evening: Evening) -> bool:
    """Whether the record is valid, and its replay comes to the very table that the clerk came to."""
    found = replay(evening.record, evening.secret)
    return (found.stopped, found.positions[-1]) == (None, evening.table.position) and audit(evening.data).valid


# The account of time.


def test_an_answer_costs_the_time_it_took_and_earns_the_refill() -> None:
    evening = table(BANK)
    assert attendance(evening).banks == (600_000, 600_000)
    evening.wait(99).play(1)
    assert attendance(evening).banks == (600_000 - 100_000 + 60_000, 600_000)
    evening.wait(0.25).play(1)
    assert attendance(evening).banks == (560_000, 600_000 - 1_250 + 60_000)


@pytest.mark.parametrize(("start", "waited", "left"), [(600, 0, 659), (880, 0, 900), (900, 0, 900), (2000, 99, 1900)])
def test_a_refill_lifts_no_account_above_the_most(start: int, waited: int, left: int) -> None:
    """And takes nothing away from one that began with more."""
    evening = table(Bank(start=start, refill=60, most=900)).wait(waited).play(1)
    assert attendance(evening).banks[0] == left * 1000


def test_the_time_of_an_account_is_up_when_it_is_empty_and_not_sooner() -> None:
    evening = table(BANK).wait(598.999)
    assert refusal(evening.timeout) == "timeout/early"
    evening.wait(0.001).timeout()
    assert attendance(evening).banks == (60_000, 600_000)
    assert attendance(evening).missed == (1, 0)
    assert asked(evening, 0).table.playing.due(Seat(0)) == evening.later(seconds=59)


def test_an_answer_later_than_the_account_leaves_the_refill() -> None:
    assert attendance(table(BANK).wait(DAY).play(1)).banks == (60_000, 600_000)


def test_without_a_refill_an_empty_account_stays_empty() -> None:
    evening = asked(table(Bank(start=10, refill=0, most=10)).wait(10).timeout(0), 0)
    assert attendance(evening).banks[0] == 0
    assert evening.table.playing.due(Seat(0)) == evening.record[-1].entry.at
    assert is_proved(evening.timeout(0).play().close())


def test_days_off_cost_nothing() -> None:
    evening = table(Bank(start=600, refill=60, most=900, vacation=3))
    evening.days_off(0, 2).wait(2 * DAY - 1)
    assert attendance(evening.play(1)).banks[0] == 659_000


def test_weekends_cost_nothing() -> None:
    evening = table(Bank(start=600, refill=60, most=900, weekends_off=True))
    evening.moment = datetime(2026, 11, 20, 23, 55, tzinfo=UTC)
    evening.play(1).moment = datetime(2026, 11, 23, 0, 1, tzinfo=UTC)
    assert attendance(evening.play(1)).banks == (60_000, 600_000 - 6 * 60_000 + 60_000)


def test_what_a_bot_or_a_fallback_does_costs_and_earns_nothing() -> None:
    clock = Bank(start=600, refill=60, most=900, strikes=1)
    evening = table(clock, 3).wait(600).timeout(0).resign(1)
    before = attendance(evening).banks
    evening.play(9, answer=lambda evening, seat: seat != 2 and bool(evening.wait(HOUR).timeout(seat)))
    assert {line.entry.why for line in evening.record if isinstance(line.entry, Timeout)} == {
        "deadline",
        "bot",
        "resigned",
    }
    assert attendance(evening).banks[:2] == before[:2]


# Deadlines missed in a row, and the bot.


def test_whatever_a_player_does_ends_the_row() -> None:
    acts: list[Callable[[Evening], object]] = [
        lambda evening: asked(evening, 0).play(1),
        lambda evening: evening.away(0, evening.now, evening.later(days=1)),
        lambda evening: evening.back(0),
        lambda evening: evening.resign(0),
    ]
    for act in acts:
        evening = table(msgspec.structs.replace(VACATION, strikes=3)).play(2, answer=only_acts(1))
        assert attendance(evening).missed == (1, 0)
        act(evening)
        assert attendance(evening).missed == (0, 0)


def test_a_delegation_says_nothing_about_being_there() -> None:
    evening = strike(table(BOT), 0, 1).delegate(0)
    assert attendance(evening.revoke(0)).missed == (1, 0)


def test_a_bot_stands_in_after_so_many_deadlines_in_a_row() -> None:
    assert not strike(table(BOT), 0, 1).table.playing.bots
    evening = strike(table(BOT), 0, 2)
    assert evening.table.playing.bots == {0}
    asked(evening, 0).timeout(0)
    assert isinstance(evening.record[-1].entry, Timeout)
    assert evening.record[-1].entry.why == "bot"
    assert attendance(evening).missed == (2, 0)


def test_not_in_a_row_no_bot_stands_in() -> None:
    evening = strike(asked(strike(table(BOT), 0, 1), 0).play(1), 0, 1)
    assert attendance(evening).missed == (1, 0)
    assert not evening.table.playing.bots


@pytest.mark.parametrize("clock", [PLAIN, VOTE])
def test_under_another_clock_no_bot_ever_stands_in(clock: Clock) -> None:
    evening = strike(table(clock), 0, 5)
    assert attendance(evening).missed[0] == 5
    assert not evening.table.playing.bots


@pytest.mark.parametrize("act", [lambda evening: evening.back(0), lambda evening: evening.play(1)])
def test_who_is_back_takes_the_seat_from_the_bot(act: Callable[[Evening], object]) -> None:
    evening = asked(strike(table(BOT), 0, 2), 0)
    assert evening.table.playing.bots == {0}
    act(evening)
    assert not evening.table.playing.bots
    assert is_proved(evening.play().close())


def test_a_bot_is_not_asked_to_wait() -> None:
    """The server may play for it at once; a player who comes first may still move."""
    evening = asked(strike(table(BOT), 0, 2), 0)
    since = evening.table.playing.asked[Seat(0)].since
    evening.moment = evening.moment.fromisoformat(since)
    assert evening.timeout(0).record[-1].entry.at == since


def test_who_has_resigned_is_no_bots() -> None:
    evening = strike(table(BOT, 3), 0, 2)
    assert evening.table.playing.bots == {0}
    evening.resign(0)
    assert not evening.table.playing.bots
    assert isinstance(asked(evening, 0).timeout(0).record[-1].entry, Timeout)
    assert evening.record[-1].entry.why == "resigned"  # type: ignore[union-attr]
    assert refusal(lambda: evening.back(0)) == "seat/resigned"


@EVERY_GAME
def test_a_game_with_a_bot_in_a_seat_ends_and_is_proved(game: AnyGame) -> None:
    evening = Evening(f"stand-in {game.key}", game, min(game.seats), clock=PerDecision(seconds=HOUR, strikes=1))
    evening.play(answer=only_acts(*range(1, min(game.seats)))).close()
    timeouts = [line.entry for line in evening.record if isinstance(line.entry, Timeout)]
    assert [entry.why for entry in timeouts] == ["deadline", *["bot"] * (len(timeouts) - 1)]
    assert len(timeouts) > 3
    assert is_proved(evening)


@EVERY_GAME
def test_a_bot_plays_nothing_but_what_it_chooses(game: AnyGame) -> None:
    evening = Evening(f"stand-in {game.key}", game, min(game.seats), clock=PerDecision(seconds=HOUR, strikes=1))
    answer = only_acts(*range(1, min(game.seats)))
    while not (bots := evening.table.playing.bots & evening.table.playing.asked.keys()) or (
        len(game.legal(evening.table.playing.state, min(bots))) < 2 or min(bots) != min(evening.table.playing.asked)
    ):
        evening.play(1, answer=answer)
    position = evening.table.playing
    chosen = evening.timeout(0).record.pop().entry
    assert isinstance(chosen, Timeout)
    other = next(move for move in map(move_json, game.legal(position.state, Seat(0))) if move != chosen.move)
    evening.record.append(seal(msgspec.structs.replace(chosen, move=other), evening.server))
    stopped = replay(evening.record, evening.secret).stopped
    assert stopped is not None
    assert (stopped.entry, stopped.code) == (chosen.seq, "timeout/not-fallback")


def test_what_is_said_between_moves_does_not_change_the_luck_of_the_next() -> None:
    """Or whoever knows the seed could have a friend talk until the bot, or a die, does as they like."""
    silent, chatty = (Evening("luck", games.load("restaurant"), 3, clock=BOT) for _ in range(2))
    for evening in (silent, chatty):
        strike(evening, 0, 2)
        assert evening.table.playing.bots == {0}
    chatty.back(1).delegate(1).revoke(1, chatty.later(days=1)).back(1)
    for evening in (silent, chatty):
        while evening.table.playing.asked:
            evening.play(1, answer=lambda evening, seat: _first(evening, seat))
        assert is_proved(evening.close())
    assert silent.table.playing.state == chatty.table.playing.state
    assert silent.table.playing.remarks == 0
    assert chatty.table.chain.remarks == chatty.table.playing.remarks == 4


def _first(evening: Evening, seat: Seat) -> bool:
    """A bot does what it does, a player whatever is first."""
    if seat in evening.table.playing.bots:
        evening.timeout(seat)
    else:
        evening.move(seat, evening.game.legal(evening.table.playing.state, seat)[0])
    return True


def test_a_table_taken_up_again_in_the_middle_has_the_luck_it_had() -> None:
    """The server keeps a chain and a state, and deals the rest anew."""
    evening = table(None).play(2).delegate(0)
    assert deal(evening.table.chain, evening.secret).remarks == 1 == evening.table.playing.remarks


# Votes.


def voting(seats: int = 3) -> Evening:
    """Seat 0 has let so many deadlines pass that the others may vote."""
    return strike(table(VOTE, seats), 0, 2)


def test_a_table_is_given_up_when_all_who_may_vote_agree() -> None:
    evening = voting()
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"
    evening.vote(1, "abandon")
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"
    evening.vote(2, "abandon")
    assert is_proved(evening.abandon("voted").close())


def test_one_who_wants_to_go_on_ends_the_vote() -> None:
    evening = voting().vote(1, "abandon").vote(2, "continue")
    assert attendance(evening).missed == (0, 0, 0)
    assert attendance(evening).votes == frozenset()
    assert refusal(lambda: evening.vote(1, "abandon")) == "vote/none"
    assert is_proved(evening.play().close())


def test_whoever_comes_back_ends_the_vote_about_them() -> None:
    evening = voting().vote(1, "abandon").back(0)
    assert attendance(evening).votes == frozenset()
    assert refusal(lambda: evening.vote(2, "abandon")) == "vote/none"


def test_a_vote_lasts_over_moves_and_may_be_cast_again() -> None:
    evening = voting().vote(1, "abandon").play(4, answer=only_acts(1, 2)).vote(1, "abandon").vote(2, "abandon")
    assert is_proved(evening.abandon("voted").close())


def test_those_who_are_waited_for_and_those_who_have_resigned_have_no_voice() -> None:
    evening = voting()
    assert refusal(lambda: evening.vote(0, "continue")) == "vote/none"
    evening.resign(2)
    assert refusal(lambda: evening.vote(2, "abandon")) == "seat/resigned"
    assert is_proved(evening.vote(1, "abandon").abandon("voted").close())


def test_nobody_is_left_to_vote_when_all_stay_away() -> None:
    evening = table(VOTE).play(4, answer=only_acts())
    assert attendance(evening).missed == (2, 2)
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"
    assert is_proved(evening.abandon("idle").close())


@pytest.mark.parametrize("clock", [PLAIN, BOT])
def test_under_another_clock_nobody_votes(clock: Clock) -> None:
    evening = strike(table(clock, 3), 0, 3)
    assert refusal(lambda: evening.vote(1, "abandon")) == "vote/none"
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"


def test_there_is_no_vote_before_too_many_deadlines_have_passed() -> None:
    evening = strike(table(VOTE, 3), 0, 1)
    assert attendance(evening).missed == (1, 0, 0)
    assert refusal(lambda: evening.vote(1, "abandon")) == "vote/none"


# Idle.


def test_a_table_is_idle_when_every_player_has_missed_two() -> None:
    evening = table(PLAIN, 3)
    for _ in range(6):
        assert refusal(lambda: evening.abandon("idle")) == "abandon/reason"
        evening.wait(HOUR).timeout()
    assert is_proved(evening.abandon("idle").close())


def test_one_who_acts_keeps_a_table_alive_however_often_the_others_are_waited_for() -> None:
    evening = table(PLAIN, 3).play(15, answer=only_acts(2))
    assert attendance(evening).missed == (5, 5, 0)
    assert refusal(lambda: evening.abandon("idle")) == "abandon/reason"


def test_of_a_bot_and_of_one_who_resigned_nobody_expects_anything() -> None:
    with_bot = strike(table(BOT, 3), 0, 2).resign(1)
    assert with_bot.table.playing.bots == {0}
    with_bot.play(5, answer=lambda evening, seat: seat != 2 and bool(evening.timeout(seat)))
    assert refusal(lambda: with_bot.abandon("idle")) == "abandon/reason"
    while attendance(with_bot).missed[2] < 2:
        with_bot.wait(HOUR).timeout()
    assert is_proved(with_bot.abandon("idle").close())


def test_a_table_of_bots_is_idle() -> None:
    evening = table(PerDecision(seconds=HOUR, strikes=1)).play(2, answer=only_acts())
    assert evening.table.playing.bots == {0, 1}
    assert is_proved(evening.abandon("idle").close())


# Days off.


def test_days_off_put_the_deadline_off() -> None:
    evening = table(VACATION).wait(100)
    evening.days_off(0, 2).wait(2 * DAY + HOUR - 103)
    assert refusal(evening.timeout) == "timeout/early"
    assert is_proved(evening.wait(1).timeout().play().close())


def test_days_off_begin_now_at_the_earliest() -> None:
    """What has passed has passed: nobody can take yesterday off."""
    evening = table(VACATION).wait(HOUR).away(0, "2001-01-01T00:00:00.000Z", "2026-11-20T00:00:00.000Z")
    assert attendance(evening).absences[0] == (Absence("2026-11-18T07:40:04.000Z", "2026-11-20T00:00:00.000Z"),)
    assert evening.timeout(0) is evening


def test_days_off_may_be_announced() -> None:
    evening = table(VACATION).away(0, "2026-12-30T00:00:00.000Z", "2027-01-02T00:00:00.000Z")
    assert evening.table.playing.due(Seat(0)) == "2026-11-18T07:40:03.000Z"


def test_days_off_are_one_players() -> None:
    evening = table(VACATION).days_off(1, 2).wait(HOUR)
    assert evening.timeout(0).table.playing.due(Seat(1)) == "2026-11-20T07:40:04.000Z"


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ("2026-11-18T00:00:00.000Z", "2026-11-18T06:00:00.000Z"),
        ("2026-12-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
        ("2026-12-02T00:00:00.000Z", "2026-12-01T00:00:00.000Z"),
    ],
)
def test_days_off_end_after_they_begin(begins: str, ends: str) -> None:
    assert refusal(lambda: table(VACATION).away(0, begins, ends)) == "away/over"


def test_so_many_days_off_are_allowed_in_a_calendar_year() -> None:
    evening = table(VACATION).away(0, "2026-12-22T00:00:00.000Z", "2027-01-11T00:00:00.000Z")
    assert refusal(lambda: evening.away(0, "2026-12-01T00:00:00.000Z", "2026-12-01T00:00:00.001Z")) == "away/too-long"
    assert refusal(lambda: evening.away(0, "2027-12-01T00:00:00.000Z", "2027-12-01T00:00:00.001Z")) == "away/too-long"
    evening.away(0, "2026-12-24T00:00:00.000Z", "2027-01-05T00:00:00.000Z")  # within what is off already
    evening.away(0, "2028-03-01T00:00:00.000Z", "2028-03-11T00:00:00.000Z")
    evening.away(1, "2026-12-01T00:00:00.000Z", "2026-12-11T00:00:00.000Z")
    assert is_proved(evening.play().close())


@pytest.mark.parametrize(
    ("vacation", "ends", "allowed"),
    [
        (0, "2026-11-18T06:40:04.001Z", False),
        (364, "2028-01-01T00:00:00.000Z", False),
        (365, "2028-01-01T00:00:00.000Z", True),
        (365, "2029-01-01T00:00:00.000Z", False),  # 2028 is a leap year
        (365, "9999-12-31T23:59:59.999Z", False),
        (366, "9999-12-31T23:59:59.999Z", True),
    ],
)
def test_no_year_has_more_days_off_than_allowed(vacation: int, ends: str, allowed: bool) -> None:
    evening = table(PerDecision(seconds=HOUR, vacation=vacation))
    if allowed:
        assert is_proved(evening.away(0, evening.now, ends).play().close())
    else:
        assert refusal(lambda: evening.away(0, evening.now, ends)) == "away/too-long"


def test_days_off_may_be_taken_often_but_not_without_end() -> None:
    evening = table(PerDecision(seconds=HOUR, vacation=366))
    for _ in range(MOST_ABSENCES):
        evening.away(0, evening.now, evening.later(milliseconds=1))
    assert refusal(lambda: evening.days_off(0, 1)) == "away/too-long"
    evening.days_off(1, 1)


def test_who_is_back_has_the_rest_of_the_days_off_left() -> None:
    evening = table(VACATION).days_off(0, 10).away(0, "2027-01-01T00:00:00.000Z", "2027-01-03T00:00:00.000Z")
    evening.wait(DAY - 2).back(0)
    assert attendance(evening).absences[0] == (Absence("2026-11-18T06:40:04.000Z", "2026-11-19T06:40:04.000Z"),)
    assert evening.table.playing.due(Seat(0)) == "2026-11-19T07:40:03.000Z"
    assert refusal(lambda: evening.days_off(0, 9.001)) == "away/too-long"
    assert is_proved(evening.days_off(0, 9).play().close())


def test_moving_on_a_day_off_does_not_end_it() -> None:
    evening = asked(table(VACATION).days_off(0, 2).play(1), 0)
    assert evening.table.playing.due(Seat(0)) == "2026-11-20T07:40:04.000Z"


def test_who_has_resigned_takes_no_days_off() -> None:
    evening = table(VACATION, 3).resign(0)
    assert refusal(lambda: evening.days_off(0, 1)) == "seat/resigned"


def test_without_a_clock_there_is_nothing_to_be_away_from() -> None:
    evening = table(None)
    assert refusal(lambda: evening.days_off(0, 1)) == "clock/none"
    assert refusal(lambda: evening.back(0)) == "clock/none"
    assert refusal(lambda: evening.vote(0, "abandon")) == "clock/none"


def test_before_the_deal_nobody_says_anything() -> None:
    evening = Evening("attendance", PARIS, 2, clock=VACATION, sit=False).sit(0)
    for act in (lambda: evening.days_off(0, 1), lambda: evening.back(0), lambda: evening.delegate(0)):
        assert refusal(act) == "chain/order"


# By mail.


def first_move(evening: Evening, seat: int) -> object:
    return evening.game.legal(evening.table.playing.state, Seat(seat))[0]


def test_the_gateway_may_do_whatever_a_player_delegated() -> None:
    evening = voting(2).delegate(1).vote(1, "continue", mail=True).back(1, mail=True)
    asked(evening, 1)
    evening.move(1, first_move(evening, 1), mail=True).resign(1, mail=True)
    assert isinstance(evening.record[-2].entry, Play)
    assert evening.record[-2].entry.by == "mail"
    assert is_proved(evening.abandon("resigned").close())


def test_a_newer_delegation_replaces_an_older_and_an_older_none() -> None:
    evening = table(None).delegate(0, ends="2026-11-18T06:40:05.000Z").delegate(0)
    assert refusal(lambda: evening.delegate(0, begins="2026-11-18T06:40:05.000Z")) == "delegation/replaced"
    assert is_proved(evening.wait(DAY).move(0, first_move(evening, 0), mail=True).play().close())


def test_a_delegation_taken_back_may_be_given_again() -> None:
    evening = table(None).delegate(0).revoke(0)
    assert refusal(lambda: evening.move(0, first_move(evening, 0), mail=True)) == "delegation/none"
    evening.delegate(0).move(0, first_move(evening, 0), mail=True)
    assert is_proved(evening.play().close())


def test_a_delegation_holds_to_its_last_moment() -> None:
    evening = table(None)
    evening.delegate(0, ends=evening.later(seconds=10)).wait(9.001)
    assert refusal(lambda: evening.move(0, first_move(evening, 0), mail=True)) == "delegation/none"
    evening.wait(-0.001).move(0, first_move(evening, 0), mail=True)


def test_a_delegation_for_some_tables_is_for_this_one() -> None:
    evening = table(None)
    assert refusal(lambda: evening.delegate(0, tables=("ab" * 16,))) == "delegation/table"
    evening.delegate(0, tables=("ab" * 16, evening.id)).move(0, first_move(evening, 0), mail=True)
    assert is_proved(evening.play().close())


def test_a_delegation_begins_before_it_is_put_on_record_and_ends_after() -> None:
    evening = table(None)
    assert refusal(lambda: evening.delegate(0, begins=evening.later(milliseconds=1))) == "delegation/time"
    assert refusal(lambda: evening.delegate(0, begins=evening.later(days=-2), ends=evening.later(days=-1))) == (
        "delegation/time"
    )


def test_a_revocation_is_newer_than_what_it_takes_back() -> None:
    evening = table(None).delegate(0)
    assert refusal(lambda: evening.revoke(0, "2026-11-18T06:40:04.000Z")) == "delegation/replaced"
    assert evening.revoke(0, "2026-11-18T06:40:04.001Z").table.chain.delegation(Seat(0), evening.now) is None


def test_remarks_of_a_seat_that_is_not_there_are_a_fault_and_not_a_crash() -> None:
    evening = table(VACATION).days_off(0, 1).back(0).play(1).resign(1).abandon("resigned").close()
    for number in (4, 5, 7):
        record = list(evening.record)
        record[number] = seal(msgspec.structs.replace(record[number].entry, seat=98), evening.server)
        found = audit(data_of(record))
        assert (found.faults[0].entry, found.faults[0].code) == (number, "seat/unknown")


def test_a_chain_begins_without_remarks() -> None:
    assert Chain().remarks == 0
