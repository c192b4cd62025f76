"""Nothing is lost or made: dice, pieces, and every coin, at every step of whole games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from engine.bots import Policy
from engine.bots.at_random import at_random
from engine.chance import Chance
from engine.game import Event
from engine.games.la_bistro import GAME, Options, events
from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.state import State
from tests.games.la_bistro.golden import keen
from tests.games.la_bistro.positions import a_table, asking, restaurant

BANK = -1
TABLES = [(players, kind) for players in range(2, 7) for kind in ("open", "sealed-proxy")]


def a_whole_game(
    players: int, kind: str, policy: Policy, seed: int
) -> Iterator[tuple[State | None, State, tuple[Event, ...]]]:
    """Every step: the state before it, the state after it, and its events."""
    chance, mind = Chance(bytes([seed]) * 32), Chance(bytes([seed + 100]) * 32)
    step = GAME.deal(players, Options(auctions=kind), chance)  # type: ignore[arg-type]
    yield None, step.state, step.events
    entry = 0
    while waiting := GAME.waiting(step.state):
        before, seat, entry = step.state, min(waiting), entry + 1
        move = policy(GAME, GAME.view(before, seat), GAME.legal(before, seat), mind.at(entry))
        step = GAME.play(before, seat, move, chance.at(entry))
        yield before, step.state, step.events


def entries(event: Event) -> Iterator[tuple[int, int, int]]:
    """The books: (from, to, amount) for all money that an event moves."""
    match event:
        case events.Bought(house, _, _, price) | events.Hired(house, _, price) | events.Renovated(house, _, price):
            yield house.seat, BANK, price
        case events.Right(seat, _, price):
            yield seat, BANK, price
        case events.Menu(house, _, _, cost) | events.Advertised(house, _, cost):
            yield house.seat, BANK, cost
        case events.Borrowed(seat, amount):
            yield BANK, seat, amount
        case events.Repaid(seat, _, amount) | events.Interest(seat, _, amount) | events.Settled(seat, _, amount):
            yield seat, BANK, amount
        case events.HiredAway(_, house, employer, to_bank, to_employer):
            yield house.seat, BANK, to_bank
            yield house.seat, employer.seat, to_employer
        case events.Kept(_, employer, price):
            yield employer.seat, BANK, price
        case events.Served(diner):
            if len(diner.got) > 1:
                yield from ((BANK, house.seat, share) for house, share in zip(diner.got, diner.each, strict=True))
            elif diner.gold:
                yield BANK, diner.got[0].seat, diner.gold
        case events.Took(house, _, inflation, regular):
            yield BANK, house.seat, inflation
            yield BANK, house.seat, regular


@pytest.mark.cites("§1")
@pytest.mark.parametrize("policy", [at_random, keen])
@pytest.mark.parametrize(("players", "kind"), TABLES)
def test_every_coin_has_a_source_and_a_sink_at_every_step(players: int, kind: str, policy: Policy) -> None:
    for before, after, told in a_whole_game(players, kind, policy, seed=players):
        moved: Counter[int] = Counter()
        for event in told:
            for source, sink, amount in entries(event):
                assert amount >= 0
                moved[source] -= amount
                moved[sink] += amount
        start = [EDITIONS["reconstruction-1"].money[players]] * players
        money, bank = (before.table.money, before.table.bank) if before else (start, 0)
        assert [had + moved[seat] for seat, had in enumerate(money)] == list(after.table.money)
        assert bank + moved[BANK] == after.table.bank
        assert sum(after.table.money) + after.table.bank == sum(start)
        assert after.over or min(after.table.money) >= 0


@pytest.mark.cites("§1", "R3", "§3.1")
@pytest.mark.parametrize(("players", "kind"), TABLES)
def test_fifteen_dice_are_always_somewhere(players: int, kind: str) -> None:
    for _, after, _ in a_whole_game(players, kind, keen, seed=50 + players):
        table = after.table
        assert players + table.unused + table.aside + len(table.jobs) == 15
        assert min(table.unused, table.aside) >= 0
        assert len(set(table.jobs)) == len(table.jobs)


@pytest.mark.cites("§1")
@pytest.mark.parametrize(("players", "kind"), TABLES)
def test_no_building_and_no_unique_employee_has_two_owners(players: int, kind: str) -> None:
    box = None
    for _, after, _ in a_whole_game(players, kind, keen, seed=70 + players):
        pieces = GAME.pieces(after)
        box = box or pieces
        assert pieces == box
        assert all(count == 1 for piece, count in pieces.items() if piece not in ("die", "money"))
        houses = [each for mine in after.table.restaurants for each in mine]
        assert all(len(mine) <= 2 for mine in after.table.restaurants)
        listed = {job for job, each in EDITIONS["reconstruction-1"].employees.items() if each.kind != "unlimited"}
        for house in houses:
            assert all(house.employees.count(job) <= 1 for job in listed)
            assert len(set(house.renovations)) == len(house.renovations)


@pytest.mark.cites("§4.2", "R19")
@pytest.mark.parametrize("players", range(2, 7))
def test_no_restaurant_serves_more_than_it_seats(players: int) -> None:
    for _, after, _ in a_whole_game(players, "open", keen, seed=90 + players):
        if after.table.account:
            assert len(after.table.account.diners) == 15
            assert all(taking.dice <= 14 for taking in after.table.account.takings)
            assert sum(taking.dice for taking in after.table.account.takings) <= 15


def test_a_piece_with_two_owners_would_be_noticed() -> None:
    twice = asking(a_table([restaurant("B8")], [restaurant("B8", staff=["head-chef"])]))

    assert GAME.pieces(twice)["building B8"] == 2
    assert GAME.pieces(twice)["employee head-chef"] == 1
