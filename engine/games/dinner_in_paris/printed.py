"""What is printed on the components: the shape of the component file, and everything that must hold in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from engine.typed_json import convert

SEATS = (2, 3, 4)
DECOR_LETTERS = {"band": "O", "flower-bed": "F", "fountain": "W", "street-light": "L"}
PIGEON_LETTER, BUSH_LETTER = "p", "B"
PIGEONS = ("two-resources", "free-terrace", "two-coins", "objective", "one-less", "neighbours")
"""The rules know each of these by name: what a pigeon card does is not written in the file."""

Cell: TypeAlias = tuple[int, int]
"""Column and row, both from 0."""


class BadBox(ValueError):
    """A component file that cannot be played; says which file and what is wrong with it."""


class Printed(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of everything read from the component file."""


class Totals(Printed, frozen=True):
    """How many pieces there are in all; terraces for each seat."""

    resources: int
    restaurants: int
    pigeons: int
    objectives: int
    majorities: int
    terraces: int


class End(Printed, frozen=True):
    """What ends the game."""

    restaurants: dict[int, int]
    finished_categories: int


class Setup(Printed, frozen=True):
    """What everybody begins with, and the limits."""

    first_seat: int
    start_income: int
    start_hand: int
    start_objectives: int
    hand_limit: int
    river_size: int
    river_similar_limit: int
    river_renewal_bound: int
    cover_limit: int
    totals: Totals
    end: End
    majority_points: dict[int, tuple[int, ...]]


class Decor(Printed, frozen=True):
    """One element of the decor."""

    type: str
    cells: tuple[str, ...]


class Zone(Printed, frozen=True):
    """A half of the board: from one row, or one column, to another."""

    rows: tuple[int, int] | None = None
    columns: tuple[str, str] | None = None

    def holds(self, cell: Cell) -> bool:
        """Whether the cell lies in it."""
        column, row = cell
        if self.rows:
            return self.rows[0] <= row + 1 <= self.rows[1]
        return self.columns is not None and self.columns[0] <= column_name(column) <= self.columns[1]


class PrintedBoard(Printed, frozen=True):
    """A board: its map row by row, and what is on it."""

    source: str
    line_ring: dict[int, int]
    map: tuple[str, ...]
    pigeons: tuple[str, ...]
    decor: tuple[Decor, ...]
    zones: dict[str, Zone]


class Resource(Printed, frozen=True):
    """A resource card: the ingredients it shows, or what it is worth as a coin."""

    id: str
    shows: tuple[str, ...]
    count: int
    coins: int = 0


class Kind(Printed, frozen=True):
    """A kind of restaurant."""

    id: str
    category: int
    size: int
    count: int
    income: int
    points: int
    cost: tuple[str, ...]


class Track(Printed, frozen=True):
    """A seat's terraces of one category: the cost of each tile, and the points it reveals (0 is the + sign)."""

    category: int
    cost: tuple[int, ...]
    reveals: tuple[int, ...]


class Pigeon(Printed, frozen=True):
    """A pigeon card."""

    id: str
    count: int
    immediate: bool
    text: str
    coins: int = 0


class Objective(Printed, frozen=True):
    """An objective card and its test."""

    id: str
    points: int
    kind: Literal[
        "decor",
        "decor-types",
        "quarters",
        "zone",
        "placed",
        "placed-categories",
        "category-finished",
        "shape",
    ]
    each: int = 0
    total: int = 0
    decor: str = ""
    zone: str = ""
    shape: tuple[str, ...] = ()


class Majority(Printed, frozen=True):
    """A majority card."""

    id: str
    majorities: tuple[str, ...]


class PrintedBox(Printed, frozen=True):
    """The whole component file."""

    game: Setup
    boards: dict[str, PrintedBoard]
    resources: tuple[Resource, ...]
    restaurants: tuple[Kind, ...]
    tracks: tuple[Track, ...]
    pigeons: tuple[Pigeon, ...]
    objectives: tuple[Objective, ...]
    majorities: tuple[Majority, ...]


def column_name(column: int) -> str:
    """A, B, C, ..."""
    return chr(ord("A") + column)


def cell_name(cell: Cell) -> str:
    """``A1`` is the north-western corner.

    >>> cell_name((1, 11))
    'B12'
    """
    return f"{column_name(cell[0])}{cell[1] + 1}"


def cell_of(name: str) -> Cell:
    """The cell of this name.

    >>> cell_of("B12")
    (1, 11)
    """
    return ord(name[0]) - ord("A"), int(name[1:]) - 1


