"""The clock: how much of the time between two entries counts, and when an answer is due.

Weekends (if the table says so) and a player's days off do not count. Everything follows from the entries alone, so that
an auditor comes to the same deadlines as the server did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from msgspec import Struct

from engine.record.entry import Clock, PerDecision, Timestamp, instant, timestamp

Interval: TypeAlias = tuple[datetime, datetime]

DAY = timedelta(days=1)
LEAST = timedelta(seconds=60)
"""So much time that counts even an empty account gives: no deadline passes on days off, or before one can be back."""
CLOCKS_DIFFER = timedelta(minutes=10)
"""By how much the clocks of two machines may differ without either being taken for wrong."""
_WEEK, _WEEKDAYS = 7 * DAY, 5 * DAY
_NOTHING = timedelta()
_FIRST = datetime.min.replace(tzinfo=UTC)
"""The beginning of the calendar, which is a Monday."""
_LAST = datetime.max.replace(tzinfo=UTC)


class Absence(Struct, frozen=True):
    """Days off, as they count."""

    begins: Timestamp
    ends: Timestamp

    @property
    def interval(self) -> Interval:
        """From when to when."""
        return instant(self.begins), instant(self.ends)


def time_used(clock: Clock, absences: Sequence[Absence], since: Timestamp, until: Timestamp) -> timedelta:
    """How much of the time from ``since`` to ``until`` counts."""
    now, end, used = instant(since), instant(until), _NOTHING
    for begins, ends in _merged(absences):
        if begins >= end:
            break
        used += _between(clock, now, begins)
        now = max(now, ends)
    return used + _between(clock, now, end)


def deadline(clock: Clock, absences: Sequence[Absence], since: Timestamp, time: timedelta) -> Timestamp:
    """When so much counted time has passed since then; the end of all time if the calendar ends before."""
    now = instant(since)
    for begins, ends in _merged(absences):
        counted = _between(clock, now, begins)
        if counted >= time:
            break
        time -= counted
        now = max(now, ends)
    return timestamp(_after(clock, now, time))


def allowance(clock: Clock, bank: int) -> timedelta:
    """The time that a decision has under a clock on which its seat has so many milliseconds left."""
    if isinstance(clock, PerDecision):
        return timedelta(seconds=clock.seconds)
    return max(timedelta(milliseconds=bank), LEAST)


def days_off(absences: Sequence[Absence], year: int) -> timedelta:
    """How much of a calendar year these absences take."""
    first = datetime(year, 1, 1, tzinfo=UTC)
    last = _LAST if year == _LAST.year else first.replace(year=year + 1)
    clipped = ((max(begins, first), min(ends, last)) for begins, ends in _merged(absences))
    return sum((max(ends - begins, _NOTHING) for begins, ends in clipped), _NOTHING)


def _counted(clock: Clock, moment: datetime) -> timedelta:
    """How much of all time before this moment counts, days off apart."""
    elapsed = moment - _FIRST
    if not clock.weekends_off:
        return elapsed
    weeks, rest = divmod(elapsed, _WEEK)
    return weeks * _WEEKDAYS + min(rest, _WEEKDAYS)


def _between(clock: Clock, begins: datetime, ends: datetime) -> timedelta:
    """How much of the time from here to there counts, days off apart; nothing if there is before here."""
    return max(_counted(clock, ends) - _counted(clock, begins), _NOTHING)


def _after(clock: Clock, now: datetime, time: timedelta) -> datetime:
    """The first moment at which so much more time has counted, days off apart, or the end of the calendar."""
    if not time:
        return now
    elapsed = _counted(clock, now) + time
    if clock.weekends_off:
        weeks, rest = divmod(elapsed - datetime.resolution, _WEEKDAYS)  # a week is over on Friday, not on Monday
        elapsed = weeks * _WEEK + rest + datetime.resolution
    return _FIRST + min(elapsed, _LAST - _FIRST)


def _merged(absences: Sequence[Absence]) -> Iterator[Interval]:
    """Days off in order, those that touch or overlap made one."""
    current: Interval | None = None
    for begins, ends in sorted(absence.interval for absence in absences):
        if current is not None and begins <= current[1]:
            current = current[0], max(current[1], ends)
        else:
            if current is not None:
                yield current
            current = begins, ends
    if current is not None:
        yield current
