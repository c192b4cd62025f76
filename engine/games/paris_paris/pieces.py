"""Where every piece of the box is."""

from __future__ import annotations

from collections import Counter

from engine.games.paris_paris.components import MAPS
from engine.games.paris_paris.scoring import shops_on_board
from engine.games.paris_paris.state import State


def pieces(state: State) -> Counter[str]:
    """Components, §2: the same count from the deal to the end (the shops of empty seats stay in the box)."""
    box = MAPS[state.map]
    found = Counter({"bus": 1})
    for colour, *places in zip(state.colours, shops_on_board(state), state.supply, state.bag, strict=True):
        found[f"shop {colour}"] = sum(places) + box.printed.setup.score_markers
    found.update(f"token {box.tokens[token]}" for token in state.piles + state.out + state.parked + state.gone)
    found.update(f"marker {box.lines[line]}" for line in state.markers)
    return found
