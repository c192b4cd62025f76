"""Open, §6.1: paying for a restaurant and finding it a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Event, Seat
from engine.games.dinner_in_paris import events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Open
from engine.games.dinner_in_paris.printed import Kind
from engine.games.dinner_in_paris.rulebook import LATER, OPEN
from engine.games.dinner_in_paris.rules import terraces
from engine.games.dinner_in_paris.rules.changes import spent, without
from engine.games.dinner_in_paris.rules.turn import after_action
from engine.games.dinner_in_paris.state import Restaurant, State

Pay: TypeAlias = tuple[str, ...]
BITS = 4  # of a digit: no hand has sixteen cards
DIGIT = (1 << BITS) - 1


class Wallet:
    """Cards to pay with. A way to pay is written as a number, with a digit for each card that tells how often."""

    def __init__(self, cards: Sequence[str]) -> None:
        self._places = sorted((BOX.order[card] * BITS, card) for card in set(cards))
        self._payable: dict[str, list[tuple[int, int]]] = {}
        for place, card in self._places:
            for unit in BOX.resources[card].shows:
                self._payable.setdefault(unit, []).append((place, cards.count(card)))

    def payments(self, cost: Sequence[str], *, less: bool) -> tuple[list[Pay], list[Pay]]:
        """The different ways to pay a cost and, if ``less``, to pay all but one unit of it; each way sorted.

        Every unit in turn takes each card that shows it and is not used up, so that all one-to-one matchings are found.
        """
        offers = [self._payable.get(unit, ()) for unit in cost]
        if offers.count(()) > less:
            return [], []
        full, short = {0}, set[int]()
        for payable in offers:
            if less:
                short = _extended(short, payable) | full
            full = _extended(full, payable)
        return self._written(full), self._written(short)

    def _written(self, ways: set[int]) -> list[Pay]:
        return [
            tuple([card for place, card in self._places for _ in range(way >> place & DIGIT)]) for way in sorted(ways)
        ]


def _extended(ways: set[int], payable: Sequence[tuple[int, int]]) -> set[int]:
    """These ways to pay, each with one more card of those that are payable and not used up."""
    return {way + (1 << place) for way in ways for place, most in payable if way >> place & DIGIT < most}


def openings(state: State, seat: Seat) -> list[Open]:
    """Every restaurant of the supply that can be paid for, every way to pay, every site."""
    wallet = Wallet(state.players[seat].hand)
    taken = terraces.taken(state)
    has_card = "one-less" in state.usable(seat)
    found: list[Open] = []
    for kind, left in zip(BOX.printed.restaurants, state.supply, strict=True):
        full, short = wallet.payments(kind.cost, less=has_card) if left else ([], [])
        if full or short:
            sites = [site.at for site in state.ground.sites[kind.size].values() if not site.cells & taken]
            found += [Open(kind.id, at, pay) for pay in full for at in sites]
            found += [Open(kind.id, at, pay, less=True) for pay in short for at in sites]
    return found


def open_restaurant(state: State, seat: Seat, move: Open, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The cards are discarded, the restaurant takes its site, and its income counts at once (R7)."""
    kind = _permitted(state, seat, move)
    player = state.players[seat]
    if move.less:
        player = spent(player, "one-less")
    hand = player.hand
    for card in move.pay:
        hand = without(hand, card)
    gauge = player.gauge + kind.income
    told.append(events.Open(seat=seat, kind=move.kind, at=move.at, pay=move.pay, less=move.less, gauge=gauge))
    number = BOX.kind_no[move.kind]
    after = replace(
        state,
        turn=replace(state.turn, actions=state.turn.actions - 1),
        players=with_item(state.players, seat, replace(player, hand=hand, gauge=gauge)),
        discards=state.discards + move.pay,
        supply=with_item(state.supply, number, state.supply[number] - 1),
        restaurants=(*state.restaurants, Restaurant(move.kind, move.at, seat)),
        terraces=(*state.terraces, 0),
    )
    return after_action(after, told)


def _permitted(state: State, seat: Seat, move: Open) -> Kind:
    """The kind of restaurant that is opened; raises IllegalMove unless it is there, paid for, and fits."""
    kind = BOX.kinds.get(move.kind)
    if kind is None:
        raise IllegalMove(OPEN, f"there is no restaurant called {move.kind!r}; there are {', '.join(BOX.kinds)}")
    if not state.supply[BOX.kind_no[move.kind]]:
        raise IllegalMove(OPEN, f"no {move.kind} is left in the supply")
    site = state.ground.sites[kind.size].get(move.at)
    if site is None:
        raise IllegalMove(
            OPEN, f"a {move.kind} takes {kind.size} cells of one side of the line, which do not begin at {move.at}"
        )
    if site.cells & terraces.taken(state):
        raise IllegalMove(OPEN, f"another restaurant is in the way of a {move.kind} at {move.at}")
    if move.less and "one-less" not in state.usable(seat):
        kept = "one-less" in state.players[seat].kept
        raise IllegalMove(LATER if kept else OPEN, "you have no one-less card" + " that can be used this turn" * kept)
    for card, number in Counter(move.pay).items():
        if state.players[seat].hand.count(card) < number:
            raise IllegalMove(OPEN, f"you do not have {number} {card} in hand")
    full, short = Wallet(move.pay).payments(kind.cost, less=move.less)
    if len(move.pay) != len(kind.cost) - move.less or not (short if move.less else full):
        cost = ", ".join(kind.cost) + " less any one of them" * move.less
        raise IllegalMove(OPEN, f"a {move.kind} costs {cost}, one card for each")
    return kind
