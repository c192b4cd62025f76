"""Each golden record shows what it claims."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from engine.game import Event, Score
from engine.games.paris_paris import events
from engine.record.audit import audit, entries
from engine.record.entry import Close, Open
from engine.record.replay import Position, replay
from tests.games.golden_recipes import golden_file


@cache
def positions(name: str) -> tuple[Position, ...]:
    record = entries(golden_file("paris-paris", name).read_bytes())
    (secret,) = [sealed.entry.secret for sealed in record if isinstance(sealed.entry, Close)]
    return replay(record, bytes.fromhex(secret)).positions


def told(name: str, kind: type[Event]) -> list[Any]:
    return [event for position in positions(name) for event in position.events if isinstance(event, kind)]


def leaders(name: str) -> list[Score]:
    """Who has most points, whether or not the tie-break then parts them."""
    standing = positions(name)[-1].game.standing(positions(name)[-1].state)
    most = max(score.total for score in standing.scores)
    return [score for score in standing.scores if score.total == most]


def winners(name: str) -> tuple[int, ...]:
    found = audit(golden_file("paris-paris", name).read_bytes())
    assert found.standing is not None
    assert found.standing.final
    return found.standing.winners


@pytest.mark.cites("§8", "R16")
def test_two_players() -> None:
    driven = told("two-players", events.FinalExcursion)

    assert len(positions("two-players")) == 1 + 40 + 1
    assert [excursion.seat for excursion in driven] == [0, 1, None]
    assert told("two-players", events.Bag) == []
    assert {eviction.into for eviction in told("two-players", events.Evict)} == {"supply"}


@pytest.mark.cites("§8", "R17")
def test_three_players() -> None:
    (bag,) = told("three-players", events.Bag)

    assert len(positions("three-players")) == 1 + 45 + 1
    assert bag.counts.count(max(bag.counts)) == 1
    assert sum(bag.points) == max(bag.counts)


@pytest.mark.cites("§8", "R17")
def test_four_players() -> None:
    (bag,) = told("four-players", events.Bag)
    opened = entries(golden_file("paris-paris", "four-players").read_bytes())[0].entry

    assert len(positions("four-players")) == 1 + 48 + 1
    assert bag.counts.count(max(bag.counts)) > 1
    assert bag.points == (0, 0, 0, 0)
    assert isinstance(opened, Open)
    assert opened.options["colours"] == ["green", "yellow", "grey", "violet"]
    assert positions("four-players")[0].state.colours == ("green", "yellow", "grey", "violet")


@pytest.mark.cites("R7")
def test_empty_supply() -> None:
    moments = [
        (number, before.state, after)
        for number, (before, after) in enumerate(pairwise(positions("empty-supply")))
        if before.state.turn is not None and not before.state.supply[before.state.turn]
    ]

    ((number, before, after),) = moments
    assert number // 2 + 1 == 20, "the last round"
    assert isinstance(after.events[0], events.Take)
    assert not any(isinstance(event, events.Open | events.Evict) for event in after.events)
    assert after.state.shops == before.shops


@pytest.mark.cites("§8", "R18")
def test_tie_break() -> None:
    first, second = leaders("tie-break")

    assert first.ties[0].value != second.ties[0].value
    fewest = min((first, second), key=lambda score: score.ties[0].value)
    assert winners("tie-break") == (fewest.seat,)


@pytest.mark.cites("§8", "R18")
def test_shared_victory() -> None:
    first, second = leaders("shared-victory")

    assert first.ties == second.ties
    assert winners("shared-victory") == (first.seat, second.seat)
