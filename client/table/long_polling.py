"""Waiting for others without asking all the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from client.connection.http_api import Busy, Unreachable
from client.table.player_desk import Desk
from client.trust.table_memory import Memory

LONGEST_WAIT = 50
"""Seconds of one long poll; servers allow 60."""
NOW_AND_THEN = 10.0
"""Seconds between two questions to a server that has no place to wait in."""
RETRIES = 6
T = TypeVar("T")


def patiently(ask: Callable[[], T]) -> T:
    """The answer to a question that may be asked again; a server that is away for a moment is waited for."""
    for attempt in range(RETRIES):
        try:
            return ask()
        except Unreachable:
            time.sleep(0.25 * 2**attempt)
    return ask()


def awaiting(ask: Callable[[int], T], seconds: float) -> T:
    """What ``ask`` finds when it waits for so many seconds at most.

    A server with no place to wait in is asked again after a while, without waiting: whoever goes on asking like this
    comes by now and then, and waits again as soon as there is a place.
    """
    wait = max(1, min(LONGEST_WAIT, round(seconds)))
    for attempt in range(RETRIES):
        try:
            return ask(wait)
        except Busy:
            time.sleep(min(seconds, NOW_AND_THEN))
            return patiently(lambda: ask(0))
        except Unreachable:
            time.sleep(0.25 * 2**attempt)
    return ask(wait)


def await_news(desk: Desk, memory: Memory, seconds: float = LONGEST_WAIT) -> bool:
    """Wait until the log of a table goes on; False if it did not in this time."""
    after = memory.chain.length - 1
    return bool(awaiting(lambda wait: desk.api(memory.server).log(memory.table, after=after, wait=wait), seconds))
