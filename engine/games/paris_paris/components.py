"""The box: every map of ``maps/*.toml``, loaded and checked once, with what the rules look up worked out in advance.

Inside the engine stations, lines and kinds of token are small numbers, each counted in the order in which it is always
listed; people, moves, events and views use the names. Tokens are numbered by station and then by line, so that sorting
their numbers sorts the moves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, NewType

from msgspec import Struct

from engine.games.paris_paris.printed import BadMap, PlayerSetup, PrintedMap, read

StationNo = NewType("StationNo", int)
LineNo = NewType("LineNo", int)
TokenNo = NewType("TokenNo", int)


class Token(NamedTuple):
    """What a station token shows; there may be two alike."""

    station: str
    line: str

    def __str__(self) -> str:
        return f"{self.station}/{self.line}"


class Map(Struct, frozen=True):
    """A map as the rules use it. Tuples are indexed by the number of a station, a line or a token."""

    facts: Mapping[str, Any]
    """The parsed file, as it is."""
    printed: PrintedMap
    players: Mapping[int, PlayerSetup]

    stations: tuple[str, ...]
    names: tuple[str, ...]
    """What the stations are called in print."""
    capacity: tuple[int, ...]
    neighbours: tuple[tuple[StationNo, ...], ...]
    rings: tuple[tuple[tuple[StationNo, ...], ...], ...]
    """For each station the stations on its line or lines by distance: itself, then those one step away, ..."""

    lines: tuple[str, ...]
    crossings: tuple[tuple[StationNo, ...], ...]
    """For each line the stops of its excursion."""

    tokens: tuple[Token, ...]
    token_station: tuple[StationNo, ...]
    token_line: tuple[LineNo, ...]
    deck: tuple[TokenNo, ...]
    """All the tokens of the box, line by line."""

    station_no: Mapping[str, StationNo]
    line_no: Mapping[str, LineNo]
    token_no: Mapping[tuple[str, str], TokenNo]


def load(facts: Mapping[str, Any], file: str) -> Map:
    """The map in a parsed file; raises BadMap, naming the file and what is wrong with it."""
    printed = read(facts, file)
    if file != f"{printed.map.id}.toml":
        raise BadMap(f"{file}: the map calls itself {printed.map.id}, so the file must be {printed.map.id}.toml")
    stations = tuple(station.id for station in printed.stations)
    lines = tuple(line.id for line in printed.lines)
    tokens = tuple(Token(station, line.id) for station in stations for line in printed.lines_through(station))
    station_no = {station: StationNo(number) for number, station in enumerate(stations)}
    line_no = {line: LineNo(number) for number, line in enumerate(lines)}
    token_no: dict[tuple[str, str], TokenNo] = {token: TokenNo(number) for number, token in enumerate(tokens)}
    is_crossing = {station: len(printed.lines_through(station)) == 2 for station in stations}
    setup = printed.setup
    return Map(
        facts=facts,
        printed=printed,
        players={each.players: each for each in setup.players},
        stations=stations,
        names=tuple(station.name for station in printed.stations),
        capacity=tuple(
            setup.capacity_crossing if is_crossing[station] else setup.capacity_plain for station in stations
        ),
        neighbours=tuple(_neighbours(printed, station, station_no) for station in stations),
        rings=tuple(_rings(printed, station, station_no) for station in stations),
        lines=lines,
        crossings=tuple(
            tuple(station_no[station] for station in line.stations if is_crossing[station]) for line in printed.lines
        ),
        tokens=tokens,
        token_station=tuple(station_no[token.station] for token in tokens),
        token_line=tuple(line_no[token.line] for token in tokens),
        deck=tuple(
            token_no[station, line]
            for line, counts in printed.tokens.items()
            for station, count in counts.items()
            for _ in range(count)
        ),
        station_no=station_no,
        line_no=line_no,
        token_no=token_no,
    )


def _neighbours(printed: PrintedMap, station: str, number: Mapping[str, StationNo]) -> tuple[StationNo, ...]:
    """The stations before and after this one on its lines."""
    pairs = [pair for line in printed.lines for pair in pairwise(line.stations) if station in pair]
    return tuple(number[b if a == station else a] for a, b in pairs)


def _rings(printed: PrintedMap, station: str, number: Mapping[str, StationNo]) -> tuple[tuple[StationNo, ...], ...]:
    """The stations by their distance along one line; one that both lines reach counts where it is nearest (R10)."""
    nearest: dict[str, int] = {}
    for line in printed.lines_through(station):
        here = line.stations.index(station)
        for place, other in enumerate(line.stations):
            nearest[other] = min(abs(place - here), nearest.get(other, len(line.stations)))
    return tuple(
        tuple(number[other] for other in number if nearest.get(other) == distance)
        for distance in range(max(nearest.values()) + 1)
    )


def _load_all() -> dict[str, Map]:
    maps = {}
    for path in sorted((Path(__file__).parent / "maps").glob("*.toml")):
        loaded = load(tomllib.loads(path.read_text(encoding="utf-8")), path.name)
        maps[loaded.printed.map.id] = loaded
    return maps


MAPS: Mapping[str, Map] = _load_all()
