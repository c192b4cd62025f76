"""What every renderer shares: harmless lettering, lines folded to a width, and a board's grid of characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import dropwhile, groupby, pairwise
from typing import TypeAlias

from msgspec.structs import replace

from engine.scene import Board, Line, Link, Mark, Point, Span

Row: TypeAlias = tuple[Span, ...]
"""Spans of clean text that stand on one row; neighbours differ in style."""

BLACK, WHITE = 16, 231
BADGE = Span("", fill=213, bold=True)
_VARIATIONS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_ACCENTS = 3  # no script in use stacks more on one letter, but a hostile name would, to paint over its neighbours


def clean(text: str) -> str:
    r"""Text that can do nothing but be read, whoever wrote it.

    Line breaks and tabs become spaces. Control and format characters (escape sequences, changes of direction, joiners),
    variation selectors, surrogates, private and unassigned code points are gone, and so are accents without a letter
    or piled too high.

    >>> clean("a\x1b[31mb\n\u202e<c>")
    'a[31mb <c>'
    """
    return text if _is_simple(text) else _cleaned(text)


@lru_cache(maxsize=1024)
def _cleaned(text: str) -> str:
    spaced = "".join(" " if character.isspace() else character for character in text)
    kept: list[str] = []
    stacked = _ACCENTS  # an accent needs a letter to stand on
    for character in unicodedata.normalize("NFC", "".join(filter(_is_visible, spaced))):
        stacked = stacked + 1 if _is_accent(character) else 0
        if stacked <= _ACCENTS:
            kept.append(character)
    return "".join(kept)


def _is_simple(text: str) -> bool:
    """Whether every character is harmless and takes one column; so it is nearly always, and quickly said."""
    return text.isascii() and text.isprintable()


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] != "C" and character not in _VARIATIONS


def _is_accent(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me")


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """Each character of the cleaned text with the accents on it, and its columns: one, or two if it is wide."""
    if _is_simple(text):
        return ((character, 1) for character in text)
    return iter(_clusters(text))


@lru_cache(maxsize=1024)  # the names on a board are the same in every drawing of it
def _clusters(text: str) -> tuple[tuple[str, int], ...]:
    found: list[str] = []
    for character in clean(text):
        if found and _is_accent(character):
            found[-1] += character
        else:
            found.append(character)
    return tuple((cluster, _columns_of(cluster)) for cluster in found)


def _columns_of(cluster: str) -> int:
    return 2 if unicodedata.east_asian_width(cluster[0]) in "WF" else 1


def measure(line: Line) -> int:
    """The columns a line takes."""
    texts = (span if isinstance(span, str) else span.text for span in line)
    return sum(len(text) if _is_simple(text) else sum(columns for _, columns in clusters(text)) for text in texts)


def spans(line: Line) -> Iterator[Span]:
    """The spans of a line with clean text; those without any are left out."""
    for span in line:
        style = Span(span) if isinstance(span, str) else span
        if text := clean(style.text):
            yield style if text == style.text else replace(style, text=text)


def cells(line: Line) -> Iterator[tuple[Span, int]]:
    """The line character by character, each in its style, with its columns."""
    for style in spans(line):
        for cluster, columns in clusters(style.text):
            yield replace(style, text=cluster), columns


def joined(spans: Iterable[Span]) -> Row:
    """The same text in as few spans as its styles allow."""
    runs = groupby(spans, key=lambda span: (span.colour, span.fill, span.bold, span.dim))
    return tuple(Span("".join([span.text for span in run]), *style) for style, run in runs)


def pieces(line: Line) -> Row:
    """The line's own spans, clean but not joined: two equal pieces side by side stay two."""
    return tuple(spans(line))


def plain(row: Row) -> str:
    """The text of a row without its style."""
    return "".join(span.text for span in row).rstrip(" ")


def fold(line: Line, width: int, hang: int = 0) -> list[Row]:
    """The line as rows of at most ``width`` columns, broken at spaces where it has any.

    Rows after the first are indented by ``hang``. A wide character that no row can hold is shown as ``?``.
    """
    width = max(width, 1)
    if measure(line) <= width:
        return [joined(spans(line))]
    hang = hang if hang * 2 < width else 0
    rows: list[list[tuple[Span, int]]] = []
    row: list[tuple[Span, int]] = []
    limit = width
    for span, columns in cells(line):
        cell = (span, columns) if columns <= width - hang else (replace(span, text="?"), 1)
        if rows and not row and span.text == " ":
            continue  # the space at which the line was broken, and those after it
        while _columns(row) + cell[1] > limit:
            end = _last_break([*row, cell], limit)
            rows.append(row[:end])
            row = list(dropwhile(lambda kept: kept[0].text == " ", row[end:]))
            limit = width - hang
        if row or not rows or span.text != " ":
            row.append(cell)
    if row or not rows:
        rows.append(row)
    indent = Span(" " * hang)
    return [
        joined([indent] * (number > 0 and hang > 0) + [span for span, _ in each]) for number, each in enumerate(rows)
    ]


def _columns(row: Iterable[tuple[Span, int]]) -> int:
    return sum(columns for _, columns in row)


def _last_break(row: list[tuple[Span, int]], limit: int) -> int:
    """Where to break a row that is too long: before the last word that does not fit, or else where the room ends.

    What a break has left over may itself be too long for the next row, which is narrower than the first.
    """
    room = next(end for end in range(len(row)) if _columns(row[: end + 1]) > limit)
    texts = [span.text for span, _ in row]
    for end in range(room, 0, -1):
        if " " in texts[end - 1 : end + 1] and any(text != " " for text in texts[:end]):
            return end
    return room


