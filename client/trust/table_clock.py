"""Time at a table, worked out on this machine: who keeps to the clock, and when an answer is due.

A verified log says when everything happened; the same fold as in an audit says what follows from it, so that nobody's
word has to be taken for how much time is left, and a deadline that is called too early is noticed at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from engine.errors import RecordRejected
from engine.game import Seat
from engine.keys import Hash
from engine.record.chain import Chain, follow
from engine.record.clock import Absence
from engine.record.entry import (
    Abandon,
    AnyEntry,
    Clock,
    Correct,
    Deal,
    Play,
    Sealed,
    Timeout,
    Timestamp,
)
from engine.record.time_fold import check_abandon, check_timeout, kept
from engine.record.timekeeping import Attendance


class Timing(Struct, frozen=True):
    """A table with a clock as far as time is concerned."""

    clock: Clock
    attendance: Attendance
    resigned: frozenset[Seat] = frozenset()

    @property
    def bots(self) -> frozenset[Seat]:
        """The seats that are in a bot's hands."""
        return self.attendance.bots(self.clock) - self.resigned

    @property
    def voters(self) -> frozenset[Seat]:
        """Who may vote on whether to go on."""
        return self.attendance.voters(self.clock, self.resigned)

    @property
    def absent(self) -> frozenset[Seat]:
        """Who has let so many deadlines pass that the others may vote on it."""
        return self.attendance.struck(self.clock) - self.resigned if self.clock.then == "vote" else frozenset()

    @property
    def voted(self) -> frozenset[Seat]:
        """Who has voted to abandon the table; a vote to go on ends the vote."""
        return self.attendance.votes & self.voters

    @property
    def undecided(self) -> frozenset[Seat]:
        """Whose vote is wanted."""
        return self.voters - self.voted

    def due(self, seat: int, since: Timestamp) -> Timestamp:
        """When the answer to a question asked ``since`` is due."""
        return self.attendance.due(self.clock, Seat(seat), since)

    def absence(self, seat: int, now: Timestamp) -> Absence | None:
        """The days off that a seat has now, or next."""
        coming = [absence for absence in self.attendance.absences[seat] if absence.ends > now]
        return min(coming, key=lambda absence: absence.begins, default=None)


def timing(log: Sequence[Sealed]) -> Timing | None:
    """How the players of a verified log keep to its clock; None without a clock, or before the deal.

    1. Every answer answers an entry of the log, from which its time counts.
    2. A timeout is called when the time is up, not before; a bot plays for those who are in its hands, and no others.
    3. Days off, votes and returns are taken only where the clock allows them.
    4. A table is abandoned for want of players, or by a vote, only if that is so.

    Raises RecordRejected.
    """
    chain, attendance = Chain(), None
    moments: dict[str, Timestamp] = {}
    for sealed in log:
        entry = sealed.entry
        if isinstance(entry, Correct):
            moments = dict.fromkeys(moments, entry.at)
        clock = chain.opened.clock if chain.opened else None
        if isinstance(entry, Deal) and clock is not None:
            attendance = Attendance.at_first(clock, len(chain.players))
        elif chain.dealt:
            attendance = _after(chain, clock, attendance, entry, moments)
        moments[sealed.hash] = entry.at
        chain = follow(chain, sealed)
    opened = chain.opened
    if attendance is None or opened is None or opened.clock is None:
        return None
    return Timing(opened.clock, attendance, chain.resigned)


def asked_since(log: Sequence[Sealed], base: Hash) -> Timestamp | None:
    """Since when the time counts of a decision that the entry of this hash opened; None if there is no such entry."""
    since: Timestamp | None = None
    for sealed in log:
        if sealed.hash == base or (since is not None and isinstance(sealed.entry, Correct)):
            since = sealed.entry.at
    return since


def _after(
    chain: Chain, clock: Clock | None, attendance: Attendance | None, entry: AnyEntry, moments: dict[str, Timestamp]
) -> Attendance | None:
    since = entry.at
    if isinstance(entry, Play | Timeout):
        # 1
        since = moments.get(entry.base, "")
        if not since and clock is not None:
            raise RecordRejected("move/stale", f"seat {entry.seat} answers an entry that is not in the log", entry.seq)
    # 2
    if isinstance(entry, Timeout):
        check_timeout(clock, attendance, entry, since)
    # 4
    if isinstance(entry, Abandon):
        check_abandon(clock, attendance, entry, chain.resigned)
    # 3
    return kept(clock, attendance, entry, since, chain.resigned)
