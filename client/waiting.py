"""Waiting for others without asking all the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from client.api import Unreachable
from client.desk import Desk
from client.memory import Memory

LONGEST_WAIT = 50
"""Seconds of one long poll; servers allow 60."""
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


def await_news(desk: Desk, memory: Memory, seconds: float = LONGEST_WAIT) -> bool:
    """Wait until the log of a table goes on; False if it did not in this time."""
    wait = max(1, min(LONGEST_WAIT, round(seconds)))
    after = memory.chain.length - 1
    return bool(patiently(lambda: desk.api(memory.server).log(memory.table, after=after, wait=wait)))
