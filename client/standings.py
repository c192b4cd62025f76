"""Results as people read them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from engine.game import Standing
from engine.scene import Scene, Table
from engine.scene import text as drawing


def standing_table(names: Sequence[str], standing: Standing) -> Table:
    """A standing as a table: best first, what each score is made of, and the tie-breaks where they decided."""
    parts = list(standing.scores[0].parts)
    totals = [score.total for score in standing.scores]
    tied = len(set(totals)) < len(totals)
    ties = [tie.name for tie in standing.scores[0].ties] if tied else []
    rows = []
    place = 1
    for rank in standing.ranking:
        for seat in rank:
            score = standing.scores[seat]
            figures = [str(score.parts[part]) for part in parts]
            figures += [str(tie.value) for tie in score.ties] if tied else []
            rows.append((f"{place}.", names[seat], *figures, str(score.total)))
        place += len(rank)
    header = ("", "player", *parts, *ties, "total")
    return Table("", header, tuple(rows), right=tuple(range(2, len(header))))


def print_standing(names: Sequence[str], standing: Standing) -> None:
    """Print a standing as a table."""
    click.echo(drawing.draw(Scene("", (standing_table(names, standing),))), nl=False)


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
    table = Table("", ("player", "won", "mean score"), tuple(rows), right=(1, 2))
    click.echo(drawing.draw(Scene("", (table,))), nl=False)
