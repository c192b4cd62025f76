"""Orders, §3: cards are taken from the tables, one path of markers after the other."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Event, Move, Seat, Step
from engine.games.restaurant import events
from engine.games.restaurant.components import BOX, CardNo, TableNo
from engine.games.restaurant.moves import Done, Keep, Reserve, Stop, Swap, Take
from engine.games.restaurant.rulebook import RESERVING, TAKING, TURNED
from engine.games.restaurant.rules import services
from engine.games.restaurant.state import State
from engine.games.restaurant.tuples import without

TAKES = tuple(Take(table) for table in BOX.tables)
RESERVES = tuple(Reserve(card) for card in BOX.cards)


def near(state: State) -> list[TableNo]:
    """The tables next to the newest marker on which a card lies."""
    if state.last is None:
        return []
    tables = state.tables
    return [table for table in BOX.neighbours[state.stairs][state.last] if tables[table] is not None]


def reach(state: State) -> Sequence[TableNo]:
    """Taking a card, §3.1: the tables whose card may be taken, in reading order.

    A saut goes anywhere (R5). Where nothing is near, a path begins or begins again (R3), at the edge if it can.
    """
    tables = state.tables
    if not state.leap:
        for choice in (near(state), [table for table in BOX.edge if tables[table] is not None]):
            if choice:
                return choice
    return [TableNo(table) for table, card in enumerate(tables) if card is not None]


def targets(state: State) -> list[Seat]:
    """The turned card, §3.2: the seats from which a card may be drawn (R8)."""
    return [Seat(seat) for seat, hand in enumerate(state.hands) if hand and seat != state.turn]


def legal(state: State) -> list[Move]:
    """All that the seat whose turn it is may answer: the turn's own moves first, then what may be reserved."""
    moves: list[Move] = []
    match state.stage:
        case "order":
            moves += [TAKES[table] for table in reach(state)]
        case "again":
            moves += [*(TAKES[table] for table in reach(state)), Stop()]
        case "dish":
            moves += [*map(Swap, targets(state)), Keep()]
        case "close":
            moves.append(Done())
    moves += [RESERVES[card] for card in sorted(BOX.reserved.intersection(state.hands[state.turn]))]
    return moves


def take(state: State, move: Take) -> Step[State]:
    """Taking a card, §3.1, and what it does, §3.2. Function cards stay in hand (R12)."""
    seat = state.turn
    table, card = permitted(state, move)
    after = replace(
        state,
        last=table,
        leap=False,
        tables=with_item(state.tables, table, None),
        markers=with_item(state.markers, table, seat),
        hands=with_item(state.hands, seat, (*state.hands[seat], card)),
    )
    if card in BOX.menus:
        told = (events.Take(seat, move.table), events.Menu(seat, BOX.cards[card], to=(seat,)))
        return resolved(after, told, hidden=True)
    shown = (events.Take(seat, move.table, BOX.cards[card]),)
    if card == BOX.plat:
        return Step(replace(after, stage="dish"), shown) if targets(after) else resolved(after, shown)
    leap = card == BOX.jump
    if any(another is not None for another in after.tables) if leap else near(after):
        return Step(replace(after, stage="again", leap=leap), shown)
    return resolved(after, (*shown, events.Lapse(seat)))


def permitted(state: State, move: Take) -> tuple[TableNo, CardNo]:
    """Taking a card, §3.1: the table that is meant and its card; raises IllegalMove unless that may be taken."""
    table = BOX.table_no.get(move.table)
    if table is None:
        raise IllegalMove(TAKING, f"there is no table called {move.table!r}")
    card = state.tables[table]
    if card is None:
        raise IllegalMove(TAKING, f"the card of {move.table} is already taken")
    if table not in reach(state):
        raise IllegalMove(TAKING, _out_of_reach(state, move.table))
    return table, card


