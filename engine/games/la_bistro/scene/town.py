"""The board: six zones with their buildings, and who is where."""

from __future__ import annotations

from collections import Counter

from engine.game import Seat
from engine.games.la_bistro.components import EDITIONS, BuildingId, Edition
from engine.games.la_bistro.printed import Building, Zone
from engine.games.la_bistro.scene.words import house_code, house_sign
from engine.games.la_bistro.sheet import sheet
from engine.games.la_bistro.state import House, Restaurant, Table
from engine.scene import Board, Line, Mark, Span

ACROSS = 3
"""Zones side by side."""
WIDE = 33
"""The columns of a zone."""
ROOM = WIDE - 7
"""The letters there are for what stands beside a building's frame."""


def town(table: Table) -> Board:
    """Zones three by three, two lines a building."""
    edition = EDITIONS[table.edition]
    zones, marks, top = edition.printed.board.zones, [], 0
    for first in range(0, len(zones), ACROSS):
        row = zones[first : first + ACROSS]
        for column, zone in enumerate(row):
            marks += _zone(table, edition, zone, column * WIDE, top)
        top += 2 * max(len(zone.buildings) for zone in row) + 2
    return Board(ACROSS * WIDE, top - 1, (), tuple(marks), _summary(table, edition))


def owners(table: Table) -> dict[str, House]:
    """Whose each sold building is."""
    return {
        restaurant.building: House(Seat(seat), slot)
        for seat, mine in enumerate(table.restaurants)
        for slot, restaurant in enumerate(mine)
    }


def served(table: Table) -> Counter[House]:
    """The diners of the last earning phase who sit in each restaurant."""
    diners = table.account.diners if table.account else ()
    return Counter(diner.got[0] for diner in diners if len(diner.got) == 1)


def _zone(table: Table, edition: Edition, zone: Zone, left: int, top: int) -> list[Mark]:
    marks = [Mark((left, top), (Span(f"{zone.number} {zone.name}", bold=True),))]
    sold = owners(table)
    for number, building in enumerate(zone.buildings):
        row, house = top + 1 + 2 * number, sold.get(building.id)
        sign: Line = ("  ",) if house is None else (house_sign(house),)
        about = _for_sale(edition, building) if house is None else _business(table, edition, house)
        marks += [
            Mark((left + 1, row), sign, framed=True, tip=_tip(edition, building, about)),
            Mark((left + 5, row), (_label(building, for_sale=house is None),)),
            Mark((left + 5, row + 1), (Span(about[:ROOM], dim=house is None),)),
        ]
    return marks


def level_signs(edition: Edition, building: Building) -> str:
    """``$$ $$$$``."""
    return " ".join(level.sign for level in edition.levels if level.id in building.levels)


def _label(building: Building, *, for_sale: bool) -> str:
    """The street, and while it is for sale the price, for which room is kept."""
    price = f", {building.price}" if for_sale else ""
    return f"{building.id} {building.street}"[: ROOM - len(price)] + price


def _for_sale(edition: Edition, building: Building) -> str:
    return f"{building.seats} seats, Am {building.ambiance}, {level_signs(edition, building)}"


def _business(table: Table, edition: Edition, house: House) -> str:
    restaurant: Restaurant = table.restaurants[house.seat][house.slot]
    seats = f"{served(table)[house]}/{sheet(edition, restaurant).seats} seats"
    if restaurant.cuisine is None:
        return f"no menu, {seats}"
    return f"{edition.cuisines[restaurant.cuisine].name} {restaurant.price}, {seats}"


def _tip(edition: Edition, building: Building, about: str) -> str:
    large = ", large" if edition.is_large(BuildingId(building.id)) else ""
    printed = f"list price {building.price}, {building.seats} seats{large}, Ambiance {building.ambiance}"
    return f"{building.street} ({building.id}): {printed}, {level_signs(edition, building)}. {about}"


def _summary(table: Table, edition: Edition) -> tuple[Line, ...]:
    """The board zone by zone, for where the drawing does not fit."""
    sold = owners(table)
    lines: list[Line] = []
    for zone in edition.printed.board.zones:
        spans: list[Span | str] = [Span(f"{zone.number} {zone.name}:", bold=True)]
        for building in zone.buildings:
            house = sold.get(building.id)
            if house is None:
                spans.append(f" {building.id} for {building.price} ({_for_sale(edition, building)});")
            else:
                spans.append(f" {building.id} [{house_code(house)}] {_business(table, edition, house)};")
        lines.append(tuple(spans))
    return tuple(lines)
