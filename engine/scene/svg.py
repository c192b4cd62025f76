"""A scene as one self-contained picture: no scripts, no style sheet, nothing fetched from anywhere.

It is built as a tree of elements, so that no text can turn into markup.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from msgspec.structs import replace

from engine.scene import Block, Board, Card, Hand, Link, Mark, Panel, Scene, Span, Table, canvas
from engine.scene.canvas import Row, fold, ink, measure, pieces
from engine.scene.text import aligned

PAPER, SHEET, INK, MUTED, HAIRLINE = "#f4efe4", "#fffdf9", "#23262b", "#5f636b", "#d8d0bf"
SANS = "Avenir Next, Segoe UI, Helvetica Neue, Helvetica, Arial, sans-serif"
MONO = "ui-monospace, SF Mono, Menlo, DejaVu Sans Mono, Liberation Mono, Consolas, monospace"
HEADING = {"font_family": SANS, "font_weight": "700"}
GREY = 244  # the colour of a link that has none
ADVANCE = 0.6  # the width of a monospaced character as a part of its size
BODY, LEADING = 14.0, 23.0
COLUMN = BODY * ADVANCE
MARGIN, GUTTER, PADDING = 28.0, 16.0, 16.0
NARROWEST = 640.0
CARD_COLUMNS = 20


class Setting(NamedTuple):
    """How a row is set: the width of a column, the size of the type, the height and overhang of a ground."""

    advance: float
    size: float
    height: float
    pad: float
    on_board: bool = False


LINES = Setting(COLUMN, BODY, LEADING - 4, pad=2.5)


class Drawn(NamedTuple):
    """A block drawn from (0, 0), and the room it takes; its first element is the sheet it stands on."""

    group: Element
    width: float
    height: float


def draw(scene: Scene) -> str:
    """The scene as an SVG document, its blocks in order, side by side where there is room."""
    room = max(NARROWEST, *(_board_size(block)[0] for block in scene.blocks if isinstance(block, Board)), 0)
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    _add(root, "title", canvas.clean(scene.title) or "A table")
    paper = _add(root, "rect", fill=PAPER)
    top = MARGIN
    for row in fold((scene.title,), int(room / (26 * ADVANCE))):
        _text(root, canvas.plain(row), MARGIN, top + 12, 26, **HEADING)
        top += 44
    for shelf in _shelves([_block(block, room) for block in scene.blocks], room):
        left, tallest = MARGIN, max(drawn.height for drawn in shelf)
        for drawn in shelf:
            drawn.group.set("transform", f"translate({_number(left)} {_number(top)})")
            drawn.group[0].set("height", _number(tallest))
            root.append(drawn.group)
            left += drawn.width + GUTTER
        top += tallest + GUTTER
    width, height = _number(room + 2 * MARGIN), _number(top - GUTTER + MARGIN)
    paper.attrib.update(width=width, height=height)
    root.attrib.update(width=width, height=height, viewBox=f"0 0 {width} {height}")
    return tostring(root, encoding="unicode") + "\n"


def _shelves(blocks: list[Drawn], room: float) -> list[list[Drawn]]:
    shelves: list[list[Drawn]] = []
    used = room
    for block in blocks:
        if used + block.width > room:
            shelves.append([])
            used = 0
        shelves[-1].append(block)
        used += block.width + GUTTER
    return shelves


def _block(block: Block, room: float) -> Drawn:
    columns = int((room - 2 * PADDING) / COLUMN)
    match block:
        case Board():
            return _board(block)
        case Panel():
            return _lines(block.title, [], [row for line in block.lines for row in fold(line, columns, 2)], columns)
        case Table():
            return _lines(block.title, *aligned(block, columns), columns)
        case Hand():
            return _hand(block, columns)


def _board_size(board: Board) -> tuple[float, float]:
    return board.width * board.unit[0] + 2 * PADDING, board.height * board.unit[1] + 2 * PADDING


def _board(board: Board) -> Drawn:
    (wide, high), (width, height) = board.unit, _board_size(board)
    group = _sheet(width)
    field = _add(group, "g", transform=f"translate({_number(PADDING)} {_number(PADDING)})")
    for link in board.links:
        _link(field, link, wide, high)
    for link, (column, row) in canvas.lettered(board):
        x, y, radius = (column + 0.5) * wide, (row + 0.5) * high, min(wide * 0.8, high * 0.42)
        _disc(field, x, y, radius, _paint(link.colour), SHEET)
        style = {**HEADING, "text_anchor": "middle", "fill": _paint(ink(GREY if link.colour is None else link.colour))}
        _text(field, canvas.clean(link.letter), x, y, radius * 1.4, **style)
    for mark in board.marks:
        parent = _add(field, "g") if mark.tip else field
        if mark.tip:
            _add(parent, "title", canvas.clean(mark.tip))
        if mark.framed:
            _framed(parent, mark, board)
        else:
            _standing(parent, mark, wide, high)
    return Drawn(group, width, height)


def _link(parent: Element, link: Link, wide: float, high: float) -> None:
    points = " ".join(f"{_number((x + 0.5) * wide)},{_number((y + 0.5) * high)}" for x, y in link.points)
    thick = min(wide, high) * 0.6
    # A darker rim keeps a pale line visible on the sheet.
    for stroke, size in ((_paint(link.colour, 0.7), thick + 1.5), (_paint(link.colour), thick)):
        line = _add(parent, "polyline", points=points, fill="none", stroke=stroke, stroke_width=size)
        line.attrib.update({"stroke-linecap": "round", "stroke-linejoin": "round"})


def _framed(parent: Element, mark: Mark, board: Board) -> None:
    """A rounded box; what stands in it shares its width, in squares where that leaves room for squares."""
    wide, high = board.unit
    columns = max(measure(mark.spans), 1)
    width, middle, y = len(canvas.frame(mark)) * wide, _anchor(mark, board), (mark.at[1] + 0.5) * high
    _box(parent, (middle - width / 2, y - high / 2, width, high), high * 0.3, "#ffffff", INK, 1.75)
    share = min((width - 6) / columns, high * 0.8)
    setting = Setting(share, high * 0.62, high * 0.75, pad=-0.75)
    standing = tuple(replace(span, bold=True) for span in pieces(mark.spans))
    _row(parent, standing, middle - share * columns / 2, y, setting)
    if mark.badge:
        _disc(parent, middle + width / 2, y - high / 2 + 1, high * 0.3, _paint(canvas.BADGE.fill), INK)


def _anchor(mark: Mark, board: Board) -> float:
    """The middle of a framed mark: on the link that meets it, if one does, or else halfway along its columns."""
    around, wide = canvas.frame(mark), board.unit[0]
    middle = (around.start + around.stop) / 2 * wide
    meeting = [(column + 0.5) * wide for link in board.links for column, row in link.points if row == mark.at[1]]
    return next((x for x in meeting if abs(x - middle) < wide), middle)


def _standing(parent: Element, mark: Mark, wide: float, high: float) -> None:
    setting = Setting(wide, min(wide / ADVANCE, high * 0.85, 18), high, pad=0, on_board=True)
    spans = pieces((*mark.spans, Span(mark.badge, fill=canvas.BADGE.fill, bold=True)))
    _row(parent, spans, mark.at[0] * wide, (mark.at[1] + 0.5) * high, setting)


def _lines(title: str, head: list[Row], body: list[Row], columns: int) -> Drawn:
    """A sheet of lines under a title; the last row of a table's head is its rule, which is drawn as one."""
    names = head[:-1]
    longest = max(map(measure, (*names, *body)), default=0) * COLUMN
    group, width, y = _titled(title, longest, columns)
    for number, row in enumerate((*names, *body)):
        if number == len(names) > 0:
            _add(group, "rect", x=PADDING, y=y - LEADING / 2, width=longest, height=1, fill=HAIRLINE)
            y += 4
        _row(group, row, PADDING, y, LINES)
        y += LEADING
    return Drawn(group, width, y - LEADING / 2 + PADDING - 4)