def around(cells: Iterable[Cell]) -> set[Cell]:
    """The neighbours of these cells, diagonal ones included."""
    own = set(cells)
    near = {(column + right, row + down) for column, row in own for right in (-1, 0, 1) for down in (-1, 0, 1)}
    return near - own


def read(facts: Mapping[str, Any], file: str) -> PrintedBox:
    """The box in a parsed file; raises BadBox, naming the file and the first thing that is wrong."""
    try:
        # The keys of TOML tables are strings, numbers of seats included.
        printed = convert(facts, PrintedBox, strict=False)
    except msgspec.ValidationError as error:
        raise BadBox(f"{file}: {error}") from error
    for check in (_setup, _cards, _tracks, _restaurants, _objectives, _majorities):
        for fault in check(printed):
            raise BadBox(f"{file}: {fault}")
    for name, board in printed.boards.items():
        for fault in _board(board):
            raise BadBox(f"{file}: board {name}: {fault}")
    return printed


def _setup(box: PrintedBox) -> Iterator[str]:
    game = box.game
    if game.first_seat not in range(min(SEATS)):
        yield f"seat {game.first_seat} cannot be first: it is not always taken"
    if tuple(game.end.restaurants) != SEATS or tuple(game.majority_points) != SEATS:
        yield "the restaurants that end the game and the points of majorities must be given for 2, 3 and 4 seats"
    for seats, points in game.majority_points.items():
        if len(points) != seats or any(a < b for a, b in pairwise(points)):
            yield f"the majority points of {seats} seats must be {seats} figures, none above the one before"
        for first, after in combinations(range(seats + 1), 2):
            if sum(points[first:after]) % (after - first):
                yield f"{seats} seats: {after - first} tied seats cannot share {sum(points[first:after])} points"


def _cards(box: PrintedBox) -> Iterator[str]:
    totals = box.game.totals
    yield from _count("resource cards", box.resources, totals.resources)
    yield from _count("pigeon cards", box.pigeons, totals.pigeons)
    for card in box.resources:
        if bool(card.shows) == bool(card.coins):
            yield f"resource {card.id} must show ingredients or be worth coins, one of the two"
        if card.shows and card.id != "/".join(card.shows):
            yield f"resource {card.id} must be called by what it shows, {'/'.join(card.shows)}"
    if [card.coins for card in box.resources if card.coins] != [1]:
        yield "one kind of resource card must be a coin, worth 1"
    for name, board in box.boards.items():
        if len(board.pigeons) > totals.pigeons:
            yield f"board {name} has more pigeons than there are pigeon cards"
    if tuple(card.id for card in box.pigeons) != PIGEONS:
        yield f"the pigeon cards must be {', '.join(PIGEONS)}, in that order"
    for pigeon in box.pigeons:
        if pigeon.coins != (2 if pigeon.id == "two-coins" else 0):
            yield f"pigeon card {pigeon.id}: two-coins is worth 2 coins and no other card any"
        if pigeon.immediate != (pigeon.id in PIGEONS[:2]):
            yield f"pigeon card {pigeon.id}: two-resources and free-terrace, and no others, act at once"


def _restaurants(box: PrintedBox) -> Iterator[str]:
    yield from _count("restaurants", box.restaurants, box.game.totals.restaurants)
    ingredients = {ingredient for card in box.resources for ingredient in card.shows}
    categories = [track.category for track in box.tracks]
    for kind in box.restaurants:
        for unknown in sorted(set(kind.cost) - ingredients):
            yield f"{kind.id} costs {unknown}, which no card shows"
        if not kind.cost:
            yield f"{kind.id} costs nothing"
        if kind.category not in categories:
            yield f"{kind.id} is of category {kind.category}, which has no track"
        if kind.size < 1:
            yield f"{kind.id} takes no room"


def _tracks(box: PrintedBox) -> Iterator[str]:
    if [track.category for track in box.tracks] != list(range(1, len(box.tracks) + 1)):
        yield "the tracks must be given for categories 1, 2, 3, ... in that order"
    for track in box.tracks:
        if len(track.cost) != len(track.reveals):
            yield f"track {track.category} has {len(track.cost)} costs but {len(track.reveals)} cells to reveal"
        if min(track.cost) < 1:
            yield f"track {track.category} has a tile that costs nothing"
        # Points are read from the cell before a +, so that one must not be a + as well.
        if any(not a and not b for a, b in pairwise(track.reveals)):
            yield f"track {track.category} has two + signs side by side"
    tiles = sum(len(track.cost) for track in box.tracks)
    if tiles != box.game.totals.terraces:
        yield f"there are {tiles} terraces for each seat, not {box.game.totals.terraces}"


