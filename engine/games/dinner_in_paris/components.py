"""The box, loaded from ``components.toml`` and checked once, with what the rules look up worked out in advance.

Sets of cells are masks: whole numbers with a bit for each cell, counted row by row from the north-western corner. A
mask of terraces never has a bit in the outermost rows and columns, so that shifting one by a column never runs into the
next row: :meth:`Ground.touching` relies on it, and so do the shapes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from engine.games.dinner_in_paris.printed import (
    Cell,
    Kind,
    Majority,
    Objective,
    Pigeon,
    PrintedBoard,
    PrintedBox,
    Resource,
    Track,
    around,
    cell_name,
    cell_of,
    read,
)

FILE = Path(__file__).with_name("components.toml")


class Site(NamedTuple):
    """A place for a restaurant: its cells on the line, and the cells in front of it."""

    at: str
    cells: int
    front: int


class Ground(Struct, frozen=True):
    """A board as the rules use it with a certain number of seats."""

    printed: PrintedBoard
    width: int
    names: tuple[str, ...]
    """The name of each cell, by number."""
    bits: Mapping[str, int]
    """The mask of each cell, by name."""
    line: int
    terrain: int
    """Where terraces may stand: inside the line, decor excluded."""
    pigeons: int
    decor: Mapping[str, tuple[int, ...]]
    """For each type of decor the cells around each of its elements."""
    zones: Mapping[str, int]
    quarters: tuple[int, ...]
    sites: Mapping[int, Mapping[str, Site]]
    """For each size of restaurant its places by their first cell, from north to south and west to east."""
    shapes: Mapping[str, tuple[tuple[int, ...], ...]]
    """For each shape its rotations: how far each of its cells is from the first, as a shift of a mask."""

    def touching(self, cells: int) -> int:
        """The cells that share an edge with these."""
        return cells << 1 | cells >> 1 | cells << self.width | cells >> self.width

    def mask(self, names: Iterable[str]) -> int:
        """These cells as a mask."""
        return sum(self.bits[name] for name in names)

    def each(self, cells: int) -> Iterator[tuple[str, int]]:
        """The cells of a mask from north to south and west to east, each with its own bit."""
        while cells:
            bit = cells & -cells
            yield self.names[bit.bit_length() - 1], bit
            cells ^= bit

    def listed(self, cells: int) -> tuple[str, ...]:
        """The names of the cells of a mask."""
        return tuple([name for name, _ in self.each(cells)])


class Box(Struct, frozen=True):
    """The components as the rules use them."""

    facts: Mapping[str, Any]
    """The parsed file, as it is."""
    printed: PrintedBox
    resources: Mapping[str, Resource]
    order: Mapping[str, int]
    """Where each resource card stands when cards are sorted."""
    kinds: Mapping[str, Kind]
    kind_no: Mapping[str, int]
    tracks: tuple[Track, ...]
    points: tuple[tuple[int, ...], ...]
    """For each track the points when so many of its tiles are gone."""
    pigeons: Mapping[str, Pigeon]
    objectives: Mapping[str, Objective]
    majorities: Mapping[str, Majority]
    grounds: Mapping[tuple[str, int], Ground]
    """By name of the board and number of seats."""


def load(facts: Mapping[str, Any], file: str) -> Box:
    """The box in a parsed file; raises BadBox, naming the file and what is wrong with it."""
    printed = read(facts, file)
    return Box(
        facts=facts,
        printed=printed,
        resources={card.id: card for card in printed.resources},
        order={card.id: place for place, card in enumerate(printed.resources)},
        kinds={kind.id: kind for kind in printed.restaurants},
        kind_no={kind.id: number for number, kind in enumerate(printed.restaurants)},
        tracks=printed.tracks,
        points=tuple(tuple(_points(track)) for track in printed.tracks),
        pigeons={card.id: card for card in printed.pigeons},
        objectives={card.id: card for card in printed.objectives},
        majorities={card.id: card for card in printed.majorities},
        grounds={
            (name, seats): _ground(printed, board, ring)
            for name, board in printed.boards.items()
            for seats, ring in board.line_ring.items()
        },
    )


def _points(track: Track) -> Iterator[int]:
    """The points under the last cell revealed or, where that shows a +, under the one before."""
    points = 0
    yield points
    for revealed in track.reveals:
        points = revealed or points
        yield points


def _ground(printed: PrintedBox, board: PrintedBoard, ring: int) -> Ground:
    width, height = len(board.map[0]), len(board.map)

    def mask(cells: Iterable[Cell]) -> int:
        return sum(1 << row * width + column for column, row in cells)

    everywhere = [(column, row) for row in range(height) for column in range(width)]
    inside = [(x, y) for x, y in everywhere if ring <= x < width - ring and ring <= y < height - ring]
    decor = [cell_of(cell) for element in board.decor for cell in element.cells]
    zones = {name: mask(cell for cell in everywhere if zone.holds(cell)) for name, zone in board.zones.items()}
    by_rows = [zones[name] for name, zone in board.zones.items() if zone.rows]
    by_columns = [zones[name] for name, zone in board.zones.items() if zone.columns]
    sides = list(_sides(width, height, ring))
    return Ground(
        printed=board,
        width=width,
        names=tuple(map(cell_name, everywhere)),
        bits={cell_name(cell): mask([cell]) for cell in everywhere},
        line=mask(cell for side in sides for cell in side),
        terrain=mask(inside) & ~mask(decor),
        pigeons=mask(map(cell_of, board.pigeons)),
        decor={
            kind: tuple(mask(around(map(cell_of, each.cells))) for each in board.decor if each.type == kind)
            for kind in dict.fromkeys(element.type for element in board.decor)
        },
        zones=zones,
        quarters=tuple(one & other for one in by_rows for other in by_columns),
        sites={
            size: {
                cell_name(cells[0]): Site(
                    cell_name(cells[0]), mask(cells), mask(cell for cell in inside if _touches(cell, cells))
                )
                for cells in sorted(_runs(sides, size), key=lambda cells: cells[0][::-1])
            }
            for size in sorted({kind.size for kind in printed.restaurants})
        },
        shapes={
            card.id: tuple(tuple(y * width + x for x, y in turned) for turned in _rotations(card.shape))
            for card in printed.objectives
            if card.shape
        },
    )


def _sides(width: int, height: int, ring: int) -> Iterator[list[Cell]]:
    """The four sides of the line, without its corners (R1), each from west to east or from north to south."""
    first, last_column, last_row = ring - 1, width - ring, height - ring
    for row in (first, last_row):
        yield [(column, row) for column in range(first + 1, last_column)]
    for column in (first, last_column):
        yield [(column, row) for row in range(first + 1, last_row)]


def _runs(sides: Iterable[list[Cell]], size: int) -> Iterator[list[Cell]]:
    """So many consecutive cells of one side, in every possible place."""
    for side in sides:
        for start in range(len(side) - size + 1):
            yield side[start : start + size]


def _touches(cell: Cell, cells: Iterable[Cell]) -> bool:
    return any(abs(cell[0] - column) + abs(cell[1] - row) == 1 for column, row in cells)


def _rotations(shape: tuple[str, ...]) -> list[list[Cell]]:
    """The cells of a shape in each different rotation, counted from its first; never its mirror image (R18)."""
    found: list[list[Cell]] = []
    rows = shape
    for _ in range(4):
        cells = [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == "#"]
        moved = [(x - cells[0][0], y - cells[0][1]) for x, y in cells]
        if moved not in found:
            found.append(moved)
        rows = tuple("".join(column) for column in zip(*reversed(rows), strict=True))
    return found


BOX = load(tomllib.loads(FILE.read_text(encoding="utf-8")), FILE.name)
