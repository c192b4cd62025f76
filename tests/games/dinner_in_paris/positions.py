"""Positions written down as the rulebook's examples are, and moves as players type them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from engine import notation
from engine.chance import Chance
from engine.cited_rules import Rule
from engine.errors import IllegalMove
from engine.game import Event, Seat
from engine.games.dinner_in_paris import GAME, Options
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Place
from engine.games.dinner_in_paris.state import Phase, Player, Restaurant, State, Turn

CHANCE = Chance(bytes(32))
P, Q, R, S = map(Seat, range(4))
DULL = ("bread", "cheese", "flour", "meat")
"""A river that nothing happens to."""


def a_game(
    seats: int = 4,
    *standing: str,
    board: str = "square",
    phase: Phase = "action",
    to_move: int = 0,
    actions: int = 2,
    hands: Mapping[int, str] | None = None,
    kept: Mapping[int, str] | None = None,
    used: Mapping[int, str] | None = None,
    fresh: int = 0,
    held: Mapping[int, str] | None = None,
    claimed: Mapping[int, str] | None = None,
    row: str = "",
    gauges: Mapping[int, int] | None = None,
    tracks: Mapping[int, Sequence[int]] | None = None,
    river: Sequence[str | None] = DULL,
    deck: str = "",
    discards: str = "",
    pigeons: str = "",
    objectives: str = "",
    majority: str = "flower-beds-lights-west",
    **turn: Any,
) -> State:
    """A position with all its pieces; of cards, what is not said to be elsewhere follows in the deck.

    Restaurants are written as ``0 pizzeria@E1 E2 F2``: owner, name, terraces. Cards are written one after the other.
    Tiles that stand on the square are gone from the tracks, unless it is said how many are.
    """
    ground = BOX.grounds[board, seats]
    restaurants, terraces = [], []
    for line in standing:
        owner, name, *cells = line.split()
        kind, at = name.split("@")
        restaurants.append(Restaurant(kind, at, Seat(int(owner))))
        terraces.append(ground.mask(cells))

    def cards(of: Mapping[int, str] | None, seat: int) -> tuple[str, ...]:
        return tuple((of or {}).get(seat, "").split())

    def gone(seat: int) -> tuple[int, ...]:
        if seat in (tracks or {}):
            return tuple((tracks or {})[seat])
        counts = [0] * len(BOX.tracks)
        for restaurant, shown in zip(restaurants, terraces, strict=True):
            if restaurant.seat == seat:
                counts[BOX.kinds[restaurant.kind].category - 1] += shown.bit_count()
        return tuple(counts)

    players = tuple(
        Player(
            hand=cards(hands, seat),
            kept=cards(kept, seat),
            used=cards(used, seat),
            held=cards(held, seat),
            claimed=cards(claimed, seat),
            gauge=(gauges or {}).get(seat, 1),
            tracks=gone(seat),
        )
        for seat in range(seats)
    )
    opened = Counter(restaurant.kind for restaurant in restaurants)
    in_hands = [card for player in players for card in player.hand]
    pigeon_cards = [card for player in players for card in player.kept + player.used]
    objective_cards = [card for player in players for card in player.held + player.claimed] + row.split()
    return State(
        board=board,
        phase=phase,
        turn=Turn(Seat(to_move), actions, fresh=fresh, **turn),
        players=players,
        chosen=(0,) * seats,
        river=tuple(river),
        deck=_rest(BOX.printed.resources, deck.split(), [*in_hands, *filter(None, river), *discards.split()]),
        discards=tuple(discards.split()),
        pigeons=_rest(BOX.printed.pigeons, pigeons.split(), pigeon_cards),
        objectives=(
            *objectives.split(),
            *(card for card in BOX.objectives if card not in [*objective_cards, *objectives.split()]),
        ),
        row=tuple(row.split()),
        majority=majority,
        supply=tuple(kind.count - opened[kind.id] for kind in BOX.printed.restaurants),
        restaurants=tuple(restaurants),
        terraces=tuple(terraces),
        covered=(),
        end=None,
    )


def _rest(box: Iterable[Any], top: list[str], elsewhere: list[str]) -> tuple[str, ...]:
    rest = Counter({card.id: card.count for card in box})
    rest.subtract([*top, *elsewhere])
    assert min(rest.values()) >= 0, f"more cards than the box has: {-rest}"
    return (*top, *rest.elements())


def dealt(seats: int, board: str = "square", seed: int = 0) -> State:
    """A game just dealt."""
    return GAME.deal(seats, Options(board), Chance(seed.to_bytes(32, "big"))).state  # type: ignore[arg-type]


def read(state: State, typed: str) -> Any:
    """The move that whoever is to move means by this."""
    seat = min(GAME.waiting(state))
    return notation.read(GAME.forms(GAME.view(state, seat)), typed, GAME.legal(state, seat))


def play(state: State, *typed: str) -> State:
    """The position after these moves of whoever is to move."""
    for text in typed:
        state = GAME.play(state, min(GAME.waiting(state)), read(state, text), CHANCE.at(0)).state
    return state


def told(state: State, *typed: str) -> list[Event]:
    """What these moves of whoever is to move cause."""
    events: list[Event] = []
    for text in typed:
        step = GAME.play(state, min(GAME.waiting(state)), read(state, text), CHANCE.at(0))
        state = step.state
        events += step.events
    return events


def refused(state: State, typed: str) -> Rule:
    """The rule under which this move, spelled out in full, is refused."""
    seat = min(GAME.waiting(state))
    move = notation.read(GAME.forms(GAME.view(state, seat)), typed, legal=())
    assert move not in GAME.legal(state, seat)
    with pytest.raises(IllegalMove) as refusal:
        GAME.play(state, seat, move, CHANCE)
    return refusal.value.rule


def asked(state: State) -> list[str]:
    """What everybody who is to move is asked."""
    return [decision.kind for decision in GAME.waiting(state).values()]


def texts(state: State) -> list[str]:
    """The legal moves of whoever is to move, as they are written."""
    seat = min(GAME.waiting(state))
    forms = GAME.forms(GAME.view(state, seat))
    return [notation.write(forms, move) for move in GAME.legal(state, seat)]


def cells(state: State, restaurant: str, *, neighbours: bool = False) -> set[str]:
    """Where a restaurant may have its next terrace, with or without spending a neighbours card on it."""
    legal = GAME.legal(state, min(GAME.waiting(state)))
    places = [move for move in legal if isinstance(move, Place)]
    return {
        move.cell for move in places if move.restaurant.endswith(f"@{restaurant}") and move.neighbours == neighbours
    }


def shown(state: State, at: str) -> tuple[str, ...]:
    """The terraces that the restaurant at this cell shows."""
    number = next(number for number, restaurant in enumerate(state.restaurants) if restaurant.at == at)
    return state.ground.listed(state.terraces[number])
