"""Mail that waits in somebody's mailbox, fetched by IMAP: for a server to which no mail can be sent directly.

A mail is marked as seen when it has been dealt with, and never before, so that one whose delivery fails for now is
fetched again, though not at once. Nothing is ever deleted.
"""

from __future__ import annotations

import logging
import re
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from imaplib import IMAP4
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from imap_tools.errors import ImapToolsError
from imap_tools.mailbox import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from msgspec import Struct

from server.mail.incoming.mime_parser import LARGEST, addresses, headers
from server.mail.incoming.smtp_listener import FAILED, Envelope, Verdict
from server.settings import SettingsRefused
from server.storage.database_trouble import DatabaseTrouble

TIMEOUT = 30.0
"""Seconds a mailbox may take to answer."""
LONGEST_WAIT = 900.0
"""Seconds between two attempts at a mailbox that cannot be reached."""
FIRST_DELAY = 60.0
"""Seconds before a mail that could not be taken is fetched again; each time twice as many."""
LONGEST_DELAY = 3600.0
A_ROUND = 100
"""Mails that are dealt with in one go; ten times as many are looked at."""
MOST_RECIPIENTS = 20
_LONGEST_LIST = 20_000
"""Characters of a header with recipients that are looked at."""
_RECIPIENTS = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")
_SECURITIES: dict[str, tuple[Literal["tls", "starttls", "none"], int]] = {
    "imaps": ("tls", 993),
    "imap+starttls": ("starttls", 143),
    "imap": ("none", 143),
}
_SIZE = re.compile(rb"RFC822\.SIZE (\d{1,19})")

log = logging.getLogger("poste")


class ImapMailbox(Struct, frozen=True):
    """A mailbox and how to open it."""

    host: str
    port: int
    user: str
    password: str
    folder: str = "INBOX"
    security: Literal["tls", "starttls", "none"] = "tls"

    def __repr__(self) -> str:
        return f"Mailbox({self.user!r} at {self.host}:{self.port}, folder {self.folder!r}, {self.security})"


def parse(url: str) -> ImapMailbox:
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
    return ImapMailbox(parts.hostname, port or usual, user, password, folder, security)


def _refused(why: str) -> SettingsRefused:
    return SettingsRefused(
        f"the address of the mailbox cannot be used: {why}. It is written imaps://user:password@host/folder,"
        " with “@” as %40, “/” as %2F, “:” as %3A, “?” as %3F and “#” as %23 in the user or the password"
    )


def recipients_of(data: bytes, domain: str) -> list[str]:
    """The addresses of this domain that a mail was sent to, as its head tells: each once, at most MOST_RECIPIENTS.

    What the mail system wrote (Delivered-To, X-Original-To, Envelope-To) goes before what the sender did (To, Cc). An
    address is left out if the same one with a detail after “+” is there: it is that of the mailbox.
    """
    found = headers(data, _RECIPIENTS, _LONGEST_LIST)
    ours: dict[str, str] = {}
    for name in _RECIPIENTS:
        for address in (address for value in found.get(name, ()) for address in addresses(value)):
            if address.rpartition("@")[2].lower() == domain.lower() and len(ours) < MOST_RECIPIENTS:
                ours.setdefault(address.lower(), address)
    detailed = {f"{known.partition('+')[0]}@{domain.lower()}" for known in ours if "+" in known}
    return [address for known, address in ours.items() if known not in detailed]


def sender_of(data: bytes) -> str:
    """The sender of the envelope as the mail system noted it in Return-Path, else the address in From."""
    found = headers(data, ("return-path", "from"))
    value = found.get("return-path", found.get("from", [""]))[0]
    return next(addresses(value), "")


