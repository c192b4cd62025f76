"""Accounts of time: what an answer costs and earns, and when an account is empty."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from engine.game import Seat
from engine.record.entry import Bank, Clock, Timeout, instant, timestamp
from tests.engine.clocked_games import (
    BANK,
    DAY,
    HOUR,
    PLAIN,
    asked,
    attendance,
    is_proved,
    refusal,
    table,
)
from tests.engine.signed_games import Evening, odds_and_evens


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


def test_an_empty_account_stays_empty_and_still_gives_a_minute() -> None:
    evening = asked(table(Bank(start=60, refill=0, most=60)).wait(60).timeout(0), 0)
    assert attendance(evening).banks[0] == 0
    assert evening.table.playing.due(Seat(0)) == evening.later(seconds=59)
    assert refusal(lambda: evening.wait(58.999).timeout(0)) == "timeout/early"
    assert is_proved(evening.wait(0.001).timeout(0).play().close())


@pytest.mark.parametrize("start", [1, 59, 60, 61])
def test_no_decision_has_less_than_a_minute(start: int) -> None:
    evening = table(Bank(start=start, refill=0, most=start))
    assert evening.table.playing.due(Seat(0)) == evening.later(seconds=max(start, 60) - 1)
    assert attendance(evening.wait(98).play(1)).banks[0] == 0


def emptied(clock: Bank) -> Evening:
    """Seat 0 has used up its account and is being asked again."""
    evening = table(clock).wait(clock.start).timeout(0)
    assert attendance(evening).banks[0] == 0
    return asked(evening, 0)


def test_an_empty_account_is_not_called_on_days_off() -> None:
    evening = emptied(Bank(start=600, refill=0, most=600, vacation=3)).days_off(0, 2)
    assert refusal(lambda: evening.wait(2 * DAY).timeout(0)) == "timeout/early"
    assert is_proved(evening.wait(60).timeout(0).play().close())


def test_an_empty_account_is_not_called_on_a_weekend() -> None:
    evening = table(Bank(start=600, refill=0, most=600, weekends_off=True)).wait(600).timeout(0)
    evening.moment = datetime(2026, 11, 21, 12, tzinfo=UTC)
    asked(evening, 0).moment = datetime(2026, 11, 23, 0, 0, 59, tzinfo=UTC)
    assert refusal(lambda: evening.timeout(0)) == "timeout/early"
    assert is_proved(evening.wait(1).timeout(0).play().close())


def test_who_is_back_with_an_empty_account_has_time_to_move() -> None:
    evening = emptied(Bank(start=600, refill=0, most=600, strikes=1))
    assert evening.table.playing.bots == {0}
    evening.back(0)
    assert refusal(lambda: evening.timeout(0)) == "timeout/early"
    assert is_proved(evening.play().close())


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


# Sealed answers, which wait for the others.


def showing(clock: Clock | None) -> Evening:
    """A table at which all show fingers at once."""
    return Evening("showing", odds_and_evens(), 2, clock=clock)


def show(evening: Evening, seat: int, given: str | None = None) -> Evening:
    return evening.move(seat, evening.game.legal(evening.table.playing.state, Seat(seat))[0], given=given)


@pytest.mark.usefixtures("shelf")
def test_a_sealed_answer_costs_the_time_until_it_was_given() -> None:
    evening = showing(BANK)
    given = evening.wait(99).now
    show(evening.wait(300), 0, given)
    assert attendance(evening).banks == (600_000 - 100_000 + 60_000, 600_000)
    show(evening.wait(-1), 1)
    assert attendance(evening).banks == (560_000, 600_000 - 400_000 + 60_000)
    assert is_proved(evening.play().close())


@pytest.mark.usefixtures("shelf")
def test_a_sealed_answer_given_in_time_is_in_time_however_late_it_is_opened() -> None:
    evening = showing(BANK)
    given = evening.wait(99).now
    show(evening.wait(DAY), 0, given)
    assert attendance(evening).banks[0] == 560_000


@pytest.mark.usefixtures("shelf")
def test_an_answer_is_given_while_it_is_asked_for() -> None:
    evening = showing(BANK).wait(99)
    opened = evening.record[-1].entry.at
    early = timestamp(instant(opened) - timedelta(milliseconds=1))
    for given in (early, evening.now, evening.later(seconds=1)):
        assert refusal(partial(show, evening, 0, given)) == "move/given"
    show(evening, 0, opened)
    assert attendance(evening).banks[0] == 660_000
    assert is_proved(evening.play().close())


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("clock", [None, PLAIN])
def test_without_accounts_nobody_needs_to_know_when_an_answer_was_given(clock: Clock | None) -> None:
    evening = showing(clock)
    opened = evening.record[-1].entry.at
    assert refusal(lambda: show(evening, 0, opened)) == "move/given"


def test_an_answer_that_is_not_sealed_is_given_when_it_is_put_on_record() -> None:
    evening = table(BANK)
    assert refusal(lambda: show(evening, 0, evening.record[-1].entry.at)) == "move/given"
