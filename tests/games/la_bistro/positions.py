"""Positions written down as the rulebook's examples are: who owns what, what is on the boards, who is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from engine.chance import Chance
from engine.game import Event, Seat, Step
from engine.games.la_bistro import GAME
from engine.games.la_bistro.components import EDITIONS, BuildingId, CuisineId, EmployeeId, Place, RenovationId
from engine.games.la_bistro.moves import OPTIONS, Choose, Option
from engine.games.la_bistro.state import AnyStage, Choosing, Income, Restaurant, State, Table

BOX = EDITIONS["reconstruction-1"]
CHANCE = Chance(bytes(32))
ANN, BOB, CY, DEE, EVE, FAY = map(Seat, range(6))


class Loaded(Chance):
    """Chance whose dice have been seen to: these values for a label, first come first served, then honest ones."""

    __slots__ = ("_rolls",)

    def __init__(self, rolls: Mapping[str, Sequence[int]]) -> None:
        super().__init__(bytes(32))
        self._rolls = {label: list(values) for label, values in rolls.items()}

    def below(self, bound: int, label: str) -> int:
        rolls = self._rolls.get(label)
        return rolls.pop(0) - 1 if rolls else super().below(bound, label)


def loaded(**rolls: Sequence[int]) -> Loaded:
    """``loaded(jobs_row=[1, 2, 3])``."""
    return Loaded({label.replace("_", "-"): values for label, values in rolls.items()})


def restaurant(
    building: str = "B8",
    cuisine: str | None = None,
    price: int = 0,
    *,
    staff: Sequence[str] = (),
    renovations: Sequence[str] = (),
    ads: int = 0,
    fame: int = 0,
    novelty: int = 12,
) -> Restaurant:
    return Restaurant(
        BuildingId(building),
        ads,
        fame,
        novelty,
        None if cuisine is None else CuisineId(cuisine),
        price,
        tuple(map(EmployeeId, staff)),
        tuple(map(RenovationId, renovations)),
    )


def a_table(
    *restaurants: Sequence[Restaurant],
    money: Sequence[int] | None = None,
    loans: Sequence[int] | None = None,
    turn: int = 1,
    phase: int = 2,
    time: int = 0,
    inflation: int = 0,
    jobs: Sequence[tuple[int, int]] = (),
    aside: int = 0,
    auctions: Literal["open", "sealed-proxy"] = "open",
) -> Table:
    """A table for as many players as have a list of restaurants here; dice not mentioned are unused."""
    players = len(restaurants)
    return Table(
        edition="reconstruction-1",
        auctions=auctions,
        turn=turn,
        phase=phase,
        time=time,
        inflation=inflation,
        unused=15 - players - len(jobs) - aside,
        aside=aside,
        jobs=tuple(sorted(Place(*place) for place in jobs)),
        bank=0,
        money=tuple(money or [30] * players),
        loans=tuple(loans or [0] * players),
        restaurants=tuple(map(tuple, restaurants)),
        income=(Income(),) * players,
        choices=(),
    )


def asking(table: Table, stage: AnyStage | None = None) -> State:
    """The table with this stage; without one, everybody is to choose an option."""
    everybody = tuple(map(Seat, range(len(table.money))))
    return State(table, stage or Choosing(everybody), (None,) * len(everybody))


def choose(state: State, *options: Option, chance: Chance = CHANCE) -> Step[State]:
    """Everybody chooses, seat by seat."""
    step = Step(state, ())
    for seat, option in enumerate(options):
        assert option in OPTIONS
        step = GAME.play(step.state, Seat(seat), Choose(option), chance)
    return step


def play(state: State, *moves: tuple[Seat, Any], chance: Chance = CHANCE) -> Step[State]:
    """Several moves; the events are those of the last."""
    step = Step(state, ())
    for seat, move in moves:
        step = GAME.play(step.state, seat, move, chance)
    return step


def asked(state: State) -> dict[int, str]:
    """Who is asked what."""
    return {seat: decision.kind for seat, decision in GAME.waiting(state).items()}


def only(events: Sequence[Event], kind: type[Event]) -> list[Any]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]
