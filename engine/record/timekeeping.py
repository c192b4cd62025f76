"""Who keeps to the clock: time on account, deadlines missed in a row, days off, votes. The log alone decides it."""

from __future__ import annotations

from datetime import timedelta

import msgspec
from msgspec import Struct

from engine.changed_tuples import with_item
from engine.errors import RecordRejected
from engine.game import Seat
from engine.record.clock import DAY, Absence, allowance, days_off, deadline, time_used
from engine.record.entry import Away, Back, Bank, Clock, Play, Resign, Spoken, Timeout, Timestamp, Vote, instant

IDLE_ROUNDS = 2
"""A table may be abandoned as idle when every player has missed so many deadlines in a row."""
MOST_ABSENCES = 366
"""How often a player may take days off at a table: every deadline is reckoned from all of them."""
_LONGEST_YEAR = 366


class Attendance(Struct, frozen=True):
    """How the seats of a table with a clock keep to it."""

    banks: tuple[int, ...]
    """Milliseconds on each seat's account; of no meaning under a clock without one."""
    missed: tuple[int, ...]
    """Deadlines that each seat has let pass since its player last did anything."""
    absences: tuple[tuple[Absence, ...], ...]
    votes: frozenset[Seat] = frozenset()
    """The seats that have voted to abandon the table."""

    @classmethod
    def at_first(cls, clock: Clock, seats: int) -> Attendance:
        """How it begins."""
        start = clock.start * 1000 if isinstance(clock, Bank) else 0
        return cls((start,) * seats, (0,) * seats, ((),) * seats)

    def due(self, clock: Clock, seat: Seat, since: Timestamp) -> Timestamp:
        """When the time of a decision opened then is up."""
        return deadline(clock, self.absences[seat], since, allowance(clock, self.banks[seat]))

    def is_overdue(self, clock: Clock, seat: Seat, since: Timestamp, at: Timestamp) -> bool:
        """Whether the time of a decision opened ``since`` is up."""
        return time_used(clock, self.absences[seat], since, at) >= allowance(clock, self.banks[seat])

    def struck(self, clock: Clock) -> frozenset[Seat]:
        """The seats that have let so many deadlines pass that the clock's ``then`` happens to them."""
        if not clock.strikes:
            return frozenset()
        return frozenset(Seat(seat) for seat, missed in enumerate(self.missed) if missed >= clock.strikes)

    def bots(self, clock: Clock) -> frozenset[Seat]:
        """The seats that are in a bot's hands."""
        return self.struck(clock) if clock.then == "bot" else frozenset()

    def voters(self, clock: Clock, resigned: frozenset[Seat]) -> frozenset[Seat]:
        """Who may vote now; nobody unless somebody has let too many deadlines pass."""
        struck = self.struck(clock) - resigned
        if clock.then != "vote" or not struck:
            return frozenset()
        return frozenset(map(Seat, range(len(self.missed)))) - struck - resigned

    def voted_out(self, clock: Clock, resigned: frozenset[Seat]) -> bool:
        """Whether everybody who may vote has voted to abandon the table."""
        voters = self.voters(clock, resigned)
        return bool(voters) and voters <= self.votes

    def idle(self, clock: Clock, resigned: frozenset[Seat]) -> bool:
        """Whether nobody acts any more: every seat that has not resigned misses its deadlines, or is a bot's."""
        seats = frozenset(map(Seat, range(len(self.missed)))) - resigned - self.bots(clock)
        return all(self.missed[seat] >= IDLE_ROUNDS for seat in seats)

    def after_answer(self, clock: Clock, entry: Play | Timeout, since: Timestamp) -> Attendance:
        """After the answer to a decision that was opened ``since``.

        Raises RecordRejected if it says that it was given before.
        """
        seat = Seat(entry.seat)
        given = entry.given if isinstance(entry, Play) else None
        if given is not None and given < since:
            raise RecordRejected("move/given", f"the answer was given at {given}, but asked for at {since}", entry.seq)
        if isinstance(entry, Timeout) and entry.why != "deadline":
            return self
        changed = self
        if isinstance(clock, Bank):
            used = time_used(clock, self.absences[seat], since, given or entry.at) // timedelta(milliseconds=1)
            left = max(self.banks[seat] - used, 0)
            left = max(left, min(left + clock.refill * 1000, clock.most * 1000))
            changed = msgspec.structs.replace(self, banks=with_item(self.banks, seat, left))
        if isinstance(entry, Timeout):
            return msgspec.structs.replace(changed, missed=with_item(self.missed, seat, self.missed[seat] + 1))
        return changed._present(clock, seat)

    def after_word(self, clock: Clock, entry: Spoken, resigned: frozenset[Seat]) -> Attendance:
        """After something that a player said to the table; raises RecordRejected unless it may be said now."""
        seat = Seat(entry.seat)
        match entry:
            case Resign():
                changed = self
            case Away():
                changed = self._absent(clock, entry)
            case Back():
                kept = tuple(_until(absence, entry.at) for absence in self.absences[seat] if absence.begins < entry.at)
                changed = msgspec.structs.replace(self, absences=with_item(self.absences, seat, kept))
            case Vote():
                changed = self._voted(clock, entry, resigned)
        return changed._present(clock, seat)

    def begun_anew(self, clock: Clock) -> Attendance:
        """After the server has said that its clock was wrong: nobody has missed anything, or pays for it.

        What was on the accounts while the clock was right cannot be told; nobody has less than at first.
        """
        first = Attendance.at_first(clock, len(self.missed))
        banks = tuple(map(max, self.banks, first.banks))
        return msgspec.structs.replace(self, banks=banks, missed=first.missed, votes=first.votes)

    def _absent(self, clock: Clock, entry: Away) -> Attendance:
        absence = Absence(max(entry.begins, entry.at), entry.ends)
        if absence.ends <= absence.begins:
            raise RecordRejected("away/over", "these days off are over before they begin", entry.seq)
        absences = (*self.absences[entry.seat], absence)
        if len(absences) > MOST_ABSENCES:
            raise RecordRejected("away/too-long", f"nobody takes days off more than {MOST_ABSENCES} times", entry.seq)
        years = range(instant(absence.begins).year, instant(absence.ends).year + 1)
        for year in years if clock.vacation < _LONGEST_YEAR else ():  # else a year of the calendar cannot be too long
            if days_off(absences, year) > clock.vacation * DAY:
                allowed = f"this table allows {clock.vacation} days off in a year"
                raise RecordRejected("away/too-long", f"{allowed}, and these would be more in {year}", entry.seq)
        return msgspec.structs.replace(self, absences=with_item(self.absences, entry.seat, absences))

    def _voted(self, clock: Clock, entry: Vote, resigned: frozenset[Seat]) -> Attendance:
        seat = Seat(entry.seat)
        if seat not in self.voters(clock, resigned):
            raise RecordRejected("vote/none", f"there is no vote in which seat {seat} has a voice", entry.seq)
        if entry.choice == "abandon":
            return msgspec.structs.replace(self, votes=self.votes | {seat})
        struck = self.struck(clock)
        missed = tuple(0 if seat in struck else count for seat, count in enumerate(self.missed))
        return msgspec.structs.replace(self, missed=missed)

    def _present(self, clock: Clock, seat: Seat) -> Attendance:
        """After its player did something; without anybody to vote about, no vote stands."""
        changed = msgspec.structs.replace(self, missed=with_item(self.missed, seat, 0))
        return changed if changed.struck(clock) else msgspec.structs.replace(changed, votes=frozenset())


def _until(absence: Absence, at: Timestamp) -> Absence:
    return Absence(absence.begins, min(absence.ends, at))
