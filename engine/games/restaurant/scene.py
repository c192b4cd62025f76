"""Reading the board, §8, and what lies beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.game import Seat
from engine.games.restaurant.components import BOX
from engine.games.restaurant.printed import Colour, Stairs
from engine.games.restaurant.telling import hand_text
from engine.games.restaurant.view import SeenPacket, View
from engine.scene import Board, Card, Columns, Hand, Line, Link, Mark, Panel, Point, Scene, Span

LEFT, PITCH, WALL = 6, 4, 3
"""Where the first column stands, how far the next one is, and how far beside a column the wall of the salon."""
FACE_DOWN = "::"
COVER, FLOOR, STONE = 187, 231, 95
"""The back of a card, the floor that shows through a staircase, and the wall of the salon."""
MENU, FUNCTION = 179, 110
"""The colours of cards in hand."""
DOING: Mapping[str, str] = {
    "order": "to take a card",
    "dish": "to swap the plat du jour or keep it",
    "again": "to take another card or stop",
    "close": "looking at a card",
    "serve": "to serve",
    "serve-again": "to serve again or stop",
}
MOST_LISTED = 12
"""Of more tables than this only their sort is named."""

_PLACES = BOX.printed.places
_SALON = [_PLACES[table] for table in BOX.printed.board.salon.tables]
_FIRST, _LAST = min(_SALON), max(_SALON)
_CARDS = {card.id: card for card in BOX.printed.cards}
_COLUMNS, _ROWS = BOX.printed.board.columns, BOX.printed.board.rows


def scene(view: View, names: Sequence[str]) -> Scene:
    """The view laid out for the eye."""
    hand = () if view.seat is None or view.stage == "over" else (_hand(view),)
    return Scene(
        f"Restaurant, {_when(view)}", (_board(view, names), _table_top(view, names), *hand, _scores(view, names))
    )


def _when(view: View) -> str:
    if view.stage == "over":
        return "the end"
    if view.noted:
        return f"{len(view.served)} of {len(view.markers)} tables served"
    return f"{len(view.markers)} of {len(BOX.tables)} cards taken"


def _at(table: str) -> Point:
    """Where a table is drawn; the wall takes room on both sides of the salon."""
    column, row = _PLACES[table]
    return _column(column), _row(row)


def _column(column: int) -> int:
    return LEFT + PITCH * column + 2 * ((column >= _FIRST[0]) + (column > _LAST[0]))


def _row(row: int) -> int:
    return 1 + row + (row >= _FIRST[1]) + (row > _LAST[1])


def _board(view: View, names: Sequence[str]) -> Board:
    west, east = _column(_FIRST[0]) - WALL, _column(_LAST[0]) + WALL
    north, south = _row(_FIRST[1]) - 1, _row(_LAST[1]) + 1
    wall = Link(((west, north), (east, north), (east, south), (west, south), (west, north)), colour=STONE)
    heads = [Mark((_column(number), 0), (Span(f"{name} ", bold=True),)) for number, name in enumerate(_COLUMNS)]
    sides = [Mark((2, _row(number)), (Span(str(name), bold=True),)) for number, name in enumerate(_ROWS)]
    stairs = [_staircase(each) for each in BOX.printed.board.stairs] if view.stairs else []
    tables = [
        Mark((_at(table)[0] - 1, _at(table)[1]), (_place(view, table, " "),), tip=_tip(view, table, names))
        for table in BOX.tables
    ]
    return Board(
        width=_column(len(_COLUMNS) - 1) + PITCH,
        height=_row(len(_ROWS) - 1) + 1,
        links=(wall,),
        marks=(*heads, *sides, *stairs, *tables),
        summary=_summary(view),
        unit=(10, 38),
    )


def _staircase(stairs: Stairs) -> Mark:
    """A gap in the wall, beside the inner table."""
    column, row = _at(stairs.inside)
    at = {
        "north": (column, row - 1),
        "south": (column, row + 1),
        "west": (column - WALL, row),
        "east": (column + WALL, row),
    }[stairs.side]
    return Mark(at, (Span("==" if stairs.side in ("north", "south") else "=", STONE, FLOOR, bold=True),))


def _place(view: View, table: str, space: str) -> Span:
    """A table: the card's back, or the owner's letter and what is served there; the last one is pointed at."""
    pointer = ">" if table == view.last else " "
    if table not in view.markers:
        return Span(f"{pointer}{FACE_DOWN}{space}", fill=COVER, bold=table in view.reach)
    colour = _colour(view.markers[table])
    sign = _CARDS[view.served[table]].sign if table in view.served else "."
    return Span(f"{pointer}{colour.code}{sign}{space}", fill=colour.ansi, bold=table in view.reach)


def _tip(view: View, table: str, names: Sequence[str]) -> str:
    if table not in view.markers:
        return f"{table}: a card face down"
    served = _CARDS[view.served[table]].name if table in view.served else "open" if view.noted else "taken"
    return f"{table}: {names[view.markers[table]]}, {served}"


def _summary(view: View) -> tuple[Line, ...]:
    """The tables row by row, for where the drawing does not fit."""
    head = "  " + "".join(f"{name:<3}" for name in _COLUMNS).rstrip()
    rows: list[Line] = [(str(row), *(_place(view, f"{column}{row}", "") for column in _COLUMNS)) for row in _ROWS]
    return ((Span(head, bold=True),), *rows)


def _table_top(view: View, names: Sequence[str]) -> Panel:
    """Who is to move, where to, and what lies beside the tables."""
    lines: list[Line] = [_position(view, names)]
    for seat, packets in enumerate(view.packets):
        lines += [(f"Packet of {names[seat]}: {_packet(packet)}",) for packet in packets]
    if view.noted and view.scoring == "service-only":
        noted = ", ".join(f"{name} {value}" for name, value in zip(names, view.noted, strict=True))
        lines.append((f"Noted, for who serves first only: {noted}",))
    if view.left:
        lines += [(f"Left to {name}: {hand_text(hand)}",) for name, hand in zip(names, view.left, strict=True)]
    return Panel("", tuple(lines))


def _position(view: View, names: Sequence[str]) -> Line:
    """``last F5 (marker of cy, menu of 300)   to serve: ann   open: F4 G5``."""
    parts: list[Span | str] = []
    if view.last:
        served = f", {_CARDS[view.served[view.last]].name}" if view.last in view.served else ""
        parts.append(f"last {view.last} (marker of {names[view.markers[view.last]]}{served})   ")
    if view.stage == "over":
        return (*parts, "the game is over")
    parts += [f"{DOING[view.stage]}: ", Span(names[view.turn], bold=True)]
    if view.reach:
        parts.append(f"   {'open' if view.noted else 'cards'}: {_listed(view.reach)}")
    return tuple(parts)


def _listed(tables: Sequence[str]) -> str:
    """The tables, unless they are too many to be read."""
    if len(tables) <= MOST_LISTED:
        return " ".join(tables)
    return "any" if set(tables) - {BOX.tables[table] for table in BOX.edge} else "any at the edge"


def _packet(packet: SeenPacket) -> str:
    top = _CARDS[packet.card].text
    if packet.menus:
        return f"{top} over {hand_text(packet.menus)}"
    return f"{top} over {packet.face_down} face down" if packet.face_down else f"{top} alone"


def _hand(view: View) -> Hand:
    """One's own cards, kind by kind."""
    counts = Counter(view.hand)
    cards = []
    for card in BOX.printed.cards:
        if counts[card.id]:
            notes = [f"x{counts[card.id]}"] * (counts[card.id] > 1) + [card.where] * (card.where != "anywhere")
            cards.append(Card(card.text, MENU if card.kind == "menu" else FUNCTION, ", ".join(notes)))
    return Hand("Your hand", tuple(cards))


def _scores(view: View, names: Sequence[str]) -> Columns:
    parts = tuple(view.standing.scores[0].parts)
    header = ("", "player", "hand", *parts, "total", "menus")
    rows = []
    rank = 1
    for seats in view.standing.ranking:
        rows += [(str(rank), *_score(view, seat, names)) for seat in seats]
        rank += len(seats)
    return Columns("Score", header, tuple(rows), right=(0, *range(2, len(header))))


def _score(view: View, seat: Seat, names: Sequence[str]) -> Line:
    score, colour = view.standing.scores[seat], _colour(seat)
    # What is left in hand is nobody's business until the end.
    points = [str(value) if part != "left" or view.left else "?" for part, value in score.parts.items()]
    return (
        Span(f"{colour.code} {names[seat]}", fill=colour.ansi),
        str(view.hand_sizes[seat]),
        *points,
        Span(str(score.total), bold=True),
        *(str(tie.value) for tie in score.ties),
    )


def _colour(seat: Seat) -> Colour:
    return BOX.printed.markers.colours[seat]
