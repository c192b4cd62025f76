"""The square as a board: four characters for each cell, so that a cell is a square in a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.games.dinner_in_paris.components import BOX, Ground
from engine.games.dinner_in_paris.moves import AnyMove, Place
from engine.games.dinner_in_paris.printed import (
    BUSH_LETTER,
    DECOR_LETTERS,
    PIGEON_LETTER,
    cell_name,
    cell_of,
    column_name,
)
from engine.games.dinner_in_paris.view import SeenRestaurant, View
from engine.scene import Board, Line, Mark, Span

CELL, MARGIN = 4, 3  # columns
UNIT = (10, 40)
PAVING, LINE, LEGAL, CARD, BIRD, BUSH = 255, 180, 191, 215, 249, 65
DECOR = {"band": 173, "flower-bed": 211, "fountain": 81, "street-light": 220}
"""The colours of the decor."""
CODES = {
    "friterie": "FR",
    "fruits-de-mer": "FM",
    "creperie": "CR",
    "pizzeria": "PI",
    "grill": "GR",
    "bar-a-vin": "BV",
    "brasserie": "BR",
    "gastronomique": "GA",
}


class Colour(NamedTuple):
    """A seat's pieces: the letter that stands for it, the colour of its restaurants and that of its terraces."""

    letter: str
    strong: int
    pale: int


COLOURS = (Colour("r", 160, 217), Colour("b", 26, 117), Colour("g", 28, 114), Colour("v", 91, 183))


def board(view: View, names: Sequence[str], legal: Sequence[AnyMove]) -> Board:
    """The square as far as it is in play, with coordinates and the cells of the terraces that may be placed now."""
    ground = BOX.grounds[view.board, len(view.players)]
    faces = _faces(view, ground, legal)
    # What lies outside the ring of the line is out of play, and there is as much of it on every side.
    outside = ground.printed.line_ring[len(view.players)] - 1
    played = range(outside, ground.width - outside)
    marks: list[Mark] = []
    for down, row in enumerate(played, 1):
        label = str(row + 1)
        marks.append(Mark((MARGIN - 1 - len(label), down), (Span(label, dim=True),)))
        marks.append(Mark((MARGIN, down), tuple(faces[cell_name((column, row))] for column in played)))
        marks.append(Mark((MARGIN + len(played) * CELL + 1, down), (Span(label, dim=True),)))
    for across, column in enumerate(played):
        letter = (Span(column_name(column), dim=True),)
        marks += [Mark((MARGIN + across * CELL + 1, row), letter) for row in (0, len(played) + 1)]
    for restaurant in view.restaurants:
        tip = f"{restaurant.name} ({names[restaurant.seat]})"
        for cell in (*_site(ground, restaurant), *restaurant.terraces):
            column, row = cell_of(cell)
            at = (MARGIN + (column - outside) * CELL, row - outside + 1)
            marks.append(Mark(at, (faces[cell],), tip=tip))
    return Board(
        width=2 * MARGIN + len(played) * CELL,
        height=len(played) + 2,
        marks=tuple(marks),
        summary=_summary(view, names, legal),
        unit=UNIT,
    )


def _site(ground: Ground, restaurant: SeenRestaurant) -> tuple[str, ...]:
    return ground.listed(ground.sites[BOX.kinds[restaurant.kind].size][restaurant.at].cells)


def _faces(view: View, ground: Ground, legal: Sequence[AnyMove]) -> dict[str, Span]:
    """What each cell shows."""
    faces = dict.fromkeys(ground.names, Span(" " * CELL))
    faces |= {cell: _face("", BUSH) for cell in ground.names if _letter(ground, cell) == BUSH_LETTER}
    faces |= dict.fromkeys(ground.listed(ground.terrain), _face(".", PAVING))
    faces |= dict.fromkeys(ground.listed(ground.line), _face(":::", LINE))
    faces |= dict.fromkeys(ground.printed.pigeons, _face(PIGEON_LETTER, BIRD))
    for element in ground.printed.decor:
        faces |= dict.fromkeys(element.cells, _face(DECOR_LETTERS[element.type] * 3, DECOR[element.type]))
    for restaurant in view.restaurants:
        letter, strong, pale = COLOURS[restaurant.seat]
        category = BOX.kinds[restaurant.kind].category
        faces |= dict.fromkeys(_site(ground, restaurant), _face(f"{letter}==", strong, bold=True))
        faces[restaurant.at] = _face(letter + CODES[restaurant.kind], strong, bold=True)
        faces |= dict.fromkeys(restaurant.terraces, _face(f"{letter}{category}", pale))
    for move in legal:
        if isinstance(move, Place):
            sign, fill = ("!", CARD) if move.neighbours else ("+", LEGAL)
            below = faces[move.cell].text.strip(" .+!")
            faces[move.cell] = _face(below + sign, fill, bold=True)
    return faces


def _letter(ground: Ground, cell: str) -> str:
    column, row = cell_of(cell)
    return ground.printed.map[row][column]


def _face(text: str, fill: int, *, bold: bool = False) -> Span:
    """A cell: three characters and a gap to the next, fewer in the middle."""
    return Span(f" {text}".ljust(CELL) if len(text) < CELL - 1 else text.ljust(CELL), fill=fill, bold=bold)


def _summary(view: View, names: Sequence[str], legal: Sequence[AnyMove]) -> tuple[Line, ...]:
    """The restaurants and their terraces in words, for where the drawing does not fit."""
    lines: list[Line] = []
    for restaurant in view.restaurants:
        owner = Span(f"{names[restaurant.seat]} {restaurant.name}", COLOURS[restaurant.seat].strong, bold=True)
        lines.append((owner, f": {' '.join(restaurant.terraces) or 'no terrace'}"))
        cells = [move.cell for move in legal if isinstance(move, Place) and move.restaurant == restaurant.name]
        if cells:
            lines.append((f"  next terrace: {' '.join(dict.fromkeys(cells))}",))
    return tuple(lines) or (("No restaurant stands yet.",),)
