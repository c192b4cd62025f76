"""Accounts of time: what an answer costs and earns, and when an account is empty."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.game import Seat
from engine.record.entry import Bank, Timeout
from tests.engine.attending import (
    BANK,
    DAY,
    HOUR,
    asked,
    attendance,
    is_proved,
    refusal,
    table,
)


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
