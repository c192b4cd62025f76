"""Services, §4: cards go from the hands under the markers, along one path."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Event, Move, Seat, Step
from engine.games.restaurant import events
from engine.games.restaurant.components import BOX, CardNo, TableNo
from engine.games.restaurant.moves import Serve, Stop
from engine.games.restaurant.rulebook import SERVING
from engine.games.restaurant.scoring import standing
from engine.games.restaurant.state import State
from engine.games.restaurant.tuples import without

SERVES = tuple(tuple(Serve(table, card) for card in BOX.cards) for table in BOX.tables)


def open_tables(state: State, among: Iterable[TableNo]) -> list[TableNo]:
    """Services, §4: those of the tables that have a marker and no card."""
    markers, served = state.markers, state.served
    return [table for table in among if served[table] is None and markers[table] is not None]


def near(state: State) -> list[TableNo]:
    """The open tables next to the one served last."""
    return [] if state.last is None else open_tables(state, BOX.neighbours[state.stairs][state.last])


def reach(state: State) -> list[TableNo]:
    """Serving, §4.1: the open tables that may be served, in reading order; until a card lies, at the edge (R24)."""
    if state.leap:
        return open_tables(state, BOX.table_no.values())
    return open_tables(state, BOX.edge) if state.last is None else near(state)


def legal(state: State) -> list[Move]:
    """Every card in hand at every table in reach that it suits, by table and card; an extra move may be declined."""
    kinds = sorted(set(state.hands[state.turn]))
    moves: list[Move] = [
        SERVES[table][card] for table in reach(state) for card in kinds if card in BOX.placeable[table]
    ]
    if state.stage == "serve-again":
        moves.append(Stop())
    return moves


def fallback(state: State) -> Serve:
    """When a deadline passes, §7.1: the lowest card; a menu under one's own marker, a function card under another."""
    tables, seat = reach(state), state.turn
    card = min(card for table in tables for card in BOX.placeable[table].intersection(state.hands[seat]))
    is_menu = card in BOX.menus
    suited = [table for table in tables if card in BOX.placeable[table]]
    return SERVES[min(suited, key=lambda table: ((state.markers[table] == seat) != is_menu, table))][card]


def serve(state: State, move: Serve) -> Step[State]:
    """After each card, §4.2, in this order. A saut that is not the last card always finds a table (R25)."""
    table, card, owner = permitted(state, move)
    seat, hand = state.turn, state.hands[state.turn]
    left = without(hand, hand.index(card))
    after = replace(
        state,
        last=table,
        leap=False,
        served=with_item(state.served, table, card),
        hands=with_item(state.hands, seat, left),
    )
    told = (events.Serve(seat, move.table, move.card, owner),)
    if not left:
        return end(after, "empty-hand", told)
    if card == BOX.jump:
        return Step(replace(after, stage="serve-again", leap=True), told)
    if not near(after):
        return end(after, "dead-end", told)
    if card == BOX.double:
        return Step(replace(after, stage="serve-again"), told)
    return next_turn(after, told)


def permitted(state: State, move: Serve) -> tuple[TableNo, CardNo, Seat]:
    """Serving, §4.1: the table, the card and whose marker it is; raises IllegalMove unless it may be served there."""
    table, card = BOX.table_no.get(move.table), BOX.card_no.get(move.card)
    if table is None:
        raise IllegalMove(SERVING, f"there is no table called {move.table!r}")
    if card is None:
        raise IllegalMove(SERVING, f"there is no card called {move.card!r}")
    if card not in state.hands[state.turn]:
        raise IllegalMove(SERVING, f"you have no {_name(card)} in hand")
    owner = state.markers[table]
    if owner is None:
        raise IllegalMove(SERVING, f"nobody ordered at {move.table}")
    if state.served[table] is not None:
        raise IllegalMove(SERVING, f"{move.table} is already served")
    if table not in reach(state):
        raise IllegalMove(SERVING, _out_of_reach(state, move.table))
    if card not in BOX.placeable[table]:
        place = "only in" if BOX.printed.cards[card].where == "salon" else "only outside"
        raise IllegalMove(SERVING, f"a {_name(card)} is served {place} the salon, and not at {move.table}")
    return table, card, owner


def stop(state: State) -> Step[State]:
    """After each card, §4.2: no extra move; where a saut would have left a dead end, the dead end stands (R19)."""
    told = (events.Stop(state.turn),)
    return next_turn(state, told) if near(state) else end(state, "declined", told)


def next_turn(state: State, told: tuple[Event, ...]) -> Step[State]:
    """Services, §4: down the seats (R15)."""
    return next_server(state, _after(state, state.turn), told)


def next_server(state: State, seat: Seat, told: tuple[Event, ...]) -> Step[State]:
    """Who cannot serve, §4.3: from this seat on, the first that can place a card has to (R16)."""
    state = replace(state, stage="serve", leap=False)
    suited = frozenset[CardNo]().union(*(BOX.placeable[table] for table in reach(state)))
    for _ in state.hands:
        if not suited.isdisjoint(state.hands[seat]):
            return Step(replace(state, turn=seat), told)
        told = (*told, events.Pass(seat))
        seat = _after(state, seat)
    return end(state, "blocked", told)


def end(state: State, why: events.Ending, told: tuple[Event, ...]) -> Step[State]:
    """The end: hands are laid open, and who won (R17, R18)."""
    over = replace(state, stage="over", leap=False)
    left = tuple(tuple(BOX.cards[card] for card in sorted(hand)) for hand in state.hands)
    ending = (events.Over(state.turn, why), events.Left(left), events.End(standing(over).ranking))
    return Step(over, told + ending)


def _after(state: State, seat: Seat) -> Seat:
    return Seat((seat + BOX.printed.services.step) % len(state.hands))


def _name(card: CardNo) -> str:
    return BOX.printed.cards[card].name


def _out_of_reach(state: State, table: str) -> str:
    if state.last is None:
        return f"the first card is served at the edge, and {table} is not there"
    return f"{table} does not touch {BOX.tables[state.last]}, which was served last"
