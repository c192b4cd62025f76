"""Tuples with one item changed or gone: all that the rules do to them."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def changed(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    """The tuple with another item at this place."""
    return (*items[:at], item, *items[at + 1 :])


def without(items: tuple[T, ...], at: int) -> tuple[T, ...]:
    """The tuple without the item at this place."""
    return items[:at] + items[at + 1 :]
