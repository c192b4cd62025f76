"""What every renderer shares: harmless lettering, lines folded to a width, and a board's grid of characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile, groupby, pairwise
from typing import TypeAlias

from msgspec.structs import replace

from engine.scene import Board, Line, Link, Mark, Point, Span

Row: TypeAlias = tuple[Span, ...]
"""Spans of clean text that stand on one row; neighbours differ in style."""

BLACK, WHITE = 16, 231
BLANK = Span("")
BADGE = Span("", fill=213, bold=True)
_VARIATIONS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_ACCENTS = 3  # no script in use stacks more on one letter, but a hostile name would, to paint over its neighbours


# The words of a game are the same in every drawing of it.
_kept = lru_cache(maxsize=4096)


@_kept
def clean(text: str) -> str:
    r"""Text that can do nothing but be read, whoever wrote it.

    Line breaks and tabs become spaces. Control and format characters (escape sequences, changes of direction, joiners),
    variation selectors, surrogates, private and unassigned code points are gone, and so are accents without a letter
    or piled too high.

    >>> clean("a\x1b[31mb\n\u202e<c>")
    'a[31mb <c>'
    """
    if _is_simple(text):
        return text
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


@_kept
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
    return sum([_measure(span if isinstance(span, str) else span.text) for span in line])


@_kept
def _measure(text: str) -> int:
    return len(text) if _is_simple(text) else sum(columns for _, columns in _clusters(text))


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
    row: list[Span] = []
    for span in spans:
        if row and _alike(row[-1], span):
            row[-1] = replace(span, text=row[-1].text + span.text)
        else:
            row.append(span)
    return tuple(row)


def _alike(one: Span, other: Span) -> bool:
    return (one.colour, one.fill, one.bold, one.dim) == (other.colour, other.fill, other.bold, other.dim)


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
    """Rows and columns of characters; whatever falls outside is not drawn.

    A wide character holds its own cell and an empty one.
    """

    def __init__(self, width: int, height: int) -> None:
        self._width = width
        self._characters = [[" "] * width for _ in range(height)]
        self._styles = [[BLANK] * width for _ in range(height)]

    def copy(self) -> Grid:
        """A grid that shows the same."""
        copied = Grid(0, 0)
        copied._width = self._width
        copied._characters = [row.copy() for row in self._characters]
        copied._styles = [row.copy() for row in self._styles]
        return copied

    def put(self, at: Point, line: Line) -> None:
        """Write a line over what stands there."""
        column, row = at
        if not 0 <= row < len(self._characters):
            return
        for span in spans(line):
            style = replace(span, text="")
            for characters in _unbroken(span.text, column, self._width):
                self._put(column, row, characters, style)
                column += len(characters)

    def _put(self, column: int, row: int, characters: Sequence[str], style: Span) -> None:
        end = column + len(characters)
        if column < 0 or end > self._width:
            return
        there, styles = self._characters[row], self._styles[row]
        # Whoever loses one half of a wide character loses the other too.
        if there[column] == "":
            there[column - 1], styles[column - 1] = " ", BLANK
        if end < self._width and there[end] == "":
            there[end], styles[end] = " ", BLANK
        there[column:end] = characters
        styles[column:end] = [style] * len(characters)

    def rows(self) -> list[Row]:
        """The grid from top to bottom."""
        return [tuple(_runs(*row)) for row in zip(self._characters, self._styles, strict=True)]


def _unbroken(text: str, column: int, width: int) -> Iterable[Sequence[str]]:
    """The text cell by cell in pieces that are drawn whole or not at all: one piece, if there is room for it."""
    if _is_simple(text) and 0 <= column <= width - len(text):
        return (text,)
    return ((cluster, *[""] * (columns - 1)) for cluster, columns in clusters(text))


def _runs(characters: list[str], styles: list[Span]) -> Iterator[Span]:
    """A row of the grid in as few spans as its styles allow."""
    start = 0
    for style, run in groupby(styles):
        end = start + len(list(run))
        yield replace(style, text="".join(characters[start:end]))
        start = end


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


def lettered(board: Board) -> tuple[tuple[Link, Point], ...]:
    """Each link that has a letter, and where it stands.

    That is number n // 2 of the n cells where the link runs straight and no framed mark covers it.
    """
    return _lettered(board.links, _covered(board))


def _covered(board: Board) -> frozenset[Point]:
    return frozenset((column, mark.at[1]) for mark in board.marks if mark.framed for column in frame(mark))


@lru_cache(maxsize=64)
def _lettered(links: tuple[Link, ...], covered: frozenset[Point]) -> tuple[tuple[Link, Point], ...]:
    found = []
    for link in links:
        visible = [cell for cell, glyph in _track(link) if glyph != "+" and cell not in covered]
        if link.letter and visible:
            found.append((link, visible[len(visible) // 2]))
    return tuple(found)


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
    grid = _bare(board.width, board.height, board.links, _covered(board)).copy()
    for mark in board.marks:
        column, row = mark.at
        text: Line = ("[", *mark.spans, "]") if mark.framed else mark.spans
        grid.put((column - mark.framed, row), (*text, replace(BADGE, text=mark.badge)))
    return grid.rows()


@lru_cache(maxsize=64)  # a game's board without its pieces is nearly always the same
def _bare(width: int, height: int, links: tuple[Link, ...], covered: frozenset[Point]) -> Grid:
    grid = Grid(width, height)
    for cell, span in _tracks(links).items():
        grid.put(cell, (span,))
    for link, cell in _lettered(links, covered):
        grid.put(cell, (Span(link.letter, link.colour, bold=True),))
    return grid


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
