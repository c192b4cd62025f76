"""Tuples with one item gone."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def without(items: tuple[T, ...], at: int) -> tuple[T, ...]:
    """The tuple without the item at this place."""
    return items[:at] + items[at + 1 :]
