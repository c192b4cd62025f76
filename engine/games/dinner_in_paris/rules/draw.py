"""Draw, §5: the river, the deck, and the limit of the hand."""

from __future__ import annotations

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Event, Seat
from engine.games.dinner_in_paris import events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Discard, Draw
from engine.games.dinner_in_paris.rulebook import DRAW, NO_CARDS
from engine.games.dinner_in_paris.rules.changes import changed, without
from engine.games.dinner_in_paris.rules.turn import can_draw, proceed
from engine.games.dinner_in_paris.state import State

GAME = BOX.printed.game
FROM_RIVER = tuple(Draw("river", slot) for slot in range(GAME.river_size))
FROM_DECK = Draw("deck")


def draws(state: State) -> list[Draw]:
    """The cards that may be taken; from an empty deck none (R6)."""
    found = [move for move, card in zip(FROM_RIVER, state.river, strict=True) if card]
    if state.deck:
        found.append(FROM_DECK)
    return found


def first_draw(state: State, seat: Seat, move: Draw, chance: Chance, told: list[Event]) -> State:
    """The draw that begins a turn is not an action."""
    return limited(take(state, seat, move, chance, told), seat, told)


def draw_action(state: State, seat: Seat, move: Draw, chance: Chance, told: list[Event]) -> State:
    """One of the two actions."""
    after = take(state, seat, move, chance, told)
    return limited(replace(after, turn=replace(state.turn, actions=state.turn.actions - 1)), seat, told)


def pigeon_draw(state: State, seat: Seat, move: Draw, chance: Chance, told: list[Event]) -> State:
    """A two-resources card gives two cards; the hand is limited after both (R12)."""
    after = take(state, seat, move, chance, told)
    after = replace(after, turn=replace(state.turn, owed=state.turn.owed - 1))
    if after.turn.owed and can_draw(after):
        return after
    return limited(replace(after, turn=replace(after.turn, owed=0)), seat, told)


def take(state: State, seat: Seat, move: Draw, chance: Chance, told: list[Event]) -> State:
    """Take a card; then the river is refilled and renewed, before anything is discarded (R5)."""
    if move.source == "deck":
        if move.slot is not None:
            raise IllegalMove(DRAW, "the deck has no slots: only its top can be drawn")
        if not state.deck:
            raise IllegalMove(NO_CARDS, "there is no card left in the deck")
        told.append(events.DrawDeck(seat=seat))
        state = deal_top(state, seat, chance, told)
        told.append(events.Drawn(seat=seat, card=state.players[seat].hand[-1], to=(seat,)))
    else:
        if move.slot is None or move.slot not in range(GAME.river_size):
            raise IllegalMove(DRAW, f"say which card of the river, from 1 to {GAME.river_size}")
        card = state.river[move.slot]
        if card is None:
            raise IllegalMove(NO_CARDS, f"there is no card in slot {move.slot + 1} of the river")
        told.append(events.DrawRiver(seat=seat, card=card))
        hand = (*state.players[seat].hand, card)
        state = replace(state, river=with_item(state.river, move.slot, None), players=changed(state, seat, hand=hand))
    return flow(state, chance, told)


def deal_top(state: State, seat: Seat, chance: Chance, told: list[Event]) -> State:
    """The top of the deck goes to a seat."""
    state = reshuffled(state, chance, told)
    hand = (*state.players[seat].hand, state.deck[0])
    return replace(state, deck=state.deck[1:], players=changed(state, seat, hand=hand))


def flow(state: State, chance: Chance, told: list[Event]) -> State:
    """Fill the empty slots of the river, and deal it anew while too many of its cards are similar (R4)."""
    if None in state.river:
        state = _refilled(state, chance, told)
    for _ in range(GAME.river_renewal_bound):
        cards = tuple([card for card in state.river if card])
        if not is_crowded(cards):
            break
        told.append(events.Renew(cards=cards))
        state = replace(state, river=(None,) * GAME.river_size, discards=state.discards + cards)
        state = _refilled(state, chance, told)
    return state


def is_crowded(cards: tuple[str, ...]) -> bool:
    """Whether one ingredient is shown by three cards or more; a card counts for each that it shows (R4)."""
    shown = [ingredient for card in cards for ingredient in BOX.resources[card].shows]
    return any(shown.count(ingredient) >= GAME.river_similar_limit for ingredient in set(shown))


def _refilled(state: State, chance: Chance, told: list[Event]) -> State:
    """Every empty slot takes the next card, as long as there are any (R6)."""
    is_new = not any(state.river)
    for slot, card in enumerate(state.river):
        if card is None:
            state = reshuffled(state, chance, told)
            if state.deck:
                if not is_new:
                    told.append(events.Refill(slot=slot, card=state.deck[0]))
                state = replace(state, river=with_item(state.river, slot, state.deck[0]), deck=state.deck[1:])
    if is_new:
        told.append(events.River(cards=state.river))
    return state


def reshuffled(state: State, chance: Chance, told: list[Event]) -> State:
    """The discards become the deck when that is empty."""
    if state.deck or not state.discards:
        return state
    told.append(events.Reshuffle(cards=len(state.discards)))
    return replace(state, deck=chance.shuffled(state.discards, "resource-deck"), discards=())


def limited(state: State, seat: Seat, told: list[Event]) -> State:
    """Cards too many have to be put down, one at a time."""
    if len(state.players[seat].hand) > GAME.hand_limit:
        return replace(state, phase="discard")
    return proceed(state, told)


def discards(state: State, seat: Seat) -> list[Discard]:
    """One of each card in hand."""
    return [Discard(card) for card in sorted(set(state.players[seat].hand), key=BOX.order.__getitem__)]


def discard(state: State, seat: Seat, move: Discard, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """Put one card down."""
    hand = state.players[seat].hand
    if move.card not in hand:
        raise IllegalMove(DRAW, f"you have no {move.card} in hand")
    told.append(events.Discard(seat=seat, card=move.card))
    players = changed(state, seat, hand=without(hand, move.card))
    return limited(replace(state, players=players, discards=(*state.discards, move.card)), seat, told)
