"""What is printed on the components: the shape of the data file, and everything that must hold in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.typed_json import convert

FUNCTIONS = ("plat-du-jour", "coup-double", "saut")
SIDES = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
"""From the inner table of a staircase to the outer one: columns right, rows down."""


class BadComponents(ValueError):
    """A data file that cannot be played; says which file and what is wrong with it."""


class Printed(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of everything read from the data file."""


class Players(Printed, frozen=True):
    """How many can play."""

    min_players: int
    max_players: int


class Card(Printed, frozen=True):
    """A kind of card, and how many there are of it."""

    id: str
    name: str
    text: str
    sign: str
    kind: Literal["plat-du-jour", "coup-double", "saut", "menu"]
    value: int
    res: bool
    count: int
    where: Literal["anywhere", "salon", "outside"]


class Colour(Printed, frozen=True):
    """The colour of a seat's markers."""

    colour: str
    code: str
    ansi: int


class Markers(Printed, frozen=True):
    """The markers in the box, and whether a player can run out of them."""

    total: int
    per_colour: int
    limit: bool
    colours: tuple[Colour, ...]


class Salon(Printed, frozen=True):
    """The central tables."""

    tables: tuple[str, ...]


class Stairs(Printed, frozen=True):
    """A staircase: the two tables it joins, and the side of the salon it is on."""

    side: Literal["north", "east", "south", "west"]
    outside: str
    inside: str


class PrintedBoard(Printed, frozen=True):
    """The tables."""

    columns: tuple[str, ...]
    rows: tuple[int, ...]
    tables: int
    edge_tables: int
    salon: Salon
    stairs: tuple[Stairs, ...]


class Orders(Printed, frozen=True):
    """Figures of the first phase."""

    minimum: int
    step: int


class Services(Printed, frozen=True):
    """Figures of the second phase."""

    step: int
    left_res_factor: int


class Components(Printed, frozen=True):
    """The whole data file."""

    game: Players
    cards: tuple[Card, ...]
    markers: Markers
    board: PrintedBoard
    orders: Orders
    services: Services

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Every table in reading order, with its column and row."""
        return {
            f"{column}{row}": (x, y)
            for y, row in enumerate(self.board.rows)
            for x, column in enumerate(self.board.columns)
        }

    def is_edge(self, place: tuple[int, int]) -> bool:
        """Whether this column and row is an outermost one."""
        return place[0] in (0, len(self.board.columns) - 1) or place[1] in (0, len(self.board.rows) - 1)


def read(facts: Mapping[str, Any], file: str) -> Components:
    """The components in a parsed file; raises BadComponents, naming the file and the first thing that is wrong."""
    try:
        printed = convert(facts, Components)
    except msgspec.ValidationError as error:
        raise BadComponents(f"{file}: {error}") from error
    for check in (_cards, _markers, _tables, _salon, _stairs, _course):
        for fault in check(printed):
            raise BadComponents(f"{file}: {fault}")
    return printed


def _cards(printed: Components) -> Iterator[str]:
    for what in ("id", "text"):
        for twice in _repeated(getattr(card, what) for card in printed.cards):
            yield f"two kinds of card have the {what} {twice}"
    kinds = Counter[str](card.kind for card in printed.cards)
    for kind in FUNCTIONS:
        if kinds[kind] != 1:
            yield f"there must be one entry for the {kind}, not {kinds[kind]}"
    for card in printed.cards:
        if card.count < 1:
            yield f"there must be some {card.id}, not {card.count}"
        if len(card.sign) != 1:
            yield f"the sign {card.sign!r} of {card.id} must be one character, as there is room for one"
        if (card.value > 0) != (card.kind == "menu"):
            yield f"{card.id} is worth {card.value}: menus have a value and function cards none"
        if card.res and card.kind != "menu":
            yield f"{card.id} cannot be reserved: only menus can"
        if card.kind != "menu" and card.where != "anywhere":
            yield f"{card.id} must be placed anywhere: only menus are bound to a place"


def _markers(printed: Components) -> Iterator[str]:
    markers = printed.markers
    if len(markers.colours) != printed.game.max_players:
        yield f"{printed.game.max_players} players need as many marker colours, not {len(markers.colours)}"
    if markers.per_colour * len(markers.colours) != markers.total:
        yield f"{markers.per_colour} markers in each of {len(markers.colours)} colours are not {markers.total}"
    if markers.limit:
        yield "a limit of markers is not among the rules (R21)"
    for colour in markers.colours:
        if len(colour.code) != 1:
            yield f"the code {colour.code!r} must be one letter, as there is room for one"
    for twice in _repeated(colour.colour for colour in markers.colours):
        yield f"two seats are {twice}"
    for twice in _repeated(colour.code for colour in markers.colours):
        yield f"two colours have the code {twice}"


def _tables(printed: Components) -> Iterator[str]:
    board, places = printed.board, printed.places
    if len(places) != len(board.columns) * len(board.rows):
        yield "two columns or two rows have the same name"
    if len(places) != board.tables:
        yield f"{len(board.columns)} columns of {len(board.rows)} are not {board.tables} tables"
    edge = sum(map(printed.is_edge, places.values()))
    if edge != board.edge_tables:
        yield f"the edge has {edge} tables, not {board.edge_tables}"
    cards = sum(card.count for card in printed.cards)
    if cards != board.tables:
        yield f"{cards} cards do not cover {board.tables} tables"


def _salon(printed: Components) -> Iterator[str]:
    places, salon = printed.places, printed.board.salon.tables
    for table in salon:
        if table not in places:
            yield f"{table} is in the salon but is not a table"
        if printed.is_edge(places[table]):
            yield f"{table} is in the salon and at the edge"
    for twice in _repeated(salon):
        yield f"{twice} is listed twice in the salon"
    columns, rows = ({places[table][axis] for table in salon} for axis in (0, 1))
    if not salon or len(salon) != (max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1):
        yield "the tables of the salon must be one block"


def _stairs(printed: Components) -> Iterator[str]:
    places, board = printed.places, printed.board
    if sorted(stairs.side for stairs in board.stairs) != sorted(SIDES):
        yield "there must be one staircase on each side of the salon"
    for stairs in board.stairs:
        if stairs.inside not in board.salon.tables or stairs.outside in board.salon.tables:
            yield f"the {stairs.side} stairs must lead from the salon, at {stairs.inside}, to {stairs.outside} outside"
        (x, y), (right, down) = places[stairs.inside], SIDES[stairs.side]
        if places.get(stairs.outside) != (x + right, y + down):
            yield f"{stairs.outside} does not lie {stairs.side} of {stairs.inside}, where its stairs lead"


def _course(printed: Components) -> Iterator[str]:
    game = printed.game
    if not 2 <= game.min_players <= game.max_players:
        yield f"from {game.min_players} to {game.max_players} players is no range of players"
    if not 1 <= printed.orders.minimum <= printed.board.tables:
        yield f"{printed.orders.minimum} orders cannot be taken from {printed.board.tables} tables"
    if {abs(printed.orders.step), abs(printed.services.step)} != {1}:
        yield "the turn passes to the next seat or to the one before: the steps must be 1 or -1"
    if printed.services.left_res_factor < 1:
        yield "a reserved menu left in hand counts at least once"


def _repeated(items: Iterable[Any]) -> list[Any]:
    return [item for item, count in Counter(items).items() if count > 1]
