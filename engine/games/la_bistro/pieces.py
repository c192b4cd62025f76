"""Where every piece of the box is, and every coin."""

from __future__ import annotations

from collections import Counter

from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.state import Table


def pieces(table: Table) -> Counter[str]:
    """Components, §1: the same count from the deal to the end.

    Buildings and unique employees that nobody has are in the box; a second owner would make two of them. The bank's
    money is what it has taken in, so that all money together stays what the players were given.
    """
    edition, players = EDITIONS[table.edition], len(table.money)
    held = edition.printed.setup.dice_per_player * players
    found = Counter({"die": held + table.unused + table.aside + len(table.jobs)})
    found["money"] = sum(table.money) + table.bank
    found.update(dict.fromkeys(("time cube", "inflation cube", "turn marker"), 1))
    houses = [restaurant for mine in table.restaurants for restaurant in mine]
    bought = Counter(restaurant.building for restaurant in houses)
    found.update({f"building {building}": max(bought[building], 1) for building in edition.buildings})
    staff = Counter(employee for restaurant in houses for employee in restaurant.employees)
    unique = [job for job, employee in edition.employees.items() if employee.kind == "unique"]
    found.update({f"employee {job}": max(staff[job], 1) for job in unique})
    return found
