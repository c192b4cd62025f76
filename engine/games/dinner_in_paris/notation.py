"""How moves are written: ``open creperie F1 with cheese flour flour``, ``place creperie@F1 G2 coins 1``."""

from __future__ import annotations

from functools import cache

from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import Claim, Discard, Done, Draw, Keep, Open, Place, Play, Share, Skip
from engine.games.dinner_in_paris.view import View
from engine.notation import Form, Number, Several, Words


def forms(view: View) -> tuple[Form, ...]:
    """Every kind of move, in the words of this board and of the restaurants on it."""
    standing = {restaurant.name: restaurant.at for restaurant in view.restaurants}
    place = Form(
        Place,
        "place {restaurant} {cell} [coins {coins}] [two-coins {two_coins}] [neighbours]",
        # No two restaurants begin at one cell, so that is enough to tell them apart.
        restaurant=Words({name: name for name in standing}, {at: name for name, at in standing.items()}),
        cell=_cells(view.board),
        coins=Number(),
        two_coins=Number(),
    )
    return (*_fixed(view.board), place)


@cache
def _cells(board: str, hint: str = "") -> Words:
    """Every cell of the board: what cannot stand there the rules say better than a list."""
    ground = next(ground for (name, _), ground in BOX.grounds.items() if name == board)
    return Words({cell: cell for cell in ground.names}, hint=hint)


@cache
def _fixed(board: str) -> tuple[Form, ...]:
    """The forms that do not depend on which restaurants stand."""
    cards = Words({card: card for card in BOX.resources})
    kinds = Words({kind: kind for kind in BOX.kinds})
    return (
        Form(Keep, "keep [{slot}]", slot=Number(1, hint="1 or 2")),
        Form(Draw, "draw {source} [{slot}]", source=Words({"river": "river", "deck": "deck"}), slot=Number(1)),
        Form(Discard, "discard {card}", card=cards),
        Form(
            Open,
            "open {kind} {at} with {pay} [less]",
            kind=kinds,
            at=_cells(board, hint="first cell"),
            pay=Several(cards, order=BOX.order.__getitem__),
        ),
        Form(Skip, "skip"),
        Form(Claim, "claim {objective} [bonus]", objective=Words({card: card for card in BOX.objectives})),
        Form(Play, "play {card}", card=Words({"objective": "objective"})),
        Form(Share, "share"),
        Form(Done, "done"),
    )
