"""How often one address may ask: a token bucket each, in this process's memory."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from time import monotonic

from server.problems import Refused

_MOST_ADDRESSES = 10_000


class Rate:
    """Lets ``rate`` requests per second pass in the long run, and ``burst`` at once."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, address: str) -> None:
        """Count one request; raises Refused if it is one too many."""
        if not self._rate:
            return
        with self._lock:
            now = monotonic()
            tokens, then = self._buckets.pop(address, (self._burst, now))
            tokens = min(self._burst, tokens + (now - then) * self._rate)
            self._buckets[address] = (max(tokens - 1, 0.0), now)
            if len(self._buckets) > _MOST_ADDRESSES:
                self._buckets.popitem(last=False)
        if tokens < 1:
            raise Refused("limit/rate", "too many requests; slow down", retry=max(1, round(1 / self._rate)))
