"""The rules, a module for each chapter; and here how a decision is asked and answered, whatever it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove, OutOfTurn
from engine.game import Decision, Seat, Step
from engine.games.la_bistro.moves import AnyMove
from engine.games.la_bistro.rules import auctions, market, office, realtor, turn
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.rules.decision_kind import DecisionKind
from engine.games.la_bistro.state import (
    Advertising,
    Banking,
    Bidding,
    Choosing,
    Hiring,
    Limits,
    Menus,
    Nominating,
    Over,
    Renovating,
    State,
)

DESKS: Mapping[type[Any], DecisionKind] = {
    Choosing: turn.CHOOSING,
    Nominating: realtor.NOMINATING,
    Bidding: auctions.BIDDING,
    Limits: auctions.LIMITS,
    Menus: office.MENUS,
    Banking: office.BANKING,
    Advertising: office.ADVERTISING,
    Hiring: market.HIRING,
    Renovating: market.RENOVATING,
}


def deal(seats: int, edition: str, auction_kind: Literal["open", "sealed-proxy"], chance: Chance) -> Step[State]:
    """Setup, §2, up to the first decision."""
    return _step(turn.set_up(seats, edition, auction_kind, chance))


def waiting(state: State) -> Mapping[Seat, Decision]:
    """Who is asked what; who has answered under seal is not asked any more."""
    stage = state.stage
    if isinstance(stage, Over):
        return {}
    desk = DESKS[type(stage)]
    decision = Decision(desk.kind, desk.prompt(state.table, stage), desk.sealed)
    return {seat: decision for seat in stage.asked if state.answers[seat] is None}


def legal(state: State, seat: Seat) -> Sequence[AnyMove]:
    """Every legal move of this seat."""
    if not is_asked(state, seat):
        return ()
    return DESKS[type(state.stage)].legal(state.table, state.stage, seat)


def fallback(state: State, seat: Seat) -> AnyMove:
    """At this table, §7: the move of a seat that let the deadline pass."""
    if not is_asked(state, seat):
        raise OutOfTurn("this seat is not asked anything now")
    return DESKS[type(state.stage)].fallback(state.table, state.stage, seat)


def play(state: State, seat: Seat, move: AnyMove, chance: Chance) -> Step[State]:
    """One answer; once all who are asked have answered, all that follows from it."""
    table, stage = state.table, state.stage
    if not is_asked(state, seat):
        raise OutOfTurn("the game is over" if state.over else "you are not asked anything now")
    desk = DESKS[type(stage)]
    if not isinstance(move, desk.moves):
        raise IllegalMove(desk.rule, f"that is not what you are asked now: {desk.prompt(table, stage)}")
    desk.check(table, stage, seat, move)
    answers: list[tuple[Seat, AnyMove]] = [(seat, move)]
    if desk.sealed:
        sealed = with_item(state.answers, seat, move)
        if any(sealed[other] is None for other in stage.asked):
            return Step(State(table, stage, sealed), ())  # type: ignore[arg-type]
        answers = [(other, sealed[other]) for other in stage.asked]  # type: ignore[misc]
    course = Course(table, chance)
    desk.carry_out(course, stage, answers)
    return _step(course)


def is_asked(state: State, seat: Seat) -> bool:
    """Whether this seat still has to answer."""
    return seat in state.stage.asked and state.answers[seat] is None


def _step(course: Course) -> Step[State]:
    """Whatever follows by itself, and then the next decision."""
    stage = turn.go_on(course)
    return Step(State(course.table, stage, (None,) * len(course.table.money)), tuple(course.events))
