"""Sending composed mail: to a mail server, or into folders on this machine for trying things out.

A transport belongs to one thread. ``send`` returns only when the other side has taken the mail over, so whoever keeps
the outbox may then forget it. A mail can arrive twice if a connection breaks just before the answer to it; both have
the same Message-ID.
"""

from __future__ import annotations

import contextlib
import os
import smtplib
import socket
import ssl
import time
from enum import StrEnum
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple, Protocol
from urllib.parse import SplitResult, quote, unquote, urlsplit

from engine.scene.canvas import clean
from server.email_addresses import is_address
from server.settings import SettingsRefused

SECONDS = 30.0
"""How long a mail server may take for one answer."""
_LONGEST_ANSWER = 200
_CLOSING = 421
"""What a mail server says when it ends a connection, such as one that was idle for long."""


class Trouble(Exception):
    """A mail was not taken; says why, without any password. A ``permanent`` one must not be tried again as it is."""

    def __init__(self, why: str, *, permanent: bool = False) -> None:
        super().__init__(why)
        self.permanent = permanent


class Transport(Protocol):
    """A way for mail to leave."""

    def prepare(self) -> None:
        """See to it that mail can leave at all, as far as that shows on this machine; raises SettingsRefused."""
        ...

    def send(self, mail: bytes, to: str) -> None:
        """Hand over a mail to one address; raises Trouble."""
        ...

    def close(self) -> None:
        """Let go of what is held open; sending opens it again."""
        ...


class Security(StrEnum):
    """How a connection to a mail server is kept private."""

    OFFERED = "smtp"
    """STARTTLS if the server offers it; a password is sent without it to this machine only."""
    REQUIRED = "smtp+starttls"
    IMPLICIT = "smtps"
    NONE = "smtp+plain"


_PORTS = {Security.OFFERED: 25, Security.REQUIRED: 587, Security.IMPLICIT: 465, Security.NONE: 25}


class Login(NamedTuple):
    """Who we are to a mail server."""

    user: str
    password: str


