"""What is printed on the components: the shape of a map file, and everything that must hold in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct, field

from engine.scene import Point
from engine.typed_json import convert

LINES = 5
STATIONS_ON_A_LINE = 7
CROSSINGS_ON_A_LINE = 4
PLAYERS = (2, 3, 4)


class BadMap(ValueError):
    """A map file that cannot be played; says which file and what is wrong with it."""


class Printed(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of everything read from a map file."""


class Sheet(Printed, frozen=True):
    """The name of a map, where it comes from, and the size of its drawing."""

    id: str
    status: str
    width: int
    height: int


class PlayerSetup(Printed, frozen=True):
    """What changes with the number of players."""

    players: int
    piles: int
    pile_size: int
    markers_secret: int
    markers_open: int
    markers_boxed: int
    bag: bool


class Setup(Printed, frozen=True):
    """The counts of pieces."""

    shops_per_seat: int
    score_markers: int
    supply: int
    capacity_plain: int
    capacity_crossing: int
    p_spaces: int
    first_seat: int
    tokens_total: int
    players: tuple[PlayerSetup, ...]


class SeatColour(Printed, frozen=True):
    """The colour of a player's shops."""

    colour: str
    code: str
    ansi: int


class PrintedLine(Printed, frozen=True):
    """A line, from its start to its end."""

    id: str
    code: str
    ansi: int
    colour_attested: bool
    stations: tuple[str, ...]


class PrintedStation(Printed, frozen=True):
    """A station, where it is drawn, and where its name begins."""

    id: str
    name: str
    attested: bool
    at: Point
    label: Point


class Markers(Printed, frozen=True):
    """The final-excursion markers."""

    lines: tuple[str, ...]


class Bend(Printed, frozen=True):
    """The corners of a stretch that is not drawn straight."""

    line: str
    start: str = field(name="from")
    to: str
    points: tuple[Point, ...]


class PrintedMap(Printed, frozen=True):
    """A whole map file."""

    map: Sheet
    setup: Setup
    seats: tuple[SeatColour, ...]
    lines: tuple[PrintedLine, ...]
    markers: Markers
    tokens: dict[str, dict[str, int]]
    stations: tuple[PrintedStation, ...]
    bends: tuple[Bend, ...]

    def lines_through(self, station: str) -> list[PrintedLine]:
        """The lines that stop at this station: two make it a crossing."""
        return [line for line in self.lines if station in line.stations]

    def course(self, line: str, start: str, to: str) -> tuple[Point, ...]:
        """The points through which the stretch between two stations of a line is drawn."""
        at = {station.id: station.at for station in self.stations}
        corners = [bend.points for bend in self.bends if (bend.line, bend.start, bend.to) == (line, start, to)]
        return (at[start], *(corners[0] if corners else ()), at[to])


def read(facts: Mapping[str, Any], file: str) -> PrintedMap:
    """The map in a parsed file; raises BadMap, naming the file and the first thing that is wrong."""
    try:
        printed = convert(facts, PrintedMap)
    except msgspec.ValidationError as error:
        raise BadMap(f"{file}: {error}") from error
    for check in (_setup, _seats, _lines, _tokens, _stations, _bends):
        for fault in check(printed):
            raise BadMap(f"{file}: {fault}")
    return printed


def _setup(printed: PrintedMap) -> Iterator[str]:
    setup = printed.setup
    if setup.score_markers + setup.supply != setup.shops_per_seat:
        yield f"score markers and supply are not the {setup.shops_per_seat} shops of a seat"
    if (setup.capacity_plain, setup.capacity_crossing) != (1, 2):
        yield "the capacity of a plain station must be 1 and that of a crossing 2"
    if setup.p_spaces < LINES:
        yield f"{setup.p_spaces} P spaces are too few for {LINES} colours"
    if setup.first_seat not in range(min(PLAYERS)):
        yield f"seat {setup.first_seat} cannot be first: it is not always taken"
    if tuple(each.players for each in setup.players) != PLAYERS:
        yield "the setup must be given for 2, 3 and 4 players, in that order"
    for each in setup.players:
        who = f"{each.players} players"
        if each.pile_size != each.players + 1:
            yield f"{who}: a pile has one token more than there are players, not {each.pile_size}"
        if each.piles * each.pile_size != setup.tokens_total:
            yield f"{who}: {each.piles} piles of {each.pile_size} are not {setup.tokens_total} tokens"
        if each.markers_secret != each.players:
            yield f"{who}: {each.markers_secret} secret markers are not one for each"
        if each.markers_secret + each.markers_open + each.markers_boxed != LINES:
            yield f"{who}: secret, open and boxed markers are not {LINES} in all"


