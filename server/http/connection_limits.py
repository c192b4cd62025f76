"""The HTTP server's connections: how many there are, from where, and how slowly anybody may speak or listen.

Waitress takes connections as they come. This one makes room for a new one by hanging up on who has asked nothing for
longest, and hangs up on who is too slow, so that no network keeps others out.
"""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import AbstractContextManager
from time import time
from typing import Any, cast

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import WSGITask

from server.http.fair_dispatcher import FairDispatcher
from server.http.rate_limit import Rate, network_of
from server.service.poll_places import hung_up
from server.settings import Settings

LARGEST_HEAD = 16 * 1024
"""Bytes of a request line and its header fields together."""
MOST_FIELDS = 100
IDLE = 75
"""Seconds that a connection may lie idle: longer than a reverse proxy keeps one, or it would use it in vain."""
SPEAKING = 20
"""Seconds in which a request must have come in, all of it."""
LISTENING = 20
"""Seconds in which somebody must have taken so much of an answer (or all of it):"""
LEAST_TAKEN = 32 * 1024
_LOOK = 5
"""Seconds between two looks at who is too slow."""
_SHARE = 10
"""A network has one in so many of the connections, at most."""
_AT_ONCE = 8
"""A network has one in so many of the threads, at most, and two in any case."""
_LEEWAY = 2
"""How many times faster than it may ask a network is heard at all: so that it is told to slow down."""
_AT_A_TIME = 20
"""Requests of a network that are heard at once in any case."""
_OTHER_FILES = 256
"""Files that this process has open besides: databases, logs, long answers."""
_BIGGEST_BODY = 1024 * 1024
"""Beyond this (or twice what the application takes) waitress hangs up by itself; below it the application answers."""


class _Parser(HTTPRequestParser):
    """A request with a reasonable number of header fields."""

    def parse_header(self, header_plus: bytes) -> None:
        if header_plus.count(b"\n") > MOST_FIELDS:
            raise ParsingError("too many header fields")
        super().parse_header(header_plus)


class _Task(WSGITask):
    """A request that knows its connection."""

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ["poste.connection"] = self.channel
        return environ


