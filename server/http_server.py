"""Serving for real: waitress, a line that says where, and an end that loses nothing."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from math import ceil
from threading import Event
from time import monotonic
from types import FrameType
from typing import Any

from waitress import wasyncore

from server.app import application
from server.http.connection_limits import Server
from server.mail.background_services import BackgroundServices, check, takes_mail
from server.operator_terminal import say
from server.service.server_context import ServerContext, enter
from server.settings import Settings, SettingsRefused
from server.thread_turns import take_short_turns

log = logging.getLogger("poste")

GRACE = 8.0
"""Seconds that everything under way is given when the server is told to stop."""


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; then finish what was begun. Raises SettingsRefused."""
    check(settings)
    take_short_turns()
    listener = _listen(settings.host, settings.port)
    context = enter(settings)
    server = Server(application(context), listener, settings)
    gc.freeze()  # what was loaded stays: to go through it for garbage again and again would hold up every request
    services = _services(context)
    told = Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        told.set()
        server.pull_trigger()

    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, stop)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    say(f"Poste Restante at http://{host}:{listener.getsockname()[1]}")
    if services.address:
        say(f"Mail at {services.address}")
    loop(server, told.is_set)
    until = monotonic() + GRACE
    services.tell()
    context.news.close()  # whoever waits for news is answered now
    server.accepting = False
    loop(server, lambda: _all_answered(server) or monotonic() > until)
    server.task_dispatcher.shutdown(cancel_pending=False, timeout=max(0, ceil(until - monotonic())))
    server.close()
    _leave(context, services, until, ["requests"] if server.task_dispatcher.threads else [])


def _services(context: ServerContext) -> BackgroundServices:
    """What runs beside the HTTP server unless told otherwise: the worker, and mail in if it is set up."""
    rooms = BackgroundServices()
    if context.settings.worker:
        rooms.work(context)
        if takes_mail(context.settings):
            rooms.take_mail(context)
    return rooms


def serve_alone(settings: Settings, start: Callable[[BackgroundServices, ServerContext], None]) -> None:
    """Run one of the services beside it in a process of its own until SIGTERM or SIGINT. Raises SettingsRefused."""
    check(settings)
    take_short_turns()
    context = enter(settings, founding=False)
    rooms, told = BackgroundServices(), Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: told.set())
    try:
        start(rooms, context)
    except SettingsRefused:
        rooms.close(monotonic() + GRACE)
        context.close()
        raise
    say(f"Mail at {rooms.address}" if rooms.address else "At work")
    told.wait()
    _leave(context, rooms, monotonic() + GRACE)


def _leave(context: ServerContext, rooms: BackgroundServices, until: float, requests: Sequence[str] = ()) -> None:
    """Stop the services beside it and close the server. Does not come back if something there does not end by then.

    What was acknowledged is on disk, and what was not will be asked or sent again: a relay or a database that does not
    answer is no reason to wait until somebody kills us.
    """
    left = [*requests, *rooms.close(until)]
    if not left:
        context.close()
        return
    log.warning("these did not end in time, and are left: %s", ", ".join(sorted(left)))
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=1024)
    except OSError as error:
        raise SettingsRefused(f"cannot listen on {host}:{port}: {error.strerror}") from None


def loop(server: Any, done: Callable[[], bool]) -> None:
    """Waitress's own loop, which ends when we say so and not at an exception raised wherever the signal struck."""
    while not done():
        wasyncore.loop(timeout=1, use_poll=True, map=server._map, count=1)


def _all_answered(server: Any) -> bool:
    """Whether nobody waits for an answer any more; connections on which nothing is under way are closed."""
    answered = True
    for channel in list(server.active_channels.values()):
        if channel.requests or channel.request is not None or channel.total_outbufs_len:
            answered = False
        else:
            channel.will_close = True
    return answered