def swap(state: State, move: Swap, chance: Chance) -> Step[State]:
    """The turned card, §3.2: a card drawn blindly for the plat du jour. The drawn card does nothing (R7)."""
    seat, target = state.turn, move.seat
    if target not in targets(state):
        raise IllegalMove(TURNED, _no_target(state, target))
    there = state.hands[target]
    at = chance.pick(range(len(there)), "exchange")
    card = there[at]
    # The plat du jour was turned just now, and menus laid aside since then have not changed that it came last.
    hands = with_item(state.hands, seat, (*state.hands[seat][:-1], card))
    hands = with_item(hands, target, (*without(there, at), BOX.plat))
    told = (events.Swap(seat, target), events.Drawn(seat, target, BOX.cards[card], to=(seat, target)))
    return resolved(replace(state, hands=hands), told, hidden=True)


def keep(state: State) -> Step[State]:
    """The turned card, §3.2: the plat du jour stays where it is."""
    return resolved(state, (events.Keep(state.turn),))


def stop(state: State) -> Step[State]:
    """The turned card, §3.2: no extra move (R4)."""
    return resolved(state, (events.Stop(state.turn),))


def reserve(state: State, move: Reserve) -> Step[State]:
    """Reserving, §3.3: the reserved menu and all plain menus in hand become a packet (R10); the decision stays (R9)."""
    seat, hand = state.turn, state.hands[state.turn]
    card = BOX.card_no.get(move.card)
    if card not in BOX.reserved:
        raise IllegalMove(RESERVING, f"{move.card!r} is no reserved menu")
    if card not in hand:
        raise IllegalMove(RESERVING, f"you have no {move.card} in hand")
    plain = [each for each in hand if each in BOX.plain]
    kept = [each for each in without(hand, hand.index(card)) if each not in BOX.plain]
    after = replace(
        state,
        hands=with_item(state.hands, seat, tuple(kept)),
        packets=with_item(state.packets, seat, (*state.packets[seat], (card, *plain))),
    )
    return Step(after, (events.Reserve(seat, move.card, len(plain)),))


def resolved(state: State, told: tuple[Event, ...], *, hidden: bool = False) -> Step[State]:
    """End of the orders, §3.4: tested once the card has had its effect (R6).

    Otherwise whoever got a hidden card is asked once more, reserved menu or not: that it is asked must tell nothing.
    """
    taken = state.tables.count(None)
    if taken >= BOX.printed.orders.minimum and not near(state):
        return count(state, told)
    if hidden:
        return Step(replace(state, stage="close", leap=False), told)
    return next_turn(state, told)


def next_turn(state: State, told: tuple[Event, ...] = ()) -> Step[State]:
    """Orders, §3: the next seat (R15), which after a dead end starts again (R3)."""
    seat = Seat((state.turn + BOX.printed.orders.step) % len(state.hands))
    after = replace(state, stage="order", leap=False, turn=seat)
    if state.last is not None and not near(after):
        told = (*told, events.DeadEnd(BOX.tables[state.last], seat))
    return Step(after, told)


def count(state: State, told: tuple[Event, ...]) -> Step[State]:
    """The count, §3.5: packets return to hand (R13), menus are noted, and the lowest serves first (R14)."""
    hands = tuple(
        hand + tuple(card for packet in packets for card in packet)
        for hand, packets in zip(state.hands, state.packets, strict=True)
    )
    noted = tuple(sum(BOX.values[card] for card in hand) for hand in hands)
    first = Seat(noted.index(min(noted)))
    after = replace(state, last=None, leap=False, hands=hands, packets=((),) * len(hands), noted=noted)
    return services.next_server(after, first, (*told, events.Count(noted, first)))


def _out_of_reach(state: State, table: str) -> str:
    if state.last is None:
        return f"the first card is taken at the edge, and {table} is not there"
    last = BOX.tables[state.last]
    if near(state):
        return f"{table} does not touch {last}, where the newest marker stands"
    return f"{last} is a dead end: the next card is taken at the edge, and {table} is not there"


def _no_target(state: State, seat: Seat) -> str:
    if seat == state.turn:
        return "you swap with another player, not with yourself"
    if seat not in range(len(state.hands)):
        return f"there is no seat {seat}"
    return f"seat {seat} has no card in hand to draw"
