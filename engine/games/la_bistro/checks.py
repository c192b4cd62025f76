"""Everything that must hold in an edition file; what does not is reported with its line."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from engine.games.la_bistro.lines import Lines, Path
from engine.games.la_bistro.printed import Item, Needs, PrintedEdition, figures
from engine.typed_json import convert

PLAYERS = range(2, 7)
DIE = range(1, 7)
TIERED = ("quality", "service", "ambiance", "ads", "novelty", "fame")
CRITERIA = (*TIERED, "price", "proximity")
CRITERIA_A_BOX = 4
LEVELS_A_BUILDING = 2
SHORT = 11
"""How many letters of a job's name there is room for on the drawing."""
_WORD = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BUILDING = re.compile(r"[A-Z]+[0-9]+")


class BadEdition(ValueError):
    """An edition file that cannot be played: every fault on a line of its own, with the file and the line in it."""


class Fault(NamedTuple):
    """What is wrong, and where."""

    at: Path
    why: str


def parse(source: str, file: str) -> tuple[Mapping[str, Any], PrintedEdition]:
    """The facts of an edition file, as they are and by their types; raises BadEdition with all that is wrong."""
    try:
        facts = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise BadEdition(_syntax(file, str(error))) from error
    lines = Lines(source)
    try:
        printed = convert(facts, PrintedEdition)
    except msgspec.ValidationError as error:
        raise BadEdition(_located(file, lines, [_misfit(str(error))])) from error
    faults = [fault for check in _CHECKS for fault in check(printed)]
    if file != f"{printed.edition.id}.toml":
        faults.append(Fault(("edition", "id"), f"the edition {printed.edition.id} must be in a file of that name"))
    if faults:
        raise BadEdition(_located(file, lines, faults))
    return facts, printed


def _syntax(file: str, message: str) -> str:
    """An error of the parser, whose message ends in ``(at line 7, column 3)`` or ``(at end of document)``."""
    why, _, where = message.rpartition(" (at ")
    return f"{file}, {where.rstrip(')')}: {why}"


def _located(file: str, lines: Lines, faults: Iterable[Fault]) -> str:
    found = sorted((lines.at(fault.at), fault.why) for fault in faults)
    return "\n".join(f"{file}, line {line}: {why}" for line, why in found)


def _misfit(message: str) -> Fault:
    """A type error of msgspec, whose message ends in a path like ``$.board.zones[0].name``."""
    why, _, where = message.partition(" - at `$")
    path: list[str | int] = [int(number) if number else key for number, key in re.findall(r"\[(\d+)\]|([\w-]+)", where)]
    stray = re.search(r"unknown field `([^`]+)`", why)
    name = ".".join(map(str, path)) or "the file"
    return Fault((*path, stray[1]) if stray else tuple(path), f"{name}: {why}")


def _setup(printed: PrintedEdition) -> Iterator[Fault]:
    setup = printed.setup
    for table, least in (("setup", 1), ("start", 0), ("costs", 0)):
        for key, value in msgspec.structs.asdict(getattr(printed, table)).items():
            if isinstance(value, int) and value < least:
                yield Fault((table, key), f"{key} must be {least} or more, not {value}")
    for key in ("ad_point", "loan"):
        if getattr(printed.costs, key) == 0:
            yield Fault(("costs", key), f"{key} must cost something")
    if setup.jobs_dice_per_phase > setup.min_unused_dice:
        yield Fault(
            ("setup", "jobs_dice_per_phase"), f"a phase may find only {setup.min_unused_dice} unused dice to place"
        )
    if setup.dice - setup.dice_per_player * PLAYERS[-1] < setup.min_unused_dice:
        yield Fault(("setup", "dice"), f"{setup.dice} dice leave {PLAYERS[-1]} players no preparation phase")
    for place, award in enumerate(printed.fame.awards):
        if award < 0:
            yield Fault(("fame", "awards", place), f"a negative award, {award}")
    for key in ("players_2_4", "players_5", "players_6"):
        if min(getattr(printed.inflation, key)) < 0:
            yield Fault(("inflation", key), f"{key}: Inflation cannot be negative")
    if printed.inflation.start < 0:
        yield Fault(("inflation", "start"), "Inflation cannot be negative")
    if printed.time_track.boxes < 1:
        yield Fault(("time_track", "boxes"), "the Time Track needs a box after START")


