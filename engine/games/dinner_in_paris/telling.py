"""Events as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.game import Event
from engine.games.dinner_in_paris import events
from engine.games.dinner_in_paris.components import BOX

TRIGGERS = {
    "restaurants": "enough restaurants stand round the square",
    "tracks": "two tracks of one player are empty",
    "no-room": "there is no room for another restaurant or terrace",
}
MAJORITIES = {"restaurants": "restaurants", "money": "money", "pigeon-cards": "pigeon cards"}


def tell(event: Event, names: Sequence[str]) -> str:
    """One event as a sentence, players called by their names."""
    match event:
        case events.River(cards):
            return f"The river: {_cards(card for card in cards if card)}."
        case events.Dealt(seat, cards, objectives):
            return f"{names[seat]} is dealt {_cards(cards)}, and may keep {' or '.join(objectives)}."
        case events.MajorityCard(card):
            wanted = _list([majority(each) for each in BOX.majorities[card].majorities])
            return f"The majorities of this game are {wanted}."
        case events.Chosen(seat, objective):
            return f"{names[seat]} keeps the objective {objective}."
        case events.CommonRow(objectives):
            return f"All have chosen. The common objectives are {_list(objectives)}."
        case events.LastRound(seat, trigger):
            return f"{names[seat]} brings the end: {TRIGGERS[trigger]}. The round is played to its end."
        case events.Revealed(seat, hand, kept, objectives):
            return _revealed(names[seat], hand, kept, objectives)
        case events.MajorityScored(name, counts, points):
            each = zip(names, counts, points, strict=True)
            return f"Majority, {majority(name)}: {', '.join(f'{who} {n} (+{scored})' for who, n, scored in each)}."
        case events.End(totals, ranking):
            result = ", ".join(f"{name} {total}" for name, total in zip(names, totals, strict=True))
            winners = _list([names[seat] for seat in ranking[0]])
            return f"{winners} {'wins' if len(ranking[0]) == 1 else 'share the victory'}: {result}."
    return _told_of_cards(event, names) or _told_of_building(event, names)


def _told_of_cards(event: Event, names: Sequence[str]) -> str:
    match event:
        case events.DrawRiver(seat, card):
            return f"{names[seat]} takes {card} from the river."
        case events.DrawDeck(seat):
            return f"{names[seat]} draws from the deck."
        case events.Drawn(seat, card):
            return f"{names[seat]} has drawn {card}."
        case events.Refill(slot, card):
            return f"Slot {slot + 1} of the river is filled with {card}."
        case events.Renew(cards):
            return f"Too many cards of the river are alike, and it is dealt anew: {_cards(cards)} are discarded."
        case events.Reshuffle(cards):
            return f"The deck is empty: {cards} discarded cards are shuffled into a new one."
        case events.Discard(seat, card):
            return f"{names[seat]} discards {card}."
        case events.PigeonPlayed(seat, card):
            return f"{names[seat]} meets a pigeon and draws {card}: {BOX.pigeons[card].text}"
        case events.PigeonKept(seat):
            return f"{names[seat]} meets a pigeon and keeps its card."
        case events.PigeonDrawn(seat, card):
            return f"{names[seat]} has drawn the pigeon card {card}: {BOX.pigeons[card].text}"
        case events.Claim(seat, objective, points, bonus):
            how = " with a pigeon card" if bonus else ""
            return f"{names[seat]} claims {objective}{how} (+{points})."
        case events.ObjectiveCard(seat):
            return f"{names[seat]} plays a pigeon card for another objective."
        case events.ObjectiveDrawn(seat, objective):
            return f"{names[seat]} has drawn the objective {objective}."
        case events.ObjectiveKept(seat):
            return f"{names[seat]} keeps the objective drawn."
        case events.ObjectiveShared(seat, objective):
            return f"{names[seat]} puts {objective} into the common row."
    return ""


def _told_of_building(event: Event, names: Sequence[str]) -> str:
    match event:
        case events.Open(seat, kind, at, pay, less, gauge):
            saved = " and a one-less card" if less else ""
            return f"{names[seat]} opens a {kind} at {at} for {_cards(pay)}{saved}; income {gauge}."
        case events.Place(seat, restaurant, cell, cost):
            return f"{names[seat]} places a terrace of {restaurant} on {cell} for {cost}{_extras(event, names)}."
        case events.Income(seat, gauge):
            return f"{names[seat]} reveals a +: income {gauge}."
        case events.Skip(seat):
            return f"{names[seat]} finds no place for the free terrace."
        case events.Built(seat, lost):
            return f"{names[seat]} has built{f' and loses the {lost} left in the purse' if lost else ''}."
    raise TypeError(f"{type(event).__name__} is no event of Dinner in Paris")


def majority(name: str) -> str:
    """A majority in words."""
    match name.split(":"):
        case ["around", decor]:
            return f"terraces around {_plural(decor)}"
        case ["zone", zone]:
            return f"terraces in the {zone}"
        case _:
            return MAJORITIES[name]


def objective(card: str) -> str:
    """What an objective asks for, in words; a shape is drawn row by row."""
    asked = BOX.objectives[card]
    match asked.kind:
        case "decor":
            return f"{asked.each} around {_plural(asked.decor) if asked.decor == 'fountain' else _each(asked.decor)}"
        case "decor-types":
            return f"{asked.each} around a band, a flower bed, the fountain and a street light"
        case "quarters":
            return f"{asked.each} in each quarter"
        case "zone":
            return f"{asked.total} in the {asked.zone}"
        case "placed":
            return f"{asked.total} placed"
        case "placed-categories":
            return f"{asked.each} placed from each track"
        case "category-finished":
            return "an empty track"
        case "shape":
            return " / ".join(asked.shape)


def _each(decor: str) -> str:
    return f"each {decor.replace('-', ' ')}"


def _plural(decor: str) -> str:
    return "the fountain" if decor == "fountain" else f"{decor.replace('-', ' ')}s"


def _extras(event: events.Place, names: Sequence[str]) -> str:
    """What else was spent on a terrace, and what it came to lie on."""
    said = []
    if event.coins:
        said.append(f"{event.coins} coin{'s' * (event.coins > 1)}")
    if event.two_coins:
        said.append(f"{event.two_coins} two-coins card{'s' * (event.two_coins > 1)}")
    if event.neighbours:
        said.append("a neighbours card")
    using = f", with {_list(said)}" if said else ""
    return using if event.over is None else f"{using}, over a terrace of {names[event.over]}"


def _revealed(name: str, hand: Sequence[str], kept: Sequence[str], objectives: Sequence[str]) -> str:
    pigeons = f"; pigeon cards {_cards(kept)}" if kept else ""
    left = f"{_list(objectives)} unclaimed" if objectives else "no objective unclaimed"
    return f"{name} shows {_cards(hand)}{pigeons}; {left}."


def _cards(cards: Iterable[str]) -> str:
    """``2 flour and cheese``, or ``no cards``."""
    return _list([several(card, count) for card, count in Counter(cards).items()]) or "no cards"


def several(card: str, count: int) -> str:
    """So many of a card: ``cheese``, ``2 cheese``, ``2 coins``."""
    if count == 1:
        return card
    return f"{count} {card}{'s' if card in BOX.resources and BOX.resources[card].coins else ''}"


def _list(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
