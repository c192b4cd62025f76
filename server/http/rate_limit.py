"""How often one network may ask: a token bucket each, in this process's memory."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Lock
from time import monotonic

from server.problems import RequestRefused

_MOST_NETWORKS = 10_000
_OWN = ("127.0.0.1", "::1")
_SITE = 64
"""The leading bits of an IPv6 address that tell one site from another; within it everybody has as many as they like."""


@lru_cache(maxsize=_MOST_NETWORKS)
def network_of(address: str, *, proxied: bool) -> str | None:
    """What counts as one asker: an IPv4 address, or the /64 that an IPv6 address is in.

    None is this machine itself, which need not be kept out of it; behind a proxy everybody seems to be there, and the
    proxy says where they are.

    >>> network_of("2001:db8:1:2::77", proxied=False), network_of("::ffff:192.0.2.1", proxied=False)
    ('2001:db8:1:2::/64', '192.0.2.1')
    """
    try:
        found: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found
    if not proxied and str(found) in _OWN:
        return None
    if isinstance(found, IPv6Address):
        return str(ip_network((int(found), _SITE), strict=False))
    return str(found)


class Rate:
    """Lets ``rate`` requests per second pass in the long run, and ``burst`` at once."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, network: str | None) -> None:
        """Count one request; raises Refused if it is one too many. This machine's own (None) are not counted."""
        if self.pause(network) > 0:
            raise RequestRefused("limit/rate", "too many requests; slow down", retry=max(1, round(1 / self._rate)))
        self.count(network)

    def pause(self, network: str | None) -> float:
        """In how many seconds the next request may pass; 0 is now."""
        if not self._rate or network is None:
            return 0.0
        with self._lock:
            return max(0.0, (1 - self._tokens(network, monotonic())) / self._rate)

    def left(self, network: str | None) -> float:
        """Which part of what may pass at once is left: 1 is all of it."""
        if not self._rate or network is None:
            return 1.0
        with self._lock:
            return self._tokens(network, monotonic()) / self._burst

    def count(self, network: str | None) -> None:
        """Count one request that passes."""
        if not self._rate or network is None:
            return
        with self._lock:
            now = monotonic()
            left = self._tokens(network, now) - 1
            self._buckets.pop(network, None)
            self._buckets[network] = (max(left, 0.0), now)
            if len(self._buckets) > _MOST_NETWORKS:
                self._buckets.popitem(last=False)

    def _tokens(self, network: str, now: float) -> float:
        tokens, then = self._buckets.get(network, (self._burst, now))
        return min(self._burst, tokens + (now - then) * self._rate)
