"""Where mail comes in: a listener that speaks LMTP or SMTP, in a thread of its own.

It knows neither players nor tables: ``welcome`` says whether a recipient is known, ``deliver`` takes a mail for one of
them. Both run in a few worker threads, so however long they take, nobody else's connection waits. ``deliver`` must be
idempotent, for whoever sends may not hear our answer and send again.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Session
from aiosmtpd.smtp import Envelope as Letters
from msgspec import Struct

from server.mail.incoming.mime_parser import LARGEST
from server.settings import SettingsRefused
from server.storage.database_trouble import DatabaseTrouble

TIMEOUT = 30.0
"""Seconds a connection may take over one command, or one mail; and we over one recipient of it."""
MOST_CONNECTIONS = 50
WORKERS = 4
_LONGEST_LINE = 64 * 1024
"""Some programs send lines longer than the 998 characters of RFC 5321; a mail is not lost for that."""
_EXTENSIONS = ["250-PIPELINING", "250-ENHANCEDSTATUSCODES"]
_UNCODED = re.compile(r"^([245])\d\d (?!\d\.\d{1,3}\.\d{1,3} )")
_COMMANDS = {"*": 100_000, "EHLO": 20, "HELO": 20, "LHLO": 20, "NOOP": 200, "VRFY": 20, "HELP": 20}
"""How often a connection may say each."""
_LONGEST_ANSWER = 400

log = logging.getLogger("poste")
T = TypeVar("T")


class Verdict(Struct, frozen=True):
    """What becomes of a mail or a recipient, as SMTP says it: 2xx taken, 4xx try again later, 5xx refused."""

    code: int
    text: str

    def line(self) -> str:
        """The answer in one line, whatever is in the text."""
        return f"{self.code} {''.join(c if c.isprintable() else ' ' for c in self.text[:_LONGEST_ANSWER])}"


class Envelope(Struct, frozen=True):
    """A mail for one recipient, exactly as it came."""

    sender: str
    recipient: str
    data: bytes


FAILED = Verdict(451, "4.3.0 Something went wrong here; try again later")
_TOO_MANY_RECIPIENTS = Verdict(452, "4.5.3 Too many recipients")
_NO_ADDRESS = Verdict(553, "5.1.3 This address cannot be read")
_GREETED = Verdict(250, "2.1.0 Go on")
_BUSY = b"421 4.3.2 Too many connections; try again later\r\n"


class Listener:
    """Takes mail at an address from :meth:`start` until :meth:`stop`."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        lmtp: bool,
        welcome: Callable[[str], Verdict],
        deliver: Callable[[Envelope], Verdict],
        largest: int = LARGEST,
        most_recipients: int = 20,
        name: str = "localhost",
    ) -> None:
        self.host = host
        self.port = port
        """The port; from :meth:`start` on the real one, where 0 was asked for."""
        self._protocol = _Lmtp if lmtp else _Smtp
        self._handler = _Handler(welcome, deliver, lmtp=lmtp, most_recipients=most_recipients)
        self._largest = largest
        self._name = name
        self._connections: set[SMTP] = set()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told: asyncio.Event | None = None

    def start(self) -> None:
        """Listen; raises SettingsRefused if the address cannot be had."""
        try:
            family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
            listening = socket.create_server((self.host, self.port), family=family, backlog=MOST_CONNECTIONS)
        except (OSError, OverflowError) as error:
            raise SettingsRefused(f"mail cannot be taken at {self.host} port {self.port}: {error}") from None
        self.port = listening.getsockname()[1]
        logging.getLogger("mail.log").setLevel(logging.ERROR)  # aiosmtpd tells every line of every connection
        self._handler.open()
        self._thread = threading.Thread(target=asyncio.run, args=[self._serve(listening)], name="mail in", daemon=True)
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Hang up on everybody and wait for deliveries that have begun. Stopping twice is stopping once."""
        if self._thread and self._loop and self._told:
            self._loop.call_soon_threadsafe(self._told.set)
            self._thread.join()
            self._handler.close()
            self._thread = None

    async def _serve(self, listening: socket.socket) -> None:
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        server = await self._loop.create_server(self._connection, sock=listening)
        self._ready.set()
        await self._told.wait()
        server.close()
        while self._connections:  # one that was being accepted may still arrive
            for connection in list(self._connections):
                if isinstance(connection.transport, asyncio.WriteTransport):
                    connection.transport.abort()
            await asyncio.sleep(0.01)

    def _connection(self) -> asyncio.Protocol:
        if len(self._connections) >= MOST_CONNECTIONS:
            return _Busy()
        connection = self._protocol(
            self._handler,
            lost=self._connections.discard,
            data_size_limit=self._largest,
            enable_SMTPUTF8=True,
            hostname=self._name,
            ident="Poste Restante",
            timeout=TIMEOUT,
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
            command_call_limit=_COMMANDS,
            loop=self._loop,
        )
        self._connections.add(connection)
        return connection


class _Handler:
    """What aiosmtpd asks at each step of a connection."""

    def __init__(
        self,
        welcome: Callable[[str], Verdict],
        deliver: Callable[[Envelope], Verdict],
        *,
        lmtp: bool,
        most_recipients: int,
    ) -> None:
        self._welcome = welcome
        self._deliver = deliver
        self._lmtp = lmtp
        self._most_recipients = most_recipients
        self._workers: ThreadPoolExecutor | None = None

    def open(self) -> None:
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="mail in")

    def close(self) -> None:
        if self._workers:
            self._workers.shutdown(wait=True)

    async def handle_EHLO(  # noqa: N802
        self, _server: SMTP, session: Session, _letters: Letters, name: str, lines: list[str]
    ) -> list[str]:
        session.host_name = name
        return [*lines[:-1], *_EXTENSIONS, lines[-1]]

    async def handle_MAIL(  # noqa: N802
        self, _server: SMTP, _session: Session, letters: Letters, sender: str, options: list[str]
    ) -> str:
        if not sender.isprintable():
            return _NO_ADDRESS.line()
        letters.mail_from = sender
        letters.mail_options.extend(options)
        return _GREETED.line()

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, letters: Letters, recipient: str, _options: list[str]
    ) -> str:
        if len(letters.rcpt_tos) >= self._most_recipients:
            return _TOO_MANY_RECIPIENTS.line()
        if not recipient.isprintable():
            return _NO_ADDRESS.line()
        verdict = await self._ask(self._welcome, recipient)
        if 200 <= verdict.code < 300:
            letters.rcpt_tos.append(recipient)
        return verdict.line()

    async def handle_DATA(self, server: _Smtp, _session: Session, letters: Letters) -> str:  # noqa: N802
        sender = "" if letters.mail_from in (None, "<>") else str(letters.mail_from)
        data = letters.original_content or b""
        verdicts = []
        for recipient in letters.rcpt_tos:
            server.wait_for_us()
            verdicts.append(await self._ask(self._deliver, Envelope(sender, recipient, data)))
        # RFC 2033: LMTP answers once for every recipient, in their order.
        return "\r\n".join(verdict.line() for verdict in verdicts) if self._lmtp else _one_for_all(verdicts).line()

    async def handle_exception(self, error: Exception) -> str:
        # Without a traceback: this is what aiosmtpd makes of hostile commands, and whoever sends them fills the log.
        log.warning("a command of a connection that brings mail failed: %s", type(error).__name__)
        return FAILED.line()

    async def _ask(self, question: Callable[[T], Verdict], about: T) -> Verdict:
        answer = asyncio.get_running_loop().run_in_executor(self._workers, partial(question, about))
        try:
            return await asyncio.wait_for(answer, TIMEOUT)
        except TimeoutError:  # what has begun goes on, and is known when the mail comes again
            log.warning("mail could not be taken within %g seconds", TIMEOUT)
            return FAILED
        except DatabaseTrouble:  # which is in the log already, once
            return FAILED
        except Exception:  # whatever fails behind us, the mail is still theirs and they will send it again
            log.exception("mail could not be taken")
            return FAILED


def _one_for_all(verdicts: list[Verdict]) -> Verdict:
    """The one answer SMTP has for several recipients: again, if it would help any; else taken, if any took it."""
    for kind in (4, 2, 5):
        for verdict in verdicts:
            if verdict.code // 100 == kind:
                return verdict
    return FAILED


class _Smtp(SMTP):
    """An SMTP connection that tells when it is lost."""

    line_length_limit = _LONGEST_LINE

    def __init__(self, handler: _Handler, *, lost: Callable[[SMTP], None], **options: Any) -> None:
        # aiosmtpd keeps this for all connections together and lets every EHLO add to it.
        self.command_size_limits = defaultdict(lambda: self.command_size_limit)
        super().__init__(handler, **options)
        self._lost = lost

    def wait_for_us(self) -> None:
        """Begin to count the time of this connection anew, with some to spare for our answer."""
        self._reset_timeout(2 * TIMEOUT)

    async def push(self, status: Any) -> None:
        # aiosmtpd's own answers lack the code that ENHANCEDSTATUSCODES promises (RFC 2034); greetings have none.
        if isinstance(status, str) and self.session and self.session.extended_smtp and status != "250 HELP":
            lines = status.split("\r\n")
            status = "\r\n".join(_UNCODED.sub(lambda code: f"{code[0]}{code[1]}.0.0 ", line, count=1) for line in lines)
        await super().push(status)

    def connection_lost(self, error: Exception | None) -> None:
        self._lost(self)
        super().connection_lost(error)


class _Lmtp(LMTP, _Smtp):
    """An LMTP connection: once a mail has been sent, every recipient gets an answer of its own."""

    _due = 0

    async def push(self, status: Any) -> None:
        # aiosmtpd itself refuses a mail that is too large with one line for all; the sender would wait for the others.
        if isinstance(status, str) and status.startswith("354"):
            self._due = len(self.envelope.rcpt_tos) if self.envelope else 0
        elif self._due:
            if isinstance(status, str) and "\r\n" not in status:
                status = "\r\n".join([status] * self._due)
            self._due = 0
        await super().push(status)


class _Busy(asyncio.Protocol):
    """Sends away whoever comes when there are too many already."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):
            transport.write(_BUSY)
        transport.close()
