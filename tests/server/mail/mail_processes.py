"""The processes of a post office with mail: server, worker, mail listener, and the players' own provider."""

from __future__ import annotations

import os
import smtplib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from pathlib import Path

from tests.server.mail.mail_provider import Sink
from tests.server.server_process import ServerProcess

DOMAIN = "games.example.org"
PATIENCE = 30.0


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Room:
    """``poste-server worker`` or ``poste-server mail``, in a process of its own."""

    def __init__(self, command: str, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "server", command],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ready(self) -> Room:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip(), "the process did not start"
        return self

    def kill(self) -> None:
        self.process.kill()
        self._ended()

    def stop(self) -> int:
        self.process.terminate()
        return self._ended()

    def _ended(self) -> int:
        code = self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


class PostOffice:
    """All of them together."""

    def __init__(self, folder: Path, database: str, **more: str) -> None:
        with ExitStack() as opened:
            self.sink = opened.enter_context(Sink(folder / "provider"))
            self.port = free_port()
            self.environment = {
                "POSTE_MAIL": f"smtp+plain://{self.sink.address}",
                "POSTE_MAIL_FROM": f"post@{DOMAIN}",
                "POSTE_MAIL_LISTEN": f"lmtp://127.0.0.1:{self.port}",
                "POSTE_WORKER": "0",
                "POSTE_RATE": "0",
                **more,
            }
            self.house = ServerProcess(folder / "data", database, **self.environment)
            opened.callback(lambda: _stop(self.house))
            self.environment = self.house.environment
            self.url = self.house.url
            self.worker = Room("worker", self.environment).ready()
            opened.callback(lambda: _stop(self.worker))
            self.counter = Room("mail", self.environment).ready()
            opened.callback(lambda: _stop(self.counter))
            self._opened = opened.pop_all()

    def mails(self, to: str, subject: str = "") -> list[EmailMessage]:
        return [mail for mail in self.sink.mails() if mail["X-Envelope-To"] == to and subject in mail["Subject"]]

    def awaited(self, to: str, subject: str, number: int = 1) -> EmailMessage:
        """The mail of this number (from 1) to this address with these words in its subject, once it is there."""
        end = time.monotonic() + PATIENCE
        while len(found := self.mails(to, subject)) < number:
            assert time.monotonic() < end, f"no mail {number} “{subject}” to {to}: {[m['Subject'] for m in found]}"
            time.sleep(0.05)
        return found[number - 1]

    def post(self, to: str, text: str, *, sender: str = "somebody@example.org", **headers: str) -> None:
        """Write a mail to the office, delivered by LMTP as its mail server would."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, to, headers.pop("subject", "Re: your turn")
        mail["Message-ID"] = f"<{time.monotonic_ns()}@example.org>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        with smtplib.LMTP("127.0.0.1", self.port) as line:
            line.send_message(mail, sender, [to])

    def close(self) -> None:
        """Stop all of it, even if part of it does not stop as it should."""
        self._opened.close()


def _stop(room: Room | ServerProcess) -> None:
    if room.process.poll() is None:
        assert room.stop() == 0


@contextmanager
def post_office(folder: Path, database: str, **more: str) -> Iterator[PostOffice]:
    office = PostOffice(folder, database, **more)
    try:
        yield office
    finally:
        office.close()


def body(mail: EmailMessage) -> str:
    """The plain text of a mail."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())
