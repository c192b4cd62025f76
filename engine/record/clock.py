"""The clock: how much of the time between two entries counts, and when an answer is due.

Weekends (if the table says so) and a player's days off do not count. Everything follows from the entries alone, so that
an auditor comes to the same deadlines as the server did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from heapq import merge
from typing import TypeAlias

from msgspec import Struct

from engine.record.entry import Clock, PerDecision, Timestamp, instant, timestamp

Interval: TypeAlias = tuple[datetime, datetime]

DAY = timedelta(days=1)
_SATURDAY = 5
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
    now, end, used = instant(since), instant(until), timedelta()
    for begins, ends in _off(clock, absences, now):
        if begins >= end:
            break
        used += max(begins - now, timedelta())
        now = max(now, ends)
    return used + max(end - now, timedelta())


def deadline(clock: Clock, absences: Sequence[Absence], since: Timestamp, given: timedelta) -> Timestamp:
    """When so much counted time has passed since then; the end of all time if the calendar ends before."""
    now = instant(since)
    for begins, ends in _off(clock, absences, now):
        if begins - now >= given:
            break
        given -= max(begins - now, timedelta())
        now = max(now, ends)
    return timestamp(now + given if given < _LAST - now else _LAST)


def given(clock: Clock, bank: int) -> timedelta:
    """The time that a decision is given by a clock on which its seat has so many milliseconds left."""
    return timedelta(seconds=clock.seconds) if isinstance(clock, PerDecision) else timedelta(milliseconds=bank)


def days_off(absences: Sequence[Absence], year: int) -> timedelta:
    """How much of a calendar year these absences take."""
    first, last = datetime(year, 1, 1, tzinfo=UTC), datetime(year, 12, 31, tzinfo=UTC) + (DAY - datetime.resolution)
    clipped = ((max(begins, first), min(ends, last)) for begins, ends in _merged(_intervals(absences)))
    return sum((max(ends - begins, timedelta()) for begins, ends in clipped), timedelta())


def _off(clock: Clock, absences: Sequence[Absence], since: datetime) -> Iterator[Interval]:
    """The times that do not count, in order and apart from each other, from about ``since`` on; perhaps without end."""
    return _merged(merge(_intervals(absences), _weekends(since) if clock.weekends_off else ()))


def _intervals(absences: Sequence[Absence]) -> list[Interval]:
    return sorted(absence.interval for absence in absences)


def _weekends(since: datetime) -> Iterator[Interval]:
    midnight = since.replace(hour=0, minute=0, second=0, microsecond=0)
    saturday = midnight + DAY * (_SATURDAY - midnight.weekday()) if midnight.weekday() < _SATURDAY else midnight
    if midnight.weekday() > _SATURDAY:  # a Sunday: the weekend has begun the day before
        saturday = midnight - DAY
    while saturday < _LAST - 7 * DAY:
        yield saturday, saturday + 2 * DAY
        saturday += 7 * DAY


def _merged(intervals: Iterator[Interval] | Sequence[Interval]) -> Iterator[Interval]:
    """Intervals sorted by their beginning, those that touch made one."""
    current: Interval | None = None
    for begins, ends in intervals:
        if current is not None and begins <= current[1]:
            current = current[0], max(current[1], ends)
        else:
            if current is not None:
                yield current
            current = begins, ends
    if current is not None:
        yield current
