"""Each golden record shows what it claims."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from engine.game import Event, Move, Seat
from engine.games.restaurant import GAME, events
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Serve, Stop, Take
from engine.games.restaurant.state import State
from engine.record.audit import entries
from engine.record.entry import Close, Play
from engine.record.replay import move_of, replay
from tests.games.golden_recipes import golden_file
from tests.games.restaurant.golden import GOLDEN


@dataclass(frozen=True)
class Turn:
    before: State
    seat: Seat
    move: Move
    events: tuple[Event, ...]


@cache
def turns(name: str) -> list[Turn]:
    """The moves of a golden record, each with the position before it and what it caused."""
    record = entries(golden_file("restaurant", name).read_bytes())
    (secret,) = [sealed.entry.secret for sealed in record if isinstance(sealed.entry, Close)]
    at: dict[int, Any] = {position.seq: position for position in replay(record, bytes.fromhex(secret)).positions}
    return [
        Turn(at[entry.seq - 1].state, Seat(entry.seat), move_of(GAME, entry.move), at[entry.seq].events)
        for entry in (sealed.entry for sealed in record)
        if isinstance(entry, Play)
    ]


def told(name: str, kind: type[Event]) -> list[Any]:
    return [event for turn in turns(name) for event in turn.events if isinstance(event, kind)]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("restarts-and-chains", "dead-end"),
        ("dead-end", "dead-end"),
        ("empty-hand", "empty-hand"),
        ("declined", "declined"),
        ("blocked", "blocked"),
    ],
)
def test_every_way_in_which_the_services_end_is_kept(name: str, why: str) -> None:
    assert [event.why for event in told(name, events.Over)] == [why]
    assert name in GOLDEN


def test_restarts_and_chains() -> None:
    name = "restarts-and-chains"

    assert len(told(name, events.DeadEnd)) == 3
    assert told(name, events.Reserve)
    assert told(name, events.Swap)
    longest = chain = 0
    for turn in turns(name):
        if isinstance(turn.move, Take):
            chain = chain + 1 if turn.before.stage == "again" else 1
            longest = max(longest, chain)
    assert longest == 4
    assert any(turn.before.leap and isinstance(turn.move, Serve) for turn in turns(name))


def test_dead_end() -> None:
    (last_order,) = [turn for turn in turns("dead-end") if any(isinstance(each, events.Count) for each in turn.events)]

    assert [type(event).__name__ for event in last_order.events[:3]] == ["Take", "Lapse", "Count"]
    assert last_order.before.stairs
    assert last_order.before.scoring == "service-only"


def test_empty_hand() -> None:
    last = turns("empty-hand")[-1]

    assert isinstance(last.move, Serve)
    assert last.move.card == "JUMP"
    assert last.before.hands[last.seat] == (BOX.jump,)


def test_declined() -> None:
    last = turns("declined")[-1]

    assert (last.before.leap, last.move) == (True, Stop())


def test_blocked() -> None:
    last = turns("blocked")[-1]

    assert {event.seat for event in last.events if isinstance(event, events.Pass)} == {0, 1, 2}
    assert len(told("blocked", events.Pass)) > 3
