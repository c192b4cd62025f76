"""Words and signs that all parts of the scene share."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.game import Seat
from engine.games.la_bistro.components import Edition
from engine.games.la_bistro.printed import Effect, Needs
from engine.games.la_bistro.state import House
from engine.scene import Line, Span

LETTERS = "ABCDEF"
FILLS = (203, 75, 114, 221, 177, 215)
"""The colour of each seat."""


def seat_sign(seat: Seat) -> Span:
    """The letter of a seat in its colour."""
    return Span(LETTERS[seat], fill=FILLS[seat], bold=True)


def house_sign(house: House) -> Span:
    """A restaurant: the letter of its owner and its slot."""
    return Span(house_code(house), fill=FILLS[house.seat], bold=True)


def house_code(house: House) -> str:
    """``A0``."""
    return f"{LETTERS[house.seat]}{house.slot}"


def effect_words(effect: Effect) -> str:
    """``Service +1, Ambiance +3``."""
    gains = msgspec.structs.asdict(effect)
    return ", ".join(f"{name.capitalize()} {gain:+}" for name, gain in gains.items() if gain)


def needs_words(edition: Edition, needs: Needs | None) -> str:
    """``if bar``, ``if French``, or nothing."""
    if needs is None:
        return ""
    wanted = [edition.renovations[item].name.lower() for item in edition.renovations if item == needs.renovation]
    wanted += ["large"] * needs.large
    kitchens = [cuisine.name for key, cuisine in edition.cuisines.items() if key in needs.cuisine]
    return "if " + " and ".join([*wanted, *([" or ".join(kitchens)] if kitchens else [])])


def listed(spans: Iterable[Span | str]) -> Line:
    """``a, b, c``, or a dash for nothing."""
    parts: list[Span | str] = []
    for span in spans:
        parts += [", ", span] if parts else [span]
    return tuple(parts) or ("-",)
