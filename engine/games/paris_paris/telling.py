"""Events as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Event
from engine.games.paris_paris import events
from engine.games.paris_paris.components import MAPS, Token

# An event does not say on which map it happened; a station that is on several is called by the same name on all.
NAMES = {station: name for box in MAPS.values() for station, name in zip(box.stations, box.names, strict=True)}


def tell(event: Event, names: Sequence[str]) -> str:
    """One event as a sentence, players called by their names."""
    match event:
        case events.Marker(line, seat) if seat is not None:
            return f"{names[seat]} secretly gets the {line} marker."
        case events.Marker(line):
            return f"The {line} marker lies face up: its line will be driven at the end."
        case events.LayOut(tokens):
            return f"Laid out: {', '.join(_token(token) for token in tokens)}."
        case events.Take(seat, station, line):
            return f"{names[seat]} takes the {line} {NAMES[station]} token."
        case events.Evict(owner, station, "bag"):
            return f"{names[owner]}'s shop at {NAMES[station]} goes into the bag."
        case events.Evict(owner, station):
            return f"{names[owner]}'s shop at {NAMES[station]} goes back to the supply."
        case events.Open(seat, station):
            return f"{names[seat]} opens a shop at {NAMES[station]}."
        case events.Visit(station, paying, points) if paying:
            where = "" if paying == (station,) else f", and pay at {_list([NAMES[place] for place in paying])}"
            return f"The tourists visit {NAMES[station]}{where}: {_points(points, names)}."
        case events.Visit(station):
            return f"The tourists visit {NAMES[station]} and find no shop on the way."
        case events.Park(token):
            return f"The {token.line} {NAMES[token.station]} token is parked."
        case events.Excursion(line, stops):
            return f"Two {line} tokens are parked: excursion on the {line} line. {_stops(stops, names)}"
        case events.Bus(seat):
            return f"The bus passes to {names[seat]}."
        case events.FinalExcursion(line, stops, seat):
            whose = "the face-up" if seat is None else f"{names[seat]}'s"
            return f"Final excursion for {whose} marker, on the {line} line. {_stops(stops, names)}"
        case events.Bag(counts, points):
            held = ", ".join(f"{name} {count}" for name, count in zip(names, counts, strict=True))
            return f"In the bag: {held}. {_sentence(points, names)}"
        case events.End(ranking):
            winners = _list([names[seat] for seat in ranking[0]])
            return f"{winners} {'wins' if len(ranking[0]) == 1 else 'share the victory'}."
    raise TypeError(f"{type(event).__name__} is no event of Paris Paris")


def _token(token: Token) -> str:
    return f"{NAMES[token.station]} ({token.line})"


def _stops(stops: Sequence[events.Stop], names: Sequence[str]) -> str:
    """The stops that pay, and what they pay."""
    paying = [f"{NAMES[stop.station]}: {_points(stop.points, names)}" for stop in stops if any(stop.points)]
    return f"{'; '.join(paying) or 'Nobody scores'}."


def _sentence(points: events.Points, names: Sequence[str]) -> str:
    return f"{_points(points, names) if any(points) else 'Nobody scores'}."


def _points(points: events.Points, names: Sequence[str]) -> str:
    return ", ".join(f"{name} +{scored}" for name, scored in zip(names, points, strict=True) if scored)


def _list(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