def _hand(hand: Hand, columns: int) -> Drawn:
    if not hand.cards:
        return _lines(hand.title, [], [(Span("(none)", dim=True),)], columns)
    most = min(CARD_COLUMNS, columns - 4)
    faces = [_face(card, most) for card in hand.cards]
    height = max(map(len, faces)) * LEADING + 26
    places, left, down, longest = [], 0.0, 0.0, 0.0
    for face in faces:
        width = max(max(map(measure, face)) * COLUMN + 24, 80.0)
        if left and left + width > columns * COLUMN:
            left, down = 0.0, down + height + 12
        places.append((left, down, width))
        longest, left = max(longest, left + width), left + width + 12
    group, wide, top = _titled(hand.title, longest, columns)
    top -= LEADING / 2
    for card, face, (x, y, width) in zip(hand.cards, faces, places, strict=True):
        _card(_add(group, "g"), card, face, PADDING + x, top + y, width, height)
    return Drawn(group, wide, top + down + height + PADDING)


def _face(card: Card, most: int) -> list[Row]:
    return fold((Span(card.text, bold=True),), most) + (fold((Span(card.note, dim=True),), most) if card.note else [])


def _card(parent: Element, card: Card, face: list[Row], x: float, y: float, width: float, height: float) -> None:
    _box(parent, (x, y, width, height), 8, "#ffffff", INK, 1.25)
    if card.colour is not None:
        _box(parent, (x + 6, y + 6, width - 12, 7), 3, _paint(card.colour), _paint(card.colour, 0.7), 0.75)
    middle = y + 18 + LEADING / 2
    for row in face:
        for span in row:
            style = {"fill": MUTED if span.dim else INK, "font_weight": _weight(span)}
            _text(parent, span.text, x + width / 2, middle, BODY, text_anchor="middle", **style)
        middle += LEADING