def _seats(printed: PrintedMap) -> Iterator[str]:
    if len(printed.seats) != max(PLAYERS):
        yield f"there must be {max(PLAYERS)} seat colours, not {len(printed.seats)}"
    for twice in _repeated(seat.colour for seat in printed.seats):
        yield f"two seats are {twice}"
    yield from _codes("seats", [seat.code for seat in printed.seats])


def _lines(printed: PrintedMap) -> Iterator[str]:
    if len(printed.lines) != LINES:
        yield f"there must be {LINES} lines, not {len(printed.lines)}"
    for twice in _repeated(line.id for line in printed.lines):
        yield f"two lines are {twice}"
    yield from _codes("lines", [line.code for line in printed.lines])
    for twice in _repeated(station.id for station in printed.stations):
        yield f"station {twice} is listed twice"
    known = {station.id for station in printed.stations}
    for line in printed.lines:
        if len(line.stations) != STATIONS_ON_A_LINE:
            yield f"line {line.id} must have {STATIONS_ON_A_LINE} stations, not {len(line.stations)}"
        for twice in _repeated(line.stations):
            yield f"line {line.id} stops twice at {twice}"
        for unknown in [station for station in line.stations if station not in known]:
            yield f"line {line.id} stops at {unknown}, which is not a station"
    for station in printed.stations:
        if len(printed.lines_through(station.id)) not in (1, 2):
            yield f"station {station.id} must lie on one line or two"
    for line in printed.lines:
        crossings = sum(len(printed.lines_through(station)) == 2 for station in line.stations)
        if crossings != CROSSINGS_ON_A_LINE:
            yield f"line {line.id} must have {CROSSINGS_ON_A_LINE} crossings, not {crossings}"
    if printed.markers.lines != tuple(line.id for line in printed.lines):
        yield "the markers must be one for each line, in the order of the lines"


def _tokens(printed: PrintedMap) -> Iterator[str]:
    if list(printed.tokens) != [line.id for line in printed.lines]:
        yield "the tokens must be given for each line, in the order of the lines"
    for line in printed.lines:
        counts = printed.tokens[line.id]
        if list(counts) != list(line.stations):
            yield f"the {line.id} tokens must be given for each station of the line, in its order"
        ends = (line.stations[0], line.stations[-1])
        for station, count in counts.items():
            neighbours = 1 if station in ends else 2
            if count != neighbours:
                yield f"{count} {line.id} tokens for {station}, which has {neighbours} neighbours along that line"
    total = sum(sum(counts.values()) for counts in printed.tokens.values())
    if total != printed.setup.tokens_total:
        yield f"there are {total} tokens, not {printed.setup.tokens_total}"


def _stations(printed: PrintedMap) -> Iterator[str]:
    taken: dict[Point, str] = {}
    for station in printed.stations:
        (column, row), (label, label_row) = station.at, station.label
        # The brackets, one shop or (to the left) two, and the sign of a token.
        left = column - len(printed.lines_through(station.id))
        node = [(x, row) for x in range(left, column + 3)]
        name = [(x, label_row) for x in range(label, label + len(station.name))]
        for what, cells in (("place", node), ("name", name)):
            for cell in cells:
                if not (0 <= cell[0] < printed.map.width and 0 <= cell[1] < printed.map.height):
                    yield f"the {what} of {station.id} leaves the drawing at {list(cell)}"
                if cell in taken:
                    yield f"the {what} of {station.id} covers {taken[cell]} at {list(cell)}"
                taken[cell] = station.id


def _bends(printed: PrintedMap) -> Iterator[str]:
    stretches = [(line.id, start, to) for line in printed.lines for start, to in pairwise(line.stations)]
    bends = [(bend.line, bend.start, bend.to) for bend in printed.bends]
    for line, start, to in bends:
        if (line, start, to) not in stretches:
            yield f"a bend from {start} to {to}, which is no stretch of line {line}"
    for line, start, to in _repeated(bends):
        yield f"line {line} bends twice from {start} to {to}"
    for line, start, to in stretches:
        course = printed.course(line, start, to)
        for x, y in course:
            if not (0 <= x < printed.map.width and 0 <= y < printed.map.height):
                yield f"line {line} leaves the drawing from {start} to {to}, at {[x, y]}"
        for a, b in pairwise(course):
            if (a[0] == b[0]) == (a[1] == b[1]):
                yield f"line {line} must run along a row or a column from {start} to {to}, not {list(a)} to {list(b)}"


def _codes(of: str, codes: list[str]) -> Iterator[str]:
    for code in codes:
        if len(code) != 1:
            yield f"the code {code!r} must be one letter, as there is room for one"
    for twice in _repeated(codes):
        yield f"two {of} have the code {twice}"


def _repeated(items: Iterable[Any]) -> list[Any]:
    return [item for item, count in Counter(items).items() if count > 1]
