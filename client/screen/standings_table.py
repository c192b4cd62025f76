"""Results as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from client.output import print_text
from engine.game import Standing
from engine.scene import Columns, Scene
from engine.scene import text as drawing
from engine.scene.standings import standing_columns


def print_standing(names: Sequence[str], standing: Standing) -> None:
    """Print a standing as a table."""
    print_text(drawing.draw(Scene("", (standing_columns(names, standing),))).removesuffix("\n"))


def print_results(names: Sequence[str], results: Sequence[Standing]) -> None:
    """Print one standing, or the sum of many: games won (a shared victory counts for each) and mean score."""
    seats = [f"{name} (seat {seat})" for seat, name in enumerate(names)]
    if len(results) == 1:
        print_standing(seats, results[0])
        return
    rows = []
    for seat, name in enumerate(seats):
        won = sum(seat in standing.winners for standing in results)
        mean = sum(standing.scores[seat].total for standing in results) / len(results)
        rows.append((name, str(won), f"{mean:.1f}"))
    table = Columns("", ("player", "won", "mean score"), tuple(rows), right=(1, 2))
    print_text(drawing.draw(Scene("", (table,))).removesuffix("\n"))
