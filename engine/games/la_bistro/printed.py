"""What is printed on the components: the shape of an edition file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import fields

from engine.games.la_bistro.lines import Path

Source: TypeAlias = Literal["rulebook", "inferred", "reconstructed", "printed"]
"""Where a figure comes from: the first two are attested; the last is what an owner of the game has read off it."""
Provenance: TypeAlias = Source | dict[str, Source | tuple[Source, ...]]
"""Of everything in a table alike, or key by key."""
LABELS = frozenset({"id", "box", "short", "title", "format", "named", "source"})
"""Keys that only name a thing within the file, or say where it comes from."""
Colour: TypeAlias = Literal["plain", "mauve", "gold"]
Kind: TypeAlias = Literal["listed", "unlimited", "unique"]


class Printed(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of everything read from an edition file."""


class Name(Printed, frozen=True):
    """The name of an edition, which is also that of its file."""

    id: str
    title: str


class Setup(Printed, frozen=True):
    """The dice, the money and the length of the game."""

    source: Provenance
    dice: int
    dice_per_player: int
    money: int
    money_two_players: int
    turns: int
    turns_two_players: int
    max_restaurants: int
    jobs_dice_per_phase: int
    min_unused_dice: int


class Start(Printed, frozen=True):
    """The figures of a restaurant just bought."""

    source: Provenance
    quality: int
    service: int
    ads: int
    fame: int
    novelty: int


class Costs(Printed, frozen=True):
    """What things cost and pay."""

    source: Provenance
    chef: int
    ad_point: int
    loan: int
    interest: int
    loan_final: int
    gold_bonus: int


class FameAwards(Printed, frozen=True):
    """Fame for the largest number of diners, the second largest and so on."""

    source: Provenance
    awards: tuple[int, ...]


class InflationTable(Printed, frozen=True):
    """Inflation by a die of 1-2, 3-4, 5-6 and the number of players."""

    source: Provenance
    start: int
    players_2_4: tuple[int, int, int]
    players_5: tuple[int, int, int]
    players_6: tuple[int, int, int]


class TimeTrack(Printed, frozen=True):
    """The boxes after START."""

    source: Provenance
    boxes: int


class Building(Printed, frozen=True):
    """A building for sale."""

    id: str
    street: str
    price: int
    seats: int
    ambiance: int
    levels: tuple[str, ...]
    source: Provenance | None = None
    """Where it differs from what the table around it says."""


class Zone(Printed, frozen=True):
    """A zone and its buildings; its number is what a diner's die is compared with."""

    number: int
    name: str
    source: Provenance
    buildings: tuple[Building, ...]


class Town(Printed, frozen=True):
    """The board."""

    source: Provenance
    large_seats: int
    zones: tuple[Zone, ...]


class Level(Printed, frozen=True):
    """A level of prices."""

    id: str
    sign: str
    start: int = field(name="from")
    to: int
    source: Provenance | None = None
    """Where it differs from what the table around it says."""


class Cuisine(Printed, frozen=True):
    """A cuisine and the levels at which it may be sold."""

    id: str
    name: str
    levels: tuple[str, ...]
    source: Provenance | None = None
    """Where it differs from what the table around it says."""


class Menus(Printed, frozen=True):
    """Prices and cuisines."""

    source: Provenance
    levels: tuple[Level, ...]
    cuisines: tuple[Cuisine, ...]


class Tier(Printed, frozen=True):
    """The three tiers of a criterion: where each begins, and its name."""

    source: Provenance
    start: tuple[int, int, int] = field(name="from")
    names: tuple[str, str, str]


class Tiers(Printed, frozen=True):
    """The player sheet."""

    quality: Tier
    service: Tier
    ambiance: Tier
    ads: Tier
    novelty: Tier
    fame: Tier


class Effect(Printed, frozen=True):
    """What an employee or a renovation adds while it is active; Novelty is added once (R1)."""

    quality: int = 0
    service: int = 0
    ambiance: int = 0
    seats: int = 0
    novelty: int = 0


class Needs(Printed, frozen=True):
    """What must hold for an effect to be active."""

    renovation: str | None = None
    cuisine: tuple[str, ...] = ()
    large: bool = False


class Item(Printed, frozen=True, kw_only=True):
    """Something that is bought for a restaurant."""

    id: str
    name: str
    price: int
    effect: Effect
    named: Source
    source: Provenance
    needs: Needs | None = None


class Employee(Item, frozen=True, kw_only=True):
    """A job, and how many of it there may be."""

    kind: Kind
    short: str = ""


class Renovation(Item, frozen=True, kw_only=True):
    """A renovation, closed for the turn once the time has reached its cut-off."""

    cutoff: int


class Jobs(Printed, frozen=True):
    """The Jobs Board and who is on it."""

    source: Provenance
    board: tuple[tuple[str, ...], ...]
    employees: tuple[Employee, ...]


class Box(Printed, frozen=True):
    """A box of the Payouts Chart."""

    box: int
    colour: Colour
    criteria: tuple[str, ...]
    source: Provenance | None = None
    """Where it differs from what the table around it says."""


class Payouts(Printed, frozen=True):
    """The Payouts Chart."""

    source: Provenance
    rows: int
    columns: int
    boxes: tuple[Box, ...]


class PrintedEdition(Printed, frozen=True):
    """A whole edition file."""

    format: Literal[1]
    edition: Name
    setup: Setup
    start: Start
    costs: Costs
    fame: FameAwards
    inflation: InflationTable
    time_track: TimeTrack
    board: Town
    menus: Menus
    tiers: Tiers
    jobs: Jobs
    renovations: tuple[Renovation, ...]
    payouts: Payouts

    @property
    def buildings(self) -> tuple[Building, ...]:
        """All buildings, zone by zone."""
        return tuple(building for zone in self.board.zones for building in zone.buildings)


def figures(table: Printed, at: Path = (), around: Provenance | None = None) -> Iterator[tuple[Path, Source | None]]:
    """Every figure of a table with its source (None: not given); rows may leave it to the table ``around`` them."""
    source = getattr(table, "source", None) or around
    for each in fields(table):
        value = getattr(table, each.name)
        if each.name in LABELS or value is None:
            continue
        path, own = (*at, each.encode_name), source.get(each.encode_name) if isinstance(source, dict) else source
        if isinstance(table, Item) and each.name == "name":
            own = table.named
        if isinstance(value, tuple) and value and isinstance(value[0], Printed):
            for row, item in enumerate(value):
                yield from figures(item, (*path, row), None if isinstance(own, tuple) else own)
        elif isinstance(value, Printed) and not isinstance(value, Effect | Needs):
            yield from figures(value, path)
        else:
            yield from ((path, one) for one in (own if isinstance(own, tuple) else (own,)))
