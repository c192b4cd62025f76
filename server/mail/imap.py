"""Mail that waits in somebody's mailbox, fetched by IMAP: for a server to which no mail can be sent directly.

A mail is marked as seen when it has been dealt with, and never before, so that one whose delivery fails for now is
fetched again. Nothing is ever deleted.
"""

from __future__ import annotations

import logging
import re
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from imaplib import IMAP4
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from imap_tools.errors import ImapToolsError
from imap_tools.mailbox import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from msgspec import Struct

from server.mail.listener import FAILED, Envelope, Verdict
from server.mail.mime import LARGEST, addresses, headers
from server.settings import SettingsRefused

TIMEOUT = 30.0
"""Seconds a mailbox may take to answer."""
LONGEST_WAIT = 900.0
"""Seconds between two attempts at a mailbox that cannot be reached."""
MOST_RECIPIENTS = 20
_LONGEST_LIST = 20_000
"""Characters of a header with recipients that are looked at."""
_RECIPIENTS = ("delivered-to", "x-original-to", "to", "cc")
_SECURITIES: dict[str, tuple[Literal["tls", "starttls", "none"], int]] = {
    "imaps": ("tls", 993),
    "imap+starttls": ("starttls", 143),
    "imap": ("none", 143),
}
_SIZE = re.compile(rb"RFC822\.SIZE (\d{1,19})")

log = logging.getLogger("poste")


class Mailbox(Struct, frozen=True):
    """A mailbox and how to open it."""

    host: str
    port: int
    user: str
    password: str
    folder: str = "INBOX"
    security: Literal["tls", "starttls", "none"] = "tls"

    def __repr__(self) -> str:
        return f"Mailbox({self.user!r} at {self.host}:{self.port}, folder {self.folder!r}, {self.security})"


