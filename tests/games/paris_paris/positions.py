"""Positions written down as the rulebook's examples are: where shops stand, what is out, whose turn it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.chance import Chance
from engine.game import Event, Seat
from engine.games.paris_paris.components import MAPS, TokenNo
from engine.games.paris_paris.state import State

BOX = MAPS["reconstruction-1"]
CHANCE = Chance(bytes(32))
GREY, VIOLET, YELLOW, GREEN = map(Seat, range(4))


def a_game(
    players: int = 4,
    *,
    shops: Mapping[str, Sequence[int]] | None = None,
    out: Sequence[str] = (),
    to_move: int = 0,
    parked: Sequence[str] = (),
    piles: int = 0,
    bag: Sequence[int] | None = None,
    visits: Sequence[int] | None = None,
    supply: Mapping[int, int] | None = None,
    markers: Sequence[str] = BOX.lines,
) -> State:
    """A position with all its pieces: what is not said of a shop is in the supply, of a token that it is gone."""
    standing = {station: tuple(map(Seat, owners)) for station, owners in (shops or {}).items()}
    owners = [owner for here in standing.values() for owner in here]
    bagged = tuple(bag or [0] * players)
    rest = Counter(BOX.deck)
    rest.subtract(tokens(out))
    rest.subtract(tokens(parked))
    assert min(rest.values()) >= 0, "more tokens than the box has"
    unused = sorted(rest.elements())
    face_down = piles * (players + 1)
    full = {seat: 19 - owners.count(Seat(seat)) - bagged[seat] for seat in range(players)}
    return State(
        map="reconstruction-1",
        colours=("grey", "violet", "yellow", "green")[:players],
        first=Seat((to_move + len(out) - players - 1) % players) if out else Seat(0),
        piles=tuple(unused[:face_down]),
        out=tuple(sorted(tokens(out))),
        parked=tuple(tokens(parked)),
        gone=tuple(unused[face_down:]),
        markers=tuple(BOX.line_no[line] for line in markers),
        shops=tuple(standing.get(station, ()) for station in BOX.stations),
        supply=tuple((full | dict(supply or {}))[seat] for seat in range(players)),
        bag=bagged,
        visits=tuple(visits or [0] * players),
        excursions=(0,) * players,
        final=(0,) * players,
    )


def tokens(names: Sequence[str]) -> list[TokenNo]:
    """``pompidou/teal`` and the like, as the state has them."""
    pairs = [name.split("/") for name in names]
    return [BOX.token_no[station, line] for station, line in pairs]


def spread(*counts: int) -> dict[str, list[int]]:
    """So many shops of each seat somewhere on the board."""
    owners = [seat for seat, count in enumerate(counts) for _ in range(count)]
    shops: dict[str, list[int]] = {}
    for station, capacity in zip(BOX.stations, BOX.capacity, strict=True):
        shops[station], owners = owners[:capacity], owners[capacity:]
    assert not owners, "more shops than the board holds"
    return shops


def at(state: State, station: str) -> tuple[Seat, ...]:
    """The owners of the shops at a station."""
    return state.shops[BOX.station_no[station]]


def kinds(events: Sequence[Event]) -> list[str]:
    """What happened, in one word each."""
    return [type(event).__name__ for event in events]
