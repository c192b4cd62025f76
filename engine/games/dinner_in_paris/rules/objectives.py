"""Objectives, §7: when they are fulfilled, and claiming them."""

from __future__ import annotations

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove
from engine.game import Event, Seat
from engine.games.dinner_in_paris import events
from engine.games.dinner_in_paris.components import BOX, Ground
from engine.games.dinner_in_paris.moves import Claim, Done, Keep, Play, Share
from engine.games.dinner_in_paris.rulebook import BONUS, LATER, OBJECTIVES, PIGEONS
from engine.games.dinner_in_paris.rules.changes import changed, spent, without
from engine.games.dinner_in_paris.rules.turn import after_action, proceed
from engine.games.dinner_in_paris.state import State

KEEP, SHARE, PLAY = Keep(), Share(), Play("objective")
CARD = PLAY.card


def claims(state: State, seat: Seat, *, bonus: bool) -> list[Claim]:
    """The objectives of hand and row that are fulfilled now."""
    cards = (*state.players[seat].held, *state.row)
    seen, tracks = state.seen(seat), state.players[seat].tracks
    return [Claim(card, bonus) for card in cards if fulfilled(state.ground, card, seen, tracks)]


def fulfilled(ground: Ground, card: str, seen: int, tracks: tuple[int, ...]) -> bool:
    """Whether these terraces and tracks are what the objective asks for."""
    if card in ground.shapes:
        return any(_lies_in(seen, shifts) for shifts in ground.shapes[card])
    have, need = progress(ground, card, seen, tracks)
    return have >= need


def _lies_in(seen: int, shifts: tuple[int, ...]) -> bool:
    """Whether a figure lies somewhere in these cells, perhaps within a larger area (R18)."""
    starts = seen
    for shift in shifts:
        starts &= seen >> shift
        if not starts:
            return False
    return True


def progress(ground: Ground, card: str, seen: int, tracks: tuple[int, ...]) -> tuple[int, int]:
    """How much of an objective there is, and how much it takes; more than enough in one place does not count."""
    objective = BOX.objectives[card]
    each = objective.each
    match objective.kind:
        case "decor":
            elements = ground.decor[objective.decor]
            return sum(min((seen & near).bit_count(), each) for near in elements), each * len(elements)
        case "decor-types":
            nearest = [max((seen & near).bit_count() for near in elements) for elements in ground.decor.values()]
            return sum(min(count, each) for count in nearest), each * len(nearest)
        case "quarters":
            quarters = ground.quarters
            return sum(min((seen & quarter).bit_count(), each) for quarter in quarters), each * len(quarters)
        case "zone":
            return (seen & ground.zones[objective.zone]).bit_count(), objective.total
        case "placed":
            return sum(tracks), objective.total
        case "placed-categories":
            return sum(min(gone, each) for gone in tracks), each * len(tracks)
        case "category-finished":
            lengths = [len(track.cost) for track in BOX.tracks]
            return min(zip(tracks, lengths, strict=True), key=lambda track: track[1] - track[0])
        case "shape":
            return _most_of_shape(ground, card, seen), len(ground.shapes[card][0])


def _most_of_shape(ground: Ground, card: str, seen: int) -> int:
    """How many cells of a shape lie in place, where most of them do."""
    most = 0
    for shifts in ground.shapes[card]:
        starts = {bit >> shift for _, bit in ground.each(seen) for shift in shifts}
        most = max(most, *(sum(bool(seen & start << shift) for shift in shifts) for start in starts), 0)
    return most


