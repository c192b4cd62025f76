"""Points: what a visit, an excursion and the bag pay, and how the seats stand."""

from __future__ import annotations

from engine.game import Score, Seat, Standing, Tie
from engine.games.paris_paris.components import MAPS, LineNo, Map, StationNo
from engine.games.paris_paris.events import Points, Stop
from engine.games.paris_paris.state import State


def visit_points(state: State, station: StationNo) -> tuple[tuple[StationNo, ...], Points]:
    """Visit, §5: the stations that pay, and every shop there scores 1.

    The first ring with a shop is the station itself or the nearest over all its lines (R8, R9), and holds no station
    twice (R10).
    """
    shops = state.shops
    for ring in MAPS[state.map].rings[station]:
        paying = tuple([place for place in ring if shops[place]])
        if paying:
            owners: list[int] = [owner for place in paying for owner in shops[place]]
            return paying, tuple([owners.count(seat) for seat in range(len(state.supply))])
    return (), (0,) * len(state.supply)


def excursion_stops(state: State, line: LineNo) -> tuple[Stop, ...]:
    """Excursion, §6: what each crossing of the line pays, from its start."""
    box = MAPS[state.map]
    return tuple([Stop(box.stations[stop], _stop_points(state, box, stop)) for stop in box.crossings[line]])


def _stop_points(state: State, box: Map, stop: StationNo) -> Points:
    """Own shops here and on the neighbours, which count once however many one has here (R11)."""
    here = state.shops[stop]
    around: list[int] = [owner for place in box.neighbours[stop] for owner in state.shops[place]]
    return tuple([here.count(seat) + around.count(seat) if seat in here else 0 for seat in range(len(state.supply))])


def bag_points(bag: tuple[int, ...]) -> Points:
    """Bag, §8: a seat that alone has most scores 1 for each of its shops in it (R17)."""
    most = max(bag)
    return tuple(most if count == most and bag.count(most) == 1 else 0 for count in bag)


def add(points: Points, more: Points) -> Points:
    """Both, seat by seat."""
    return tuple([a + b for a, b in zip(points, more, strict=True)])


def shops_on_board(state: State) -> tuple[int, ...]:
    """How many shops each seat has on the map."""
    owners: list[int] = [owner for place in state.shops for owner in place]
    return tuple(owners.count(seat) for seat in range(len(state.supply)))


def standing(state: State) -> Standing:
    """Everybody's points; the bag counts only when the game is over, and then few shops on the board break ties."""
    final = not state.out
    bag = bag_points(state.bag) if final else (0,) * len(state.bag)
    scores = []
    for seat, shops in enumerate(shops_on_board(state)):
        parts = {
            "visits": state.visits[seat],
            "excursions": state.excursions[seat],
            "final": state.final[seat],
            "bag": bag[seat],
        }
        tie = Tie("shops on the board", shops, fewest=True)
        scores.append(Score(Seat(seat), sum(parts.values()), parts, (tie,)))
    return Standing.of(scores, final=final)
