"""A scene as one self-contained picture: no scripts, no style sheet, nothing fetched from anywhere.

Elements hold nothing but :data:`Markup`, and words become markup in one place, so that no words can turn into elements.
An element does not repeat what those around it say of style: a picture may have to travel by mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape
from typing import NamedTuple, NewType

from msgspec.structs import replace

from engine.scene import (
    Block,
    Board,
    Card,
    Columns,
    Hand,
    Link,
    Mark,
    Panel,
    Point,
    Scene,
    Span,
    canvas,
)
from engine.scene.canvas import Row, fold, ink, measure, pieces
from engine.scene.text import aligned

Markup = NewType("Markup", str)

PAPER, SHEET, INK, MUTED, HAIRLINE = "#f4efe4", "#fffdf9", "#23262b", "#5f636b", "#d8d0bf"
SANS = "Avenir Next, Segoe UI, Helvetica Neue, Helvetica, Arial, sans-serif"
MONO = "ui-monospace, SF Mono, Menlo, DejaVu Sans Mono, Liberation Mono, Consolas, monospace"
HEADING = {"font_family": SANS, "font_weight": "700"}
PICTURE = {"font_family": MONO, "fill": INK}
SAID = {**PICTURE, "font_weight": "400", "text_anchor": "start"}
"""The style of lettering that says nothing of its own: what we say of the whole picture, and what SVG says of any."""
GREY = 244  # the colour of a link that has none
ADVANCE = 0.6  # the width of a monospaced character as a part of its size
BODY, LEADING = 14.0, 23.0
SMALLEST = 9.0  # what a lettering is never shrunk below
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
    said: Mapping[str, str] = SAID
    on_board: bool = False


LINES = Setting(COLUMN, BODY, LEADING - 4, pad=2.5)


class Drawn(NamedTuple):
    """What stands on the sheet of a block, drawn from (0, 0), and the room that the sheet takes."""

    inside: Markup
    width: float
    height: float


def draw(scene: Scene) -> str:
    """The scene as an SVG document, its blocks in order, side by side where there is room."""
    room = max(NARROWEST, *(_board_size(block)[0] for block in scene.blocks if isinstance(block, Board)), 0)
    inside, top = [], MARGIN
    for row in fold((scene.title,), int(room / (26 * ADVANCE))):
        inside.append(_text(canvas.plain(row), MARGIN, top + 12, 26, HEADING))
        top += 44
    for shelf in _shelves([_block(block, room) for block in scene.blocks], room):
        left, tallest = MARGIN, max(drawn.height for drawn in shelf)
        for drawn in shelf:
            inside.append(_element("g", *_sheet(drawn, tallest), transform=_shift(left, top)))
            left += drawn.width + GUTTER
        top += tallest + GUTTER
    size = {"width": _number(room + 2 * MARGIN), "height": _number(top - GUTTER + MARGIN)}
    title = _element("title", _words(scene.title) or Markup("A table"))
    paper = _element("rect", fill=PAPER, **size)
    shape = {"xmlns": "http://www.w3.org/2000/svg", **size, "viewBox": f"0 0 {size['width']} {size['height']}"}
    return _element("svg", title, paper, *inside, role="img", **shape, **PICTURE) + "\n"


def embedded(board: Board) -> str:
    """A board alone, as an element of a page: as wide as there is room, but not so small that nobody can read it."""
    drawn = _board(board)
    width, height = _number(drawn.width), _number(drawn.height)
    least = _number(drawn.width * SMALLEST / _standing_size(board.unit))
    style = f"min-width:{least}px;max-width:{width}px;height:auto"
    shape = {"viewBox": f"0 0 {width} {height}", "width": "100%", "style": style}
    return _element("svg", *_sheet(drawn, drawn.height), role="img", **shape, **PICTURE)


def _sheet(drawn: Drawn, height: float) -> tuple[Markup, Markup]:
    return _element("rect", width=drawn.width, rx=10, fill=SHEET, stroke=HAIRLINE, height=height), drawn.inside


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
        case Columns():
            return _lines(block.title, *aligned(block, columns), columns)
        case Hand():
            return _hand(block, columns)


def _board_size(board: Board) -> tuple[float, float]:
    return board.width * board.unit[0] + 2 * PADDING, board.height * board.unit[1] + 2 * PADDING


def _board(board: Board) -> Drawn:
    unit, (width, height) = board.unit, _board_size(board)
    inside = []
    if board.links:
        lines = [_link(link, unit) for link in board.links]
        letters = [_letter(link, at, unit) for link, at in canvas.lettered(board)]
        inside.append(_element("g", *lines, fill="none", stroke_linecap="round", stroke_linejoin="round"))
        inside.append(_element("g", *letters, **HEADING, font_size=_letter_radius(unit) * 1.4))
    inside += [_mark(mark, unit, middle) for mark, middle in _middles(board)]
    field = _element("g", *inside, transform=_shift(PADDING, PADDING), **_said_by(unit))
    return Drawn(field, width, height)


def _letter_radius(unit: Point) -> float:
    return min(unit[0] * 0.8, unit[1] * 0.42)


def _standing_size(unit: Point) -> float:
    return min(unit[0] / ADVANCE, unit[1] * 0.85, 18)


def _said_by(unit: Point) -> dict[str, str]:
    """The style that most lettering on a board shares."""
    return {"text_anchor": "middle", "font_size": _number(_standing_size(unit))}


def _middles(board: Board) -> Iterator[tuple[Mark, float]]:
    """Every mark with its middle; a framed one is centred on the link that meets it, if one does."""
    wide = board.unit[0]
    met: dict[int, list[float]] = {}
    for link in board.links:
        for column, row in link.points:
            met.setdefault(row, []).append((column + 0.5) * wide)
    for mark in board.marks:
        around = canvas.frame(mark)
        middle = (around.start + around.stop) / 2 * wide
        meeting = met.get(mark.at[1], ()) if mark.framed else ()
        yield mark, next((x for x in meeting if abs(x - middle) < wide), middle)


# The boards of a game differ little from table to table and from move to move: what was drawn once is kept.
_kept = lru_cache(maxsize=2048)


@_kept
def _link(link: Link, unit: Point) -> Markup:
    wide, high = unit
    points = " ".join(f"{_number((x + 0.5) * wide)},{_number((y + 0.5) * high)}" for x, y in link.points)
    thick = min(wide, high) * 0.6
    # A darker rim keeps a pale line visible on the sheet.
    rim = _element("polyline", points=points, stroke=_paint(link.colour, 0.7), stroke_width=thick + 1.5)
    return _together(rim, _element("polyline", points=points, stroke=_paint(link.colour), stroke_width=thick))


@_kept
def _letter(link: Link, at: Point, unit: Point) -> Markup:
    x, y, radius = (at[0] + 0.5) * unit[0], (at[1] + 0.5) * unit[1], _letter_radius(unit)
    fill = _paint(ink(GREY if link.colour is None else link.colour))
    letter = _element("text", _words(link.letter), x=x, y=y + radius * 0.49, fill=fill)
    return _together(_disc(x, y, radius, _paint(link.colour), SHEET), letter)


@_kept
def _mark(mark: Mark, unit: Point, middle: float) -> Markup:
    standing = _framed(mark, unit, middle) if mark.framed else _standing(mark, unit)
    return _element("g", _element("title", _words(mark.tip)), standing) if mark.tip else standing


def _framed(mark: Mark, unit: Point, middle: float) -> Markup:
    """A rounded box; what stands in it shares its width, in squares where that leaves room for squares."""
    wide, high = unit
    columns = max(measure(mark.spans), 1)
    width, y = len(canvas.frame(mark)) * wide, (mark.at[1] + 0.5) * high
    box = _box((middle - width / 2, y - high / 2, width, high), high * 0.3, "#ffffff", (INK, 1.75))
    share = min((width - 6) / columns, high * 0.8)
    setting = Setting(share, high * 0.62, high * 0.75, pad=-0.75, said=SAID | _said_by(unit))
    standing = tuple(replace(span, bold=True) for span in pieces(mark.spans))
    row = _row(standing, middle - share * columns / 2, y, setting)
    badge = _disc(middle + width / 2, y - high / 2 + 1, high * 0.3, _paint(canvas.BADGE.fill), INK)
    return _together(box, row, badge) if mark.badge else _together(box, row)


def _standing(mark: Mark, unit: Point) -> Markup:
    wide, high = unit
    # A hair's breadth of the sheet stays visible between two grounds.
    setting = Setting(wide, _standing_size(unit), high - 0.8, pad=-0.4, said=SAID | _said_by(unit), on_board=True)
    spans = pieces((*mark.spans, Span(mark.badge, fill=canvas.BADGE.fill, bold=True)))
    return _row(spans, mark.at[0] * wide, (mark.at[1] + 0.5) * high, setting)


def _lines(title: str, head: list[Row], body: list[Row], columns: int) -> Drawn:
    """A sheet of lines under a title; the last row of a table's head is its rule, which is drawn as one."""
    names = head[:-1]
    longest = max(map(measure, (*names, *body)), default=0) * COLUMN
    inside, width, y = _titled(title, longest, columns)
    for number, row in enumerate((*names, *body)):
        if number == len(names) > 0:
            inside.append(_element("rect", x=PADDING, y=y - LEADING / 2, width=longest, height=1, fill=HAIRLINE))
            y += 4
        inside.append(_row(row, PADDING, y, LINES))
        y += LEADING
    return Drawn(_together(*inside), width, y - LEADING / 2 + PADDING - 4)


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
    inside, wide, top = _titled(hand.title, longest, columns)
    top -= LEADING / 2
    for card, face, (x, y, width) in zip(hand.cards, faces, places, strict=True):
        inside.append(_card(card, face, PADDING + x, top + y, width, height))
    return Drawn(_together(*inside), wide, top + down + height + PADDING)


