"""A sheet for each restaurant, with the three tiers of everything that has tiers."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.la_bistro.checks import TIERED
from engine.games.la_bistro.components import EDITIONS, Edition
from engine.games.la_bistro.printed import Item
from engine.games.la_bistro.scene.town import level_signs, served
from engine.games.la_bistro.scene.words import FILLS, house_code, listed, needs_words
from engine.games.la_bistro.sheet import is_active, sheet
from engine.games.la_bistro.state import House, Restaurant, Table
from engine.scene import Line, Panel, Span
from engine.scene.canvas import measure

HALF = 46
"""The columns of the left one of two criteria that stand side by side."""


def restaurant_sheet(table: Table, house: House, names: Sequence[str]) -> Panel:
    """Everything about one restaurant."""
    edition = EDITIONS[table.edition]
    restaurant = table.restaurants[house.seat][house.slot]
    building = edition.buildings[restaurant.building]
    zone = edition.printed.board.zones[edition.zone[restaurant.building] - 1]
    title = f"{house_code(house)}  {names[house.seat]}: {building.street} ({building.id}), {zone.number} {zone.name}"
    tiers = [_tiers(edition, restaurant, criterion, house) for criterion in TIERED]
    pairs = [
        (*left, " " * max(HALF - measure(left), 2), *right) for left, right in zip(tiers[:3], tiers[3:], strict=True)
    ]
    employees = [edition.employees[job] for job in restaurant.employees]
    renovations = [edition.renovations[item] for item in restaurant.renovations]
    return Panel(
        title,
        (
            _menu(table, edition, house, restaurant),
            *pairs,
            ("Staff: ", *_items(edition, restaurant, employees)),
            ("Renovations: ", *_items(edition, restaurant, renovations)),
        ),
    )


def _menu(table: Table, edition: Edition, house: House, restaurant: Restaurant) -> Line:
    building = edition.buildings[restaurant.building]
    large = " (large)" if edition.is_large(restaurant.building) else ""
    seats = f"{sheet(edition, restaurant).seats} seats{large}, {served(table)[house]} taken last time"
    if restaurant.cuisine is None:
        menu = Span(f"No menu yet, prices {level_signs(edition, building)}", bold=True)
    else:
        sign = edition.levels[edition.level_of[restaurant.price] - 1].sign
        menu = Span(f"{edition.cuisines[restaurant.cuisine].name} at {restaurant.price} {sign}", bold=True)
    return (menu, f"; {seats}")


def _tiers(edition: Edition, restaurant: Restaurant, criterion: str, house: House) -> Line:
    """``Quality    4  poor [good] superb``."""
    figures = sheet(edition, restaurant)
    value: int = getattr(figures if criterion in figures._fields else restaurant, criterion)
    here = edition.tier(criterion, value)
    spans: list[Span | str] = [f"{criterion.capitalize():<9}", Span(f"{value:>3}", bold=True), " "]
    for number, name in enumerate(getattr(edition.printed.tiers, criterion).names, 1):
        is_here = number == here
        spans.append(Span(f"[{name}]", fill=FILLS[house.seat], bold=True) if is_here else Span(f" {name} ", dim=True))
    return tuple(spans)


def _items(edition: Edition, restaurant: Restaurant, items: Sequence[Item]) -> Line:
    """What counts, and dimmed what does not while its condition is missing."""
    return listed(
        Span(item.name)
        if is_active(edition, restaurant, item.needs)
        else Span(f"{item.name} (idle {needs_words(edition, item.needs).replace('if', 'without', 1)})", dim=True)
        for item in items
    )
