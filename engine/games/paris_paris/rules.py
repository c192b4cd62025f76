"""The course of the game, one function for each heading of the rulebook.

A round is the takes of all seats; what follows the last of them (visit, parking, the next pile or the end) happens by
itself, within the same move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from engine.chance import Chance
from engine.changed_tuples import with_item
from engine.errors import IllegalMove, OutOfTurn
from engine.game import Seat, Step
from engine.games.paris_paris import events
from engine.games.paris_paris.components import MAPS, Map, StationNo, TokenNo
from engine.games.paris_paris.moves import Take
from engine.games.paris_paris.rulebook import EMPTY_SUPPLY, OPEN_SHOPS
from engine.games.paris_paris.scoring import add, bag_points, excursion_stops, standing, visit_points
from engine.games.paris_paris.state import State


def set_up(seats: int, map_id: str, colours: Sequence[str], chance: Chance) -> Step[State]:
    """Setup, §3. The piles come in shuffled order (R1)."""
    box = MAPS[map_id]
    setup = box.printed.setup
    nothing = (0,) * seats
    state = State(
        map=map_id,
        colours=tuple(colours[:seats]),
        first=Seat(setup.first_seat),
        piles=chance.shuffled(box.deck, "tokens"),
        out=(),
        parked=(),
        gone=(),
        markers=chance.shuffled(box.line_no.values(), "markers"),
        shops=((),) * len(box.stations),
        supply=(setup.supply,) * seats,
        bag=nothing,
        visits=nothing,
        excursions=nothing,
        final=nothing,
    )
    secret = [events.Marker(box.lines[state.markers[seat]], Seat(seat), to=(Seat(seat),)) for seat in range(seats)]
    face_up = [events.Marker(box.lines[line]) for line in state.face_up]
    return _then(Step(state, (*secret, *face_up)), lay_out)


def lay_out(state: State) -> Step[State]:
    """Lay out, §4.1: the next pile becomes public."""
    box = MAPS[state.map]
    size = box.players[len(state.supply)].pile_size
    out = tuple(sorted(state.piles[:size]))
    laid_out = events.LayOut(tuple([box.tokens[token] for token in out]))
    return Step(replace(state, piles=state.piles[size:], out=out), (laid_out,))


def legal(state: State, seat: Seat) -> Sequence[Take]:
    """Every token that is out, by station and line, and at a full station every owner who may be evicted there."""
    if seat != state.turn:
        return ()
    box = MAPS[state.map]
    moves = []
    for token in dict.fromkeys(state.out):  # two tokens alike are one choice (R2)
        station, line = box.tokens[token]
        place = box.token_station[token]
        here = state.shops[place]
        if len(here) < box.capacity[place] or not state.supply[seat]:
            moves.append(Take(station, line))
        else:
            moves += [Take(station, line, owner) for owner in sorted(set(here))]
    return moves


def fallback(state: State, seat: Seat) -> Take:
    """At this table, §9: the first move that evicts nobody, else the first that changes nothing, else the first."""
    moves = legal(state, seat)
    if not moves:
        raise OutOfTurn("this seat is not asked anything now")
    kindest = (move for owner in (None, seat) for move in moves if move.evict == owner)
    return next(kindest, moves[0])


def play(state: State, seat: Seat, move: Take) -> Step[State]:
    """One take (R4: there is no passing) and all that follows from it, the visit before any excursion (R12)."""
    if seat != state.turn:
        raise OutOfTurn("the game is over" if state.turn is None else "it is another player's turn")
    token = permitted(state, seat, move)
    place = MAPS[state.map].token_station[token]
    step = take(state, seat, token)
    if move.evict is not None:
        step = _both(step, evict(step.state, seat, place, move.evict))
    if state.supply[seat]:  # else a token is all there is to take (R7)
        step = _both(step, open_shop(step.state, seat, place))
    return step if len(step.state.out) > 1 else _then(step, visit, park, next_round)


def permitted(state: State, seat: Seat, move: Take) -> TokenNo:
    """Open shops, §4.2: the token that is meant; raises IllegalMove unless it is out and the eviction is in order."""
    box = MAPS[state.map]
    token = box.token_no.get((move.station, move.line))
    if token is None or token not in state.out:
        raise IllegalMove(OPEN_SHOPS, _no_such_token(box, state, move))
    place = box.token_station[token]
    here = state.shops[place]
    if not state.supply[seat]:
        if move.evict is not None:
            raise IllegalMove(EMPTY_SUPPLY, "you have no shop left to open, so no shop has to go")
    elif len(here) < box.capacity[place]:
        if move.evict is not None:
            raise IllegalMove(OPEN_SHOPS, f"{box.names[place]} has room, so no shop has to go")
    elif move.evict not in here:
        raise IllegalMove(OPEN_SHOPS, _say_who_goes(box, state, place, move.evict))
    return token


def take(state: State, seat: Seat, token: TokenNo) -> Step[State]:
    """Open shops, §4.2: the token leaves the game."""
    at = state.out.index(token)
    station, line = MAPS[state.map].tokens[token]
    after = replace(state, out=state.out[:at] + state.out[at + 1 :], gone=(*state.gone, token))
    return Step(after, (events.Take(seat, station, line),))


def evict(state: State, seat: Seat, place: StationNo, owner: Seat) -> Step[State]:
    """Open shops, §4.2: one shop goes (R5), into the bag or back to its owner.

    One's own never feeds the bag (R6), and two players do not use it at all.
    """
    box = MAPS[state.map]
    here = state.shops[place]
    at = here.index(owner)
    shops = with_item(state.shops, place, here[:at] + here[at + 1 :])
    if owner != seat and box.players[len(state.supply)].bag:
        after = replace(state, shops=shops, bag=with_item(state.bag, owner, state.bag[owner] + 1))
        return Step(after, (events.Evict(owner, box.stations[place], "bag"),))
    after = replace(state, shops=shops, supply=with_item(state.supply, owner, state.supply[owner] + 1))
    return Step(after, (events.Evict(owner, box.stations[place], "supply"),))


def open_shop(state: State, seat: Seat, place: StationNo) -> Step[State]:
    """Open shops, §4.2: a shop from the supply."""
    after = replace(
        state,
        shops=with_item(state.shops, place, (*state.shops[place], seat)),
        supply=with_item(state.supply, seat, state.supply[seat] - 1),
    )
    return Step(after, (events.Open(seat, MAPS[state.map].stations[place]),))


def visit(state: State) -> Step[State]:
    """Visit, §5: the tourists go where the token points that nobody took."""
    box = MAPS[state.map]
    station = box.token_station[state.out[0]]
    paying, points = visit_points(state, station)
    visited = events.Visit(box.stations[station], tuple([box.stations[place] for place in paying]), points)
    return Step(replace(state, visits=add(state.visits, points)), (visited,))


def park(state: State) -> Step[State]:
    """Discard and excursion, §6: the second token of a colour sends the bus along the line."""
    box = MAPS[state.map]
    (token,) = state.out
    parked = events.Park(box.tokens[token])
    line = box.token_line[token]
    alike = [other for other in state.parked if box.token_line[other] == line]
    if not alike:
        return Step(replace(state, out=(), parked=(*state.parked, token)), (parked,))
    stops = excursion_stops(state, line)
    after = replace(
        state,
        out=(),
        parked=tuple([other for other in state.parked if box.token_line[other] != line]),
        gone=(*state.gone, *alike, token),
        excursions=_with_stops(state.excursions, stops),
    )
    return Step(after, (parked, events.Excursion(box.lines[line], stops)))


def next_round(state: State) -> Step[State]:
    """Next round, §7: the bus passes clockwise, and the next pile follows, or else the end."""
    first = Seat((state.first + 1) % len(state.supply))
    step = Step(replace(state, first=first), (events.Bus(first),))
    return _then(step, lay_out) if state.piles else _then(step, final_excursions, empty_bag, end)


def final_excursions(state: State) -> Step[State]:
    """End and winner, §8: the marker of each seat from the first player on (R15), then the one that lay face up.

    Those in the box stay there (R16), and so do tokens that are still parked (R13).
    """
    box = MAPS[state.map]
    seats = len(state.supply)
    final = state.final
    told = []
    in_order = [Seat((state.first + step) % seats) for step in range(seats)]
    driven = [(state.markers[seat], seat) for seat in in_order] + [(line, None) for line in state.face_up]
    for line, seat in driven:
        stops = excursion_stops(state, line)
        final = _with_stops(final, stops)
        told.append(events.FinalExcursion(box.lines[line], stops, seat))
    return Step(replace(state, final=final), tuple(told))


def empty_bag(state: State) -> Step[State]:
    """End and winner, §8: the bag is counted; two players have none."""
    if not MAPS[state.map].players[len(state.supply)].bag:
        return Step(state, ())
    return Step(state, (events.Bag(state.bag, bag_points(state.bag)),))


def end(state: State) -> Step[State]:
    """End and winner, §8: who won."""
    return Step(state, (events.End(standing(state).ranking),))


def _both(before: Step[State], after: Step[State]) -> Step[State]:
    return Step(after.state, before.events + after.events)


def _then(step: Step[State], *rules: Callable[[State], Step[State]]) -> Step[State]:
    """What follows by itself, rule after rule."""
    for rule in rules:
        step = _both(step, rule(step.state))
    return step


def _with_stops(points: events.Points, stops: Sequence[events.Stop]) -> events.Points:
    for stop in stops:
        points = add(points, stop.points)
    return points


def _no_such_token(box: Map, state: State, move: Take) -> str:
    if move.station not in box.station_no:
        return f"there is no station called {move.station!r}"
    if move.line not in box.line_no:
        return f"there is no line called {move.line!r}"
    out = ", ".join(str(box.tokens[token]) for token in state.out)
    return f"no {move.line} token is laid out at {box.names[box.station_no[move.station]]}; there are {out}"


def _say_who_goes(box: Map, state: State, place: StationNo, owner: Seat | None) -> str:
    owners = " or ".join(state.colours[seat] for seat in sorted(set(state.shops[place])))
    if owner is None:
        return f"{box.names[place]} is full: say whose shop has to go, {owners}"
    return f"that seat has no shop at {box.names[place]}: evict {owners}"