class Connection(HTTPChannel):
    """One connection: where it comes from, and whether it goes on."""

    parser_class = _Parser
    task_class = _Task

    def __init__(self, server: Server, sock: socket.socket, addr: Any, adj: Adjustments, **more: Any) -> None:
        super().__init__(server, sock, addr, adj, **more)
        self.network = server.network(addr)
        self._proxies = server.proxies
        self._dispatcher = server.dispatcher
        self.answered = self.creation_time
        """When the last request was answered: since then nothing has been asked."""
        self._speaking: tuple[object, float] = (None, self.creation_time)
        self._taken = 0
        self._listening = (0, self.creation_time)

    @property
    def asker(self) -> str | None:
        """The network that the next request comes from: a proxy says of whom it is."""
        if not self._proxies:
            return self.network
        chain = str(self.requests[0].headers.get("X_FORWARDED_FOR", "")).rsplit(",", self._proxies)
        address = chain[-self._proxies].strip() if len(chain) >= self._proxies else self.addr[0]
        return network_of(address, proxied=True)

    @property
    def idle(self) -> bool:
        """Whether nothing is under way here: not asked anything, or not in full, and everything told."""
        return not (self.requests or self.total_outbufs_len or self.will_close)

    def gone(self) -> bool:
        """Whether nobody is there any more."""
        line = self.socket
        return line is None or not self.connected or hung_up(line)

    def resting(self) -> AbstractContextManager[None]:
        """While the request that is being served here only waits for news."""
        return self._dispatcher.resting(self.asker)

    def received(self, data: bytes) -> bool:
        """Take what has come in. Nobody asks a second time before they have had their answer."""
        taken: bool = super().received(data)
        if len(self.requests) > 1:
            self.will_close = True
        return taken

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send some of it; gives how much."""
        sent: int = super().send(data, do_close)
        self._taken += sent
        return sent

    def service(self) -> None:
        """Answer the request."""
        super().service()
        self.answered = time()

    def is_too_slow(self, now: float) -> bool:
        """Whether a request takes too long to come in, or an answer to go out. To be asked every few seconds."""
        if self.request is not self._speaking[0] or self.requests:
            self._speaking = (self.request, now)
        if not self.total_outbufs_len or self._taken - self._listening[0] >= LEAST_TAKEN:
            self._listening = (self._taken, now)
        speaking = self.request is not None and now - self._speaking[1] > SPEAKING
        return speaking or now - self._listening[1] > LISTENING


class Server(TcpWSGIServer):
    """Waitress, with an end to what one network can take of it."""

    channel_class = Connection

    def __init__(self, application: Any, listener: socket.socket, settings: Settings) -> None:
        self.proxies = settings.proxies
        self._most = _possible(settings.connections)
        self._rate = Rate(settings.rate, settings.burst)
        adjustments = Adjustments(
            sockets=[listener],
            ident="poste-server",
            connection_limit=2 * self._most,  # ours comes first
            cleanup_interval=_LOOK,
            channel_timeout=IDLE,
            max_request_header_size=LARGEST_HEAD,
            max_request_body_size=max(_BIGGEST_BODY, 2 * settings.body),
            clear_untrusted_proxy_headers=False,
            log_socket_errors=False,
        )
        self.dispatcher = FairDispatcher(
            settings.threads,
            max(2, settings.threads // _AT_ONCE),
            _heard(settings),
        )
        place = (listener.family, listener.type, listener.proto, listener.getsockname())
        parts: dict[str, Any] = {
            "dispatcher": self.dispatcher,
            "adj": adjustments,
            "sockinfo": place,
            "bind_socket": False,
        }
        super().__init__(application, {}, _sock=listener, **parts)

    def network(self, address: tuple[Any, ...]) -> str | None:
        """Where a connection comes from; None if that is no reason to refuse it: this machine, or a proxy."""
        return None if self.proxies else network_of(str(address[0]), proxied=False)

    def accept(self) -> tuple[socket.socket, tuple[Any, ...]] | None:
        """The next connection that there is room for."""
        for _ in range(self._most):
            accepted: tuple[socket.socket, tuple[Any, ...]] | None = super().accept()
            if accepted is None or self._is_welcome(self.network(accepted[1])):
                return accepted
            accepted[0].close()
        return None

    def maintenance(self, now: float) -> None:
        """Hang up on who is idle or too slow."""
        super().maintenance(int(now))
        for connection in self._connections():
            if connection.is_too_slow(now):
                connection.handle_close()  # not in its turn to write, which never comes if nobody reads

    def _connections(self) -> list[Connection]:
        return list(cast("dict[int, Connection]", self.active_channels).values())

    def _is_welcome(self, network: str | None) -> bool:
        if self._rate.pause(network) > 0:
            return False
        self._rate.count(network)
        there = self._connections()
        theirs = [one for one in there if one.network == network]
        if network is not None and len(theirs) >= max(1, self._most // _SHARE) and not _hung_up_on_one(theirs):
            return False
        return len(there) < self._most or _hung_up_on_one(there)


def _hung_up_on_one(connections: list[Connection]) -> bool:
    """Make room by the one that has asked nothing for longest, in the largest network; False if none is idle."""
    number = Counter(one.network for one in connections)
    idle = (one for one in connections if one.idle)
    longest = min(idle, key=lambda one: (-number[one.network], one.answered), default=None)
    if longest is None:
        return False
    longest.will_close = True
    return True


def _heard(settings: Settings) -> Rate:
    """How fast a network is heard. What it may ask at once is spread over some seconds."""
    rate = _LEEWAY * settings.rate
    return Rate(rate, max(_AT_A_TIME, round(rate)))


def _possible(wanted: int) -> int:
    """So many connections as wanted, or as this process may have files open, a few of which it needs for others."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    possible = needed if hard == resource.RLIM_INFINITY else min(hard, needed)
    resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
    return max(1, possible - _OTHER_FILES)
