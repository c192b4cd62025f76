"""What a seat may see, and the positions it could be looking at."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from engine import game
from engine.chance import Chance
from engine.game import Seat, Standing, Value
from engine.games.restaurant import rules, scoring
from engine.games.restaurant.components import BOX, CardNo
from engine.games.restaurant.state import Packet, Scoring, Stage, State


class SeenPacket(Value, frozen=True):
    """A packet: the menu on top, how many lie under it, and (to its owner) which."""

    card: str
    face_down: int
    menus: tuple[str, ...] = ()


class View(game.View, frozen=True, kw_only=True):
    """Everything but the cards on the tables, the hands of others and what is under their packets.

    A table without a marker has a card on it, face down.
    """

    stairs: bool
    scoring: Scoring
    stage: Stage
    leap: bool
    turn: Seat
    """Whose turn it is, or was when the game ended."""
    last: str | None
    reach: tuple[str, ...]
    """The tables whose card may be taken now, or which may be served."""
    markers: dict[str, Seat]
    served: dict[str, str]
    hand: tuple[str, ...]
    """One's own, in order of arrival; an onlooker has none."""
    hand_sizes: tuple[int, ...]
    packets: tuple[tuple[SeenPacket, ...], ...]
    noted: tuple[int, ...]
    left: tuple[tuple[str, ...], ...] | None
    """Everybody's hand, once the game is over."""
    standing: Standing


def view(state: State, seat: Seat | None) -> View:
    """What this seat, or an onlooker, may see."""
    over = state.stage == "over"
    return View(
        seat=seat,
        stairs=state.stairs,
        scoring=state.scoring,
        stage=state.stage,
        leap=state.leap,
        turn=state.turn,
        last=None if state.last is None else BOX.tables[state.last],
        reach=tuple(BOX.tables[table] for table in rules.reach(state)),
        markers={table: owner for table, owner in zip(BOX.tables, state.markers, strict=True) if owner is not None},
        served={
            table: BOX.cards[card] for table, card in zip(BOX.tables, state.served, strict=True) if card is not None
        },
        hand=() if seat is None else _names(state.hands[seat]),
        hand_sizes=tuple(len(hand) for hand in state.hands),
        packets=tuple(
            tuple(_seen(packet, own=owner == seat) for packet in packets) for owner, packets in enumerate(state.packets)
        ),
        noted=state.noted,
        left=tuple(_names(hand) for hand in state.hands) if over else None,
        standing=scoring.standing(state),
    )


def imagine(view: View, chance: Chance) -> State:
    """A position that looks like this: what is not to be seen is drawn from the cards that are not.

    Packets hide plain menus and nothing else. What the seat to move surely holds, it holds: the function card that it
    has just turned, or a card that it can serve.
    """
    numbers = BOX.card_no
    unseen = _unseen(view)
    packets = tuple(tuple(_imagined_packet(packet, unseen, chance) for packet in packets) for packets in view.packets)
    state = State(
        stairs=view.stairs,
        scoring=view.scoring,
        stage=view.stage,
        leap=view.leap,
        turn=view.turn,
        last=None if view.last is None else BOX.table_no[view.last],
        tables=(),
        markers=tuple(view.markers.get(table) for table in BOX.tables),
        served=tuple(numbers[view.served[table]] if table in view.served else None for table in BOX.tables),
        hands=(),
        packets=packets,
        noted=view.noted,
    )
    certain = {} if view.turn == view.seat else {view.turn: _certain(state, unseen, chance)}
    drawn = iter(chance.shuffled(unseen, "unseen"))
    hands = []
    for seat, size in enumerate(view.hand_sizes):
        shown = view.hand if seat == view.seat else view.left[seat] if view.left else None
        surely = certain.get(Seat(seat), ())
        hands.append(
            tuple(numbers[card] for card in shown)
            if shown is not None
            else (*(next(drawn) for _ in range(size - len(surely))), *surely)
        )
    tables = tuple(None if table in view.markers else next(drawn) for table in BOX.tables)
    return replace(state, tables=tables, hands=tuple(hands))


def _unseen(view: View) -> list[CardNo]:
    """The cards that the view does not show, kind by kind."""
    shown = Counter(view.served.values())
    for hand in view.left or (view.hand,):
        shown.update(hand)
    for packet in (packet for packets in view.packets for packet in packets):
        shown.update((packet.card, *packet.menus))
    unseen = Counter(BOX.deck)
    unseen.subtract({BOX.card_no[card]: count for card, count in shown.items()})
    return sorted(unseen.elements())


def _imagined_packet(packet: SeenPacket, unseen: list[CardNo], chance: Chance) -> Packet:
    """The packet with the menus that its owner sees, or else some of those unseen, which are then seen."""
    menus = [BOX.card_no[card] for card in packet.menus]
    while len(menus) < packet.face_down:
        menus.append(chance.pick([card for card in unseen if card in BOX.plain], "packet"))
        unseen.remove(menus[-1])
    return (BOX.card_no[packet.card], *menus)


def _certain(state: State, unseen: list[CardNo], chance: Chance) -> tuple[CardNo, ...]:
    """What the seat to move must have in hand, whoever looks on; it is then no longer unseen."""
    match state.stage:
        case "dish":
            fitting = {BOX.plat}
        case "again":
            fitting = {BOX.jump if state.leap else BOX.double}
        case "serve":
            fitting = {card for table in rules.reach(state) for card in BOX.placeable[table]}
        case _:
            return ()
    card = chance.pick([card for card in unseen if card in fitting], "certain")
    unseen.remove(card)
    return (card,)


def _seen(packet: Packet, *, own: bool) -> SeenPacket:
    card, *menus = _names(packet)
    return SeenPacket(card, len(menus), tuple(menus) if own else ())


def _names(cards: tuple[CardNo, ...]) -> tuple[str, ...]:
    return tuple(BOX.cards[card] for card in cards)
