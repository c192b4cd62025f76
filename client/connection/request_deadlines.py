"""An end to every request: no server can hold a command by answering a little at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

from client.output import CommandRefused

PATIENCE = "POSTE_TIMEOUT"
"""The environment variable that says how many seconds a request may take in all."""
LONGEST = 120
DAY = 86_400
MOST_UNFINISHED = 4
"""So many requests may be under way without anybody waiting for them any more."""
T = TypeVar("T")


class LateError(Exception):
    """It was not done in time."""


class Deadlines:
    """Deadlines for one server after the other; whatever is late is left to itself, and not for ever more of it."""

    def __init__(self) -> None:
        self.seconds = _patience()
        self._late: list[threading.Thread] = []

    def kept(self, act: Callable[[], T], seconds: float | None = None, wait: float = 0) -> T:
        """What the act gives or raises; raises LateError after so many ``seconds``, and those it was asked to ``wait``.

        Sockets have time limits of their own, but only for the next byte; and looking up a name has none. So it is
        done in a thread, which ends with the command at the latest.
        """
        self._late = [thread for thread in self._late if thread.is_alive()]
        if len(self._late) >= MOST_UNFINISHED:
            raise LateError
        done: SimpleQueue[Callable[[], T]] = SimpleQueue()
        thread = threading.Thread(target=lambda: done.put(_tried(act)), daemon=True)
        thread.start()
        try:
            result = done.get(timeout=max(0.0, (self.seconds if seconds is None else seconds) + wait))
        except Empty:
            self._late.append(thread)
            raise LateError from None
        return result()


def _tried(act: Callable[[], T]) -> Callable[[], T]:
    """Something that gives or raises what the act did."""
    try:
        value = act()
    except BaseException as error:  # it is raised again where it is waited for
        failure = error

        def fail() -> T:
            raise failure

        return fail
    return lambda: value


def _patience() -> float:
    given = os.environ.get(PATIENCE, str(LONGEST))
    if not (given.isascii() and given.isdecimal() and 1 <= int(given[:9]) <= DAY):
        raise CommandRefused(f"{PATIENCE} is “{given}”; it must be a number of seconds, at most a day's.")
    return int(given)
