"""The box: ``components.toml``, loaded and checked once, with what the rules look up worked out in advance.

Inside the engine tables and kinds of card are small numbers, tables in reading order and cards in the order of the data
file; people, moves, events and views use the names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NewType

from msgspec import Struct

from engine.games.restaurant.printed import Components, read

TableNo = NewType("TableNo", int)
CardNo = NewType("CardNo", int)


class Box(Struct, frozen=True):
    """The box as the rules use it. Tuples are indexed by the number of a table or of a card."""

    facts: Mapping[str, Any]
    """The parsed file, as it is."""
    printed: Components

    tables: tuple[str, ...]
    edge: tuple[TableNo, ...]
    neighbours: Mapping[bool, tuple[tuple[TableNo, ...], ...]]
    """The tables that share a side with each, with the stairs (True) or without."""
    placeable: tuple[frozenset[CardNo], ...]
    """The cards that may be served at each table."""

    cards: tuple[str, ...]
    values: tuple[int, ...]
    plat: CardNo
    double: CardNo
    jump: CardNo
    menus: frozenset[CardNo]
    reserved: frozenset[CardNo]
    """The menus that bear RES."""
    plain: frozenset[CardNo]
    """The menus that do not."""
    deck: tuple[CardNo, ...]
    """All the cards, kind by kind."""

    table_no: Mapping[str, TableNo]
    card_no: Mapping[str, CardNo]


def load(facts: Mapping[str, Any], file: str) -> Box:
    """The box in a parsed file; raises BadComponents, naming the file and what is wrong with it."""
    printed = read(facts, file)
    places = printed.places
    tables = tuple(places)
    kinds = [(CardNo(number), card) for number, card in enumerate(printed.cards)]
    of_kind = {card.kind: number for number, card in kinds if card.kind != "menu"}
    menus = frozenset(number for number, card in kinds if card.kind == "menu")
    reserved = frozenset(number for number, card in kinds if card.res)
    return Box(
        facts=facts,
        printed=printed,
        tables=tables,
        edge=tuple(TableNo(number) for number, table in enumerate(tables) if printed.is_edge(places[table])),
        neighbours={stairs: _neighbours(printed, stairs) for stairs in (False, True)},
        placeable=tuple(_placeable(printed, table) for table in tables),
        cards=tuple(card.id for card in printed.cards),
        values=tuple(card.value for card in printed.cards),
        plat=of_kind["plat-du-jour"],
        double=of_kind["coup-double"],
        jump=of_kind["saut"],
        menus=menus,
        reserved=reserved,
        plain=menus - reserved,
        deck=tuple(number for number, card in kinds for _ in range(card.count)),
        table_no={table: TableNo(number) for number, table in enumerate(tables)},
        card_no={card.id: number for number, card in kinds},
    )


def _neighbours(printed: Components, stairs: bool) -> tuple[tuple[TableNo, ...], ...]:
    """For each table those that share a side with it; with the stairs, only these cross the border of the salon."""
    places, salon = printed.places, printed.board.salon.tables
    crossings = {frozenset((each.outside, each.inside)) for each in printed.board.stairs}

    def are_neighbours(one: str, other: str) -> bool:
        (x, y), (other_x, other_y) = places[one], places[other]
        if abs(x - other_x) + abs(y - other_y) != 1:
            return False
        return not stairs or (one in salon) == (other in salon) or {one, other} in crossings

    return tuple(
        tuple(TableNo(number) for number, other in enumerate(places) if are_neighbours(table, other))
        for table in places
    )


def _placeable(printed: Components, table: str) -> frozenset[CardNo]:
    here = "salon" if table in printed.board.salon.tables else "outside"
    return frozenset(CardNo(number) for number, card in enumerate(printed.cards) if card.where in ("anywhere", here))


def _load_file() -> Box:
    path = Path(__file__).with_name("components.toml")
    return load(tomllib.loads(path.read_text(encoding="utf-8")), path.name)


BOX = _load_file()
