"""Where every piece of the box is."""

from __future__ import annotations

from collections import Counter

from engine.games.restaurant.components import BOX
from engine.games.restaurant.state import State


def pieces(state: State) -> Counter[str]:
    """Tables and cards, §1: the cards, wherever they are. Markers are not counted out (R21)."""
    found = [card for card in state.tables + state.served if card is not None]
    for hand, packets in zip(state.hands, state.packets, strict=True):
        found += [*hand, *(card for packet in packets for card in packet)]
    return Counter(BOX.cards[card] for card in found)
