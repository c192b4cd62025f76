"""The account of the last earning phase: who got which diner and why, and what it came to."""

from __future__ import annotations

from engine.games.la_bistro.chart import FILLS, criterion_name
from engine.games.la_bistro.scene.words import house_code, house_sign
from engine.games.la_bistro.state import Account, Diner, House, Round
from engine.scene import Columns, Line, Span


def diners(account: Account) -> Columns:
    """A row for each diner, in the order in which they were served."""
    rows = tuple(_diner(diner) for diner in account.diners)
    header = ("die", "box", "", "who was out when", "served by", "pays")
    return Columns(f"The diners of turn {account.turn}", header, rows, right=(0, 1))


def _diner(diner: Diner) -> Line:
    colour = "" if diner.colour == "plain" else Span(diner.colour, fill=FILLS[diner.colour])
    full = [f"full {_codes(diner.full)}"] if diner.full else []
    why = "; ".join([*full, *map(_round, diner.rounds)])
    bonus = f" + {diner.gold}" if diner.gold else ""
    pays = ", ".join(map(str, diner.each)) + bonus
    return (
        str(diner.die),
        str(diner.box),
        colour,
        why or ("no rival" if diner.got else "nobody is open"),
        _by(diner),
        pays or "-",
    )


def _round(each: Round) -> str:
    out = _codes(tuple(house for house, _ in each.out))
    return f"{criterion_name(each.criterion)} {f'out {out}' if out else '='}"


def _by(diner: Diner) -> Span | str:
    if not diner.got:
        return "lost"
    return house_sign(diner.got[0]) if len(diner.got) == 1 else f"split {_codes(diner.got)}"


def _codes(houses: tuple[House, ...]) -> str:
    return " ".join(map(house_code, houses))


def takings(account: Account) -> Columns:
    """A row for each restaurant: its diners and its income by kind."""
    rows: list[Line] = []
    for each in account.takings:
        gold = sum(diner.gold for diner in account.diners if diner.got == (each.house,))
        split = sum(
            share
            for diner in account.diners
            if len(diner.got) > 1
            for house, share in zip(diner.got, diner.each, strict=True)
            if house == each.house
        )
        total = each.regular + each.inflation + gold + split
        figures = (each.dice, each.regular, each.inflation, gold, split)
        fame = f"+{each.fame}" if each.fame else "-"
        rows.append((house_sign(each.house), *map(str, figures), Span(str(total), bold=True), fame))
    header = ("", "diners", "regular", "inflation", "gold", "splits", "together", "Fame")
    return Columns(f"Takings of turn {account.turn}", header, tuple(rows), right=tuple(range(1, len(header))))
