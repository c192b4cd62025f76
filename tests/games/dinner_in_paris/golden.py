"""Games among bots that show each way of ending and each pigeon card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.bots import POLICIES, Policy
from engine.chance import Chance
from engine.game import AnyGame
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.moves import AnyMove, Claim, Discard, Draw, Open, Place
from engine.games.dinner_in_paris.view import View
from tests.games.golden_recipes import Recipe


def specialist(category: int, most: int) -> Policy:
    """A player who opens so many restaurants of one category, empties its track, and cares for nothing else.

    Three of them fill the line until nothing fits any more, and none ever empties a second track.
    """

    def choose(game: AnyGame, view: View, legal: Sequence[AnyMove], chance: Chance) -> AnyMove:
        opened = sum(restaurant.seat == view.seat for restaurant in view.restaurants)
        plan = _plan(view, category) if opened < most else Counter({"coin": 7})

        def worth(move: AnyMove) -> int:
            match move:
                case Open(kind, at):
                    left = _gap_before(view, at)
                    return 100 + left if BOX.kinds[kind].category == category and left < 4 and opened < most else -1
                case Place(coins=coins, two_coins=two_coins):
                    return 50 - coins - 2 * two_coins
                case Draw(slot=slot):
                    return 0 if slot is None else 20 * _is_wanted(view, plan, view.river[slot] or "")
                case Discard(card):
                    return -_is_wanted(view, plan, card, held=1)
                case Claim():
                    return -1
            return 1

        return max(chance.shuffled(legal, "move"), key=worth)

    return choose


def _plan(view: View, category: int) -> Counter[str]:
    """The cost of the restaurant that is nearest to being paid for."""
    hand = Counter(view.players[view.seat or 0].hand)
    kinds = [kind for kind in BOX.printed.restaurants if kind.category == category and view.supply[kind.id]]
    costs = [Counter(kind.cost) for kind in kinds]
    return min(costs, key=lambda cost: (cost - hand).total(), default=Counter())


def _is_wanted(view: View, plan: Counter[str], card: str, held: int = 0) -> bool:
    """Whether the plan needs this card, so many of which are in hand already."""
    hand = Counter(view.players[view.seat or 0].hand)
    return any(hand[unit] - held < plan[unit] for unit in BOX.resources[card].shows or ("coin",))


def _gap_before(view: View, at: str) -> int:
    """How many cells of the line are free before this one, on its side."""
    ground = BOX.grounds[view.board, len(view.players)]
    taken = [ground.sites[BOX.kinds[each.kind].size][each.at].cells for each in view.restaurants]
    free = ground.line & ~sum(taken)
    step = 1 if ground.bits[at] << 1 & ground.line else ground.width
    cell, gap = ground.bits[at] >> step, 0
    while cell & free:
        cell, gap = cell >> step, gap + 1
    return gap


SPECIALISTS = {
    "frites": specialist(1, most=5),
    "crepes": specialist(2, most=6),
    "grills": specialist(3, most=1),
}

GOLDEN: Mapping[str, Recipe] = {
    "restaurants": Recipe(
        "enough restaurants end the game; terraces are covered, and every kind of pigeon card is used",
        ("random",) * 2,
        seed=391,
    ),
    "tracks": Recipe("two empty tracks end the game; a free terrace meets another pigeon", ("random",) * 2, seed=302),
    "no-room": Recipe(
        "nothing more fits, neither a restaurant nor a terrace",
        tuple(SPECIALISTS),
        seed=22,
        policies={**POLICIES, **SPECIALISTS},
    ),
    "skipped": Recipe("a free terrace finds no place", ("random",) * 2, seed=80),
    "duo": Recipe("a second claim, on the board for two", ("random",) * 2, seed=129, options={"board": "duo"}),
    "four": Recipe("four players on the whole square", ("random",) * 4, seed=17),
}
