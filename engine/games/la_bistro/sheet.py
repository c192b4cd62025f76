"""What follows from a restaurant's building, staff and renovations: derived whenever it is needed, never stored."""

from __future__ import annotations

from typing import NamedTuple

from engine.games.la_bistro.components import Edition
from engine.games.la_bistro.printed import Item, Needs
from engine.games.la_bistro.state import Restaurant


class Sheet(NamedTuple):
    """The figures that a restaurant has by what belongs to it."""

    quality: int
    service: int
    ambiance: int
    seats: int


def is_active(edition: Edition, restaurant: Restaurant, needs: Needs | None) -> bool:
    """Whether a condition holds now (R13); what has none always counts."""
    if needs is None:
        return True
    return (
        (needs.renovation is None or needs.renovation in restaurant.renovations)
        and (not needs.cuisine or restaurant.cuisine in needs.cuisine)
        and (not needs.large or edition.is_large(restaurant.building))
    )


def sheet(edition: Edition, restaurant: Restaurant) -> Sheet:
    """Components, §1: the building's figures and all active effects."""
    building, start = edition.buildings[restaurant.building], edition.printed.start
    quality, service, ambiance, seats = start.quality, start.service, building.ambiance, building.seats
    items: list[Item] = [edition.employees[employee] for employee in restaurant.employees]
    items += [edition.renovations[renovation] for renovation in restaurant.renovations]
    for item in items:
        if is_active(edition, restaurant, item.needs):
            effect = item.effect
            quality += effect.quality
            service += effect.service
            ambiance += effect.ambiance
            seats += effect.seats
    return Sheet(quality, service, ambiance, seats)
