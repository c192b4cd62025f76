"""Where every piece of the box is."""

from __future__ import annotations

from collections import Counter

from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.state import State


def pieces(state: State) -> Counter[str]:
    """Components, §2: the same count from the deal to the end (what belongs to empty seats stays in the box)."""
    found = Counter({f"majority {card}": 1 for card in BOX.majorities})
    resources = [*state.deck, *state.discards, *(card for card in state.river if card)]
    pigeons, objectives = [*state.pigeons], [*state.objectives, *state.row]
    if state.turn.drawn:
        objectives.append(state.turn.drawn)
    for seat, player in enumerate(state.players):
        resources += player.hand
        pigeons += player.kept + player.used
        objectives += player.held + player.claimed
        for track, gone in zip(BOX.tracks, player.tracks, strict=True):
            found[f"terrace {seat + 1}/{track.category}"] += len(track.cost) - gone
    found.update(f"resource {card}" for card in resources)
    found.update(f"pigeon {card}" for card in pigeons)
    found.update(f"objective {card}" for card in objectives)
    for kind, left in zip(BOX.kinds, state.supply, strict=True):
        found[f"restaurant {kind}"] += left
    categories = [f"terrace {each.seat + 1}/{BOX.kinds[each.kind].category}" for each in state.restaurants]
    for restaurant, category, shown in zip(state.restaurants, categories, state.terraces, strict=True):
        found[f"restaurant {restaurant.kind}"] += 1
        found[category] += shown.bit_count()
    found.update(categories[number] for _, number in state.covered)
    return found
