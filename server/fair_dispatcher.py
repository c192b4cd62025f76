"""Who is served next: every network in its turn, none of them by all threads, none faster than it may ask."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from waitress.task import ThreadedTaskDispatcher

from server.limits import Rate

_TAKING_TURNS = 0.0005
"""Seconds after which a thread at work lets another go on: a short answer does not wait for a long one."""
_ASKS_LITTLE = 0.9
"""A network asks little as long as this part of what it may ask at once is left."""


class Asking(Protocol):
    """A connection on which a request has come in."""

    @property
    def asker(self) -> str | None:
        """The network that asks; None is this machine, which waits for nobody."""
        ...

    def service(self) -> None:
        """Answer the request."""


class FairDispatcher(ThreadedTaskDispatcher):
    """Worker threads that serve networks in turn.

    What a network asks beyond its rate, or beyond ``most`` at the same time, stands in its own line and costs nobody
    else anything: a flood of requests is not even refused faster than that. And a network that asks much is served
    while nobody else is, one request at a time: threads of one interpreter take time from each other.
    """

    def __init__(self, threads: int, most: int, rate: Rate) -> None:
        super().__init__()
        self._most = most
        self._rate = rate
        self._lines: dict[str | None, deque[Asking]] = {}
        """Those who wait, by their networks, in the order in which it is their turn."""
        self._at_work: Counter[str | None] = Counter()
        self._timed = False
        """Whether a thread waits for the moment at which a network may ask again."""
        sys.setswitchinterval(min(sys.getswitchinterval(), _TAKING_TURNS))
        self.set_thread_count(threads)

    def add_task(self, task: Asking) -> None:  # type: ignore[override]
        """Put a request into the line of its network."""
        with self.lock:
            self._lines.setdefault(task.asker, deque()).append(task)
            self.queue_cv.notify()

    def handler_thread(self, thread_no: int) -> None:
        """Serve until told to stop."""
        while (next_one := self._next_task(thread_no)) is not None:
            network, task = next_one
            try:
                task.service()
            except BaseException:
                self.logger.exception("Exception when servicing %r", task)
            finally:
                self._left(network)

    @contextmanager
    def resting(self, network: str | None) -> Iterator[None]:
        """While a request of this network only waits, another may be served."""
        self._left(network)
        try:
            yield
        finally:
            with self.lock:
                self._at_work[network] += 1

    def _left(self, network: str | None) -> None:
        with self.lock:
            self._at_work[network] -= 1
            if not self._at_work[network]:
                del self._at_work[network]
            if self._lines:
                self.queue_cv.notify()

    def _next_task(self, thread_no: int) -> tuple[str | None, Asking] | None:
        with self.lock:
            while not self.stop_count:
                found, soonest = self._turn()
                if found is not None:
                    if self._lines:  # another thread may go on with them, or wait for their time
                        self.queue_cv.notify()
                    return found
                self.active_count -= 1
                self._sleep(soonest)
                self.active_count += 1
            self.active_count -= 1
            self.stop_count -= 1
            self.threads.discard(thread_no)
            self.thread_exit_cv.notify()
            return None

    def _turn(self) -> tuple[tuple[str | None, Asking] | None, float | None]:
        """Whose turn it is, or in how many seconds it is somebody's."""
        soonest: float | None = None
        busy: list[str | None] = []
        for network in self._lines:
            if network is not None and self._at_work[network] >= self._most:
                continue
            pause = self._rate.pause(network)
            if pause > 0:
                soonest = pause if soonest is None else min(pause, soonest)
                continue
            if self._rate.left(network) >= _ASKS_LITTLE:
                return self._taken(network), None
            busy.append(network)
        if busy and not self._at_work:
            return self._taken(busy[0]), None
        return None, soonest

    def _taken(self, network: str | None) -> tuple[str | None, Asking]:
        self._rate.count(network)
        line = self._lines.pop(network)
        task = line.popleft()
        if line:
            self._lines[network] = line  # behind all others
        self._at_work[network] += 1
        return network, task

    def _sleep(self, soonest: float | None) -> None:
        """Until there is something to do. One thread looks at the clock for all."""
        keeps_time = soonest is not None and not self._timed
        self._timed = self._timed or keeps_time
        self.queue_cv.wait(soonest if keeps_time else None)
        if keeps_time:
            self._timed = False
