"""The earning phase once more, written down naively from the text and the raw file, compared on random positions.

Nothing here uses the engine's tables, sheets or comparisons: figures are looked up in the parsed file as it stands.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from engine.chance import Chance
from engine.games.la_bistro import GAME, Options, events
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.rules.earning import earn
from engine.games.la_bistro.state import Income, Restaurant, Table
from tests.games.la_bistro.positions import a_table, only, restaurant

FACTS: Mapping[str, Any] = GAME.components(Options())
BUILDINGS = {b["id"]: {**b, "zone": zone["number"]} for zone in FACTS["board"]["zones"] for b in zone["buildings"]}
POSITIONS = 600
"""For each number of players."""


def naive_placing(dice: list[int]) -> list[tuple[int, int]]:
    """§4.1 as the specification writes it."""
    dice = list(dice)
    b = sum(dice)
    while (b - 1) % 6 + 1 not in dice:
        b = b % 90 + 1
    v, row = (b - 1) % 6 + 1, (b - 1) // 6 + 1
    placed = []
    for _ in range(15):
        placed.append(((row - 1) * 6 + v, v))
        dice.remove(v)
        higher = [other for other in dice if other > v]
        if dice:
            v = min(higher) if higher else min(dice)
        row = row % 15 + 1
    return placed


def naive_figures(place: Restaurant) -> dict[str, int]:
    """Quality, Service, Ambiance and seats, item by item."""
    building = BUILDINGS[place.building]
    figures = {"quality": 0, "service": 0, "ambiance": building["ambiance"], "seats": building["seats"]}
    bought = [item for key in place.employees for item in FACTS["jobs"]["employees"] if item["id"] == key]
    bought += [item for key in place.renovations for item in FACTS["renovations"] if item["id"] == key]
    for item in bought:
        needs = item.get("needs", {})
        if needs.get("large") and building["seats"] < 10:
            continue
        if "cuisine" in needs and place.cuisine not in needs["cuisine"]:
            continue
        if "renovation" in needs and needs["renovation"] not in place.renovations:
            continue
        for name, gain in item["effect"].items():
            if name != "novelty":
                figures[name] += gain
    return figures | {"ads": place.ads, "fame": place.fame, "novelty": place.novelty}


def naive_badness(criterion: str, mauve: bool, die: int, place: Restaurant) -> int:
    """How bad a restaurant is by a criterion: less is better for all of them."""
    if criterion.startswith("cuisine:"):
        return 0 if criterion == f"cuisine:{place.cuisine}" else 1
    if criterion == "proximity":
        return abs(die - int(BUILDINGS[place.building]["zone"]))
    if criterion == "price":
        if mauve:
            return place.price
        bounds: list[int] = [level["to"] for level in FACTS["menus"]["levels"]]
        return sum(place.price > bound for bound in bounds)
    value = naive_figures(place)[criterion]
    if mauve:
        return -value
    starts: list[int] = FACTS["tiers"][criterion]["from"]
    return -sum(value >= start for start in starts)


def naive_evening(table: Table, dice: list[int], last: bool) -> dict[str, Any]:
    """§4.2 and §4.3 but for the roll of the Inflation."""
    places = [(seat, slot, each) for seat, mine in enumerate(table.restaurants) for slot, each in enumerate(mine)]
    money, counts = list(table.money), {(seat, slot): 0 for seat, slot, _ in places}
    income = [{"regular": 0, "inflation": 0, "gold": 0, "splits": 0} for _ in money]
    chart = {box["box"]: box for box in FACTS["payouts"]["boxes"]}
    placed = naive_placing(dice)
    mauve = sorted(spot for spot in placed if chart[spot[0]]["colour"] == "mauve")
    others = sorted(spot for spot in placed if chart[spot[0]]["colour"] != "mauve")
    got = []
    for number, die in mauve + others:
        colour = chart[number]["colour"]
        left = [
            (seat, slot, each)
            for seat, slot, each in places
            if each.cuisine is not None and counts[seat, slot] < naive_figures(each)["seats"]
        ]
        for criterion in chart[number]["criteria"]:
            if len(left) > 1:
                figures = [naive_badness(criterion, colour == "mauve", die, each) for _, _, each in left]
                left = [one for one, figure in zip(left, figures, strict=True) if figure == min(figures)]
        got.append((number, die, tuple((seat, slot) for seat, slot, _ in left)))
        if len(left) == 1:
            ((seat, slot, _),) = left
            counts[seat, slot] += 1
            if colour == "gold":
                money[seat] += 5
                income[seat]["gold"] += 5
        for seat, _, each in left if len(left) > 1 else ():
            share = (each.price + len(left) - 1) // len(left)
            money[seat] += share
            income[seat]["splits"] += share
    ranks = sorted({count for count in counts.values() if count > 0}, reverse=True)
    fame, novelty = {}, {}
    for seat, slot, each in places:
        count = counts[seat, slot]
        rank = ranks.index(count) if count else 3
        fame[seat, slot] = each.fame + (3 - rank if rank < 3 else 0)
        novelty[seat, slot] = max(0, each.novelty - count)
        money[seat] += (table.inflation + each.price) * count
        income[seat]["regular"] += each.price * count
        income[seat]["inflation"] += table.inflation * count
    for seat, loans in enumerate(table.loans):
        money[seat] = money[seat] - 11 * loans if last else max(0, money[seat] - loans)
    return {"got": got, "money": tuple(money), "income": income, "fame": fame, "novelty": novelty}


def a_random_table(players: int, luck: random.Random) -> Table:
    """Anything that could be on a table, and some that hardly could."""
    buildings = luck.sample(sorted(BUILDINGS), 12)
    houses = [
        [a_random_restaurant(buildings.pop(), luck) for _ in range(luck.choice((0, 1, 1, 2, 2, 2)))]
        for _ in range(players)
    ]
    return a_table(
        *houses,
        money=[luck.randrange(40) for _ in range(players)],
        loans=[luck.choice((0, 0, 0, 1, 2, 9)) for _ in range(players)],
        turn=luck.choice((1, 2, 3, 4, 5) if players == 2 else (1, 2, 3, 4)),
        inflation=luck.randrange(5),
    )


def a_random_restaurant(building: str, luck: random.Random) -> Restaurant:
    menus: Sequence[tuple[str | None, int]] = [(None, 0)]
    if luck.random() < 0.93:
        menus = [
            (cuisine["id"], price)
            for cuisine in FACTS["menus"]["cuisines"]
            for level in FACTS["menus"]["levels"]
            if level["id"] in cuisine["levels"] and level["id"] in BUILDINGS[building]["levels"]
            for price in range(level["from"], level["to"] + 1)
        ]
    cuisine, price = luck.choice(menus)
    staff = luck.sample([item["id"] for item in FACTS["jobs"]["employees"]], luck.randrange(6))
    works = luck.sample([item["id"] for item in FACTS["renovations"]], luck.randrange(6))
    return restaurant(
        building,
        cuisine,
        price,
        staff=staff + ["waitron"] * luck.randrange(3),
        renovations=works,
        ads=luck.choice((0, 0, 0, 1, 4, 5, 9)),
        fame=luck.randrange(8),
        novelty=luck.randrange(17),
    )


@pytest.mark.cites("§4.1", "§4.2", "§4.3")
@pytest.mark.parametrize("players", range(2, 7))
def test_the_engine_agrees_with_the_naive_reading_on_random_positions(players: int) -> None:
    luck = random.Random(players)  # noqa: S311 - positions, not secrets
    last_turn = 5 if players == 2 else 4
    for number in range(POSITIONS):
        table = a_random_table(players, luck)
        course = Course(table, Chance(bytes([players]) * 32, number))

        earn(course)

        after = course.table
        (come,) = only(course.events, events.DinersCome)
        expected = naive_evening(table, list(come.dice), last=table.turn == last_turn)
        assert after.account is not None
        assert [(each.box, each.die, each.got) for each in after.account.diners] == expected["got"]
        assert after.money == expected["money"]
        assert [Income(**each) for each in expected["income"]] == list(after.income)
        found = {(seat, slot): each for seat, mine in enumerate(after.restaurants) for slot, each in enumerate(mine)}
        assert {house: each.fame for house, each in found.items()} == expected["fame"]
        assert {house: each.novelty for house, each in found.items()} == expected["novelty"]
        assert all(each.ads == 0 for each in found.values())
        assert sum(after.money) + after.bank == sum(table.money) + table.bank
