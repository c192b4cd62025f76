"""The Payouts Chart, for whoever wants to look something up; and where the figures of an edition come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import get_args

from engine.games.la_bistro.components import ChartBox, CuisineId, Edition
from engine.games.la_bistro.printed import Source, figures
from engine.scene import Board, Columns, Mark, Panel, Scene, Span

FILLS = {"plain": None, "mauve": 183, "gold": 220}
SIGNS = {"plain": " ", "mauve": "*", "gold": "$"}
CODES = {
    "quality": "Qu",
    "service": "Se",
    "ambiance": "Am",
    "ads": "Ad",
    "novelty": "No",
    "fame": "Fa",
    "price": "Pr",
    "proximity": "Px",
}
WIDE = 16
"""The columns of a box and the gap after it."""
MAUVE = "refined diners, served first, who compare real values and not tiers"
GOLD = "boxes that are seldom hit, which pay a bonus"
SOURCES: tuple[Source, ...] = get_args(Source)


def criterion_name(criterion: str) -> str:
    """``Service``, or ``French cuisine``.

    >>> criterion_name("proximity"), criterion_name("cuisine:fast-food")
    ('Proximity', 'Fast Food cuisine')
    """
    cuisine = criterion.removeprefix("cuisine:")
    return criterion.capitalize() if cuisine == criterion else f"{cuisine.replace('-', ' ').title()} cuisine"


def payouts_chart(edition: Edition) -> Scene:
    """The whole chart with a key to it, and where the edition's figures come from."""
    chart, codes, summary = edition.printed.payouts, _codes(edition), []
    marks = [Mark((column * WIDE, 0), (Span(f"die {column + 1}", dim=True),)) for column in range(chart.columns)]
    for number, row in enumerate(_rows(edition), 1):
        cells = [Span(_cell(box, codes), fill=FILLS[box.colour]) for box in row]
        for column, (box, cell) in enumerate(zip(row, cells, strict=True)):
            tip = f"Box {box.box}, {box.colour}: {', '.join(map(criterion_name, box.criteria))}"
            marks.append(Mark((column * WIDE, number), (cell,), tip=tip))
        summary.append(tuple(part for cell in cells for part in (cell, "  ")))
    board = Board(WIDE * chart.columns, chart.rows + 1, (), tuple(marks), tuple(summary))
    key = Panel("Key", (*((line,) for line in _key(edition)), (f"* mauve: {MAUVE}; $ gold: {GOLD}.",)))
    return Scene(f"La Bistro, {edition.printed.edition.title}: Payouts Chart", (board, key, provenance(edition)))


def compact_chart(edition: Edition) -> str:
    """The chart in a line of plain text a row, and a key to its codes."""
    codes = _codes(edition)
    rows = ["  ".join(_cell(box, codes) for box in row) for row in _rows(edition)]
    return "\n".join([*rows, "", *_key(edition)])


def _cell(box: ChartBox, codes: Mapping[str, str]) -> str:
    return f"{box.box:2}{SIGNS[box.colour]}{' '.join(codes[criterion] for criterion in box.criteria)}"


def _codes(edition: Edition) -> Mapping[str, str]:
    return CODES | {f"cuisine:{cuisine}": code for cuisine, code in _cuisine_codes(edition).items()}


def _key(edition: Edition) -> tuple[str, str]:
    criteria = ", ".join(f"{code} {name}" for name, code in CODES.items())
    cuisines = ", ".join(f"{code} {edition.cuisines[each].name}" for each, code in _cuisine_codes(edition).items())
    return f"{criteria};", f"{cuisines}."


def _rows(edition: Edition) -> Iterator[tuple[ChartBox, ...]]:
    columns = edition.printed.payouts.columns
    return (edition.chart[first : first + columns] for first in range(0, len(edition.chart), columns))


def _cuisine_codes(edition: Edition) -> dict[CuisineId, str]:
    """Two small letters for each: its first, and the first further one that tells it from those before."""
    codes: dict[CuisineId, str] = {}
    for cuisine in edition.cuisines:
        letters = [part[0] for part in cuisine.split("-")][1:] + list(cuisine.replace("-", "")[1:])
        codes[cuisine] = next(
            code for letter in (*letters, *"123456789") if (code := cuisine[0] + letter) not in codes.values()
        )
    return codes


def provenance(edition: Edition) -> Columns:
    """How many figures of each part of the box are attested, and how many are not."""
    parts: dict[str, Counter[Source | None]] = {}
    for path, source in figures(edition.printed):
        parts.setdefault(str(path[0]).replace("_", " "), Counter())[source] += 1
    rows = tuple((part, *(str(count[source] or "-") for source in SOURCES)) for part, count in parts.items())
    return Columns(
        "Where the figures come from", ("figures of", *SOURCES), rows, right=tuple(range(1, len(SOURCES) + 1))
    )