def _board(printed: PrintedEdition) -> Iterator[Fault]:
    zones = printed.board.zones
    if len(zones) != len(DIE):
        yield Fault(("board", "zones"), f"there must be six zones, not {len(zones)}")
    for z, zone in enumerate(zones):
        if zone.number != z + 1:
            yield Fault(("board", "zones", z, "number"), f"{zone.name} is numbered {zone.number} and not {z + 1}")
    yield from _ids(
        "building",
        [
            (("board", "zones", z, "buildings", b), building.id)
            for z, zone in enumerate(zones)
            for b, building in enumerate(zone.buildings)
        ],
        _BUILDING,
        "letters and a number, such as B7",
    )
    for z, zone in enumerate(zones):
        for b, building in enumerate(zone.buildings):
            at, who = ("board", "zones", z, "buildings", b), f"building {building.id}"
            for key, least in (("price", 0), ("seats", 1), ("ambiance", 0)):
                if getattr(building, key) < least:
                    yield Fault((*at, key), f"{who}: {key} must be {least} or more, not {getattr(building, key)}")
            yield from _levels(printed, (*at, "levels"), who, building.levels)
            if len(building.levels) != LEVELS_A_BUILDING:
                yield Fault((*at, "levels"), f"{who} must allow two levels, not {len(building.levels)}")
            if not any(set(cuisine.levels) & set(building.levels) for cuisine in printed.menus.cuisines):
                yield Fault((*at, "levels"), f"{who}: no cuisine is sold at its levels")


def _menus(printed: PrintedEdition) -> Iterator[Fault]:
    menus = printed.menus
    yield from _ids("level", [(("menus", "levels", i), level.id) for i, level in enumerate(menus.levels)])
    yield from _ids("cuisine", [(("menus", "cuisines", i), cuisine.id) for i, cuisine in enumerate(menus.cuisines)])
    if len(menus.levels) != 3:
        yield Fault(("menus", "levels"), f"there must be three levels, not {len(menus.levels)}")
    least = 1
    for i, level in enumerate(menus.levels):
        if level.start != least:
            yield Fault(("menus", "levels", i, "from"), f"level {level.id} must begin at {least}, not {level.start}")
        if level.to < level.start:
            yield Fault(("menus", "levels", i, "to"), f"level {level.id} ends before it begins")
        least = level.to + 1
    for i, cuisine in enumerate(menus.cuisines):
        yield from _levels(printed, ("menus", "cuisines", i, "levels"), f"cuisine {cuisine.id}", cuisine.levels)
        if not cuisine.levels:
            yield Fault(("menus", "cuisines", i, "levels"), f"cuisine {cuisine.id} has no level")


def _levels(printed: PrintedEdition, at: Path, who: str, levels: Sequence[str]) -> Iterator[Fault]:
    known = [level.id for level in printed.menus.levels]
    for i, level in enumerate(levels):
        if level not in known:
            yield Fault((*at, i), f"{who}: there is no level {level!r}; there are {_list(known)}")
    for twice in _repeated(levels):
        yield Fault(at, f"{who}: the level {twice} is there twice")


def _tiers(printed: PrintedEdition) -> Iterator[Fault]:
    for name in TIERED:
        start = getattr(printed.tiers, name).start
        if start[0] != 0 or not start[0] < start[1] < start[2]:
            yield Fault(("tiers", name, "from"), f"the tiers of {name} must begin at 0 and rise, not {_list(start)}")


def _items(printed: PrintedEdition) -> Iterator[Fault]:
    employees, renovations = printed.jobs.employees, printed.renovations
    yield from _ids("employee", [(("jobs", "employees", i), employee.id) for i, employee in enumerate(employees)])
    yield from _ids("renovation", [(("renovations", i), renovation.id) for i, renovation in enumerate(renovations)])
    items: list[tuple[Path, str, Item]] = [
        *((("jobs", "employees", i), f"employee {item.id}", item) for i, item in enumerate(employees)),
        *((("renovations", i), f"renovation {item.id}", item) for i, item in enumerate(renovations)),
    ]
    for at, who, item in items:
        if item.price < 0:
            yield Fault((*at, "price"), f"{who}: the price is negative")
        if item.needs is not None:
            yield from _needs(printed, (*at, "needs"), who, item.needs)
            if item.effect.novelty:
                yield Fault((*at, "effect"), f"{who}: what adds Novelty can have no condition (R1)")
    for i, employee in enumerate(employees):
        if len(employee.short or employee.name) > SHORT:
            key = "short" if employee.short else "name"
            yield Fault(
                ("jobs", "employees", i, key), f"employee {employee.id} needs a short name of at most {SHORT} letters"
            )
    for i, renovation in enumerate(renovations):
        never = printed.time_track.boxes + 1
        if not 1 <= renovation.cutoff <= never:
            yield Fault(
                ("renovations", i, "cutoff"),
                f"renovation {renovation.id}: the cut-off must be 1 to {never} (never), not {renovation.cutoff}",
            )


