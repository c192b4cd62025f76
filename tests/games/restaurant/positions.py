"""Positions written down as the rulebook's examples are: where markers stand, who holds what, whose turn it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.chance import Chance
from engine.game import Event, Move, Seat, Step
from engine.games.restaurant import GAME
from engine.games.restaurant.components import BOX, CardNo
from engine.games.restaurant.state import Scoring, Stage, State

CHANCE = Chance(bytes(32))
ANN, BOB, CY, DEE = map(Seat, range(4))
Hands = Sequence[Sequence[str]]


def ordering(
    path: Sequence[str] = (),
    *,
    hands: Hands = ((), (), ()),
    packets: Sequence[Hands] | None = None,
    cards: Mapping[str, str] | None = None,
    turn: int | None = None,
    stage: Stage = "order",
    leap: bool = False,
    stairs: bool = False,
) -> State:
    """A moment of the orders: markers set along the path from seat 0 on, the named cards still to be taken.

    On every other table lies some card that is neither named nor in a hand. Only where there are as many markers as
    cards in hands and packets are all the cards of the box there, and none of them twice.
    """
    laid = packets or [()] * len(hands)
    known = dict(cards or {})
    held = [card for hand in hands for card in hand] + [card for each in laid for packet in each for card in packet]
    rest = Counter(BOX.deck)
    rest.subtract(numbers(held))
    rest.subtract(numbers(list(known.values())))
    unnamed = iter(sorted(rest.elements()))
    owners = {table: Seat(number % len(hands)) for number, table in enumerate(path)}
    return State(
        stairs=stairs,
        scoring="both",
        stage=stage,
        leap=leap,
        turn=Seat(len(path) % len(hands) if turn is None else turn),
        last=BOX.table_no[path[-1]] if path else None,
        tables=tuple(
            None if table in owners else BOX.card_no[known[table]] if table in known else next(unnamed, BOX.plat)
            for table in BOX.tables
        ),
        markers=tuple(owners.get(table) for table in BOX.tables),
        served=(None,) * len(BOX.tables),
        hands=tuple(tuple(numbers(hand)) for hand in hands),
        packets=tuple(tuple(tuple(numbers(packet)) for packet in each) for each in laid),
        noted=(),
    )


def serving(
    markers: Mapping[str, int],
    *,
    hands: Hands,
    served: Mapping[str, str] | None = None,
    last: str | None = None,
    turn: int = 0,
    stage: Stage = "serve",
    leap: bool = False,
    stairs: bool = False,
    scoring: Scoring = "both",
    noted: Sequence[int] | None = None,
) -> State:
    """A moment of the services; on tables without a marker lie cards, all told as many as markers if a test cares."""
    lying = dict(served or {})
    rest = Counter(BOX.deck)
    rest.subtract(numbers([card for hand in hands for card in hand]))
    rest.subtract(numbers(list(lying.values())))
    unnamed = iter(sorted(rest.elements()))
    return State(
        stairs=stairs,
        scoring=scoring,
        stage=stage,
        leap=leap,
        turn=Seat(turn),
        last=None if last is None else BOX.table_no[last],
        tables=tuple(None if table in markers else next(unnamed, BOX.plat) for table in BOX.tables),
        markers=tuple(Seat(markers[table]) if table in markers else None for table in BOX.tables),
        served=tuple(BOX.card_no[lying[table]] if table in lying else None for table in BOX.tables),
        hands=tuple(tuple(numbers(hand)) for hand in hands),
        packets=((),) * len(hands),
        noted=tuple(noted or [0] * len(hands)),
    )


def play(state: State, *moves: Move, chance: Chance = CHANCE) -> Step[State]:
    """Whoever is asked plays these moves one after the other; the events are those of the last."""
    step = Step(state, ())
    for move in moves:
        (seat,) = GAME.waiting(step.state)
        step = GAME.play(step.state, seat, move, chance)
    return step


def asked(state: State) -> dict[int, str]:
    """Who is being asked which decision."""
    return {seat: decision.kind for seat, decision in GAME.waiting(state).items()}


def legal(state: State) -> list[Move]:
    """The legal moves of whoever is asked."""
    (seat,) = GAME.waiting(state)
    return list(GAME.legal(state, seat))


def numbers(cards: Sequence[str]) -> list[CardNo]:
    return [BOX.card_no[card] for card in cards]


def hand(state: State, seat: Seat) -> list[str]:
    return [BOX.cards[card] for card in state.hands[seat]]


def kinds(events: Sequence[Event]) -> list[str]:
    """What happened, in one word each."""
    return [type(event).__name__ for event in events]


def snake(count: int) -> list[str]:
    """The first tables of a path to and fro over all rows: each touches the one before."""
    rows = [BOX.tables[start : start + 10] for start in range(0, 60, 10)]
    way = [table for number, row in enumerate(rows) for table in (row if number % 2 == 0 else row[::-1])]
    return way[:count]
