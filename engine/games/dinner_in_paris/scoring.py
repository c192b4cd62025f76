"""End and scoring, §8: what restaurants, tracks, objectives and majorities are worth, and how the seats stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.game import Score, Seat, Standing, Tie
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.state import State


class Majority(NamedTuple):
    """How a majority stands: how many each seat has, and the points for it."""

    name: str
    counts: tuple[int, ...]
    points: tuple[int, ...]


def majorities(state: State) -> list[Majority]:
    """The three majorities of the card, as everybody's hands are."""
    seats = range(len(state.players))
    found = []
    for name in BOX.majorities[state.majority].majorities:
        counts = tuple(count(state, Seat(seat), name) for seat in seats)
        found.append(Majority(name, counts, shares(counts, least=1 if ":" in name else 0)))
    return found


def count(state: State, seat: Seat, majority: str) -> int:
    """How much a seat has of what a majority counts; of terraces only those that are seen (R17)."""
    player = state.players[seat]
    match majority.split(":"):
        case ["around", decor]:
            return (state.seen(seat) & sum(state.ground.decor[decor])).bit_count()
        case ["zone", zone]:
            return (state.seen(seat) & state.ground.zones[zone]).bit_count()
        case ["restaurants"]:
            return sum(restaurant.seat == seat for restaurant in state.restaurants)
        case ["money"]:
            coins = sum(BOX.resources[card].coins for card in player.hand)
            return player.gauge + coins + sum(BOX.pigeons[card].coins for card in player.kept)
        case _:
            return len(player.kept) + len(player.used)


def shares(counts: Sequence[int], *, least: int) -> tuple[int, ...]:
    """The points by rank; tied seats share those of the ranks they take together (R22).

    Whoever has less than ``least`` takes no rank (R21).
    """
    points = BOX.printed.game.majority_points[len(counts)]
    ranked = sorted((each for each in counts if each >= least), reverse=True)
    return tuple(
        sum(points[ranked.index(each) : ranked.index(each) + ranked.count(each)]) // ranked.count(each)
        if each >= least
        else 0
        for each in counts
    )


def placed(state: State, seat: Seat) -> int:
    """How many tiles are gone from a seat's tracks, covered ones included (R17)."""
    return sum(state.players[seat].tracks)


def standing(state: State) -> Standing:
    """Everybody's points; majorities and the objectives left in hand count when the game is over."""
    final = state.phase == "over"
    parts = [_parts(state, Seat(seat)) for seat in range(len(state.players))]
    if final:
        by_majority = [majority.points for majority in majorities(state)]
        for seat, player in enumerate(state.players):
            parts[seat]["majorities"] = sum(points[seat] for points in by_majority)
            parts[seat]["left in hand"] = -sum(BOX.objectives[card].points for card in player.held)
    scores = [
        Score(Seat(seat), sum(each.values()), each, (Tie("terraces placed", placed(state, Seat(seat))),))
        for seat, each in enumerate(parts)
    ]
    return Standing.of(scores, final=final)


def _parts(state: State, seat: Seat) -> dict[str, int]:
    player = state.players[seat]
    return {
        "restaurants": sum(BOX.kinds[each.kind].points for each in state.restaurants if each.seat == seat),
        "terraces": sum(points[gone] for points, gone in zip(BOX.points, player.tracks, strict=True)),
        "objectives": sum(BOX.objectives[card].points for card in player.claimed),
    }
