"""Days off: when they begin and end, how many there are, and who takes none."""

from __future__ import annotations

import pytest

from engine.game import Seat
from engine.record.clock import Absence
from engine.record.entry import PerDecision
from engine.record.timekeeping import MOST_ABSENCES
from tests.engine.clocked_games import (
    DAY,
    HOUR,
    PARIS,
    VACATION,
    asked,
    attendance,
    is_proved,
    refusal,
    table,
)
from tests.engine.signed_games import Evening


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


def test_days_off_that_never_began_are_not_among_those_taken() -> None:
    """Whoever is back undoes them; those that have begun, and those long over, still count."""
    evening = table(PerDecision(seconds=HOUR, vacation=366)).days_off(0, 1).wait(2 * DAY)
    for _ in range(MOST_ABSENCES - 2):
        evening.away(0, "2027-01-01T00:00:00.000Z", "2027-01-02T00:00:00.000Z")
    assert refusal(lambda: evening.days_off(0, 1).days_off(0, 1)) == "away/too-long"
    evening.back(0)
    assert len(attendance(evening).absences[0]) == 2
    for _ in range(MOST_ABSENCES - 2):
        evening.days_off(0, 1)
    assert refusal(lambda: evening.days_off(0, 1)) == "away/too-long"
    assert is_proved(evening.play().close())


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
