"""Events as sentences; a restaurant is called by its owner and its slot, such as ``ann/0``."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Event, Seat
from engine.games.la_bistro import events
from engine.games.la_bistro.chart import criterion_name
from engine.games.la_bistro.moves import Option
from engine.games.la_bistro.state import Diner, House, Round

OPTION_NAMES: dict[Option, str] = {
    "realtor": "the realtor",
    "chef": "the chef",
    "time": "passing time",
    "banker": "the banker",
    "ads": "the ad agency",
    "jobs": "the Jobs Board",
    "renovations": "renovations",
}


def tell(event: Event, names: Sequence[str]) -> str:
    """One event as a sentence, players called by their names."""
    told = _preparation(event, names) or _auction(event, names) or _office(event, names) or _earning(event, names)
    if told is None:
        raise TypeError(f"{type(event).__name__} is no event of La Bistro")
    return told


def house_name(house: House, names: Sequence[str]) -> str:
    """``ann/0``."""
    return f"{names[house.seat]}/{house.slot}"


def _preparation(event: Event, names: Sequence[str]) -> str | None:
    match event:
        case events.Phase(turn, phase):
            return f"Turn {turn}, preparation phase {phase}."
        case events.Applicant(row, column, employee, placed):
            if placed:
                return f"For hire at {row},{column}: {_a(employee)}."
            return f"At {row},{column} ({employee}) there is a die already, so nobody new appears."
        case events.Reveal(options):
            chosen = [f"{name} {OPTION_NAMES[option]}" for name, option in zip(names, options, strict=True)]
            return f"Chosen: {', '.join(chosen)}."
        case events.Order(option, seats):
            return f"At {OPTION_NAMES[option]} the order is {_seats(seats, names)}."
        case events.TimePasses(dice, time):
            where = "the cube leaves the track and the diners come" if time is None else f"the cube moves to {time}"
            return f"Time passes, {_dice(dice)}: {where}."
    return None


def _auction(event: Event, names: Sequence[str]) -> str | None:
    match event:
        case events.PutUp(seat, building, street, price):
            return f"{names[seat]} puts up {street} ({building}), list price {price}."
        case events.Contest(option, seats):
            return f"Several want to choose first at {OPTION_NAMES[option]}: {_seats(seats, names)} bid for the right."
        case events.Challenge(employee, challenger, employer):
            return f"{names[challenger.seat]} wants the {employee} of {house_name(employer, names)}."
        case events.Bid(seat, amount):
            return f"{names[seat]} bids {amount}."
        case events.Passed(seat, broke):
            return f"{names[seat]} {'cannot bid any more' if broke else 'passes'}."
        case events.Limits(seats, limits):
            told = [
                f"{names[seat]} {'passed' if limit is None else limit}"
                for seat, limit in zip(seats, limits, strict=True)
            ]
            return f"The limits were: {', '.join(told)}."
        case events.Bought(house, building, street, price):
            return f"{names[house.seat]} buys {street} ({building}) for {price}; it is restaurant {house.slot}."
        case events.Right(seat, option, price):
            return f"{names[seat]} may choose at {OPTION_NAMES[option]}, for {price}."
        case events.HiredAway(employee, house, employer, to_bank, to_employer):
            split = f"{to_bank} to the bank, {to_employer} to {names[employer.seat]}"
            return f"The {employee} goes to {house_name(house, names)} for {to_bank + to_employer}: {split}."
        case events.Kept(employee, employer, price):
            return f"The {employee} stays with {house_name(employer, names)}, which costs {price}."
    return None


def _office(event: Event, names: Sequence[str]) -> str | None:
    match event:
        case events.Declined(seat, option, broke):
            what = "can afford nothing at" if broke else "buys nothing at"
            return f"{names[seat]} {what} {OPTION_NAMES[option]}."
        case events.Menu(house, cuisine, price, cost):
            return f"{house_name(house, names)} cooks {cuisine} at {price}; the chef costs {cost}."
        case events.Borrowed(seat, amount):
            return f"{names[seat]} borrows {amount}."
        case events.Repaid(seat, loans, amount):
            return f"{names[seat]} repays {_count(loans, 'loan')}, {amount}."
        case events.Advertised(house, points, cost) if points:
            return f"{names[house.seat]} advertises {house_name(house, names)}: {_count(points, 'point')} for {cost}."
        case events.Advertised(house):
            return f"{names[house.seat]} does not advertise."
        case events.Hired(house, employee, price):
            return f"{house_name(house, names)} hires {_a(employee)} for {price}."
        case events.Renovated(house, item, price):
            return f"{house_name(house, names)} is renovated: {item}, for {price}."
    return None


def _earning(event: Event, names: Sequence[str]) -> str | None:
    match event:
        case events.DinersCome(turn, dice, first):
            return f"The diners of turn {turn} come: {_dice(dice)} make {sum(dice)}; the first is on box {first}."
        case events.Served(diner):
            return " ".join([f"{diner_name(diner)}:", *reasons(diner, names), f"{outcome(diner, names)}."])
        case events.Took(house, dice, inflation, regular, fame, novelty) if dice:
            known = f", Fame +{fame}" if fame else ""
            paid = f"{regular} and {inflation} by Inflation" if inflation else f"{regular}"
            return f"{house_name(house, names)} is paid {paid} for {_count(dice, 'diner')}{known}, Novelty {novelty}."
        case events.Took(house):
            return f"{house_name(house, names)} served nobody."
        case events.Interest(seat, loans, amount):
            return f"{names[seat]} pays {amount} interest on {_count(loans, 'loan')}."
        case events.Settled(seat, loans, amount):
            return f"{names[seat]} settles {_count(loans, 'loan')} for {amount}."
        case events.Inflation(die, inflation):
            return f"Inflation: {die} is rolled, and from now on it is {inflation}."
        case events.End(ranking):
            winners = [names[seat] for seat in ranking[0]]
            return f"{_list(winners)} {'wins' if len(winners) == 1 else 'share the victory'}."
    return None


def diner_name(diner: Diner) -> str:
    """``A 4 on box 22``, with its colour unless it is plain."""
    return f"A {diner.die} on box {diner.box}" + ("" if diner.colour == "plain" else f" ({diner.colour})")


def reasons(diner: Diner, names: Sequence[str]) -> list[str]:
    """Which restaurants were full, and which were out by which criterion."""
    full = [f"{_houses(diner.full, names)} full."] if diner.full else []
    return [*full, *(_round(each, diner.colour == "mauve", names) for each in diner.rounds)]


def _round(each: Round, refined: bool, names: Sequence[str]) -> str:
    name = criterion_name(each.criterion)
    if each.criterion.startswith("cuisine:"):
        out = ", ".join(house_name(house, names) for house, _ in each.out)
        return f"{name}: out {out}." if out else f"{name}: {'all' if each.best else 'nobody'}."
    best = _figure(each.criterion, each.best, refined)
    out = ", ".join(
        f"{house_name(house, names)} ({_figure(each.criterion, figure, refined)})" for house, figure in each.out
    )
    return f"{name}: {best} stays, out {out}." if out else f"{name}: all {best}."


def _figure(criterion: str, figure: int, refined: bool) -> str:
    if criterion == "proximity":
        return f"{figure} away"
    if refined:
        return str(figure)
    return f"level {figure}" if criterion == "price" else f"tier {figure}"


def outcome(diner: Diner, names: Sequence[str]) -> str:
    """Who got it, and what it pays."""
    if not diner.got:
        return "The diner goes home hungry"
    if len(diner.got) == 1:
        bonus = f" and {diner.gold} in gold" if diner.gold else ""
        return f"{house_name(diner.got[0], names)} gets it for {diner.each[0]}{bonus}"
    shares = [f"{house_name(house, names)} {share}" for house, share in zip(diner.got, diner.each, strict=True)]
    return f"Split: {', '.join(shares)}"


def _houses(houses: Sequence[House], names: Sequence[str]) -> str:
    return f"{_list([house_name(house, names) for house in houses])} {'is' if len(houses) == 1 else 'are'}"


def _seats(seats: Sequence[Seat], names: Sequence[str]) -> str:
    return ", ".join(names[seat] for seat in seats)


def _dice(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice))


def _a(thing: str) -> str:
    return f"{'an' if thing[0] in 'AEIOU' else 'a'} {thing}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _list(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