def _face(card: Card, most: int) -> list[Row]:
    return fold((Span(card.text, bold=True),), most) + (fold((Span(card.note, dim=True),), most) if card.note else [])


def _card(card: Card, face: list[Row], x: float, y: float, width: float, height: float) -> Markup:
    inside = [_box((x, y, width, height), 8, "#ffffff", (INK, 1.25))]
    if card.colour is not None:
        stripe = (x + 6, y + 6, width - 12, 7.0)
        inside.append(_box(stripe, 3, _paint(card.colour), (_paint(card.colour, 0.7), 0.75)))
    middle = y + 18 + LEADING / 2
    for row in face:
        for span in row:
            style = {"fill": MUTED if span.dim else INK, "font_weight": _weight(span), "text_anchor": "middle"}
            inside.append(_text(span.text, x + width / 2, middle, BODY, style))
        middle += LEADING
    return _element("g", *inside)


def _titled(title: str, width: float, columns: int) -> tuple[list[Markup], float, float]:
    """What a sheet shows of its title, how wide it must be, and the middle of the first row below the title."""
    rows = [row for row in fold((title,), columns) if measure(row)]
    width = max(width, *(measure(row) * COLUMN for row in rows), 0) + 2 * PADDING
    inside, y = [], PADDING + LEADING / 2 - 4
    for row in rows:
        inside.append(_text(canvas.plain(row), PADDING, y, BODY, HEADING))
        y += LEADING
    return inside, width, y + 4


