"""Evenings with a clock, and moves by mail, as a client meets them in a log."""

from __future__ import annotations

from engine import games
from engine.chance import Chance
from engine.game import Seat
from engine.record.entry import Clock, PerDecision
from tests.engine.evenings import Evening

DAY = 86400
VACATION = PerDecision(seconds=3 * DAY, vacation=21)


def clocked(name: str, clock: Clock | None) -> Evening:
    """A table for two that has just been dealt."""
    return Evening(name, games.load("paris-paris"), 2, clock=clock)


def asked(evening: Evening) -> Seat:
    """Who is asked now."""
    return min(evening.table.playing.asked)


def moved_by_mail(evening: Evening) -> Evening:
    """Whoever is asked answers by mail."""
    position, seat = evening.table.playing, asked(evening)
    legal = position.game.legal(position.state, seat)
    return evening.move(seat, Chance(evening.draw("mind"), position.seq).pick(legal, "move"), mail=True)
