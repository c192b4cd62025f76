"""A desk: how one kind of decision is put, what may be answered, and what becomes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.cited_rules import Rule
from engine.game import Seat
from engine.games.la_bistro.moves import AnyMove
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.state import Table

Answers: TypeAlias = Sequence[tuple[Seat, Any]]
"""Who answered what, in seat order; one answer unless they are sealed."""


@dataclass(frozen=True, slots=True)
class DecisionKind:
    """The stage passed to each function is the one this desk belongs to.

    ``check`` raises IllegalMove; only moves of these kinds come so far. ``carry_out`` trusts what was checked.
    """

    kind: str
    rule: Rule
    moves: tuple[type[AnyMove], ...]
    prompt: Callable[[Table, Any], str]
    legal: Callable[[Table, Any, Seat], Sequence[AnyMove]]
    check: Callable[[Table, Any, Seat, Any], None]
    fallback: Callable[[Table, Any, Seat], AnyMove]
    carry_out: Callable[[Course, Any, Answers], None]
    sealed: bool = False