def _row(row: Row, left: float, middle: float, setting: Setting) -> Markup:
    """Spans in columns, each coloured one on a ground of its own."""
    inside: list[Markup] = []
    for span in row:
        width = measure((span,)) * setting.advance
        ground = _ground(span, setting.on_board)
        if ground is None:
            inside += _plain(span, left, middle, setting)
        else:
            inside += _grounded(span, ground, (left, width), middle, setting)
        left += width
    return _together(*inside)


def _ground(span: Span, on_board: bool) -> int | None:
    """The colour behind a span: its fill, or its own colour unless that reads well as ink on a board."""
    if span.fill is not None or span.colour is None or span.text.isspace():
        return span.fill
    return None if on_board and canvas.contrast(span.colour, canvas.WHITE) >= 3 else span.colour


def _grounded(
    span: Span, ground: int, across: tuple[float, float], middle: float, setting: Setting
) -> tuple[Markup, Markup]:
    (left, width), height, pad = across, setting.height, setting.pad
    rim = None if setting.on_board else (_paint(ground, 0.6), 0.8)
    box = _box((left - pad, middle - height / 2, width + 2 * pad, height), 4, _paint(ground), rim)
    legible = span.colour is not None and canvas.contrast(span.colour, ground) >= 3
    fill = _paint(span.colour if legible else ink(ground))
    style = {"fill": fill, "font_weight": _weight(span), "text_anchor": "middle"}
    return box, _text(span.text, left + width / 2, middle, setting.size, style, setting.said)


