"""Each golden record shows what it is kept for."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from engine.game import Event
from engine.games.dinner_in_paris import events
from engine.record.audit import entries, secret_of
from engine.record.replay import replay
from tests.games.dinner_in_paris.golden import GOLDEN
from tests.games.golden_recipes import golden_file


@cache
def happened(name: str) -> tuple[Event, ...]:
    """Everything that a golden record tells."""
    record = entries(golden_file("dinner-in-paris", name).read_bytes())
    secret = secret_of(record)
    assert secret is not None
    return tuple(event for position in replay(record, secret).positions for event in position.events)


@cache
def shown(name: str) -> set[str]:
    """What a golden record shows, in a word each."""
    found: set[str] = set()
    for event in happened(name):
        match event:
            case events.PigeonPlayed(card=card):
                found.add(card)
            case events.Place(two_coins=two_coins, neighbours=neighbours, over=over):
                signs = {"two-coins": two_coins, "neighbours": neighbours, "cover": over is not None}
                found |= {sign for sign, is_so in signs.items() if is_so}
            case events.Open(less=True):
                found.add("one-less")
            case events.ObjectiveCard():
                found.add("objective drawn")
            case events.Claim(bonus=True):
                found.add("second claim")
            case events.Skip():
                found.add("skip")
            case events.LastRound(trigger=trigger):
                found.add(trigger)
    return found


@pytest.mark.parametrize(
    ("name", "shows"),
    [
        (
            "restaurants",
            "restaurants two-resources free-terrace two-coins one-less neighbours cover objective-drawn",
        ),
        ("tracks", "tracks free-terrace"),
        ("no-room", "no-room"),
        ("skipped", "free-terrace skip"),
        ("duo", "second-claim"),
        ("four", "restaurants"),
    ],
)
def test_a_golden_record_shows_what_it_claims(name: str, shows: str) -> None:
    assert {what.replace("-", " ") for what in shows.split()} <= {what.replace("-", " ") for what in shown(name)}
    assert name in GOLDEN


def test_there_is_one_for_each_trigger_and_each_pigeon_card() -> None:
    everything = set.union(*map(shown, GOLDEN))

    assert {"restaurants", "tracks", "no-room"} <= everything
    assert {"two-resources", "free-terrace", "two-coins", "one-less", "neighbours"} <= everything
    assert {"objective drawn", "second claim", "cover", "skip"} <= everything


def test_a_free_terrace_meets_another_pigeon() -> None:
    """In ``tracks`` a card is drawn for the very terrace that another card gave."""
    drawn = (events.PigeonPlayed, events.PigeonKept)
    story = [event for event in happened("tracks") if isinstance(event, (*drawn, events.Place))]
    chains = [
        (first, second)
        for (first, placed), (_, second) in pairwise(pairwise(story))
        if isinstance(first, events.PigeonPlayed)
        and first.card == "free-terrace"
        and isinstance(placed, events.Place)
        and isinstance(second, drawn)
    ]

    assert chains
