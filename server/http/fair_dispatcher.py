"""Who is served next: every network in its turn, none of them by all threads, none faster than it may ask."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from msgspec import Struct
from waitress.task import ThreadedTaskDispatcher

from server.http.rate_limit import Rate

_ASKS_LITTLE = 0.9
"""A network asks little as long as this part of what it may ask at once is left."""

_LATELY = 5
"""Seconds for which a network that asks several things at once counts as one that asks much."""
_OTHERS_FIRST = 2
"""How many times longer than one of those was served that ask much, the others have the server to themselves."""
_LONGEST_PAUSE = 0.05
_MOST_NETWORKS = 10_000


class Asking(Protocol):
    """A connection on which a request has come in."""

    @property
    def asker(self) -> str | None:
        """The network that asks; None is this machine, which waits for nobody."""
        ...

    def service(self) -> None:
        """Answer the request."""


class _Turn(Struct, frozen=True):
    """A request that is served now."""

    network: str | None
    task: Asking
    asks_much: bool


class FairDispatcher(ThreadedTaskDispatcher):
    """Worker threads that serve networks in turn.

    What a network asks beyond its rate, or beyond ``most`` at the same time, stands in its own line and costs nobody
    else anything: a flood of requests is not even refused faster than that. And a network that asks much is served
    while nobody else is, one request at a time, and for a third of the time at most: threads of one interpreter take
    time from each other, and whoever asks little should rarely meet anybody.
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
        self._asked_much: dict[str | None, float] = {}
        """When a network last asked something before it had its answer."""
        self._others_first_until = 0.0
        """Until then nobody who asks much is served."""
        self.set_thread_count(threads)

    def add_task(self, task: Asking) -> None:  # type: ignore[override]
        """Put a request into the line of its network."""
        with self.lock:
            network = task.asker
            # One may still be at work whose answer has been sent: whoever asks one after the other asks that fast.
            if network in self._lines or self._at_work[network] > 1:
                self._asked_much.pop(network, None)
                self._asked_much[network] = monotonic()
                if len(self._asked_much) > _MOST_NETWORKS:
                    del self._asked_much[next(iter(self._asked_much))]
            self._lines.setdefault(network, deque()).append(task)
            self.queue_cv.notify()

    def handler_thread(self, thread_no: int) -> None:
        """Serve until told to stop."""
        while (turn := self._next_turn(thread_no)) is not None:
            began = monotonic()
            try:
                turn.task.service()
            except BaseException:
                self.logger.exception("Exception when servicing %r", turn.task)
            finally:
                if turn.asks_much:
                    now = monotonic()
                    self._others_first_until = now + min(_OTHERS_FIRST * (now - began), _LONGEST_PAUSE)
                self._left(turn.network)

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

    def _next_turn(self, thread_no: int) -> _Turn | None:
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

    def _turn(self) -> tuple[_Turn | None, float | None]:
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
            if not self._asks_much(network):
                return self._taken(network, asks_much=False), None
            busy.append(network)
        if busy and not self._at_work:
            pause = self._others_first_until - monotonic()
            if pause <= 0:
                return self._taken(busy[0], asks_much=True), None
            soonest = pause if soonest is None else min(pause, soonest)
        return None, soonest

    def _asks_much(self, network: str | None) -> bool:
        """Whether a network asks several things at once, or did lately, or asks one after the other without a pause."""
        if network is None:
            return False
        if self._rate.left(network) < _ASKS_LITTLE:
            return True
        since = self._asked_much.get(network)
        if since is not None and monotonic() - since > _LATELY:
            del self._asked_much[network]
            return False
        return since is not None

    def _taken(self, network: str | None, *, asks_much: bool) -> _Turn:
        self._rate.count(network)
        line = self._lines.pop(network)
        task = line.popleft()
        if line:
            self._lines[network] = line  # behind all others
        self._at_work[network] += 1
        return _Turn(network, task, asks_much)

    def _sleep(self, soonest: float | None) -> None:
        """Until there is something to do. One thread looks at the clock for all."""
        keeps_time = soonest is not None and not self._timed
        self._timed = self._timed or keeps_time
        self.queue_cv.wait(soonest if keeps_time else None)
        if keeps_time:
            self._timed = False
