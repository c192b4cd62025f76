"""From a letter to a mail: its headers, and its two parts as they travel.

Whatever a name, a subject or an incoming mail contains, no header comes of it but the one it was meant for: words for
people are cleaned, and everything that machines read (addresses, ids, links) must have its one plain form.
"""

from __future__ import annotations

import binascii
import re
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from msgspec import Struct

from engine.scene.canvas import clean
from server.mail import page
from server.mail.addresses import is_address
from server.mail.parts import Letter
from server.mail.wording import one_line

POLICY = SMTP.clone(max_line_length=900)
"""Headers are not folded at 78 columns: that would cut ids and links, which programs then misread. 998 is the limit."""
_BOUNDARY = "=_poste_restante_="
_PORTABLE = re.compile(r"(?:[\t -~]{0,900}\n)*[\t -~]{0,900}", re.ASCII)
"""Text that every mail server carries as it stands."""
_LONGEST_OFFICE = 60
_LOCAL = re.compile(r"[A-Za-z0-9._+-]{1,120}", re.ASCII)
_DOMAIN = re.compile(r"[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){0,8}", re.ASCII)
_ENCODED = "=?"
"""Begins an encoded word, which the email package decodes in what it is given: into line ends, if it says so."""
_MESSAGE_ID = re.compile(r"(?!.*=\?)<[!-;=?-~]{1,250}>", re.ASCII)
_LINK = re.compile(r"(?!.*=\?)(https?://|mailto:)[!-;=?-~]{1,350}", re.ASCII)


class Unmailable(ValueError):
    """No mail can be made of this; says what is wrong with it."""


class Postmark(Struct, frozen=True, kw_only=True):
    """What stands on the envelope and at the head of a mail."""

    office: str
    """The display name of the server."""
    sender: str
    domain: str
    to: str
    message_id: str
    """What stands before the ``@``: the same letter always has the same."""
    table: str | None = None
    """The table's id: its mails make a thread and a list."""
    reply_to: str | None = None
    unsubscribe: tuple[str, ...] = ()
    in_reply_to: str | None = None
    """The Message-ID of the mail that this one answers; left out unless it looks like one."""
    at: datetime


def compose(letter: Letter, mark: Postmark) -> EmailMessage:
    """The mail: text first, then HTML if there is any. Raises Unmailable."""
    _check(mark)
    message = EmailMessage(policy=POLICY)
    for name, value in _headers(letter, mark):
        message[name] = value
    if letter.html is None:
        _fill(message, letter.text, "plain")
        return message
    message["Content-Type"] = f'multipart/alternative; boundary="{_BOUNDARY}"'
    for text, kind in ((letter.text, "plain"), (page.document(letter.subject, letter.html), "html")):
        part = EmailMessage(policy=POLICY)
        _fill(part, text, kind)
        message.attach(part)
    return message


def _check(mark: Postmark) -> None:
    for address in (mark.sender, mark.to, *((mark.reply_to,) if mark.reply_to is not None else ())):
        if not is_address(address):
            raise Unmailable(f"“{clean(address)[:100]}” is not an address")
    for what, pattern, value in (
        ("the local part of a Message-ID", _LOCAL, mark.message_id),
        ("a domain", _DOMAIN, mark.domain),
        ("the id of a table", _LOCAL, mark.table or "none"),
        *(("a link", _LINK, link) for link in mark.unsubscribe),
    ):
        if not pattern.fullmatch(value):
            raise Unmailable(f"“{clean(value)[:100]}” is not {what}")


def _headers(letter: Letter, mark: Postmark) -> list[tuple[str, str | Address | datetime]]:
    office = _harmless(mark.office)[:_LONGEST_OFFICE]
    answers = mark.in_reply_to if mark.in_reply_to and _MESSAGE_ID.fullmatch(mark.in_reply_to) else None
    root = f"<table.{mark.table}@{mark.domain}>" if mark.table else None
    thread = [message_id for message_id in (root, answers) if message_id]
    headers: list[tuple[str, str | Address | datetime]] = [
        ("From", Address(office, addr_spec=mark.sender)),
        ("To", mark.to),
        ("Subject", _harmless(letter.subject)),
        ("Date", mark.at),
        ("Message-ID", f"<{mark.message_id}@{mark.domain}>"),
    ]
    if mark.reply_to:
        headers.append(("Reply-To", mark.reply_to))
    if thread:
        headers += [("In-Reply-To", thread[-1]), ("References", " ".join(thread))]
    if mark.table:
        headers.append(("List-Id", f"Table {mark.table[:8]} <{mark.table}.{mark.domain}>"))
    # Both ask programs, the second those of Microsoft, not to answer that nobody is in.
    headers.append(("Auto-Submitted", "auto-replied" if mark.in_reply_to else "auto-generated"))
    headers.append(("X-Auto-Response-Suppress", "All"))
    if mark.unsubscribe:
        headers.append(("List-Unsubscribe", ", ".join(f"<{link}>" for link in mark.unsubscribe)))
    if any(link.startswith("https://") for link in mark.unsubscribe):
        headers.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    headers.append(("MIME-Version", "1.0"))
    return headers


def _harmless(words: str) -> str:
    """Words for people on one line, which mean nothing to a program."""
    return one_line(one_line(words).replace(_ENCODED, "= ?"))


def _fill(part: EmailMessage, text: str, kind: str) -> None:
    """Put a text in as it will travel: as it stands if every mail server can carry it, or else quoted-printable.

    The email package would do the same in Python, character by character; here it is a call of C, or nothing at all.
    """
    encoding = "7bit"
    if _BOUNDARY in text or not _PORTABLE.fullmatch(text):
        # It also writes every “=” as “=3D”, so that nothing in the text can pass for a boundary.
        text = binascii.b2a_qp(text.encode("utf-8", "replace")).decode("ascii")
        encoding = "quoted-printable"
    part["Content-Type"] = f'text/{kind}; charset="utf-8"'
    part["Content-Transfer-Encoding"] = encoding
    part.set_payload(text)