def claim(state: State, seat: Seat, move: Claim, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The claim action: the first objective."""
    if move.bonus:
        raise IllegalMove(BONUS, "the first claim of an action needs no pigeon card: claim without bonus")
    state = replace(state, turn=replace(state.turn, actions=state.turn.actions - 1))
    return _claimed(state, seat, move, told)


def second_claim(state: State, seat: Seat, move: Claim, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The second objective of the action, with a pigeon card."""
    if not move.bonus:
        raise IllegalMove(BONUS, "a second claim in one action needs an objective card: claim with bonus")
    _check_card(state, seat)
    return _claimed(_card_spent(state, seat), seat, move, told)


def _claimed(state: State, seat: Seat, move: Claim, told: list[Event]) -> State:
    """The card lies face up before its claimer; one from the hand is replaced, one from the row is not."""
    _check_claim(state, seat, move)
    before, card = state.players[seat], move.objective
    told.append(events.Claim(seat=seat, objective=card, points=BOX.objectives[card].points, bonus=move.bonus))
    state = replace(state, turn=replace(state.turn, claims=state.turn.claims + 1))
    claimed = (*before.claimed, card)
    if card in state.row:
        players = changed(state, seat, claimed=claimed)
        return _after_claim(replace(state, players=players, row=without(state.row, card)), seat, told)
    state = replace(state, players=changed(state, seat, held=without(before.held, card), claimed=claimed))
    return _drawn(state, seat, told) if state.objectives else _after_claim(state, seat, told)


def _drawn(state: State, seat: Seat, told: list[Event]) -> State:
    """An objective is drawn, to be kept or shared."""
    card = state.objectives[0]
    told.append(events.ObjectiveDrawn(seat=seat, objective=card, to=(seat,)))
    return replace(
        state,
        phase="drawn-objective",
        objectives=state.objectives[1:],
        turn=replace(state.turn, drawn=card),
    )


def keep(state: State, seat: Seat, move: Keep, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The objective drawn goes to the hand."""
    card = state.turn.drawn
    if move.slot is not None or card is None:
        raise IllegalMove(OBJECTIVES, "there is only one objective to be kept: keep it, or share it")
    told.append(events.ObjectiveKept(seat=seat))
    players = changed(state, seat, held=(*state.players[seat].held, card))
    return _after_claim(replace(state, players=players, turn=replace(state.turn, drawn=None)), seat, told)


def share(state: State, seat: Seat, move: Share, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The objective drawn goes to the common row."""
    card = state.turn.drawn or ""
    told.append(events.ObjectiveShared(seat=seat, objective=card))
    after = replace(state, row=(*state.row, card), turn=replace(state.turn, drawn=None))
    return _after_claim(after, seat, told)


def _after_claim(state: State, seat: Seat, told: list[Event]) -> State:
    """A second claim is offered once to whoever has any usable pigeon card, so that the offer tells nothing (R19)."""
    if state.turn.claims == 1 and state.usable(seat):
        return replace(state, phase="second-claim")
    if state.turn.claims:
        return after_action(replace(state, turn=replace(state.turn, claims=0)), told)
    return proceed(state, told)


def no_second_claim(state: State, seat: Seat, move: Done, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """The claim action ends with one objective."""
    return after_action(replace(state, turn=replace(state.turn, claims=0)), told)


def can_play(state: State, seat: Seat) -> bool:
    """Whether the pigeon card can be played for an objective: there must be one to draw (R19)."""
    return bool(state.objectives) and CARD in state.usable(seat)


def play_card(state: State, seat: Seat, move: Play, chance: Chance, told: list[Event]) -> State:  # noqa: ARG001
    """An objective is drawn, and no action is spent."""
    _check_card(state, seat)
    if not state.objectives:
        raise IllegalMove(BONUS, "there is no objective left to draw")
    told.append(events.ObjectiveCard(seat=seat))
    return _drawn(_card_spent(state, seat), seat, told)


def _card_spent(state: State, seat: Seat) -> State:
    return replace(state, players=with_item(state.players, seat, spent(state.players[seat], CARD)))


def _check_card(state: State, seat: Seat) -> None:
    if CARD not in state.usable(seat):
        if CARD in state.players[seat].kept:
            raise IllegalMove(LATER, "your objective card was drawn this turn and cannot be used yet")
        raise IllegalMove(PIGEONS, "you have no objective card")


def _check_claim(state: State, seat: Seat, move: Claim) -> None:
    card, before = move.objective, state.players[seat]
    if card not in before.held and card not in state.row:
        raise IllegalMove(OBJECTIVES, f"{card} is neither in your hand nor in the common row")
    if not fulfilled(state.ground, card, state.seen(seat), before.tracks):
        have, need = progress(state.ground, card, state.seen(seat), before.tracks)
        raise IllegalMove(OBJECTIVES, f"{card} is not fulfilled: {have} of {need}")