def _objectives(box: PrintedBox) -> Iterator[str]:
    if len(box.objectives) != box.game.totals.objectives:
        yield f"there are {len(box.objectives)} objectives, not {box.game.totals.objectives}"
    for twice in _repeated(card.id for card in box.objectives):
        yield f"two objectives are {twice}"
    zones = {zone for board in box.boards.values() for zone in board.zones}
    for card in box.objectives:
        if card.kind in ("decor", "decor-types", "quarters", "placed-categories") and card.each < 1:
            yield f"objective {card.id} must say how many there are to be of each"
        if card.kind in ("zone", "placed") and card.total < 1:
            yield f"objective {card.id} must say how many there are to be in all"
        if card.kind == "decor" and card.decor not in DECOR_LETTERS:
            yield f"objective {card.id}: there is no decor {card.decor!r}"
        if card.kind == "zone" and card.zone not in zones:
            yield f"objective {card.id}: there is no zone {card.zone!r}"
        if card.kind == "shape" and (not card.shape or set("".join(card.shape)) != set("#.")):
            yield f"objective {card.id} must draw its shape with # and ."


def _majorities(box: PrintedBox) -> Iterator[str]:
    if len(box.majorities) != box.game.totals.majorities:
        yield f"there are {len(box.majorities)} majority cards, not {box.game.totals.majorities}"
    for twice in _repeated(card.id for card in box.majorities):
        yield f"two majority cards are {twice}"
    zones = [zone for board in box.boards.values() for zone in board.zones]
    known = {
        "restaurants",
        "money",
        "pigeon-cards",
        *(f"around:{decor}" for decor in DECOR_LETTERS),
        *(f"zone:{zone}" for zone in zones),
    }
    for card in box.majorities:
        for unknown in [majority for majority in card.majorities if majority not in known]:
            yield f"majority card {card.id}: nobody can have most of {unknown!r}"


def _board(board: PrintedBoard) -> Iterator[str]:
    width, height = len(board.map[0]), len(board.map)
    if height != width or any(len(row) != width for row in board.map):
        yield "the map must be a square: so many rows, and each so long"
        return
    on_map: dict[str, set[str]] = {}
    for row, letters in enumerate(board.map):
        for column, letter in enumerate(letters):
            on_map.setdefault(letter, set()).add(cell_name((column, row)))
    if set(board.pigeons) != on_map.get(PIGEON_LETTER, set()) or _repeated(board.pigeons):
        yield "the pigeons listed are not those of the map"
    for decor in board.decor:
        if decor.type not in DECOR_LETTERS:
            yield f"there is no decor {decor.type!r}"
    for kind, letter in DECOR_LETTERS.items():
        cells = [cell for decor in board.decor if decor.type == kind for cell in decor.cells]
        if set(cells) != on_map.get(letter, set()) or _repeated(cells):
            yield f"the {kind} cells listed are not those of the map"
    near = [cell for decor in board.decor for cell in around(map(cell_of, decor.cells))]
    for twice in _repeated(near):
        yield f"{cell_name(twice)} is around two elements of the decor"
    for name, zone in board.zones.items():
        if bool(zone.rows) == bool(zone.columns):
            yield f"zone {name} must be given by its rows or by its columns"
    for seats, ring in board.line_ring.items():
        if seats not in SEATS:
            yield f"the game is not for {seats}"
        inside = [cell_of(cell) for decor in board.decor for cell in decor.cells] + [*map(cell_of, board.pigeons)]
        for column, row in inside:
            if not (ring <= column < width - ring and ring <= row < height - ring):
                yield f"{cell_name((column, row))} is not inside ring {ring}, the line of {seats} seats"


def _count(what: str, pieces: Iterable[Resource | Pigeon | Kind], total: int) -> Iterator[str]:
    pieces = tuple(pieces)
    for twice in _repeated(piece.id for piece in pieces):
        yield f"two kinds of {what} are {twice}"
    count = sum(piece.count for piece in pieces)
    if count != total:
        yield f"there are {count} {what}, not {total}"


def _repeated(items: Iterable[Any]) -> list[Any]:
    return [item for item, count in Counter(items).items() if count > 1]
