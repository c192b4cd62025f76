"""How long a game is when everybody moves at random: a misread rule would show here.

5,000 such games for each number of players took 98 decisions (92 with the stairs), in 46 (43) stretches of one seat's
decisions, with 38.5 cards taken, 15 tables served, and a restart in three games of five (with the stairs, of four).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from statistics import mean

from engine.chance import Chance
from engine.games.restaurant import GAME, Options, events

GAMES = 160


@dataclass(frozen=True)
class Course:
    seats: list[int]
    taken: int
    served: int
    restarted: bool


def at_random(number: int, *, stairs: bool) -> Course:
    chance, mind = Chance(b"length", number), Chance(b"mind", number)
    state = GAME.deal(3 + number % 4, Options(stairs=stairs), chance).state
    asked: list[int] = []
    restarted = False
    while waiting := list(GAME.waiting(state)):
        seat = waiting[0]
        asked.append(seat)
        step = GAME.play(state, seat, mind.pick(GAME.legal(state, seat), "move"), chance)
        state = step.state
        restarted |= any(isinstance(event, events.DeadEnd) for event in step.events)
    return Course(asked, state.tables.count(None), 60 - state.served.count(None), restarted)


def test_random_games_are_as_long_as_they_should_be() -> None:
    courses = [at_random(number, stairs=False) for number in range(GAMES)]

    assert 94 < mean(len(course.seats) for course in courses) < 102
    assert 44 < mean(len(list(groupby(course.seats))) for course in courses) < 48
    assert 37 < mean(course.taken for course in courses) < 40
    assert 13 < mean(course.served for course in courses) < 17
    assert 0.5 < mean(course.restarted for course in courses) < 0.72


def test_random_games_with_stairs_are_a_little_shorter() -> None:
    courses = [at_random(number, stairs=True) for number in range(GAMES)]

    assert 88 < mean(len(course.seats) for course in courses) < 96
    assert 41 < mean(len(list(groupby(course.seats))) for course in courses) < 45
    assert 0.65 < mean(course.restarted for course in courses) < 0.85