class Grid:
    """Rows and columns of characters; whatever falls outside is not drawn."""

    def __init__(self, width: int, height: int) -> None:
        self._cells = [[Span(" ")] * width for _ in range(height)]

    def put(self, at: Point, line: Line) -> None:
        """Write a line over what stands there."""
        column, row = at
        for span, columns in cells(line):
            self._put(column, row, span, columns)
            column += columns

    def _put(self, column: int, row: int, span: Span, columns: int) -> None:
        if not 0 <= row < len(self._cells):
            return
        cells_of_row = self._cells[row]
        taken = range(column, column + columns)
        if not (taken.start >= 0 and taken.stop <= len(cells_of_row)):
            return
        # A wide character holds its own cell and an empty one; whoever loses one half loses the other too.
        if cells_of_row[taken.start].text == "":
            cells_of_row[taken.start - 1] = Span(" ")
        if taken.stop < len(cells_of_row) and cells_of_row[taken.stop].text == "":
            cells_of_row[taken.stop] = Span(" ")
        for cell in taken:
            cells_of_row[cell] = span if cell == column else replace(span, text="")

    def rows(self) -> list[Row]:
        """The grid from top to bottom."""
        return [joined(row) for row in self._cells]


def path(link: Link) -> list[Point]:
    """Every cell of a link from its first point to its last, each once where it turns.

    Raises ValueError where two points share neither row nor column.
    """
    way = list(link.points[:1])
    for (from_column, from_row), (to_column, to_row) in pairwise(link.points):
        if from_column != to_column and from_row != to_row:
            raise ValueError(f"a link runs along rows and columns, not from {link.points}")
        steps = max(abs(to_column - from_column), abs(to_row - from_row))
        right = (to_column > from_column) - (to_column < from_column)
        down = (to_row > from_row) - (to_row < from_row)
        way += [(from_column + right * step, from_row + down * step) for step in range(1, steps + 1)]
    return way


def frame(mark: Mark) -> range:
    """The columns a framed mark covers, from bracket to bracket."""
    return range(mark.at[0] - 1, mark.at[0] + measure(mark.spans) + 1)


def lettered(board: Board) -> Iterator[tuple[Link, Point]]:
    """Each link that has a letter, and where it stands.

    That is number n // 2 of the n cells where the link runs straight and no framed mark covers it.
    """
    covered = {(column, mark.at[1]) for mark in board.marks if mark.framed for column in frame(mark)}
    for link in board.links:
        visible = [cell for cell, glyph in _track(link) if glyph != "+" and cell not in covered]
        if link.letter and visible:
            yield link, visible[len(visible) // 2]


@lru_cache(maxsize=256)
def _track(link: Link) -> tuple[tuple[Point, str], ...]:
    """Every cell of a link with its direction, or ``+`` where it turns; a game's links are always the same."""
    return tuple(_steps(path(link)))


def _steps(way: list[Point]) -> Iterator[tuple[Point, str]]:
    for index, cell in enumerate(way):
        near = (*way[max(index - 1, 0) : index], *way[index + 1 : index + 2])
        if all(row == cell[1] for _, row in near):
            yield cell, "-"
        elif all(column == cell[0] for column, _ in near):
            yield cell, "|"
        else:
            yield cell, "+"


def _tracks(links: Iterable[Link]) -> dict[Point, Span]:
    """What each cell shows; where two directions meet, a ``+``."""
    tracks: dict[Point, Span] = {}
    for link in links:
        for cell, glyph in _track(link):
            before = tracks.get(cell)
            tracks[cell] = Span(glyph if before is None or before.text == glyph else "+", link.colour)
    return tracks


def drawn(board: Board) -> list[Row]:
    """The board as rows of characters: its links, their letters, and the marks over both."""
    return list(_drawn(board))


@lru_cache(maxsize=8)  # a letter shows the same board twice
def _drawn(board: Board) -> tuple[Row, ...]:
    grid = Grid(board.width, board.height)
    for cell, span in _tracks(board.links).items():
        grid.put(cell, (span,))
    for link, cell in lettered(board):
        grid.put(cell, (Span(link.letter, link.colour, bold=True),))
    for mark in board.marks:
        column, row = mark.at
        text: Line = ("[", *mark.spans, "]") if mark.framed else mark.spans
        grid.put((column - mark.framed, row), (*text, replace(BADGE, text=mark.badge)))
    return tuple(grid.rows())


def rgb(colour: int) -> tuple[int, int, int]:
    """Red, green and blue of an ANSI 256-colour number: 16 named ones, a cube of 216, then 24 greys.

    >>> rgb(208), rgb(250)
    ((255, 135, 0), (188, 188, 188))
    """
    if colour >= 232:
        grey = 8 + 10 * (colour - 232)
        return grey, grey, grey
    if colour >= 16:
        red, green, blue = ((colour - 16) // weight % 6 for weight in (36, 6, 1))
        return _cube(red), _cube(green), _cube(blue)
    if colour in (7, 8):
        grey = 192 if colour == 7 else 128
        return grey, grey, grey
    full = 255 if colour > 8 else 128
    return full * (colour & 1), full * (colour >> 1 & 1), full * (colour >> 2 & 1)


def _cube(step: int) -> int:
    return 55 + 40 * step if step else 0


def contrast(one: int, other: int) -> float:
    """How well one colour reads on the other, from 1 (not at all) to 21 (black on white), as WCAG 2 defines it."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: int) -> float:
    red, green, blue = (part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink(fill: int) -> int:
    """Black or white, whichever reads better on this colour."""
    return max((BLACK, WHITE), key=lambda colour: contrast(colour, fill))
