"""Tables with clocks, and players who keep to them or do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine import games
from engine.errors import EngineError
from engine.game import Seat
from engine.record.audit import audit
from engine.record.entry import Bank, Clock, PerDecision
from engine.record.replay import replay
from engine.record.timekeeping import Attendance
from tests.engine.signed_games import Evening

PARIS = games.load("paris-paris")
HOUR = 3600
DAY = 24 * HOUR
PLAIN = PerDecision(seconds=HOUR)
BOT = PerDecision(seconds=HOUR, strikes=2)
VOTE = PerDecision(seconds=HOUR, strikes=2, then="vote")
VACATION = PerDecision(seconds=HOUR, vacation=10)
BANK = Bank(start=600, refill=60, most=900)
EVERY_GAME = pytest.mark.parametrize("game", [pytest.param(games.load(key), id=key) for key in games.keys()])


def table(clock: Clock | None, seats: int = 2) -> Evening:
    return Evening("attendance", PARIS, seats, clock=clock)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(EngineError) as refused:
        act()
    return refused.value.code


def attendance(evening: Evening) -> Attendance:
    found = evening.table.playing.attendance
    assert found is not None
    return found


def only_acts(*acting: int) -> Callable[[Evening, Seat], bool]:
    """These players move, the others let every deadline pass; a bot needs none."""

    def answer(evening: Evening, seat: Seat) -> bool:
        if seat in acting:
            return False
        evening.wait(0 if seat in evening.table.playing.bots else HOUR).timeout(seat)
        return True

    return answer


def asked(evening: Evening, seat: int) -> Evening:
    """The others move until this seat is being asked."""
    while seat not in evening.table.playing.asked:
        evening.play(1)
    return evening


def strike(evening: Evening, seat: int, times: int) -> Evening:
    """A seat lets so many deadlines pass, while the others move."""
    for _ in range(times):
        asked(evening, seat).wait(HOUR).timeout(seat)
    return evening


def is_proved(evening: Evening) -> bool:
    """Whether the record is valid, and its replay comes to the very table that the clerk came to."""
    found = replay(evening.record, evening.secret)
    return (found.stopped, found.positions[-1]) == (None, evening.table.position) and audit(evening.data).valid


def voting(seats: int = 3) -> Evening:
    """Seat 0 has let so many deadlines pass that the others may vote."""
    return strike(table(VOTE, seats), 0, 2)
