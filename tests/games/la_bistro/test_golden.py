"""The golden records show what they claim to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from engine.game import Event
from engine.games.la_bistro import GAME, events
from engine.games.la_bistro.state import Diner, State
from engine.record.replay import replay
from tests.games.la_bistro.golden import GOLDEN
from tests.games.la_bistro.positions import only


@cache
def told(name: str) -> tuple[Sequence[Event], State]:
    """Everything that happened in a record, and how it ended."""
    played = GOLDEN[name].play(GAME)
    replayed = replay(played.record, bytes.fromhex(played.record[-1].entry.secret))  # type: ignore[union-attr]
    assert replayed.stopped is None
    return [event for position in replayed.positions for event in position.events], replayed.positions[-1].state


def diners(name: str) -> list[Diner]:
    return [event.diner for event in only(told(name)[0], events.Served)]


@pytest.mark.cites("§2", "§3.3.5", "R14")
def test_two_players_play_five_turns_and_fight_over_unique_employees() -> None:
    happened, end = told("two-players")

    assert len(only(happened, events.DinersCome)) == 5
    assert end.table.turn == 5
    assert only(happened, events.HiredAway)
    assert only(happened, events.Kept)
    assert any(diner.full and diner.got for diner in diners("two-players"))


@pytest.mark.cites("R25")
def test_three_players_end_with_equal_money_and_fame_decides() -> None:
    standing = GAME.standing(told("three-players")[1])

    first, second = standing.ranking[0], standing.ranking[1]
    assert standing.scores[first[0]].total == standing.scores[second[0]].total
    assert len(first) == 1


@pytest.mark.cites("R12", "R20")
def test_four_players_bid_for_the_right_and_diners_are_gold_split_or_find_houses_full() -> None:
    happened, _ = told("four-players")

    assert any(right.price > 0 for right in only(happened, events.Right))
    assert any(diner.gold for diner in diners("four-players"))
    assert any(len(diner.got) > 1 for diner in diners("four-players"))
    assert any(diner.full for diner in diners("four-players"))


@pytest.mark.cites("R19", "R23")
def test_five_at_random_lose_diners_and_cannot_pay() -> None:
    happened, end = told("five-at-random")

    assert any(paid.amount < paid.loans for paid in only(happened, events.Interest))
    assert any(not diner.got for diner in diners("five-at-random"))
    assert min(end.table.money) < 0


@pytest.mark.cites("§6.2", "R26")
def test_six_by_proxy_hold_every_auction_under_seal() -> None:
    happened, end = told("six-by-proxy")

    assert end.table.auctions == "sealed-proxy"
    assert only(happened, events.Limits)
    assert not only(happened, events.Bid)
    assert only(happened, events.HiredAway)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_record_is_played_to_its_end(name: str) -> None:
    happened, end = told(name)

    assert end.over
    assert isinstance(happened[-1], events.End)