class Smtp:
    """A mail server. One connection is kept and used for mail after mail; if it was dropped, a new one is made once."""

    def __init__(
        self,
        host: str,
        port: int,
        sender: str,
        security: Security = Security.OFFERED,
        login: Login | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._host, self._port = host, port
        self._sender = sender
        self._security = security
        self._login = login
        self._seconds = seconds
        self._open: smtplib.SMTP | None = None

    def prepare(self) -> None:
        """Nothing: a mail server that is away now may be there later."""

    def send(self, mail: bytes, to: str) -> None:
        """Hand over a mail to one address; raises Trouble."""
        _check(to)
        if self._open is not None:
            try:
                return self._hand_over(self._open, to, mail)
            except _Dropped:
                self.close()
        connection = self._open = self._connect()
        try:
            self._hand_over(connection, to, mail)
        except _Dropped as why:
            self.close()
            raise Trouble(f"{self._host} broke the connection off: {why}") from None

    def close(self) -> None:
        """End the connection."""
        connection, self._open = self._open, None
        if connection is not None:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                connection.close()

    def _hand_over(self, connection: smtplib.SMTP, to: str, mail: bytes) -> None:
        # smtplib resets the connection after a refusal, so it can be used for the next mail.
        try:
            connection.sendmail(self._sender, [to], mail)
        except smtplib.SMTPRecipientsRefused as refused:
            raise self._refusal(*refused.recipients[to], of_mail=True) from None
        except smtplib.SMTPSenderRefused as refused:
            # It is the operator's address that is not liked, not this mail.
            raise self._refusal(refused.smtp_code, refused.smtp_error, of_mail=False) from None
        except smtplib.SMTPDataError as refused:
            raise self._refusal(refused.smtp_code, refused.smtp_error, of_mail=True) from None
        except (smtplib.SMTPException, OSError) as broken:
            if isinstance(broken, TimeoutError) or isinstance(broken.__context__, TimeoutError):
                self.close()
                raise Trouble(f"{self._host} did not answer within {self._seconds:.0f} seconds") from None
            raise _Dropped(_said(str(broken))) from None

    def _refusal(self, code: int, answer: bytes | str, *, of_mail: bool) -> Exception:
        said = _said(answer)
        if code == _CLOSING:
            return _Dropped(said)
        return Trouble(f"{self._host} answered {code} {said}", permanent=of_mail and code // 100 == 5)

    def _connect(self) -> smtplib.SMTP:
        try:
            connection = self._greeted()
        except ssl.SSLError as error:
            why = error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else error.reason
            raise Trouble(f"no private connection to {self._host}: {_said(why or 'TLS failed')}") from None
        except smtplib.SMTPResponseException as error:
            raise Trouble(f"{self._host} answered {error.smtp_code} {_said(error.smtp_error)}") from None
        except (smtplib.SMTPException, OSError, ValueError) as error:
            raise Trouble(f"{self._host}:{self._port} cannot be reached: {_said(str(error))}") from None
        try:
            self._log_in(connection)
        except Trouble:
            connection.close()
            raise
        return connection

    def _greeted(self) -> smtplib.SMTP:
        """A connection after EHLO, private as far as was asked for."""
        if self._security is Security.IMPLICIT:
            context = ssl.create_default_context()
            connection: smtplib.SMTP = smtplib.SMTP_SSL(self._host, self._port, timeout=self._seconds, context=context)
        else:
            connection = smtplib.SMTP(self._host, self._port, timeout=self._seconds)
        try:
            connection.ehlo_or_helo_if_needed()
            if self._security in (Security.OFFERED, Security.REQUIRED):
                self._start_tls(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _start_tls(self, connection: smtplib.SMTP) -> None:
        if connection.has_extn("starttls"):
            connection.starttls(context=ssl.create_default_context())
            connection.ehlo()
        elif self._security is Security.REQUIRED or (self._login and not _is_here(self._host)):
            raise smtplib.SMTPException("it does not offer STARTTLS; smtp+plain:// would do without")

    def _log_in(self, connection: smtplib.SMTP) -> None:
        if self._login is None:
            return
        try:
            connection.login(*self._login)
        except smtplib.SMTPAuthenticationError as refused:
            # What the server says here is not repeated: it may quote what it was sent.
            raise Trouble(f"{self._host} refused the login of {self._login.user} ({refused.smtp_code})") from None
        except (smtplib.SMTPException, OSError, ValueError):
            raise Trouble(f"{self._host} does not let {self._login.user} log in") from None


class _Dropped(Exception):
    """The connection is gone; another may do."""


class Maildir:
    """Folders on this machine, one for each address, that any mail program can read."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._numbers = count(1)

    def prepare(self) -> None:
        """Make the folder; raises SettingsRefused if it cannot be made or written to."""
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=self._directory):
                pass
        except OSError as error:
            why = f"POSTE_MAIL puts mail into {self._directory}, which cannot be written"
            raise SettingsRefused(f"{why}: {error.strerror}") from None

    def send(self, mail: bytes, to: str) -> None:
        """Put a mail into the folder of its address; raises Trouble."""
        _check(to)
        folder = self._directory / quote(to, safe="@+!#$&'*=^`{|}~")
        now = time.time_ns()
        name = f"{now // 10**9}.M{now // 1000 % 10**6}P{os.getpid()}Q{next(self._numbers)}.{_host()}"
        try:
            for part in ("tmp", "new", "cur"):
                (folder / part).mkdir(parents=True, exist_ok=True)
            with (folder / "tmp" / name).open("xb") as file:
                file.write(mail.replace(b"\r\n", b"\n"))
                file.flush()
                os.fsync(file.fileno())
            (folder / "tmp" / name).rename(folder / "new" / name)
            _sync(folder / "new")
        except OSError as error:
            raise Trouble(f"{folder} cannot be written: {error.strerror}") from None

    def close(self) -> None:
        """Nothing is held open."""


def transport(url: str, sender: str) -> Transport:
    """The transport that a URL names; bounces go to ``sender``. Raises SettingsRefused.

    ``smtp://[user:password@]host[:port]`` takes STARTTLS if it is offered, ``smtp+starttls://`` insists on it,
    ``smtps://`` is TLS from the start, ``smtp+plain://`` never TLS; ``maildir:///path`` are folders here.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise SettingsRefused("The address of the mail server cannot be read; it is written as smtp://host") from None
    if parts.scheme == "maildir":
        path = unquote(parts.path)
        if parts.netloc or path in ("", "/"):
            raise SettingsRefused("A maildir is written with three slashes and a folder, as maildir:///var/tmp/post")
        return Maildir(Path(path))
    if parts.scheme not in list(Security):
        raise SettingsRefused(
            "Mail goes out by smtp://host, smtp+starttls://host, smtps://host, smtp+plain://host or maildir:///path"
        )
    if not is_address(sender):
        raise SettingsRefused(f"“{clean(sender)}” is not an address that mail can come from")
    return _smtp(parts, Security(parts.scheme), sender)


def _smtp(parts: SplitResult, security: Security, sender: str) -> Smtp:
    # Nothing here quotes the URL: there may be a password in it.
    try:
        port = parts.port
    except ValueError:
        raise SettingsRefused("The port of the mail server is a number from 1 to 65535") from None
    if not parts.hostname or port == 0:
        raise SettingsRefused(f"Which mail server? It is written as {security}://mail.example.org:587")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise SettingsRefused(
            f"{security}://... ends with the host and port; special characters in a password are written as %2F"
        )
    if (parts.username is None) != (parts.password is None):
        raise SettingsRefused(f"A login is written with both parts, as {security}://user:password@host")
    login = Login(unquote(parts.username), unquote(parts.password)) if parts.username and parts.password else None
    return Smtp(parts.hostname, port or _PORTS[security], sender, security, login)


def _check(to: str) -> None:
    if not is_address(to):
        raise Trouble(f"“{clean(to)[:100]}” is not an address that mail can be sent to", permanent=True)


def _said(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join(clean(text).split())[:_LONGEST_ANSWER]


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ip_address(host).is_loopback
    return False


def _host() -> str:
    return socket.gethostname().replace("/", "\\057").replace(":", "\\072")


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