def _needs(printed: PrintedEdition, at: Path, who: str, needs: Needs) -> Iterator[Fault]:
    if needs == Needs():
        yield Fault(at, f"{who}: an empty condition")
    cuisines = [cuisine.id for cuisine in printed.menus.cuisines]
    for cuisine in needs.cuisine:
        if cuisine not in cuisines:
            yield Fault((*at, "cuisine"), f"{who}: there is no cuisine {cuisine!r}; there are {_list(cuisines)}")
    if needs.renovation is not None and needs.renovation not in [each.id for each in printed.renovations]:
        yield Fault((*at, "renovation"), f"{who}: there is no renovation {needs.renovation!r}")


def _jobs(printed: PrintedEdition) -> Iterator[Fault]:
    board, known = printed.jobs.board, [employee.id for employee in printed.jobs.employees]
    if len(board) != len(DIE):
        yield Fault(("jobs", "board"), f"the Jobs Board must have 6 rows, not {len(board)}")
    for r, row in enumerate(board):
        if len(row) != len(DIE):
            yield Fault(("jobs", "board", r), f"row {r + 1} of the Jobs Board must have 6 boxes, not {len(row)}")
        for c, job in enumerate(row):
            if job not in known:
                yield Fault(("jobs", "board", r, c), f"box {r + 1},{c + 1} of the Jobs Board: no employee {job!r}")
    for i, job in enumerate(known):
        if not any(job in row for row in board):
            yield Fault(("jobs", "employees", i), f"employee {job} is nowhere on the Jobs Board")


def _payouts(printed: PrintedEdition) -> Iterator[Fault]:
    payouts = printed.payouts
    if payouts.rows != printed.setup.dice:
        yield Fault(("payouts", "rows"), f"the chart must have a row for each of the {printed.setup.dice} dice")
    if payouts.columns != len(DIE):
        yield Fault(("payouts", "columns"), "the chart must have a column for each side of a die")
    count = payouts.rows * payouts.columns
    if len(payouts.boxes) != count:
        yield Fault(("payouts", "boxes"), f"the chart must have {count} boxes, not {len(payouts.boxes)}")
    known = {*CRITERIA, *(f"cuisine:{cuisine.id}" for cuisine in printed.menus.cuisines)}
    for i, box in enumerate(payouts.boxes):
        at, who = ("payouts", "boxes", i), f"box {box.box}"
        if box.box != i + 1:
            yield Fault((*at, "box"), f"{who} stands where box {i + 1} should be")
        if len(box.criteria) != CRITERIA_A_BOX:
            yield Fault((*at, "criteria"), f"{who} must have four criteria, not {len(box.criteria)}")
        for criterion in box.criteria:
            if criterion not in known:
                yield Fault((*at, "criteria"), f"{who}: there is no criterion {criterion!r}")
        for twice in _repeated(box.criteria):
            yield Fault((*at, "criteria"), f"{who} asks twice for {twice}")


def _sources(printed: PrintedEdition) -> Iterator[Fault]:
    for at, source in figures(printed):
        if source is None:
            yield Fault(at, f"where {'.'.join(map(str, at))} comes from is not said")


def _ids(
    what: str, ids: Sequence[tuple[Path, str]], pattern: re.Pattern[str] = _WORD, shape: str = "words joined by dashes"
) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, name in ids:
        if not pattern.fullmatch(name):
            yield Fault((*at, "id"), f"{what} {name!r} must be called by {shape}")
        if name in seen:
            yield Fault((*at, "id"), f"two {what}s are called {name}")
        seen.add(name)


def _repeated(items: Iterable[str]) -> list[str]:
    return [item for item, count in Counter(items).items() if count > 1]


def _list(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))


_CHECKS: tuple[Callable[[PrintedEdition], Iterator[Fault]], ...] = (
    _setup,
    _board,
    _menus,
    _tiers,
    _items,
    _jobs,
    _payouts,
    _sources,
)
