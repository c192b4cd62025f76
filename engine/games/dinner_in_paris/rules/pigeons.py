"""Pigeons, §6.3: the card that a pigeon brings, and the free terrace that may find no place."""

from __future__ import annotations

from msgspec.structs import replace

from engine.game import Event, Seat
from engine.games.dinner_in_paris import events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.rules.changes import changed
from engine.games.dinner_in_paris.rules.turn import can_draw, proceed
from engine.games.dinner_in_paris.state import State

TWO_RESOURCES = 2


def meet(state: State, seat: Seat, number: int, told: list[Event]) -> State:
    """The top pigeon card interrupts the build: it acts at once, or is kept for a later turn (R11)."""
    card, state = state.pigeons[0], replace(state, pigeons=state.pigeons[1:])
    if not BOX.pigeons[card].immediate:
        told += [events.PigeonKept(seat=seat), events.PigeonDrawn(seat=seat, card=card, to=(seat,))]
        players = changed(state, seat, kept=(*state.players[seat].kept, card))
        return proceed(replace(state, players=players, turn=replace(state.turn, fresh=state.turn.fresh + 1)), told)
    told.append(events.PigeonPlayed(seat=seat, card=card))
    state = replace(state, players=changed(state, seat, used=(*state.players[seat].used, card)))
    if card == "free-terrace":
        return replace(state, phase="free-terrace", turn=replace(state.turn, free=number))
    if not can_draw(state):
        return proceed(state, told)
    return replace(state, phase="pigeon-draw", turn=replace(state.turn, owed=TWO_RESOURCES))
