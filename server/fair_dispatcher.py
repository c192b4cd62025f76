"""Who is served next: every network in its turn, none of them by all threads, none faster than it may ask."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from waitress.task import ThreadedTaskDispatcher

from server.limits import Rate


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
    else anything. So a flood of requests is not even refused faster than that.
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
        for network, line in self._lines.items():
            if network is not None and self._at_work[network] >= self._most:
                continue
            pause = self._rate.pause(network)
            if pause > 0:
                soonest = pause if soonest is None else min(pause, soonest)
                continue
            self._rate.count(network)
            del self._lines[network]
            task = line.popleft()
            if line:
                self._lines[network] = line  # behind all others
            self._at_work[network] += 1
            return (network, task), None
        return None, soonest

    def _sleep(self, soonest: float | None) -> None:
        """Until there is something to do. One thread looks at the clock for all."""
        keeps_time = soonest is not None and not self._timed
        self._timed = self._timed or keeps_time
        self.queue_cv.wait(soonest if keeps_time else None)
        if keeps_time:
            self._timed = False
