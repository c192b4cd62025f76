"""Places for requests that wait for news: shared out so that nobody has all of them, and given back by who is gone."""

from __future__ import annotations

import select
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock

from msgspec import Struct

from server.problems import RequestRefused

_HANG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


def hung_up(line: socket.socket) -> bool:
    """Whether the other side has closed this connection, even if something they sent before has not been read yet."""
    number = line.fileno()
    if number < 0:
        return True
    poll = select.poll()
    poll.register(number, _HANG_UP)
    return bool(poll.poll(0))


class Waiter(Struct, frozen=True):
    """Whoever waits."""

    network: str | None = None
    """Where they are; None is this machine."""
    player: int | None = None
    """Who they are, if they have signed and are registered."""
    gone: Callable[[], bool] = lambda: False
    """Whether nobody is there any more to be answered."""
    resting: Callable[[], AbstractContextManager[None]] = nullcontext
    """What surrounds the waiting, during which others from the same network may be served."""


class WaitingPlaces:
    """So many places in all. Half of them are kept for players; nobody has more than a quarter, no network more than
    half, and of those that have not signed no network more than a quarter.
    """

    def __init__(self, places: int) -> None:
        quarter, half = max(1, places // 4), max(1, places // 2)
        self._places = places
        self._each = {"stranger": half, "player": quarter, "network": half, "strangers of": quarter}
        self._taken = 0
        self._of: Counter[tuple[str, str | int]] = Counter()
        self._lock = Lock()

    @contextmanager
    def place(self, waiter: Waiter) -> Iterator[None]:
        """A place for as long as it is wanted; raises Refused if there is none."""
        shares = _shares(waiter)
        with self._lock:
            if self._taken >= self._places or any(self._of[share] >= self._each[share[0]] for share in shares):
                why = "too many are waiting for news already; ask again without waiting"
                raise RequestRefused("server/busy", why, retry=2)
            self._taken += 1
            self._of.update(shares)
        try:
            with waiter.resting():
                yield
        finally:
            with self._lock:
                self._taken -= 1
                self._of.subtract(shares)
                self._of = +self._of


def _shares(waiter: Waiter) -> list[tuple[str, str | int]]:
    """What this place counts as, by the names of the limits."""
    signed: tuple[str, str | int] = ("stranger", "") if waiter.player is None else ("player", waiter.player)
    if waiter.network is None:
        return [signed]
    strangers = [("strangers of", waiter.network)] if waiter.player is None else []
    return [signed, ("network", waiter.network), *strangers]
