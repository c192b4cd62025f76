"""The players' mail provider: an SMTP server that keeps what it is sent, as a process of its own.

    python -m tests.server.mail.mail_provider --port 0 --maildir DIR

Every mail it accepts becomes a file ``DIR/<time>-<n>.eml``; its recipient stands in the first header, X-Envelope-To.
"""

from __future__ import annotations

import argparse
import asyncio
import email
import email.policy
import os
import signal
import ssl
import subprocess
import sys
import time
from email.message import EmailMessage
from itertools import count
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

LARGEST = 8 * 1024 * 1024


class ProviderDesk:
    """What becomes of a mail, told to aiosmtpd."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.maildir: Path | None = None if options.discard else options.maildir
        self.count_file: Path = options.maildir / "count"
        self.failures: int = options.fail_first
        self.refused: set[str] = set(options.refuse)
        self.drop_every: int = options.drop_every
        self.slow: float = options.slow
        self.numbers = count(1)

    async def handle_RCPT(self, *about: Any) -> str:  # noqa: N802 - aiosmtpd calls it so
        envelope, address = about[2:4]
        if address in self.refused:
            return "550 5.1.1 nobody of that name lives here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.failures > 0:
            self.failures -= 1
            return "451 4.3.0 come back later"
        await asyncio.sleep(self.slow)
        number = next(self.numbers)
        if self.maildir is not None:
            content = envelope.content or b""
            data = content if isinstance(content, bytes) else content.encode()
            head = f"X-Envelope-To: {','.join(envelope.rcpt_tos)}\r\nX-Envelope-From: {envelope.mail_from}\r\n"
            name = f"{time.time_ns()}-{number:06}.eml"
            (self.maildir / f"{name}.tmp").write_bytes(head.encode() + data)
            (self.maildir / f"{name}.tmp").rename(self.maildir / name)
        else:
            self.count_file.write_text(str(number))
        if self.drop_every and number % self.drop_every == 0 and server.transport is not None:
            # As a provider does that has had enough of a connection: after its answer, and without a word.
            asyncio.get_running_loop().call_later(0.05, server.transport.close)
        return "250 OK"


def _authenticator(login: str) -> Any:
    user, _, password = login.partition(":")

    def check(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=right, handled=False)

    return check


async def _serve(options: argparse.Namespace) -> None:
    desk, tls = ProviderDesk(options), None
    if options.certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(options.certificate)

    def session() -> SMTP:
        settings: dict[str, Any] = {"data_size_limit": LARGEST, "hostname": "sink.example", "ident": "sink"}
        if options.login:
            settings |= {"authenticator": _authenticator(options.login), "auth_require_tls": False}
        if tls is not None and not options.implicit:
            settings["tls_context"] = tls
        return SMTP(desk, **settings)

    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    server = await loop.create_server(session, "127.0.0.1", options.port, ssl=tls if options.implicit else None)
    host, port = server.sockets[0].getsockname()[:2]
    print(f"Sink at {host}:{port}", flush=True)
    await stopped.wait()
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--maildir", type=Path, required=True)
    parser.add_argument("--fail-first", type=int, default=0, help="answer 451 to the first so many mails")
    parser.add_argument("--refuse", action="append", default=[], metavar="ADDRESS", help="answer 550 to this address")
    parser.add_argument("--discard", action="store_true", help="keep nothing but a count")
    parser.add_argument("--drop-every", type=int, default=0, help="break the connection off after so many mails")
    parser.add_argument("--slow", type=float, default=0.0, help="think about every mail for so many seconds")
    parser.add_argument("--login", default="", metavar="USER:PASSWORD", help="who may log in")
    parser.add_argument("--certificate", default="", metavar="PEM", help="offer STARTTLS with it")
    parser.add_argument("--implicit", action="store_true", help="TLS from the start instead")
    options = parser.parse_args()
    options.maildir.mkdir(parents=True, exist_ok=True)
    asyncio.run(_serve(options))


class Sink:
    """A sink in a process of its own."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.folder = folder
        self.options = options
        self.host, self.port = "127.0.0.1", port
        self.process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Where it listens, as HOST:PORT."""
        return f"{self.host}:{self.port}"

    def start(self) -> Sink:
        command = [sys.executable, "-m", "tests.server.mail.mail_provider"]
        arguments = ["--port", str(self.port), "--maildir", str(self.folder), *self.options]
        # aiosmtpd warns of set-ups that no provider should have and a sink may.
        environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
        self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("Sink at "), f"the sink did not start: {said}"
        self.port = int(said.rpartition(":")[2])
        return self

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            if self.process.stdout is not None:
                self.process.stdout.close()
            self.process = None

    def __enter__(self) -> Sink:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def mails(self) -> list[EmailMessage]:
        """Everything kept so far, oldest first."""
        return [
            email.message_from_bytes(
                path.read_bytes().replace(b"\r\n", b"\n"), _class=EmailMessage, policy=email.policy.default
            )
            for path in sorted(self.folder.glob("*.eml"))
        ]

    def count(self) -> int:
        """How many were accepted, also if they were not kept."""
        counted = self.folder / "count"
        return int(counted.read_text() or 0) if counted.exists() else len(list(self.folder.glob("*.eml")))

    def wait_for(self, number: int, seconds: float = 10.0) -> list[EmailMessage]:
        """The mails once there are so many; raises TimeoutError."""
        end = time.monotonic() + seconds
        while self.count() < number:
            if time.monotonic() > end:
                raise TimeoutError(f"{self.count()} of {number} mails came within {seconds} seconds")
            time.sleep(0.02)
        return self.mails()


if __name__ == "__main__":
    main()
