"""The clock: which time counts, and when an answer is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.record.clock import Absence, days_off, deadline, time_used
from engine.record.entry import Bank, Clock, PerDecision, instant, timestamp

ALWAYS = PerDecision(seconds=60)
WEEKDAYS = PerDecision(seconds=60, weekends_off=True)
HOUR, DAY, MILLISECOND = timedelta(hours=1), timedelta(days=1), timedelta(milliseconds=1)
END = "9999-12-31T23:59:59.999Z"


def at(day: str, time: str = "00:00") -> str:
    return f"{day}T{time}:00.000Z"


def off(begins: str, ends: str) -> Absence:
    return Absence(begins if "T" in begins else at(begins), ends if "T" in ends else at(ends))


# In November 2026 the 16th is a Monday, the 21st and 22nd are a weekend.

USED: list[tuple[str, Clock, list[Absence], str, str, timedelta]] = [
    ("all of it", ALWAYS, [], at("2026-11-18"), at("2026-11-25"), 7 * DAY),
    ("nothing of nothing", WEEKDAYS, [], at("2026-11-18"), at("2026-11-18"), 0 * DAY),
    ("a week", WEEKDAYS, [], at("2026-11-18"), at("2026-11-25"), 5 * DAY),
    ("from a Saturday on", WEEKDAYS, [], at("2026-11-21", "12:00"), at("2026-11-23", "01:00"), HOUR),
    ("from a Sunday on", WEEKDAYS, [], at("2026-11-22", "12:00"), at("2026-11-30"), 5 * DAY),
    ("from Monday 00:00 on", WEEKDAYS, [], at("2026-11-23"), at("2026-11-23", "01:00"), HOUR),
    ("within a weekend", WEEKDAYS, [], at("2026-11-21"), at("2026-11-22", "23:59"), 0 * DAY),
    ("a year", WEEKDAYS, [], at("2026-01-01"), at("2027-01-01"), 261 * DAY),
    ("days off", ALWAYS, [off("2026-11-19", "2026-11-20")], at("2026-11-18"), at("2026-11-25"), 6 * DAY),
    ("over before", ALWAYS, [off("2026-11-01", "2026-11-05")], at("2026-11-18"), at("2026-11-25"), 7 * DAY),
    ("begun before", ALWAYS, [off("2026-11-01", "2026-11-19")], at("2026-11-18"), at("2026-11-25"), 6 * DAY),
    ("not over yet", ALWAYS, [off("2026-11-24", "2026-12-24")], at("2026-11-18"), at("2026-11-25"), 6 * DAY),
    ("only afterwards", ALWAYS, [off("2026-11-25", "2026-12-24")], at("2026-11-18"), at("2026-11-25"), 7 * DAY),
    ("all the time", ALWAYS, [off("2026-11-01", "2026-12-24")], at("2026-11-18"), at("2026-11-25"), 0 * DAY),
    ("over two years", ALWAYS, [off("2026-12-30", "2027-01-02")], at("2026-12-29"), at("2027-01-03"), 2 * DAY),
    ("overlapping", ALWAYS, [off("2026-11-20", "2026-11-23"), off("2026-11-19", "2026-11-21")],
     at("2026-11-18"), at("2026-11-25"), 3 * DAY),
    ("one within another", ALWAYS, [off("2026-11-19", "2026-11-24"), off("2026-11-20", "2026-11-21")],
     at("2026-11-18"), at("2026-11-25"), 2 * DAY),
    ("one after another", ALWAYS, [off("2026-11-19", "2026-11-20"), off("2026-11-20", "2026-11-21")],
     at("2026-11-18"), at("2026-11-25"), 5 * DAY),
    ("overlapping a weekend", WEEKDAYS, [off("2026-11-20", "2026-11-22")], at("2026-11-18"), at("2026-11-25"), 4 * DAY),
    ("within a weekend too", WEEKDAYS, [off("2026-11-21", "2026-11-22")], at("2026-11-18"), at("2026-11-25"), 5 * DAY),
    ("round a weekend", WEEKDAYS, [off("2026-11-20", "2026-11-24")], at("2026-11-18"), at("2026-11-25"), 3 * DAY),
    ("the first week there was", WEEKDAYS, [], at("0001-01-01"), at("0001-01-08"), 5 * DAY),
    ("the first Sunday", WEEKDAYS, [], at("0001-01-07", "12:00"), at("0001-01-08", "01:00"), HOUR),
    ("the last weekend", WEEKDAYS, [], at("9999-12-24"), at("9999-12-28"), 2 * DAY),
    ("the last week", WEEKDAYS, [], at("9999-12-27"), END, 5 * DAY - MILLISECOND),
]  # fmt: skip


@pytest.mark.parametrize(
    ("clock", "absences", "since", "until", "used"), [pytest.param(*row[1:], id=row[0]) for row in USED]
)
def test_so_much_of_the_time_counts(
    clock: Clock, absences: list[Absence], since: str, until: str, used: timedelta
) -> None:
    assert time_used(clock, absences, since, until) == used


DUE: list[tuple[str, Clock, list[Absence], str, timedelta, str]] = [
    ("simply", ALWAYS, [], at("2026-11-18"), DAY, at("2026-11-19")),
    ("at once", ALWAYS, [], at("2026-11-18"), 0 * DAY, at("2026-11-18")),
    ("at once on a Sunday", WEEKDAYS, [], at("2026-11-22", "12:00"), 0 * DAY, at("2026-11-22", "12:00")),
    ("at once on days off", ALWAYS, [off("2026-11-01", "2026-12-24")], at("2026-11-18"), 0 * DAY, at("2026-11-18")),
    ("over a weekend", WEEKDAYS, [], at("2026-11-20", "12:00"), DAY, at("2026-11-23", "12:00")),
    ("just before a weekend", WEEKDAYS, [], at("2026-11-20"), DAY, at("2026-11-21")),
    ("a moment into a weekend", WEEKDAYS, [], at("2026-11-20"), DAY + MILLISECOND, "2026-11-23T00:00:00.001Z"),
    ("begun on a Sunday", WEEKDAYS, [], at("2026-11-22", "12:00"), DAY, at("2026-11-24")),
    ("two weeks", WEEKDAYS, [], at("2026-11-18"), 10 * DAY, at("2026-12-02")),
    ("days off", ALWAYS, [off("2026-11-18", "2026-11-25")], at("2026-11-18"), DAY, at("2026-11-26")),
    ("begun on a day off", ALWAYS, [off("2026-11-01", "2026-11-25")], at("2026-11-18"), DAY, at("2026-11-26")),
    ("days off to a Saturday", WEEKDAYS, [off("2026-11-18", "2026-11-21")], at("2026-11-18"), DAY, at("2026-11-24")),
    ("over a year's end", ALWAYS, [off("2026-12-30", "2027-01-02")], at("2026-12-29"), 2 * DAY, at("2027-01-03")),
    ("overlapping", ALWAYS, [off("2026-11-20", "2026-11-23"), off("2026-11-19", "2026-11-21")],
     at("2026-11-18"), 2 * DAY, at("2026-11-24")),
    ("after the end of time", ALWAYS, [], at("9999-12-31"), DAY, END),
    ("after the end of time, without weekends", WEEKDAYS, [], at("9999-12-31"), 2 * DAY, END),
    ("off until the end of time", ALWAYS, [Absence(at("2026-11-19"), END)], at("2026-11-18"), 2 * DAY, END),
    ("at the end of time", WEEKDAYS, [], END, timedelta(seconds=10**9), END),
]  # fmt: skip


@pytest.mark.parametrize(
    ("clock", "absences", "since", "length", "due"), [pytest.param(*row[1:], id=row[0]) for row in DUE]
)
def test_an_answer_is_due_then(clock: Clock, absences: list[Absence], since: str, length: timedelta, due: str) -> None:
    assert deadline(clock, absences, since, length) == due


# Whatever the calendar.

MOMENTS = st.one_of(
    st.datetimes(timezones=st.just(UTC)),
    st.datetimes(datetime(2026, 11, 1), datetime(2027, 2, 1), timezones=st.just(UTC)),
    st.datetimes(datetime(9999, 12, 1), timezones=st.just(UTC)),
    st.datetimes(max_value=datetime(1, 2, 1), timezones=st.just(UTC)),
).map(timestamp)
NEARBY = st.datetimes(datetime(2026, 11, 1), datetime(2027, 2, 1), timezones=st.just(UTC)).map(timestamp)
SPANS = st.one_of(
    st.timedeltas(timedelta(), timedelta(seconds=10**9)), st.timedeltas(timedelta(), timedelta(days=20))
).map(lambda span: span // MILLISECOND * MILLISECOND)
CLOCKS: st.SearchStrategy[Clock] = st.sampled_from(
    [ALWAYS, WEEKDAYS, Bank(start=1, refill=1, most=1, weekends_off=True)]
)
ABSENCE = st.tuples(NEARBY, NEARBY).map(lambda ends: Absence(min(ends), max(ends)))
ABSENCES = st.lists(ABSENCE | st.tuples(MOMENTS, MOMENTS).map(lambda ends: Absence(min(ends), max(ends))), max_size=5)


@given(CLOCKS, ABSENCES, MOMENTS, SPANS)
@example(WEEKDAYS, [], "9999-12-27T00:00:00.000Z", timedelta(days=3))
def test_at_the_deadline_and_not_sooner_the_time_is_used_up(
    clock: Clock, absences: list[Absence], since: str, span: timedelta
) -> None:
    due = deadline(clock, absences, since, span)
    assert since <= due
    used = time_used(clock, absences, since, due)
    if due == END:
        assert used <= span
        return
    assert used == span
    if span:
        sooner = timestamp(instant(due) - MILLISECOND)
        assert time_used(clock, absences, since, sooner) == span - MILLISECOND


@given(CLOCKS, ABSENCES, ABSENCE, NEARBY, NEARBY, SPANS)
def test_no_day_off_makes_anything_due_sooner(
    clock: Clock, absences: list[Absence], more: Absence, since: str, until: str, span: timedelta
) -> None:
    assert time_used(clock, [*absences, more], since, until) <= time_used(clock, absences, since, until)
    assert deadline(clock, [*absences, more], since, span) >= deadline(clock, absences, since, span)


@given(CLOCKS, st.lists(ABSENCE, max_size=5), st.lists(NEARBY, min_size=3, max_size=3))
def test_time_adds_up(clock: Clock, absences: list[Absence], moments: list[str]) -> None:
    first, second, third = sorted(moments)
    both = time_used(clock, absences, first, second) + time_used(clock, absences, second, third)
    assert time_used(clock, absences, first, third) == both
    assert timedelta() <= both <= instant(third) - instant(first)


@given(st.lists(ABSENCE, max_size=5))
def test_absences_count_in_any_order_and_once(absences: list[Absence]) -> None:
    assume(absences)
    first, last = at("2026-01-01"), at("2028-01-01")
    used = time_used(ALWAYS, absences, first, last)
    assert used == time_used(ALWAYS, [*reversed(absences), *absences], first, last)
    assert 730 * DAY - used == days_off(absences, 2026) + days_off(absences, 2027)


@pytest.mark.parametrize(("year", "days"), [(2025, 0), (2026, 2), (2027, 365), (2028, 366), (2029, 31), (2030, 0)])
def test_days_off_belong_to_their_calendar_year(year: int, days: int) -> None:
    assert days_off([off("2026-12-30", "2029-02-01")], year) == days * DAY


def test_the_last_year_has_an_end_like_any_other() -> None:
    assert days_off([Absence(at("9999-12-31"), END)], 9999) == DAY - MILLISECOND
