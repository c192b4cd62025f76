"""One fold of time: what each entry does to the clock of a table, for whoever has its secret and for whoever has not.

The auditor and the server fold it along with the game, a client along with the log alone. ``clock`` and ``attendance``
are None at a table without a clock, and ``attendance`` before the deal.
"""

from __future__ import annotations

from collections.abc import Set

from engine.errors import RecordRejected
from engine.game import Seat
from engine.record.entry import Abandon, AnyEntry, Clock, Correct, Play, Resign, Spoken, Timeout, Timestamp
from engine.record.timekeeping import Attendance


def check_timeout(clock: Clock | None, attendance: Attendance | None, entry: Timeout, since: Timestamp) -> None:
    """Raise RecordRejected unless this timeout answers a decision, opened ``since``, whose time is up.

    A bot plays for those who are in its hands, and for no others; for who has resigned it is time at once.
    """
    if entry.why == "resigned":
        return
    if clock is None or attendance is None:
        raise RecordRejected("timeout/no-clock", "a deadline passed at a table without a clock", entry.seq)
    seat = Seat(entry.seat)
    if (seat in attendance.bots(clock)) != (entry.why == "bot"):
        whose = "in a bot's hands" if entry.why == "deadline" else "still its player's"
        raise RecordRejected("timeout/reason", f"seat {seat} is {whose}", entry.seq)
    if entry.why == "deadline" and not attendance.is_overdue(clock, seat, since, entry.at):
        due = attendance.due(clock, seat, since)
        why = f"the decision was opened at {since} and its time is up at {due}, after {entry.at}"
        raise RecordRejected("timeout/early", why, entry.seq)


def check_abandon(clock: Clock | None, attendance: Attendance | None, entry: Abandon, resigned: Set[Seat]) -> None:
    """Raise RecordRejected if a table is given up because nobody acts, or by a vote, and that is not so."""
    gone = frozenset(resigned)
    if entry.why == "idle" and not (clock and attendance and attendance.idle(clock, gone)):
        raise RecordRejected("abandon/reason", "players were still acting", entry.seq)
    if entry.why == "voted" and not (clock and attendance and attendance.voted_out(clock, gone)):
        raise RecordRejected("abandon/reason", "the players have not voted for it", entry.seq)


def kept(
    clock: Clock | None,
    attendance: Attendance | None,
    entry: AnyEntry,
    since: Timestamp,
    resigned: frozenset[Seat],
) -> Attendance | None:
    """How the seats keep to the clock after this entry, which, if it is an answer, is to what was asked ``since``.

    Raises RecordRejected.
    """
    if clock is None or attendance is None:
        if isinstance(entry, Spoken) and not isinstance(entry, Resign):
            raise RecordRejected("clock/none", "the table has no clock, and so neither days off nor votes", entry.seq)
        return None
    if isinstance(entry, Play | Timeout):
        return attendance.after_answer(clock, entry, since)
    if isinstance(entry, Spoken):
        return attendance.after_word(clock, entry, resigned)
    return attendance.begun_anew(clock) if isinstance(entry, Correct) else attendance
