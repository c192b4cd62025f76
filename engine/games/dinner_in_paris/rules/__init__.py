"""The course of the game, a module for each chapter of the rulebook.

A rule takes a position and a move, adds what happened to ``told``, and returns the next position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from engine.chance import Chance
from engine.errors import IllegalMove, OutOfTurn
from engine.game import Decision, Event, Seat, Step
from engine.games.dinner_in_paris.moves import AnyMove, Claim, Discard, Done, Draw, Keep, Open, Place, Play, Share, Skip
from engine.games.dinner_in_paris.rulebook import TURN
from engine.games.dinner_in_paris.rules import building, draw, objectives, opening, setup
from engine.games.dinner_in_paris.state import Phase, State

Rule: TypeAlias = Callable[[State, Seat, Any, Chance, list[Event]], State]

DECISIONS: Mapping[Phase, Decision] = {
    each.kind: each  # type: ignore[misc]  # a kind is a phase
    for each in (
        Decision("choose-objective", "Keep one of your two objectives.", sealed=True),
        Decision("first-draw", "Draw a card."),
        Decision("action", "Take an action: draw, open, place or claim."),
        Decision("building", "Place another terrace, or end the build."),
        Decision("pigeon-draw", "Draw a card for the pigeon."),
        Decision("free-terrace", "Place a terrace for free."),
        Decision("discard", "Discard a card: there are too many in hand."),
        Decision("drawn-objective", "Keep the objective, or share it."),
        Decision("second-claim", "Claim a second objective with a pigeon card, or be done."),
    )
}

RULES: Mapping[Phase, Mapping[type[Any], Rule]] = {
    "choose-objective": {Keep: setup.choose_objective},
    "first-draw": {Draw: draw.first_draw},
    "action": {
        Draw: draw.draw_action,
        Open: opening.open_restaurant,
        Place: building.place,
        Claim: objectives.claim,
        Play: objectives.play_card,
    },
    "building": {Place: building.place, Done: building.done},
    "pigeon-draw": {Draw: draw.pigeon_draw},
    "free-terrace": {Place: building.place, Skip: building.skip},
    "discard": {Discard: draw.discard},
    "drawn-objective": {Keep: objectives.keep, Share: objectives.share},
    "second-claim": {Claim: objectives.second_claim, Done: objectives.no_second_claim},
    "over": {},
}
CHOICES = (Keep(0), Keep(1))


def waiting(state: State) -> Mapping[Seat, Decision]:
    """The seat whose turn it is; at setup everybody who has not chosen yet."""
    if state.phase == "choose-objective":
        decision = DECISIONS[state.phase]
        return {Seat(seat): decision for seat, slot in enumerate(state.chosen) if slot is None}
    return {} if state.phase == "over" else {state.turn.seat: DECISIONS[state.phase]}


def is_asked(state: State, seat: Seat) -> bool:
    """Whether this seat is to decide something."""
    if state.phase == "choose-objective":
        return state.chosen[seat] is None
    return seat == state.turn.seat and state.phase != "over"


def legal(state: State, seat: Seat) -> Sequence[AnyMove]:
    """Every legal move of this seat, kind by kind as the decision lists them."""
    if not is_asked(state, seat):
        return ()
    match state.phase:
        case "choose-objective":
            return CHOICES
        case "first-draw" | "pigeon-draw":
            return draw.draws(state)
        case "action":
            return _actions(state, seat)
        case "building":
            return [*building.placements(state, seat), building.DONE]
        case "free-terrace":
            return [*building.placements(state, seat), *[building.SKIP] * building.can_skip(state, seat)]
        case "discard":
            return draw.discards(state, seat)
        case "drawn-objective":
            return (objectives.KEEP, objectives.SHARE)
        case "second-claim":
            has_card = objectives.CARD in state.usable(seat)
            return [*(objectives.claims(state, seat, bonus=True) if has_card else ()), building.DONE]
        case "over":
            return ()


def _actions(state: State, seat: Seat) -> list[AnyMove]:
    moves: list[AnyMove] = [
        *draw.draws(state),
        *opening.openings(state, seat),
        *building.placements(state, seat),
        *objectives.claims(state, seat, bonus=False),
    ]
    if objectives.can_play(state, seat):
        moves.append(objectives.PLAY)
    return moves


def fallback(state: State, seat: Seat) -> AnyMove:
    """What happens when a deadline passes: as little as the rules allow, and no card is spent (R27)."""
    if not is_asked(state, seat):
        raise OutOfTurn("this seat is not asked anything now")
    match state.phase:
        case "choose-objective":
            return CHOICES[0]
        case "building" | "second-claim":
            return building.DONE
        case "free-terrace":
            if building.can_skip(state, seat):
                return building.SKIP
            return next(move for move in building.placements(state, seat) if not move.neighbours)
        case "discard":
            return Discard(state.players[seat].hand[-1])
        case "drawn-objective":
            return objectives.SHARE
        case _:
            return draw.FROM_DECK if state.deck else draw.draws(state)[0]


def play(state: State, seat: Seat, move: AnyMove, chance: Chance) -> Step[State]:
    """One move and what follows from it."""
    if not is_asked(state, seat):
        raise OutOfTurn("the game is over" if state.phase == "over" else "you are not asked anything now")
    rule = RULES[state.phase].get(type(move))
    if rule is None:
        raise IllegalMove(TURN, f"that cannot be done now. {DECISIONS[state.phase].prompt}")
    told: list[Event] = []
    after = draw.reshuffled(rule(state, seat, move, chance, told), chance, told)
    return Step(after, tuple(told))
