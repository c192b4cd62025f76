"""Words that many commands share: names with marks, moments, and a clock in brief."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.phrases import span
from engine.record.entry import Clock, PerDecision, instant, timestamp

ABANDONED = {
    "unfilled": "it was never filled",
    "resigned": "all but one have resigned",
    "idle": "nobody acts any more",
    "voted": "all who still act have voted for it",
}
"""Why a table was abandoned."""


def marked(name: str, *marks: str) -> str:
    """A name with what is to be said of it, in one bracket; empty marks say nothing.

    >>> marked("dan", "", "bot", "you"), marked("dan", "")
    ('dan (bot, you)', 'dan')
    """
    said = ", ".join(mark for mark in marks if mark)
    return f"{name} ({said})" if said else name


def since(at: str) -> float:
    """How many seconds ago a timestamp was."""
    return (datetime.now(UTC) - instant(at)).total_seconds()


def until(at: str) -> str:
    """How long there is until a timestamp, or since when it has passed."""
    left = -since(at)
    return f"{span(left)} left" if left > 0 else f"overdue by {span(-left)}"


def day(at: str) -> str:
    """The day of a timestamp, and the time if it is not midnight.

    >>> day("2026-12-20T00:00:00.000Z"), day("2026-12-20T06:40:00.000Z")
    ('2026-12-20', '2026-12-20 06:40')
    """
    return at[:10] if at[11:16] == "00:00" else f"{at[:10]} {at[11:16]}"


def now() -> str:
    """This moment, as entries write it."""
    return timestamp(datetime.now(UTC))


def clock_in_brief(clock: Clock | None) -> str:
    """The same in a few words, for a column.

    >>> clock_in_brief(PerDecision(seconds=86400 * 3, weekends_off=True))
    '3 days a move, weekends off'
    """
    if clock is None:
        return "no clock"
    if isinstance(clock, PerDecision):
        said = f"{span(clock.seconds)} a move"
    else:
        said = f"{span(clock.start)} in all" + (f" + {span(clock.refill)} a move" if clock.refill else "")
    return f"{said}, weekends off" if clock.weekends_off else said
