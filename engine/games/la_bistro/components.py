"""The box: every edition of ``editions/*.toml``, loaded and checked once, with what the rules look up worked out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NewType

from msgspec import Struct

from engine.games.la_bistro.checks import DIE, PLAYERS, TIERED, parse
from engine.games.la_bistro.printed import Building, Colour, Cuisine, Employee, Level, PrintedEdition, Renovation

BuildingId = NewType("BuildingId", str)
CuisineId = NewType("CuisineId", str)
EmployeeId = NewType("EmployeeId", str)
RenovationId = NewType("RenovationId", str)


class Place(NamedTuple):
    """A box of the Jobs Board, as its two dice name it."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"{self.row},{self.column}"


class ChartBox(NamedTuple):
    """A box of the Payouts Chart."""

    box: int
    colour: Colour
    criteria: tuple[str, ...]


class Edition(Struct, frozen=True):
    """An edition as the rules use it; everything by name is in the order of the file."""

    facts: Mapping[str, Any]
    """The parsed file, as it is."""
    printed: PrintedEdition
    money: Mapping[int, int]
    """What each player starts with, by the number of players."""
    turns: Mapping[int, int]
    inflation: Mapping[int, tuple[int, ...]]
    """By the number of players, and then by the die from 1 on."""
    levels: tuple[Level, ...]
    level_of: tuple[int, ...]
    """For each price the number of its level from 1 on; there is no price 0."""
    buildings: Mapping[BuildingId, Building]
    zone: Mapping[BuildingId, int]
    menus: Mapping[BuildingId, Mapping[CuisineId, tuple[int, ...]]]
    """The prices at which each cuisine may be sold in a building."""
    cuisines: Mapping[CuisineId, Cuisine]
    employees: Mapping[EmployeeId, Employee]
    jobs: Mapping[Place, EmployeeId]
    renovations: Mapping[RenovationId, Renovation]
    chart: tuple[ChartBox, ...]
    """The boxes from 1 on, so box b is number b - 1 here."""
    tiers: Mapping[str, tuple[int, int, int]]

    def tier(self, criterion: str, value: int) -> int:
        """The tier from 1 to 3 in which a value lies."""
        return bisect_right(self.tiers[criterion], value) or 1

    def is_large(self, building: BuildingId) -> bool:
        """Ten printed seats (R27)."""
        return self.buildings[building].seats >= self.printed.board.large_seats


def load(source: str, file: str) -> Edition:
    """The edition in a file; raises BadEdition, naming the file, the lines, and what is wrong with them."""
    facts, printed = parse(source, file)
    setup, table = printed.setup, printed.inflation
    columns = (table.players_2_4, table.players_5, table.players_6)
    levels = printed.menus.levels
    prices = {level.id: tuple(range(level.start, level.to + 1)) for level in levels}
    return Edition(
        facts=facts,
        printed=printed,
        money={players: setup.money_two_players if players == 2 else setup.money for players in PLAYERS},
        turns={players: setup.turns_two_players if players == 2 else setup.turns for players in PLAYERS},
        inflation={n: tuple(columns[max(n - 4, 0)][(die - 1) // 2] for die in DIE) for n in PLAYERS},
        levels=levels,
        level_of=(0, *(number for number, level in enumerate(levels, 1) for _ in prices[level.id])),
        buildings={BuildingId(each.id): each for each in printed.buildings},
        zone={BuildingId(each.id): zone.number for zone in printed.board.zones for each in zone.buildings},
        menus={BuildingId(each.id): _menus(printed, each, prices) for each in printed.buildings},
        cuisines={CuisineId(each.id): each for each in printed.menus.cuisines},
        employees={EmployeeId(each.id): each for each in printed.jobs.employees},
        jobs={
            Place(row, column): EmployeeId(job)
            for row, jobs in enumerate(printed.jobs.board, 1)
            for column, job in enumerate(jobs, 1)
        },
        renovations={RenovationId(each.id): each for each in printed.renovations},
        chart=tuple(ChartBox(each.box, each.colour, each.criteria) for each in printed.payouts.boxes),
        tiers={criterion: getattr(printed.tiers, criterion).start for criterion in TIERED},
    )


def _menus(
    printed: PrintedEdition, building: Building, prices: Mapping[str, tuple[int, ...]]
) -> Mapping[CuisineId, tuple[int, ...]]:
    """Levels that both the cuisine and the building allow."""
    found = {
        CuisineId(cuisine.id): tuple(
            price
            for level, its_prices in prices.items()
            if level in cuisine.levels and level in building.levels
            for price in its_prices
        )
        for cuisine in printed.menus.cuisines
    }
    return {cuisine: allowed for cuisine, allowed in found.items() if allowed}


def _load_all() -> dict[str, Edition]:
    paths = sorted((Path(__file__).parent / "editions").glob("*.toml"))
    return {path.stem: load(path.read_text(encoding="utf-8"), path.name) for path in paths}


EDITIONS: Mapping[str, Edition] = _load_all()
