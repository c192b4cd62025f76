"""How moves are written: ``take D4``, ``swap 1``, ``reserve r300``, ``serve D4 r300``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.game import Seat
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Done, Keep, Reserve, Serve, Stop, Swap, Take
from engine.games.restaurant.printed import Card
from engine.games.restaurant.view import View
from engine.notation import Form, Words


def _words(cards: Sequence[Card]) -> Words:
    """Cards by what is typed for them, or by their full names."""
    return Words({card.id: card.text for card in cards}, {card.name: card.id for card in cards})


_TABLES = Words({table: table for table in BOX.tables})
_CARDS = _words(BOX.printed.cards)
_RESERVED = _words([card for card in BOX.printed.cards if card.res])


def forms(view: View) -> tuple[Form, ...]:
    """A form for each kind of move; seats are called by their number or by their player's name."""
    return _forms(len(view.hand_sizes))


@cache
def _forms(seats: int) -> tuple[Form, ...]:
    players = Words({Seat(seat): str(seat) for seat in range(seats)}, hint="player", seats=True)
    return (
        Form(Take, "take {table}", table=_TABLES),
        Form(Swap, "swap {seat}", seat=players),
        Form(Keep, "keep"),
        Form(Reserve, "reserve {card}", card=_RESERVED),
        Form(Done, "done"),
        Form(Serve, "serve {table} {card}", table=_TABLES, card=_CARDS),
        Form(Stop, "stop"),
    )
