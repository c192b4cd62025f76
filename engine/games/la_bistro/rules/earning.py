"""Earning phase, §4: the diners are placed, handed out and paid for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.changed_tuples import with_item
from engine.game import Seat
from engine.games.la_bistro import events
from engine.games.la_bistro.components import ChartBox, CuisineId, Edition
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.sheet import sheet
from engine.games.la_bistro.state import Account, Diner, House, Income, Out, Restaurant, Round, Takings

FEWEST = frozenset({"price", "proximity"})
"""The criteria of which less is better."""


class Contender(NamedTuple):
    """A restaurant as the diners see it: its figures do not change while they are handed out."""

    house: House
    price: int
    cuisine: CuisineId
    zone: int
    seats: int
    real: Mapping[str, int]
    tiers: Mapping[str, int]


def earn(course: Course) -> None:
    """All dice are taken back and become the diners; then Afterwards, §4.3, from a to g."""
    table, edition = course.table, course.edition
    dice = tuple([course.chance.roll("diners") for _ in range(edition.printed.setup.dice)])
    placed = place(dice, edition.printed.payouts.rows)
    course.tell(events.DinersCome(table.turn, dice, placed[0][0]))
    diners = hand_out(edition, contenders(edition, table.restaurants), placed, table.inflation)
    _afterwards(course, diners)
    _interest(course)
    die = course.chance.roll("inflation")
    course.change(
        inflation=edition.inflation[len(table.money)][die - 1],  # replaces the old one (R24)
        jobs=(),
        aside=0,
        unused=edition.printed.setup.dice - edition.printed.setup.dice_per_player * len(table.money),
    )
    course.tell(events.Inflation(die, course.table.inflation))


def place(dice: Sequence[int], rows: int) -> list[tuple[int, int]]:
    """Placing the diners, §4.1: box and die, in the order in which they are placed.

    Boxes are counted row by row, six to a row. Each row receives one die, in the column of its value.
    """
    left = Counter(dice)
    box = sum(dice)
    while not left[(box - 1) % 6 + 1]:
        box = box % (rows * 6) + 1
    row, die = divmod(box - 1, 6)
    placed: list[tuple[int, int]] = []
    for _ in dice:
        die = die % 6 + 1
        while not left[die]:  # strictly higher, or else from the lowest again (R18)
            die = die % 6 + 1
        left[die] -= 1
        placed.append((row * 6 + die, die))
        row = (row + 1) % rows
    return placed


def contenders(edition: Edition, restaurants: Sequence[Sequence[Restaurant]]) -> list[Contender]:
    """The restaurants that have a menu; the others are never candidates."""
    found = []
    for seat, mine in enumerate(restaurants):
        for slot, restaurant in enumerate(mine):
            if restaurant.cuisine is None:
                continue
            quality, service, ambiance, seats = sheet(edition, restaurant)
            real = {
                "quality": quality,
                "service": service,
                "ambiance": ambiance,
                "ads": restaurant.ads,
                "novelty": restaurant.novelty,
                "fame": restaurant.fame,
            }
            tiers = {criterion: edition.tier(criterion, value) for criterion, value in real.items()}
            real["price"], tiers["price"] = restaurant.price, edition.level_of[restaurant.price]
            zone = edition.zone[restaurant.building]
            house = House(Seat(seat), slot)
            found.append(Contender(house, restaurant.price, restaurant.cuisine, zone, seats, real, tiers))
    return found


def hand_out(
    edition: Edition, rivals: Sequence[Contender], placed: Sequence[tuple[int, int]], inflation: int
) -> list[Diner]:
    """Handing out the diners, §4.2: first those on mauve boxes, then the others, by box."""
    free = {rival.house: rival.seats for rival in rivals}
    diners = []
    boxes = sorted([(edition.chart[box - 1].colour != "mauve", box, die) for box, die in placed])
    for _, box, die in boxes:
        spot = edition.chart[box - 1]
        candidates = [rival for rival in rivals if free[rival.house]]  # the full are as if absent (R19)
        full = tuple([rival.house for rival in rivals if not free[rival.house]])
        rounds, chosen = compare(spot, die, candidates)
        if len(chosen) == 1:
            free[chosen[0].house] -= 1
            each = [chosen[0].price + inflation]
        else:
            each = [-(-rival.price // len(chosen)) for rival in chosen]
        gold = edition.printed.costs.gold_bonus if spot.colour == "gold" and len(chosen) == 1 else 0  # (R20)
        got = tuple([rival.house for rival in chosen])
        diners.append(Diner(die, box, spot.colour, full, tuple(rounds), got, tuple(each), gold))
    return diners


def compare(spot: ChartBox, die: int, candidates: list[Contender]) -> tuple[list[Round], list[Contender]]:
    """The criteria of a box, one after the other, until one candidate is left; and those who are left."""
    rounds: list[Round] = []
    for criterion in spot.criteria:
        if len(candidates) < 2:
            break
        figures = _figures(criterion, spot.colour == "mauve", die, candidates)
        best = min(figures) if criterion in FEWEST else max(figures)
        if figures.count(best) == len(figures):
            rounds.append(Round(criterion, best, ()))
            continue
        pairs = list(zip(candidates, figures, strict=True))
        out = tuple([Out(rival.house, figure) for rival, figure in pairs if figure != best])
        candidates = [rival for rival, figure in pairs if figure == best]
        rounds.append(Round(criterion, best, out))
    return rounds, candidates


def _figures(criterion: str, refined: bool, die: int, candidates: list[Contender]) -> list[int]:
    if criterion == "proximity":  # along the list of zones, not around it (R21)
        return [abs(die - rival.zone) for rival in candidates]
    if criterion.startswith("cuisine:"):  # if nobody has it, all are alike
        cuisine = criterion[8:]
        return [int(rival.cuisine == cuisine) for rival in candidates]
    if refined:
        return [rival.real[criterion] for rival in candidates]
    return [rival.tiers[criterion] for rival in candidates]


def fame_awards(counts: Sequence[int], awards: Sequence[int]) -> list[int]:
    """Fame by the number of dice: numbers are ranked, so equals gain alike, and nothing for none (R22)."""
    ranked = sorted({count for count in counts if count}, reverse=True)
    award = dict(zip(ranked, awards, strict=False))
    return [award.get(count, 0) for count in counts]


def _afterwards(course: Course, diners: Sequence[Diner]) -> None:
    """Afterwards, §4.3 a to e; shares and bonuses have been paid at once."""
    table = course.table
    dice = Counter([diner.got[0] for diner in diners if len(diner.got) == 1])
    money, income = list(table.money), [[each.regular, each.inflation, each.gold, each.splits] for each in table.income]

    def paid(seat: Seat, amount: int, kind: int) -> None:
        money[seat] += amount
        income[seat][kind] += amount

    for diner in diners:
        course.tell(events.Served(diner))
        if len(diner.got) > 1:
            for house, share in zip(diner.got, diner.each, strict=True):
                paid(house.seat, share, 3)
        elif diner.gold:
            paid(diner.got[0].seat, diner.gold, 2)
    houses = [House(Seat(seat), slot) for seat, mine in enumerate(table.restaurants) for slot in range(len(mine))]
    awards = fame_awards([dice[house] for house in houses], course.edition.printed.fame.awards)
    takings: list[Takings] = []
    restaurants: list[list[Restaurant]] = [[] for _ in table.restaurants]
    for house, fame in zip(houses, awards, strict=True):
        before, count = course.restaurant(house), dice[house]
        novelty = max(before.novelty - count, 0)
        after = Restaurant(
            before.building,
            0,
            before.fame + fame,
            novelty,
            before.cuisine,
            before.price,
            before.employees,
            before.renovations,
        )
        restaurants[house.seat].append(after)
        regular, inflation = before.price * count, table.inflation * count
        paid(house.seat, inflation, 1)
        paid(house.seat, regular, 0)
        takings.append(Takings(house, count, regular, inflation, fame))
        course.tell(events.Took(house, count, inflation, regular, fame, novelty))
    course.change(
        money=tuple(money),
        bank=table.bank + sum(table.money) - sum(money),
        income=tuple([Income(*each) for each in income]),
        restaurants=tuple(map(tuple, restaurants)),
        account=Account(table.turn, tuple(diners), tuple(takings)),
    )


def _interest(course: Course) -> None:
    """Afterwards, §4.3 f: interest as far as the money goes (R23); in the last turn every loan, whatever it takes."""
    table, costs = course.table, course.edition.printed.costs
    last = table.turn == course.edition.turns[len(table.money)]
    for seat, loans in enumerate(table.loans):
        owner = Seat(seat)
        if loans and last:
            course.pay(owner, loans * costs.loan_final)
            course.change(loans=with_item(course.table.loans, owner, 0))
            course.tell(events.Settled(owner, loans, loans * costs.loan_final))
        elif loans:
            amount = min(loans * costs.interest, table.money[owner])
            course.pay(owner, amount)
            course.tell(events.Interest(owner, loans, amount))