def _plain(span: Span, left: float, middle: float, setting: Setting) -> Iterator[Markup]:
    """Text on no ground, put down anew after every wider gap, so that columns stay columns in any font."""
    fill = _paint(span.colour) if span.colour is not None else MUTED if span.dim else INK
    anchor = "middle" if setting.on_board else "start"
    for words in re.finditer("[^ ]+(?: [^ ]+)*", span.text):
        x = left + measure((span.text[: words.start()],)) * setting.advance
        across = measure((words[0],)) * setting.advance / 2 if setting.on_board else 0
        style = {"fill": fill, "font_weight": _weight(span), "text_anchor": anchor}
        yield _text(words[0], x + across, middle, setting.size, style, setting.said)


def _text(
    words: str, x: float, middle: float, size: float, style: Mapping[str, str], said: Mapping[str, str] = SAID
) -> Markup:
    """Words in a style, of which only what the elements around them do not say is written down."""
    if not words.strip():
        return Markup("")
    whole = {**style, "font_size": _number(size)}
    own = {name: value for name, value in whole.items() if said.get(name) != value}
    return _element("text", _words(words.strip()), x=x, y=middle + size * 0.35, **own)


def _box(box: tuple[float, float, float, float], rx: float, fill: str, rim: tuple[str, float] | None = None) -> Markup:
    x, y, width, height = box
    stroke = {"stroke": rim[0], "stroke_width": _number(rim[1])} if rim else {}
    return _element("rect", x=x, y=y, width=max(width, 0), height=height, rx=rx, fill=fill, **stroke)


def _disc(x: float, y: float, radius: float, fill: str, stroke: str) -> Markup:
    return _element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=stroke, stroke_width=1.5)


def _element(tag: str, *inside: Markup, **attributes: str | float) -> Markup:
    said = "".join(
        f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else _number(value)}"'
        for name, value in attributes.items()
    )
    return Markup(f"<{tag}{said}>{''.join(inside)}</{tag}>" if inside else f"<{tag}{said}/>")


def _together(*drawn: Markup) -> Markup:
    return Markup("".join(drawn))


def _words(words: str) -> Markup:
    return Markup(escape(canvas.clean(words), quote=False))


def _shift(x: float, y: float) -> str:
    return f"translate({_number(x)} {_number(y)})"


def _weight(span: Span) -> str:
    return "700" if span.bold else "400"


def _number(value: float) -> str:
    return f"{round(value, 2):g}"


def _paint(colour: int | None, shade: float = 1) -> str:
    return "#" + "".join(f"{round(part * shade):02x}" for part in canvas.rgb(GREY if colour is None else colour))
