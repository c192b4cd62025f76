"""A standing laid out as a table, for terminals and letters alike."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Standing
from engine.scene import Columns


def standing_columns(names: Sequence[str], standing: Standing) -> Columns:
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
    return Columns("", header, tuple(rows), right=tuple(range(2, len(header))))
