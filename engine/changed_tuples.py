"""Tuples with one item changed: how frozen states, and what every seat has, go from one value to the next."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def with_item(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    """The same, but for the item at this place.

    >>> with_item(("ann", None, "cy"), 1, "bob")
    ('ann', 'bob', 'cy')
    """
    return (*items[:at], item, *items[at + 1 :])
