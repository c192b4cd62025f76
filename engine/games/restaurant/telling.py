"""Events as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.game import Event
from engine.games.restaurant import events
from engine.games.restaurant.components import BOX

_CARDS = {card.id: card for card in BOX.printed.cards}


def tell(event: Event, names: Sequence[str]) -> str:
    """One event as a sentence, players called by their names."""
    match event:
        case events.Take(seat, table, card):
            return f"{names[seat]} takes {a(card) if card else 'a menu'} from {table}."
        case events.Menu(seat, card):
            return f"It is {a(card)}, which only {names[seat]} has seen."
        case events.Lapse():
            return "There is no card for the extra move, which lapses."
        case events.Swap(seat, target):
            return f"{names[seat]} gives the plat du jour to {names[target]} and draws a card for it."
        case events.Drawn(seat, target, card):
            return f"The card drawn is {a(card)}, as only {names[seat]} and {names[target]} know."
        case events.Keep(seat):
            return f"{names[seat]} keeps the plat du jour."
        case events.Stop(seat):
            return f"{names[seat]} declines the extra move."
        case events.Reserve(seat, card, face_down):
            return f"{names[seat]} lays {a(card)} aside, with {_menus(face_down)} face down under it."
        case events.DeadEnd(table, seat):
            return f"{table} is a dead end: {names[seat]} starts again at the edge."
        case events.Count(noted, first):
            points = ", ".join(f"{name} {value}" for name, value in zip(names, noted, strict=True))
            return f"A dead end, and the orders are over. Noted: {points}. {names[first]} serves first."
        case _:
            return _service(event, names)


def _service(event: Event, names: Sequence[str]) -> str:
    match event:
        case events.Serve(seat, table, card, owner):
            whose = "an own" if owner == seat else f"{names[owner]}'s"
            return f"{names[seat]} serves {a(card)} at {table}, under {whose} marker."
        case events.Pass(seat):
            return f"{names[seat]} can place nothing and is passed over."
        case events.Over(seat, why):
            return f"{_ending(why, names[seat])} The game is over."
        case events.Left(hands):
            left = "; ".join(f"{name} {hand_text(hand)}" for name, hand in zip(names, hands, strict=True))
            return f"Left in hand: {left}."
        case events.End(ranking):
            winners = [names[seat] for seat in ranking[0]]
            listed = " and ".join([", ".join(winners[:-1]), winners[-1]] if len(winners) > 1 else winners)
            return f"{listed} {'wins' if len(winners) == 1 else 'share the victory'}."
    raise TypeError(f"{type(event).__name__} is no event of Restaurant")


def a(card: str) -> str:
    """``a menu of 300``."""
    return f"a {_CARDS[card].name}"


def hand_text(hand: Sequence[str]) -> str:
    """Cards as players write them, by kind: ``plat x3, 100, r200``."""
    counts = Counter(hand)
    kinds = [(card.text, counts[card.id]) for card in BOX.printed.cards if counts[card.id]]
    return ", ".join(f"{text} x{count}" if count > 1 else text for text, count in kinds) or "nothing"


def _menus(count: int) -> str:
    return {0: "nothing", 1: "one menu"}.get(count, f"{count} menus")


def _ending(why: events.Ending, name: str) -> str:
    match why:
        case "empty-hand":
            return f"{name} has placed the last card in hand."
        case "dead-end":
            return "No open table touches the one just served."
        case "declined":
            return f"{name} does not leave the dead end."
        case "blocked":
            return "Nobody can place a card any more."
