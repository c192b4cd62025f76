"""Who is away, in whose seat a bot plays, and what there is to vote on, in words."""

from __future__ import annotations

from client.phrases import day, now
from client.table.verified_view import Seen
from client.trust.table_clock import Timing
from engine.phrases import counted, listed


def attendance(seen: Seen) -> list[str]:
    """All of it, as the player at this table is told."""
    if seen.timing is None:
        return []
    bot = ["A bot plays for you. Take your seat back with: poste back"] if seen.seat in seen.timing.bots else []
    return [*_days_off(seen, seen.timing), *bot, *ballot(seen)]


def holidays(timing: Timing | None) -> dict[str, str]:
    """The seats that have days off now, and until when."""
    if timing is None:
        return {}
    moment = now()
    found = {str(seat): timing.absence(seat, moment) for seat in range(len(timing.attendance.absences))}
    return {seat: absence.ends for seat, absence in found.items() if absence and absence.begins <= moment}


def _days_off(seen: Seen, timing: Timing) -> list[str]:
    lines, moment = [], now()
    for seat in range(len(seen.names)):
        absence = timing.absence(seat, moment)
        if absence is None:
            continue
        begins = f"from {day(absence.begins)} " if absence.begins > moment else ""
        lines.append(f"{_who(seen, seat, 'You')} days off {begins}until {day(absence.ends)} (UTC).")
    return lines


def ballot(seen: Seen) -> list[str]:
    """What there is to vote on: who stays away, who votes, how it stands, and what the player can do."""
    timing, me = seen.timing, seen.seat
    if timing is None or not timing.absent:
        return []
    absent = sorted(timing.absent)
    lines = [f"{_who(seen, seat, 'You')} let {_missed(timing, seat)} pass." for seat in absent]
    if me in timing.absent:
        lines.append("The others may vote to give the table up. Show that you are there: poste back, or take your turn")
    if timing.voters:
        told = [_who(seen, seat) for seat in sorted(timing.voted)]
        stands = f"{listed(told)} voted to abandon it." if told else "nobody has voted yet."
        voters = listed([_called(seen, seat) for seat in sorted(timing.voters)])
        lines.append(f"Whether the table goes on is voted on by {voters}: {stands}")
    if me in timing.undecided:
        lines.append("Your vote is wanted: poste vote continue (another chance), or poste vote abandon")
    elif me in timing.voted:
        lines.append("To go on after all: poste vote continue")
    return lines


def _missed(timing: Timing, seat: int) -> str:
    missed = timing.attendance.missed[seat]
    return "the deadline" if missed == 1 else f"{counted(missed, 'deadline')} in a row"


def _called(seen: Seen, seat: int) -> str:
    return "you" if seat == seen.seat else seen.names[seat]


def _who(seen: Seen, seat: int, you: str = "you") -> str:
    return f"{you} have" if seat == seen.seat else f"{seen.names[seat]} has"
