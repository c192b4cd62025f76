"""What every seat has, as a tuple in seat order."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def with_seat(items: tuple[T, ...], seat: int, item: T) -> tuple[T, ...]:
    """The same, but for one seat.

    >>> with_seat(("ann", None, "cy"), 1, "bob")
    ('ann', 'bob', 'cy')
    """
    return (*items[:seat], item, *items[seat + 1 :])
