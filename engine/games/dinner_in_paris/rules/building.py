"""Build, §6.2: what may be placed and paid for, and the end of the action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Event, Seat
from engine.games.dinner_in_paris import events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Done, Place, Skip
from engine.games.dinner_in_paris.rulebook import (
    BUILD,
    CONNECTED,
    FREE_TERRACE,
    LATER,
    LINK,
    MONEY,
    NEIGHBOURS,
    PIGEONS,
    TURN,
)
from engine.games.dinner_in_paris.rules import pigeons, terraces
from engine.games.dinner_in_paris.rules.changes import spent, without
from engine.games.dinner_in_paris.rules.turn import after_action, proceed
from engine.games.dinner_in_paris.state import Freed, Player, State

COVERS = BOX.printed.game.cover_limit
COIN = next(card.id for card in BOX.printed.resources if card.coins)
DONE, SKIP = Done(), Skip()


def placements(state: State, seat: Seat) -> list[Place]:
    """Every terrace that may be placed now, by restaurant, then from north to south and west to east."""
    turn, player = state.turn, state.players[seat]
    if state.phase == "action" and turn.built:
        return []
    ground, usable, money = state.ground, state.usable(seat), purse(state, seat)
    coins, two_coins, has_card = player.hand.count(COIN), usable.count("two-coins"), "neighbours" in usable
    seen = terraces.square(state, seat)
    found: list[Place] = []
    for number, restaurant in enumerate(state.restaurants):
        if restaurant.seat != seat or (turn.free is not None and turn.free != number):
            continue
        cost = price(state, seat, number)
        if cost is None:
            continue
        ways = list(top_ups(cost - money, coins, two_coins))
        if ways:
            plain, spending = cells(state, number, seen, has_card=has_card)
            name = restaurant.name
            for cell, bit in ground.each(plain | spending):
                found += [Place(name, cell, *way, bool(bit & spending)) for way in ways]
    return found


def purse(state: State, seat: Seat) -> int:
    """The money of the build action: the gauge when it starts, then what is left of it."""
    left = state.turn.purse
    return state.players[seat].gauge if left is None else left


def price(state: State, seat: Seat, number: int) -> int | None:
    """What the next terrace of a restaurant costs: nothing if it is the free one; None if its track is empty."""
    category = BOX.kinds[state.restaurants[number].kind].category - 1
    gone, costs = state.players[seat].tracks[category], BOX.tracks[category].cost
    if gone == len(costs):
        return None
    return 0 if state.turn.free is not None else costs[gone]


def top_ups(lacking: int, coins: int, two_coins: int) -> Iterator[tuple[int, int]]:
    """The ways to make up what the purse lacks with so many coins and two-coins cards, none superfluous (R8)."""
    for twos in range(min(two_coins, (max(lacking, 0) + 1) // 2) + 1):
        ones = max(lacking - 2 * twos, 0)
        if ones <= coins:
            yield ones, twos


def cells(state: State, number: int, seen: terraces.Square, *, has_card: bool) -> tuple[int, int]:
    """Where a restaurant's next terrace may go as things are, and where it may if a neighbours card is spent on it."""
    reach = terraces.reach(state, number, seen)
    left = covers_left(state, number)
    if left is None and not has_card:
        return reach.free, 0
    over = terraces.covers(state, reach.over)
    if left is None:
        return reach.free, reach.beside | over
    plain = reach.free | reach.beside
    if left:
        return plain | over, 0
    return plain, over if has_card else 0


def covers_left(state: State, number: int) -> int | None:
    """How many terraces a restaurant may still cover; None if no neighbours card was played on it."""
    return next((freed.covers for freed in state.turn.freed if freed.restaurant == number), None)


