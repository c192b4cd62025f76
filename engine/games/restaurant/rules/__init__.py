"""The course of the game: one module for each phase, one function for each heading of the rulebook."""

from __future__ import annotations

from collections.abc import Sequence

from engine.chance import Chance
from engine.errors import IllegalMove, OutOfTurn
from engine.game import Decision, Move, Seat, Step
from engine.games.restaurant.components import BOX, TableNo
from engine.games.restaurant.moves import Done, Keep, Reserve, Serve, Stop, Swap, Take
from engine.games.restaurant.rulebook import ORDERS, SERVICES
from engine.games.restaurant.rules import orders, services
from engine.games.restaurant.state import Scoring, Stage, State

DECISIONS: dict[tuple[Stage, bool], Decision] = {
    ("order", False): Decision("order", "Take a card from a table."),
    ("dish", False): Decision("dish", "Swap your plat du jour for a card of another player, or keep it."),
    ("again", False): Decision("again", "Take another card, next to this one, or stop."),
    ("again", True): Decision("again", "Take another card, from any table, or stop."),
    ("close", False): Decision("close", "Look at your card; you may lay menus aside before you are done."),
    ("serve", False): Decision("serve", "Serve a card at an open table."),
    ("serve-again", False): Decision("serve-again", "Serve another card, next to this one, or stop."),
    ("serve-again", True): Decision("serve-again", "Serve another card, at any open table, or stop."),
}
"""What is asked at each stage, and whether of a move that may go anywhere."""


def set_up(seats: int, stairs: bool, scoring: Scoring, chance: Chance) -> Step[State]:
    """Setup, §2."""
    tables = chance.shuffled(BOX.deck, "tables")
    empty = (None,) * len(tables)
    state = State(
        stairs=stairs,
        scoring=scoring,
        stage="order",
        leap=False,
        turn=Seat(0),
        last=None,
        tables=tables,
        markers=empty,
        served=empty,
        hands=((),) * seats,
        packets=((),) * seats,
        noted=(),
    )
    return Step(state, ())


def reach(state: State) -> Sequence[TableNo]:
    """The tables to which the move now asked for may go, in reading order."""
    match state.stage:
        case "order" | "again":
            return orders.reach(state)
        case "serve" | "serve-again":
            return services.reach(state)
        case _:
            return ()


def legal(state: State, seat: Seat) -> Sequence[Move]:
    """Every move of the seat whose turn it is."""
    if state.stage == "over" or seat != state.turn:
        return ()
    return services.legal(state) if state.stage in ("serve", "serve-again") else orders.legal(state)


def play(state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
    """One answer to the decision that is open, and all that follows from it."""
    if state.stage == "over":
        raise OutOfTurn("the game is over")
    if seat != state.turn:
        raise OutOfTurn("it is another player's turn")
    match state.stage, move:
        case "order" | "again", Take():
            return orders.take(state, move)
        case "serve" | "serve-again", Serve():
            return services.serve(state, move)
        case "close", Done():
            return orders.next_turn(state)
        case "dish", Swap():
            return orders.swap(state, move, chance)
        case "dish", Keep():
            return orders.keep(state)
        case "again", Stop():
            return orders.stop(state)
        case "serve-again", Stop():
            return services.stop(state)
        case "order" | "dish" | "again" | "close", Reserve():
            return orders.reserve(state, move)
    rule = SERVICES if state.noted else ORDERS
    raise IllegalMove(rule, f"that does not answer what you are asked now: {DECISIONS[state.stage, state.leap].prompt}")


def fallback(state: State, seat: Seat) -> Move:
    """When a deadline passes, §7.1."""
    if seat != state.turn:
        raise OutOfTurn("it is another player's turn")
    match state.stage:
        case "order":
            return orders.TAKES[orders.reach(state)[0]]
        case "dish":
            return Keep()
        case "again" | "serve-again":
            return Stop()
        case "close":
            return Done()
        case "serve":
            return services.fallback(state)
        case "over":
            raise OutOfTurn("the game is over")
