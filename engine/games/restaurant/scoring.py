"""Scoring, §5."""

from __future__ import annotations

from engine.game import Score, Seat, Standing, Tie
from engine.games.restaurant.components import BOX
from engine.games.restaurant.state import State


def served(state: State, seat: Seat) -> tuple[int, int]:
    """What the menus under a seat's markers are worth, whoever served them (R20), and how many they are."""
    pairs = zip(state.markers, state.served, strict=True)
    values = [BOX.values[card] for marker, card in pairs if marker == seat and card in BOX.menus]
    return sum(values), len(values)


def left(state: State, seat: Seat) -> int:
    """What the menus left in hand are worth, reserved ones more than once."""
    factor = BOX.printed.services.left_res_factor
    return sum(BOX.values[card] * (factor if card in BOX.reserved else 1) for card in state.hands[seat])


def standing(state: State) -> Standing:
    """Everybody's points as all may know them: what is left in hand counts when the game is over, not before."""
    final = state.stage == "over"
    scores = []
    for seat in map(Seat, range(len(state.hands))):
        value, menus = served(state, seat)
        parts = {"served": value, "left": -left(state, seat) if final else 0}
        if state.scoring == "both":
            parts = {"noted": state.noted[seat] if state.noted else 0, **parts}
        scores.append(Score(seat, sum(parts.values()), parts, (Tie("menus served", menus),)))
    return Standing.of(scores, final=final)
