"""A scene laid out in rows, and drawn as plain text for mail and for terminals without colour."""

from __future__ import annotations

from itertools import zip_longest

from engine.scene import Block, Board, Card, Columns, Hand, Line, Panel, Scene, Span
from engine.scene.canvas import Row, drawn, fold, ink, joined, measure, plain

INDENT = Span("  ")
GAP = 2  # columns between two cards, and between two columns of a table
HANG = 2  # how much further the rest of a folded line is indented


def draw(scene: Scene, width: int = 100) -> str:
    """The scene as text no wider than ``width``, without escape codes, without trailing spaces."""
    return "\n".join(map(plain, lay(scene, width))).strip("\n") + "\n"


def lay(scene: Scene, width: int) -> list[Row]:
    """The scene as rows no wider than ``width``; a board that does not fit gives way to its summary."""
    rows = _heading(scene.title, width)
    for block in scene.blocks:
        rows += [(), *_block(block, width)] if rows else _block(block, width)
    # Blocks fit by themselves in any sensible width; in an absurd one they lose their alignment, never a word.
    return [piece for row in rows for piece in (fold(row, width) if measure(row) > width else [row])]


def _block(block: Block, width: int) -> list[Row]:
    match block:
        case Board():
            return drawn(block) if block.width <= width else _summary(block, width)
        case Panel():
            return [*_title(block.title, width), *_indented(_folded(block.lines, width - measure((INDENT,))))]
        case Columns():
            head, body = aligned(block, width - measure((INDENT,)))
            return [*_title(block.title, width), *_indented([*head, *body])]
        case Hand():
            return [*_title(block.title, width), *_indented(_flow(block, width - measure((INDENT,))))]


def _heading(title: str, width: int) -> list[Row]:
    rows = _title(title, width)
    return [*rows, (Span("=" * max(map(measure, rows)), dim=True),)] if rows else []


def _title(title: str, width: int) -> list[Row]:
    return fold((Span(title, bold=True),), width) if measure((title,)) else []


def _indented(rows: list[Row]) -> list[Row]:
    return [joined((INDENT, *row)) for row in rows]


def _folded(lines: tuple[Line, ...], width: int) -> list[Row]:
    return [row for line in lines for row in fold(line, width, HANG)]


def _summary(board: Board, width: int) -> list[Row]:
    lines = board.summary or ((Span(f"The board is drawn from {board.width} columns on.", dim=True),),)
    return _folded(lines, width)


def _flow(hand: Hand, width: int) -> list[Row]:
    """Cards side by side, as many on a row as there is room for."""
    rows: list[Line] = []
    for line in map(_card, hand.cards):
        if rows and measure(rows[-1]) + GAP + measure(line) <= width:
            rows[-1] = (*rows[-1], " " * GAP, *line)
        else:
            rows.append(line)
    return _folded(tuple(rows) or ((Span("(none)", dim=True),),), width)


def _card(card: Card) -> Line:
    ground = None if card.colour is None else ink(card.colour)
    face = Span(f"[ {card.text} ]", ground, card.colour, bold=True)
    return (face, " ", Span(card.note, dim=True)) if card.note else (face,)


def aligned(table: Columns, width: int) -> tuple[list[Row], list[Row]]:
    """The header with its rule, and the rows below it, in columns that together fit the width.

    The widest columns give way first, and fold what they hold.
    """
    header: Line = tuple(Span(name, dim=True) for name in table.header)
    count = max(map(len, (table.header, *table.rows)))
    widths = [max(measure(row[column : column + 1]) for row in (header, *table.rows)) for column in range(count)]
    while sum(widths) + GAP * (count - 1) > width and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    body = [row for cells in table.rows for row in _table_row(cells, widths, table.right)]
    if not measure(header):
        return [], body
    rule: Line = tuple(Span("-" * columns, dim=True) for columns in widths)
    return [row for cells in (header, rule) for row in _table_row(cells, widths, table.right)], body


def _table_row(cells: Line, widths: list[int], right: tuple[int, ...]) -> list[Row]:
    folded = [fold(cells[column : column + 1], columns) for column, columns in enumerate(widths)]
    rows: list[Row] = []
    for pieces in zip_longest(*folded, fillvalue=()):
        row: list[Span] = []
        for column, piece in enumerate(pieces):
            room = Span(" " * (widths[column] - measure(piece)))
            row += [Span(" " * GAP)] * (column > 0)
            row += [room, *piece] if column in right else [*piece, room]
        rows.append(joined(span for span in row if span.text))
    return rows