def _sheet(width: float) -> Element:
    group = Element("g")
    _add(group, "rect", width=width, rx=10, fill=SHEET, stroke=HAIRLINE)
    return group


def _titled(title: str, width: float, columns: int) -> tuple[Element, float, float]:
    """A sheet that holds its title, how wide it is, and the middle of the first row below the title."""
    rows = [row for row in fold((title,), columns) if measure(row)]
    width = max(width, *(measure(row) * COLUMN for row in rows), 0) + 2 * PADDING
    group, y = _sheet(width), PADDING + LEADING / 2 - 4
    for row in rows:
        _text(group, canvas.plain(row), PADDING, y, BODY, **HEADING)
        y += LEADING
    return group, width, y + 4


def _row(parent: Element, row: Row, left: float, middle: float, setting: Setting) -> None:
    """Write spans into columns, each coloured one on a ground of its own."""
    advance, size, height, pad, on_board = setting
    for span in row:
        width = measure((span,)) * advance
        ground = _ground(span, on_board)
        if ground is None:
            _words(parent, span, left, middle, setting)
        else:
            rim = SHEET if on_board else _paint(ground, 0.6)
            box = (left - pad, middle - height / 2, width + 2 * pad, height)
            _box(parent, box, 4, _paint(ground), rim, 0.8)
            legible = span.colour is not None and canvas.contrast(span.colour, ground) >= 3
            style = {"fill": _paint(span.colour if legible else ink(ground)), "font_weight": _weight(span)}
            _text(parent, span.text, left + width / 2, middle, size, text_anchor="middle", **style)
        left += width


def _ground(span: Span, on_board: bool) -> int | None:
    """The colour behind a span: its fill, or its own colour unless that reads well as ink on a board."""
    if span.fill is not None or span.colour is None or span.text.isspace():
        return span.fill
    return None if on_board and canvas.contrast(span.colour, canvas.WHITE) >= 3 else span.colour


def _words(parent: Element, span: Span, left: float, middle: float, setting: Setting) -> None:
    """Plain text, put down anew after every wider gap, so that columns stay columns in any font."""
    fill = _paint(span.colour) if span.colour is not None else MUTED if span.dim else INK
    for words in re.finditer("[^ ]+(?: [^ ]+)*", span.text):
        x = left + measure((span.text[: words.start()],)) * setting.advance
        across = measure((words[0],)) * setting.advance / 2 if setting.on_board else 0
        style = {"fill": fill, "font_weight": _weight(span), "text_anchor": "middle" if across else "start"}
        _text(parent, words[0], x + across, middle, setting.size, **style)


def _text(parent: Element, text: str, x: float, middle: float, size: float, **style: str) -> None:
    if text.strip():
        style = {"font_family": MONO, "fill": INK, **style}
        _add(parent, "text", text.strip(), x=x, y=middle + size * 0.35, font_size=size, **style)


def _box(parent: Element, box: tuple[float, ...], rx: float, fill: str, stroke: str, line: float) -> None:
    x, y, width, height = box
    element = _add(parent, "rect", x=x, y=y, width=max(width, 0), height=height, rx=rx)
    element.attrib.update({"fill": fill, "stroke": stroke, "stroke-width": _number(line)})


def _disc(parent: Element, x: float, y: float, radius: float, fill: str, stroke: str) -> None:
    _add(parent, "circle", cx=x, cy=y, r=radius, fill=fill, stroke=stroke, stroke_width=1.5)


def _add(parent: Element, tag: str, text: str = "", **attributes: str | float) -> Element:
    element = SubElement(parent, tag)
    element.text = text or None
    for name, value in attributes.items():
        element.set(name.replace("_", "-"), value if isinstance(value, str) else _number(value))
    return element


def _weight(span: Span) -> str:
    return "700" if span.bold else "400"


def _number(value: float) -> str:
    return f"{round(value, 2):g}"


def _paint(colour: int | None, shade: float = 1) -> str:
    return "#" + "".join(f"{round(part * shade):02x}" for part in canvas.rgb(GREY if colour is None else colour))
