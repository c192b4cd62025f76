"""How a move is written: ``choose jobs``, ``auction B14 18``, ``set 0 italian 6``, ``hire 5,1 0``."""

from __future__ import annotations

from functools import cache

from engine.games.la_bistro.components import EDITIONS
from engine.games.la_bistro.moves import (
    OPTIONS,
    Advertise,
    Auction,
    Bid,
    Borrow,
    Choose,
    Decline,
    Hire,
    Limit,
    Pass,
    Renovate,
    Repay,
    Set,
)
from engine.games.la_bistro.view import View
from engine.notation import Form, Number, Words


def forms(view: View) -> tuple[Form, ...]:
    """The forms of all moves, in the words of this edition."""
    return _forms(view.table.edition)


@cache
def _forms(edition: str) -> tuple[Form, ...]:
    box = EDITIONS[edition]
    numbers = {str(number): option for number, option in enumerate(OPTIONS)}
    options = Words({option: option for option in OPTIONS}, {"cube": "realtor", **numbers})
    buildings = Words({building: building for building in box.buildings})
    cuisines = Words({cuisine: cuisine for cuisine in box.cuisines}, hint="cuisine")
    items = Words({item: item for item in box.renovations}, {each.name: item for item, each in box.renovations.items()})
    slot, money, number = Number(hint="restaurant 0 or 1"), Number(hint="money"), Number()
    return (
        Form(Choose, "choose {option}", option=options),
        Form(Auction, "auction {building} [{bid}]", building=buildings, bid=money),
        Form(Decline, "decline"),
        Form(Bid, "bid {amount}", amount=money),
        Form(Pass, "pass"),
        Form(Limit, "limit {amount}", amount=money),
        Form(Set, "set {restaurant} {cuisine} {price}", restaurant=slot, cuisine=cuisines, price=number),
        Form(Borrow, "borrow"),
        Form(Repay, "repay {loans}", loans=number),
        Form(Advertise, "advertise {restaurant} {points}", restaurant=slot, points=number),
        Form(Hire, "hire {row},{column} {restaurant} [{bid}]", row=number, column=number, restaurant=slot, bid=money),
        Form(Renovate, "renovate {item} {restaurant}", item=items, restaurant=slot),
    )
