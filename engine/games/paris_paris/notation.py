"""How a move is written: ``take louvre/red evict grey``."""

from __future__ import annotations

from functools import cache

from engine.game import Seat
from engine.games.paris_paris.components import MAPS
from engine.games.paris_paris.moves import Take
from engine.games.paris_paris.view import View
from engine.notation import Form, Words


def forms(view: View) -> tuple[Form, ...]:
    """The one form there is, in the words of this map and these colours."""
    return _forms(view.map, view.colours)


@cache
def _forms(map_id: str, colours: tuple[str, ...]) -> tuple[Form, ...]:
    box = MAPS[map_id]
    stations = Words({station: station for station in box.stations})
    # The letter on the map means its line even where it begins the names of two: b is blue, n brown.
    lines = Words({line: line for line in box.lines}, {line.code: line.id for line in box.printed.lines})
    seat_of = {colour: Seat(seat) for seat, colour in enumerate(colours)}
    letters = {seat.code: seat_of[seat.colour] for seat in box.printed.seats if seat.colour in seat_of}
    owners = Words({seat: colour for colour, seat in seat_of.items()}, letters, hint="colour", seats=True)
    return (Form(Take, "take {station}/{line} [evict {evict}]", station=stations, line=lines, evict=owners),)
