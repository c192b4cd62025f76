"""What a seat may see, and the positions it could be looking at."""

from __future__ import annotations

from engine import game
from engine.chance import Chance
from engine.game import Seat, Standing
from engine.games.paris_paris import scoring
from engine.games.paris_paris.components import MAPS, LineNo, Token
from engine.games.paris_paris.state import State


class View(game.View, frozen=True, kw_only=True):
    """Everything but the piles, the markers of others, and whose shops are in the bag."""

    map: str
    colours: tuple[str, ...]
    first: Seat
    turn: Seat | None
    out: tuple[Token, ...]
    parked: tuple[Token, ...]
    gone: tuple[Token, ...]
    unseen: tuple[Token, ...]
    """What lies in the piles, in no order that tells anything (R20)."""
    piles: int
    shops: dict[str, tuple[Seat, ...]]
    """The owners at each station that has shops."""
    supply: tuple[int, ...]
    bag: int
    """How many are in it (R19)."""
    bag_counts: tuple[int, ...] | None
    """Whose they are, once the game is over."""
    markers: tuple[str | None, ...]
    """Each seat's line, None where it is not to be seen."""
    face_up: tuple[str, ...]
    standing: Standing


def view(state: State, seat: Seat | None) -> View:
    """What this seat, or an onlooker, may see."""
    box = MAPS[state.map]
    seats = len(state.supply)
    over = not state.out
    return View(
        seat=seat,
        map=state.map,
        colours=state.colours,
        first=state.first,
        turn=state.turn,
        out=tuple(box.tokens[token] for token in state.out),
        parked=tuple(box.tokens[token] for token in state.parked),
        gone=tuple(box.tokens[token] for token in state.gone),
        unseen=tuple(box.tokens[token] for token in sorted(state.piles)),
        piles=len(state.piles) // box.players[seats].pile_size,
        shops={station: here for station, here in zip(box.stations, state.shops, strict=True) if here},
        supply=state.supply,
        bag=sum(state.bag),
        bag_counts=state.bag if over else None,
        markers=tuple(
            box.lines[line] if over or owner == seat else None for owner, line in enumerate(state.markers[:seats])
        ),
        face_up=tuple(box.lines[line] for line in state.face_up),
        standing=scoring.standing(state),
    )


def imagine(view: View, chance: Chance) -> State:
    """A position that looks like this: piles and unseen markers are drawn from what the view does not show."""
    box = MAPS[view.map]
    shops = tuple(view.shops.get(station, ()) for station in box.stations)
    owners = [owner for here in shops for owner in here]
    shops_in_play = box.printed.setup.supply
    scores = [score.parts for score in view.standing.scores]
    return State(
        map=view.map,
        colours=view.colours,
        first=view.first,
        piles=chance.shuffled([box.token_no[token] for token in view.unseen], "tokens"),
        out=tuple(box.token_no[token] for token in view.out),
        parked=tuple(box.token_no[token] for token in view.parked),
        gone=tuple(box.token_no[token] for token in view.gone),
        markers=_imagined_markers(view, chance),
        shops=shops,
        supply=view.supply,
        # A shop that is neither in its supply nor on the board can only be in the bag.
        bag=tuple(shops_in_play - left - owners.count(Seat(seat)) for seat, left in enumerate(view.supply)),
        visits=tuple(parts["visits"] for parts in scores),
        excursions=tuple(parts["excursions"] for parts in scores),
        final=tuple(parts["final"] for parts in scores),
    )


def _imagined_markers(view: View, chance: Chance) -> tuple[LineNo, ...]:
    """The markers that can be seen where they lie, the others anywhere else."""
    line_no = MAPS[view.map].line_no
    seen = (*view.markers, *view.face_up)
    unseen = chance.shuffled([number for line, number in line_no.items() if line not in seen], "markers")
    hidden = iter(unseen)
    return (*(next(hidden) if line is None else line_no[line] for line in seen), *hidden)
