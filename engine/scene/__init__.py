"""A view laid out for the eye: a board, panels, hands and tables, described once and drawn in several ways.

A game builds a :class:`Scene`; :mod:`engine.scene.text` draws it as plain text (for mail), :mod:`engine.scene.terminal`
in colour, :mod:`engine.scene.svg` as a picture. Colours are ANSI 256-colour numbers; everything stays legible without.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

Point: TypeAlias = tuple[int, int]
"""Column and row on a board's character grid; (0, 0) is the upper left corner."""


class Span(Struct, frozen=True):
    """A run of text in one style; ``fill`` is the colour behind it."""

    text: str
    colour: int | None = None
    fill: int | None = None
    bold: bool = False
    dim: bool = False


Line: TypeAlias = tuple[Span | str, ...]
"""One line of text; a bare string is a span without style."""


class Link(Struct, frozen=True):
    """A way over the board through these points, each on one row or column with the next.

    It is drawn under the marks; ``letter`` stands in the middle of what stays visible, so that links can be told
    apart without colour.
    """

    points: tuple[Point, ...]
    letter: str = ""
    colour: int | None = None


class Mark(Struct, frozen=True):
    """Text standing on the board, its first character at ``at``.

    A ``framed`` mark is a place where things stand: ``[ ]`` in text (the bracket takes the column before and the one
    after), a rounded box in a picture. A ``badge`` follows it directly, such as ``*``.
    """

    at: Point
    spans: Line
    framed: bool = False
    badge: str = ""
    tip: str = ""
    """What a picture says when pointed at."""


class Board(Struct, frozen=True):
    """A drawing on a grid of characters.

    ``summary`` says the same in lines, for a terminal narrower than ``width``. ``unit`` is the size of one character
    in a picture, so that a grid of cells can be drawn square.
    """

    width: int
    height: int
    links: tuple[Link, ...] = ()
    marks: tuple[Mark, ...] = ()
    summary: tuple[Line, ...] = ()
    unit: Point = (9, 18)


class Panel(Struct, frozen=True):
    """A titled block of lines; long lines are folded."""

    title: str
    lines: tuple[Line, ...]


class Columns(Struct, frozen=True):
    """Rows under a header; ``right`` names the columns whose figures are set to the right."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Span | str, ...], ...]
    right: tuple[int, ...] = ()


class Card(Struct, frozen=True):
    """One card: what it shows, and a word about it."""

    text: str
    colour: int | None = None
    note: str = ""


class Hand(Struct, frozen=True):
    """Cards side by side."""

    title: str
    cards: tuple[Card, ...]


Block: TypeAlias = Board | Panel | Columns | Hand


class Scene(Struct, frozen=True):
    """Everything there is to see, from top to bottom."""

    title: str
    blocks: tuple[Block, ...]
