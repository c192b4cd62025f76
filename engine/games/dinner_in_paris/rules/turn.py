"""The turn, §4: what comes after what, and when it ends (§8)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.game import Event, Seat
from engine.games.dinner_in_paris import events, scoring
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.rules import terraces
from engine.games.dinner_in_paris.state import State, Trigger, Turn

ACTIONS = 2


def proceed(state: State, told: list[Event]) -> State:
    """On with the build action if one is under way, else with the next action, else with the next turn."""
    if state.turn.purse is not None:
        return replace(state, phase="building")
    if state.turn.actions:
        return replace(state, phase="action")
    return next_turn(state, told)


def next_turn(state: State, told: list[Event]) -> State:
    """The next seat, beginning with its draw; or the end, once it was brought about and the round is over."""
    first = BOX.printed.game.first_seat
    seat = Seat((state.turn.seat + 1) % len(state.players))
    if state.end and seat == first:
        return finish(state, told)
    return begin(replace(state, turn=Turn(seat, ACTIONS)))


def begin(state: State) -> State:
    """A turn begins with a draw, unless there is no card at all (R6)."""
    return replace(state, phase="first-draw" if can_draw(state) else "action")


def can_draw(state: State) -> bool:
    """Whether there is any card to take; discards are shuffled into a deck before they are needed."""
    return bool(state.deck or state.discards) or any(state.river)


def after_action(state: State, told: list[Event]) -> State:
    """End and scoring, §8: the end may have been brought about, which then stands (R20)."""
    trigger = None if state.end else ending(state)
    if trigger:
        told.append(events.LastRound(seat=state.turn.seat, trigger=trigger))
        state = replace(state, end=trigger)
    return proceed(state, told)


def ending(state: State) -> Trigger | None:
    """What would bring the end: enough restaurants, a seat with two empty tracks, or nothing that fits."""
    end = BOX.printed.game.end
    if len(state.restaurants) >= end.restaurants[len(state.players)]:
        return "restaurants"
    for player in state.players:
        empty = sum(gone == len(track.cost) for gone, track in zip(player.tracks, BOX.tracks, strict=True))
        if empty >= end.finished_categories:
            return "tracks"
    return "no-room" if not fits(state) and not terraces.anybody_can_place(state) else None


def fits(state: State) -> bool:
    """Whether a restaurant of the supply has a site."""
    taken = terraces.taken(state)
    sizes = {kind.size for kind, left in zip(BOX.printed.restaurants, state.supply, strict=True) if left}
    return any(not site.cells & taken for size in sizes for site in state.ground.sites[size].values())


def finish(state: State, told: list[Event]) -> State:
    """End and scoring, §8: all hands are shown and the points are counted."""
    over = replace(state, phase="over")
    standing = scoring.standing(over)
    told += [
        *(
            events.Revealed(seat=Seat(seat), hand=player.hand, kept=player.kept, objectives=player.held)
            for seat, player in enumerate(over.players)
        ),
        *(
            events.MajorityScored(majority=name, counts=n, points=points)
            for name, n, points in scoring.majorities(over)
        ),
        events.End(totals=tuple(score.total for score in standing.scores), ranking=standing.ranking),
    ]
    return over