def parse(url: str) -> Mailbox:
    """The mailbox of an address such as ``imaps://user:password@host/folder``.

    Raises SettingsRefused, which never repeats any part of the address: wherever it is wrong, that may be the password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _refused("its host or port cannot be read") from None
    if parts.scheme not in _SECURITIES:
        raise _refused("it begins with none of imaps://, imap+starttls:// and imap://")
    if not (parts.hostname and parts.username and parts.password):
        raise _refused("it needs a user, a password and a host")
    if parts.query or parts.fragment:
        raise _refused("there is a “?” or “#” in it")
    security, usual = _SECURITIES[parts.scheme]
    user, password = unquote(parts.username), unquote(parts.password)
    folder = unquote(parts.path.strip("/")) or "INBOX"
    if not (user + password + folder).isprintable():
        raise _refused("there are characters in it that nobody can type")
    return Mailbox(parts.hostname, port or usual, user, password, folder, security)


def _refused(why: str) -> SettingsRefused:
    return SettingsRefused(
        f"the address of the mailbox cannot be used: {why}. It is written imaps://user:password@host/folder,"
        " with “@” as %40, “/” as %2F, “:” as %3A, “?” as %3F and “#” as %23 in the user or the password"
    )


def recipients_of(data: bytes, domain: str) -> list[str]:
    """The addresses of this domain that a mail was sent to, as its head tells: each once, at most MOST_RECIPIENTS.

    What the mail system wrote (Delivered-To, X-Original-To) goes before what the sender did (To, Cc).
    """
    found = headers(data, _RECIPIENTS, _LONGEST_LIST)
    ours: dict[str, str] = {}
    for name in _RECIPIENTS:
        for address in (address for value in found.get(name, ()) for address in addresses(value)):
            if address.rpartition("@")[2].lower() == domain.lower() and len(ours) < MOST_RECIPIENTS:
                ours.setdefault(address.lower(), address)
    return list(ours.values())


def sender_of(data: bytes) -> str:
    """The sender of the envelope as the mail system noted it in Return-Path, else the address in From."""
    found = headers(data, ("return-path", "from"))
    value = found.get("return-path", found.get("from", [""]))[0]
    return next(addresses(value), "")


def fetch(
    mailbox: Mailbox,
    deliver: Callable[[Envelope], Verdict],
    recipients: Callable[[bytes], list[str]],
    limit: int = 100,
) -> int:
    """Deliver the unseen mails of a mailbox, oldest first; returns how many have been dealt with, at most the limit.

    Raises OSError, IMAP4.error or ImapToolsError if the mailbox cannot be read.
    """
    box = _opened(mailbox)
    try:
        done = 0
        # Mails that cannot be taken for now do not count, or a hundred of them would keep all others waiting.
        for uid in sorted(box.uids("UNSEEN", charset=None), key=int)[: 10 * limit]:
            if done == limit:
                break
            data = _mail(box, uid)
            if data is None or _settled(data, deliver, recipients):
                # Not ``box.flag``: that expunges, and what is in this mailbox is not ours to throw away.
                _asked(box, "STORE", uid, "+FLAGS", r"(\Seen)")
                done += 1
        return done
    finally:
        _close(box)


def poll(
    mailbox: Mailbox,
    deliver: Callable[[Envelope], Verdict],
    recipients: Callable[[bytes], list[str]],
    every: float,
    stop: threading.Event,
) -> None:
    """Fetch every so many seconds until told to stop; whatever goes wrong, it tries again, ever less often."""
    told: set[str] = set()
    wait = every
    while not stop.is_set():
        try:
            fetch(mailbox, deliver, recipients)
        except Exception as trouble:  # a mailbox fails in more ways than can be named, and this must outlive them all
            kind = type(trouble).__name__
            if kind not in told:
                log.warning("%r cannot be read, and will be tried again: %s: %s", mailbox, kind, trouble)
            told.add(kind)
            wait = min(2 * wait, max(LONGEST_WAIT, every))
        else:
            if told:
                log.info("%r can be read again", mailbox)
            told.clear()
            wait = every
        stop.wait(wait)


def _opened(mailbox: Mailbox) -> BaseMailBox:
    # imaplib would trust any certificate if it were not given a context.
    trusted = ssl.create_default_context()
    box: BaseMailBox
    match mailbox.security:
        case "tls":
            box = MailBox(mailbox.host, mailbox.port, TIMEOUT, ssl_context=trusted)
        case "starttls":
            box = MailBoxStartTls(mailbox.host, mailbox.port, TIMEOUT, ssl_context=trusted)
        case "none":
            box = MailBoxUnencrypted(mailbox.host, mailbox.port, TIMEOUT)
    try:
        login = box.login if (mailbox.user + mailbox.password).isascii() else box.login_utf8
        login(mailbox.user, mailbox.password, mailbox.folder)
    except BaseException:
        _close(box)
        raise
    return box


def _close(box: BaseMailBox) -> None:
    try:
        box.logout()
    except (OSError, IMAP4.error, ImapToolsError):
        with suppress(OSError):
            box.client.shutdown()


def _mail(box: BaseMailBox, uid: str) -> bytes | None:
    """The mail, byte for byte; None if it is too large, or gone. It stays unseen."""
    size = next((_SIZE.search(piece) for piece in _asked(box, "FETCH", uid, "(RFC822.SIZE)") if piece), None)
    if size is None or int(size[1]) > LARGEST:
        log.info("a mail was not fetched: it is larger than %d bytes, or gone", LARGEST)
        return None
    # imap-tools would parse it, which a hostile mail can make slow.
    pieces = _asked(box, "FETCH", uid, "(BODY.PEEK[])")
    return next((piece[1] for piece in pieces if isinstance(piece, tuple)), None)


def _asked(box: BaseMailBox, *command: str) -> list[Any]:
    """What the mailbox answers to a command about one mail; raises IMAP4.error if it is anything but OK."""
    status, answer = box.client.uid(*command)
    if status != "OK":
        raise IMAP4.error(f"{command[0]} was answered {status}")
    return answer


def _settled(data: bytes, deliver: Callable[[Envelope], Verdict], recipients: Callable[[bytes], list[str]]) -> bool:
    """Deliver to every recipient; whether all of it is done, taken or refused."""
    sender = sender_of(data)
    verdicts = []
    for recipient in recipients(data):
        try:
            verdicts.append(deliver(Envelope(sender, recipient, data)))
        except Exception:  # whatever fails behind us, the mail stays unseen and is fetched again
            log.exception("mail could not be taken")
            verdicts.append(FAILED)
    return all(verdict.code // 100 != 4 for verdict in verdicts)