class PutOff:
    """The mails that could not be dealt with yet, and when each is tried again: later and later.

    Without it a player whose mails are put off would keep all others waiting, and have theirs fetched every time.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._mailbox = ""
        self._until: dict[str, tuple[float, float]] = {}

    def due(self, mailbox: str, unseen: Sequence[str]) -> list[str]:
        """Those of the unseen mails that may be tried now. Under another name of the mailbox all numbers are new."""
        known = self._until if mailbox == self._mailbox else {}
        self._mailbox, self._until = mailbox, {uid: known[uid] for uid in unseen if uid in known}
        now = self._now()
        return [uid for uid in unseen if uid not in self._until or self._until[uid][0] <= now]

    def add(self, uid: str) -> None:
        """This one could not be dealt with."""
        delay = min(2 * self._until[uid][1], LONGEST_DELAY) if uid in self._until else FIRST_DELAY
        self._until[uid] = (self._now() + delay, delay)


def fetch(
    mailbox: ImapMailbox,
    deliver: Callable[[Envelope], Verdict],
    recipients: Callable[[bytes], list[str]],
    limit: int = A_ROUND,
    put_off: PutOff | None = None,
) -> int:
    """Deliver the unseen mails of a mailbox, oldest first; returns how many have been dealt with, at most the limit.

    Raises OSError, IMAP4.error or ImapToolsError if the mailbox cannot be read.
    """
    put_off = put_off or PutOff()
    box = _opened(mailbox)
    try:
        done = 0
        unseen = sorted(box.uids("UNSEEN", charset=None), key=int)
        # Mails that cannot be taken for now do not count, or a hundred of them would keep all others waiting.
        for uid in put_off.due(str(box.client.response("UIDVALIDITY")[1]), unseen)[: 10 * limit]:
            if done == limit:
                break
            if _dealt_with(box, uid, deliver, recipients):
                done += 1
            else:
                put_off.add(uid)
        return done
    finally:
        _close(box)


def _dealt_with(
    box: BaseMailBox, uid: str, deliver: Callable[[Envelope], Verdict], recipients: Callable[[bytes], list[str]]
) -> bool:
    """Deliver one mail and mark it as seen; whether that could be done."""
    try:
        data = _mail(box, uid)
        if data is not None and not _settled(data, deliver, recipients):
            return False
        # Not ``box.flag``: that expunges, and what is in this mailbox is not ours to throw away.
        _asked(box, "STORE", uid, "+FLAGS", r"(\Seen)")
    except IMAP4.abort:
        raise  # the connection is gone
    except IMAP4.error as error:  # the mailbox has trouble with this mail; it may have none with the next
        log.warning("mail %s of the mailbox could not be fetched or marked, and is tried again: %s", uid, error)
        return False
    return True


def poll(
    mailbox: ImapMailbox,
    deliver: Callable[[Envelope], Verdict],
    recipients: Callable[[bytes], list[str]],
    every: float,
    stop: threading.Event,
) -> None:
    """Fetch every so many seconds until told to stop; whatever goes wrong, it tries again, ever less often."""
    told: set[str] = set()
    put_off = PutOff()
    wait = every
    while not stop.is_set():
        try:
            fetch(mailbox, deliver, recipients, A_ROUND, put_off)
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


def _opened(mailbox: ImapMailbox) -> BaseMailBox:
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
    """The mail, byte for byte; None if it is gone. It stays unseen.

    Of one that is too large, only as much as shows it: its head tells who is to hear that it cannot be read.
    """
    size = next((_SIZE.search(piece) for piece in _asked(box, "FETCH", uid, "(RFC822.SIZE)") if piece), None)
    if size is None:
        log.info("mail %s of the mailbox is gone", uid)
        return None
    # imap-tools would parse it, which a hostile mail can make slow.
    wanted = "(BODY.PEEK[])" if int(size[1]) <= LARGEST else f"(BODY.PEEK[]<0.{LARGEST + 1}>)"
    pieces = _asked(box, "FETCH", uid, wanted)
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
        except DatabaseTrouble:  # which is in the log already, once
            verdicts.append(FAILED)
        except Exception:  # whatever fails behind us, the mail stays unseen and is fetched again
            log.exception("mail could not be taken")
            verdicts.append(FAILED)
    return all(verdict.code // 100 != 4 for verdict in verdicts)