def place(state: State, seat: Seat, move: Place, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The next tile of the track goes to its cell; the first one begins the build action (R10)."""
    number = _permitted(state, seat, move)
    bit = state.ground.bits[move.cell]
    victim = next((other for other, shown in enumerate(state.terraces) if shown & bit), None)
    cost = price(state, seat, number) or 0
    told.append(
        events.Place(
            seat=seat,
            restaurant=move.restaurant,
            cell=move.cell,
            cost=cost,
            coins=move.coins,
            two_coins=move.two_coins,
            neighbours=move.neighbours,
            over=None if victim is None else state.restaurants[victim].seat,
        )
    )
    turn = replace(
        state.turn,
        actions=state.turn.actions - (state.phase == "action"),
        built=True,
        purse=purse(state, seat) + move.coins + 2 * move.two_coins - cost,
        freed=_freed(state, number, card=move.neighbours, cover=victim is not None),
        free=None,
    )
    shown, covered = state.terraces, state.covered
    if victim is not None:
        shown, covered = with_item(shown, victim, shown[victim] ^ bit), (*covered, (move.cell, victim))
    category = BOX.kinds[state.restaurants[number].kind].category - 1
    after = replace(
        state,
        turn=turn,
        players=with_item(state.players, seat, _tile_gone(_paid(state.players[seat], move), seat, category, told)),
        discards=state.discards + (COIN,) * move.coins,
        terraces=with_item(shown, number, shown[number] | bit),
        covered=covered,
    )
    # A pigeon under a terrace has been met before (R16).
    if bit & state.ground.pigeons and victim is None:
        return pigeons.meet(after, seat, number, told)
    return proceed(after, told)


def _freed(state: State, number: int, *, card: bool, cover: bool) -> tuple[Freed, ...]:
    """Which restaurants are freed of their neighbours after a placement with or without a card, over another or not."""
    if not card and not cover:
        return state.turn.freed
    left = (covers_left(state, number) or 0) + COVERS * card - cover
    return (*(each for each in state.turn.freed if each.restaurant != number), Freed(number, left))


def _paid(player: Player, move: Place) -> Player:
    """The player without the coins and pigeon cards that a placement takes."""
    for card in ("two-coins",) * move.two_coins + ("neighbours",) * move.neighbours:
        player = spent(player, card)
    hand = player.hand
    for _ in range(move.coins):
        hand = without(hand, COIN)
    return replace(player, hand=hand) if move.coins else player


def _tile_gone(player: Player, seat: Seat, category: int, told: list[Event]) -> Player:
    """The player with a tile less on a track; a + raises the gauge, but never the purse of this action."""
    gone = player.tracks[category]
    tracks = with_item(player.tracks, category, gone + 1)
    if BOX.tracks[category].reveals[gone]:
        return replace(player, tracks=tracks)
    told.append(events.Income(seat=seat, gauge=player.gauge + 1))
    return replace(player, tracks=tracks, gauge=player.gauge + 1)


def done(state: State, seat: Seat, move: Done, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The action is over, and money that was not spent is lost."""
    told.append(events.Built(seat=seat, lost=state.turn.purse or 0))
    return after_action(replace(state, turn=replace(state.turn, purse=None, freed=())), told)


def can_skip(state: State, seat: Seat) -> bool:
    """Whether the free terrace has no cell without playing a neighbours card (R13)."""
    number = state.turn.free
    if number is None or price(state, seat, number) is None:
        return True
    plain, _ = cells(state, number, terraces.square(state, seat), has_card=False)
    return not plain


def skip(state: State, seat: Seat, move: Skip, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The free terrace is lost, and the build goes on."""
    if not can_skip(state, seat):
        raise IllegalMove(FREE_TERRACE, "there is a cell for the free terrace, so it must be placed")
    told.append(events.Skip(seat=seat))
    return proceed(replace(state, turn=replace(state.turn, free=None)), told)


def _permitted(state: State, seat: Seat, move: Place) -> int:
    """The restaurant whose terrace is placed; raises IllegalMove unless it may stand there and is paid for."""
    if state.phase == "action" and state.turn.built:
        raise IllegalMove(TURN, "you have already built this turn")
    kind, _, at = move.restaurant.partition("@")
    meant = [no for no, each in enumerate(state.restaurants) if each.at == at and each.kind == kind]
    if not meant:
        raise IllegalMove(BUILD, f"there is no {move.restaurant}")
    (number,) = meant
    if state.restaurants[number].seat != seat:
        raise IllegalMove(BUILD, f"{move.restaurant} is not yours")
    if state.turn.free not in (None, number):
        raise IllegalMove(PIGEONS, "the free terrace belongs to the restaurant that met the pigeon")
    cost = price(state, seat, number)
    if cost is None:
        raise IllegalMove(BUILD, f"no terrace is left on the track of {move.restaurant}")
    seen = terraces.square(state, seat)
    bit = state.ground.bits.get(move.cell, 0)
    plain, spending = cells(state, number, seen, has_card=move.neighbours)
    if not bit & (spending if move.neighbours else plain):
        _refuse_cell(state, number, seen, bit, move)
    _check_money(state, seat, move, cost - purse(state, seat))
    return number


def _check_money(state: State, seat: Seat, move: Place, lacking: int) -> None:
    usable, kept = state.usable(seat), state.players[seat].kept
    for card, number in (("neighbours", int(move.neighbours)), ("two-coins", move.two_coins)):
        if usable.count(card) < number:
            fresh = kept.count(card) >= number
            when = " that can be used this turn" if fresh else ""
            raise IllegalMove(LATER if fresh else PIGEONS, f"you do not have {number} {card} card{when}")
    coins = state.players[seat].hand.count(COIN)
    if move.coins > coins:
        raise IllegalMove(MONEY, f"you do not have {move.coins} coins in hand")
    if (move.coins, move.two_coins) not in top_ups(lacking, coins, usable.count("two-coins")):
        if move.coins + 2 * move.two_coins < lacking:
            raise IllegalMove(BUILD, f"the purse is {lacking} short of the price: add coins or two-coins cards")
        raise IllegalMove(
            MONEY, f"the purse is {max(lacking, 0)} short of the price: some of these cards are superfluous"
        )


def _refuse_cell(state: State, number: int, seen: terraces.Square, bit: int, move: Place) -> NoReturn:
    """Say which point of the rule the cell fails."""
    ground, shown, name = state.ground, state.terraces[number], move.restaurant
    front = state.site(number).front
    reach = terraces.reach(state, number, seen)
    if not bit:
        raise IllegalMove(BUILD, f"there is no cell {move.cell!r}")
    if not bit & ground.terrain:
        what = "is on the line" if bit & ground.line else "is not open ground"
        raise IllegalMove(BUILD, f"{move.cell} {what}: no terrace can stand there")
    if bit & seen.own:
        raise IllegalMove(BUILD, f"a terrace of yours stands on {move.cell} already")
    if not shown and not bit & front:
        raise IllegalMove(BUILD, f"the first terrace must touch the restaurant, and {move.cell} does not touch {name}")
    if shown and not bit & ground.touching(shown):
        rule = CONNECTED if bit & front else BUILD
        raise IllegalMove(rule, f"{move.cell} does not touch a terrace of {name}")
    if bit & ground.touching(seen.own ^ shown):
        raise IllegalMove(BUILD, f"{move.cell} touches a terrace of another restaurant of yours")
    if bit & reach.over and not bit & terraces.covers(state, reach.over):
        raise IllegalMove(LINK, f"without {move.cell} other terraces there would lose the link to their restaurant")
    if move.neighbours:
        raise IllegalMove(NEIGHBOURS, f"no neighbours card is needed for {move.cell}")
    if bit & reach.over and covers_left(state, number) == 0:
        raise IllegalMove(NEIGHBOURS, f"{name} has covered as many terraces as the neighbours card allows")
    what = "a terrace of another player stands on" if bit & reach.over else "a terrace of another player touches"
    raise IllegalMove(BUILD, f"{what} {move.cell}: only a neighbours card allows that")
