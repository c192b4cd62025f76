"""The guard over the clock: what is dated wrongly is on record for good, so a clock in doubt dates nothing.

The machine's clock is held against one that nobody can set, and against what is on record already. It may be behind,
which costs nobody time; if it is suddenly ahead, nothing is sealed until it is right again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import Lock
from typing import Any, TypeAlias

from sqlalchemy import Row, select

from engine.phrases import span
from engine.record.chain import Phase
from engine.record.clock import CLOCKS_DIFFER
from engine.record.entry import Timestamp, instant, timestamp
from server.problems import RequestRefused
from server.storage.database import Storage
from server.storage.models import TABLES

log = logging.getLogger("poste")

Clockwork: TypeAlias = Callable[[], Timestamp]
"""Tells the time, as entries write it."""
Steady: TypeAlias = Callable[[], float]
"""Tells how many seconds have passed since some moment or other."""

JUMP = timedelta(seconds=60)
"""By how much the clock may be put forward at a time: more is a fault until somebody has said otherwise."""
AGAIN = 600.0
"""Seconds between two alarms about the same fault."""
_COUNTS_SLEEP = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def since_boot() -> float:
    """Seconds since this machine was started, those it was suspended for included."""
    return time.clock_gettime(_COUNTS_SLEEP)


class ClockDoubted(RequestRefused):
    """The clock has jumped ahead, and nothing may be dated by it."""

    def __init__(self) -> None:
        why = "the server's clock is wrong, and nothing is put on record until it is right; try again later"
        super().__init__("server/clock", why, retry=60)


class ClockGuard:
    """Watches one clock from the moment it is made; many threads may ask."""

    def __init__(self, now: Clockwork, steady: Steady) -> None:
        self._now = now
        self._steady = steady
        self._lock = Lock()
        self._moment, self._passed = instant(now()), steady()
        self._alarm: float | None = None
        """When it last cried, if the clock is in doubt."""

    def believed(self) -> Timestamp:
        """The time, as entries write it; raises ClockDoubted.

        What the clock once was is remembered when it is put back: it may come forward again as far.
        """
        with self._lock:
            told, passed = self._now(), self._steady()
            moment = instant(told)
            ahead = moment - self._moment - timedelta(seconds=passed - self._passed)
            if ahead > JUMP:
                self._cry(told, ahead, passed)
                raise ClockDoubted
            if ahead >= timedelta():
                self._moment, self._passed = moment, passed
            if self._alarm is not None:
                log.warning("the clock is right again (%s); the server goes on", told)
                self._alarm = None
            return told

    def _cry(self, told: Timestamp, ahead: timedelta, passed: float) -> None:
        if self._alarm is not None and passed - self._alarm < AGAIN:
            return
        self._alarm = passed
        log.critical(
            "THE CLOCK HAS JUMPED %s AHEAD: it says %s. Nothing is put on record and no deadline passes until it is "
            "right. If it is right now and was wrong before, restart the server.",
            span(ahead.total_seconds()),
            told,
        )


def is_ahead(at: Timestamp, now: Timestamp) -> bool:
    """Whether something on record is dated so far ahead of this clock that one of the two must be wrong."""
    return at > now and instant(at) > instant(now) + CLOCKS_DIFFER


def tables_ahead(storage: Storage, now: Timestamp) -> Sequence[Row[Any, Any]]:
    """The tables (id and newest date) that are dated ahead of this clock; those that are closed stay as they are."""
    limit = timestamp(instant(now) + CLOCKS_DIFFER)
    ahead = select(TABLES.c.id, TABLES.c.at).where(TABLES.c.at > limit, TABLES.c.phase != Phase.CLOSED.value)
    with storage.reading() as connection:
        return connection.execute(ahead.order_by(TABLES.c.number)).all()


def alarm_if_ahead(storage: Storage, now: Timestamp) -> None:
    """Cry if what is on record is dated ahead of this clock."""
    tables = tables_ahead(storage, now)
    if tables:
        log.critical(
            "%d TABLES ARE DATED AHEAD OF THIS CLOCK, up to %s, and it says %s. Nothing more is put on record there. "
            "If the clock is wrong, set it right and restart the server; if it is right, see `poste-server correct`.",
            len(tables),
            max(table.at for table in tables),
            now,
        )
