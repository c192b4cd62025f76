"""The map and what lies beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from engine.game import Seat
from engine.games.paris_paris.components import MAPS, Map, Token
from engine.games.paris_paris.printed import PrintedStation, SeatColour
from engine.games.paris_paris.view import View
from engine.scene import Board, Columns, Line, Link, Mark, Panel, Scene, Span

TOKEN_OUT = "*"  # noqa: S105 - a sign on the map, not a password


def scene(view: View, names: Sequence[str]) -> Scene:
    """The view laid out for the eye."""
    rounds = MAPS[view.map].players[len(view.supply)].piles
    when = "the end" if view.turn is None else f"round {rounds - view.piles} of {rounds}"
    return Scene(f"Paris Paris, {when}", (_board(view), _table_top(view, names), _scores(view, names)))


def _board(view: View) -> Board:
    box = MAPS[view.map]
    links = tuple(
        Link(box.printed.course(line.id, start, to), line.code.lower(), line.ansi)
        for line in box.printed.lines
        for start, to in pairwise(line.stations)
    )
    places = tuple(_place(view, station) for station in box.printed.stations)
    labels = tuple(Mark(station.label, (station.name,)) for station in box.printed.stations)
    sheet = box.printed.map
    return Board(sheet.width, sheet.height, links, places + labels, _summary(view))


def _place(view: View, station: PrintedStation) -> Mark:
    """A station with its shops; of the two places of a crossing the left one is a column before ``at``."""
    shops = _shops(view, station.id)
    column, row = station.at
    owners = [view.colours[owner] for owner in view.shops.get(station.id, ())]
    return Mark(
        (column + 1 - len(shops), row),
        shops,
        framed=True,
        badge=_badge(view, station.id),
        tip=f"{station.name}: {', '.join(owners) or 'no shop'}",
    )


def _shops(view: View, station: str, empty: str = " ") -> Line:
    """One character for each place: the letter of a shop, or ``empty``."""
    box = MAPS[view.map]
    owners = view.shops.get(station, ())
    colours = [_seat_colour(view, owner) for owner in owners]
    letters = [Span(colour.code, colour.ansi, bold=True) for colour in colours]
    return (*letters, *empty * (box.capacity[box.station_no[station]] - len(owners)))


def _badge(view: View, station: str) -> str:
    return TOKEN_OUT if any(token.station == station for token in view.out) else ""


def _summary(view: View) -> tuple[Line, ...]:
    """The map line by line, for where the drawing does not fit."""
    box = MAPS[view.map]
    lines: list[Line] = []
    for line in box.printed.lines:
        spans: list[Span | str] = [Span(line.id, line.ansi, bold=True), ":"]
        for station in line.stations:
            name = box.names[box.station_no[station]]
            # A dot, where the drawing has a blank: these lines are folded at blanks.
            spans += [f" {name} [", *_shops(view, station, empty="."), f"]{_badge(view, station)}"]
        lines.append(tuple(spans))
    return tuple(lines)


def _table_top(view: View, names: Sequence[str]) -> Panel:
    """Everything that lies beside the map."""
    box = MAPS[view.map]
    bus = f"{names[view.first]} has the bus."
    lines: list[Line] = [
        (f"{names[view.turn]} is to take a token. {bus}",) if view.turn is not None else ("The game is over.",),
        ("Tokens out: ", *_listed(_token(box, token) for token in view.out)),
        ("Parked: ", *_listed(_token(box, token) for token in view.parked)),
        (f"Piles left: {view.piles}", *_to_come(view)),
    ]
    if box.players[len(view.supply)].bag:
        lines.append((f"In the bag: {view.bag}",))
    if view.seat is not None:
        lines.append(("Your marker: ", _coloured(box, view.markers[view.seat] or "")))
    if view.turn is None:
        shown = zip(names, view.markers, strict=True)
        lines.append(("Markers: ", *_listed(_coloured(box, line or "", f"{name} {line}") for name, line in shown)))
    if view.face_up:
        lines.append(("Face-up marker: ", *_listed(_coloured(box, line) for line in view.face_up)))
    return Panel("Beside the map", tuple(lines))


def _to_come(view: View) -> Line:
    """How many tokens of each colour are still in the piles (R20)."""
    if not view.unseen:
        return ()
    box = MAPS[view.map]
    count = Counter(token.line for token in view.unseen)
    return (", with ", *_listed(_coloured(box, line, f"{count[line]} {line}") for line in box.lines if count[line]))


def _scores(view: View, names: Sequence[str]) -> Columns:
    header = ("", "player", "shops", "visits", "excursions", "final", "bag", "total", "on board", "supply")
    rows = []
    rank = 1
    for seats in view.standing.ranking:
        rows += [(str(rank), *_score(view, seat, names)) for seat in seats]
        rank += len(seats)
    return Columns("Score", header, tuple(rows), right=(0, *range(3, len(header))))


def _score(view: View, seat: Seat, names: Sequence[str]) -> Line:
    score = view.standing.scores[seat]
    colour = _seat_colour(view, seat)
    return (
        names[seat],
        Span(f"{colour.code} {colour.colour}", colour.ansi),
        *(str(points) for points in score.parts.values()),
        Span(str(score.total), bold=True),
        *(str(tie.value) for tie in score.ties),
        str(view.supply[seat]),
    )


def _seat_colour(view: View, seat: Seat) -> SeatColour:
    return next(each for each in MAPS[view.map].printed.seats if each.colour == view.colours[seat])


def _token(box: Map, token: Token) -> Span:
    return _coloured(box, token.line, str(token))


def _coloured(box: Map, line: str, text: str = "") -> Span:
    return Span(text or line, box.printed.lines[box.line_no[line]].ansi)


def _listed(spans: Iterable[Span]) -> Line:
    """``a, b, c``, or a dash for nothing."""
    parts: list[Span | str] = []
    for span in spans:
        parts += [", ", span] if parts else [span]
    return tuple(parts) or ("-",)
