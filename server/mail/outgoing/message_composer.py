"""From a letter to a mail: its headers, and its two parts as they travel.

Whatever a name, a subject or an incoming mail contains, no header comes of it but the one it was meant for: words for
people are cleaned, and everything that machines read (addresses, ids, links) must have its one plain form.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from datetime import datetime
from email.headerregistry import Address
from email.policy import SMTP
from email.utils import format_datetime
from functools import lru_cache

from msgspec import Struct

from engine.scene.canvas import clean
from server.email_addresses import is_address
from server.mail.letters import letter_as_html
from server.mail.letters.letter_parts import Letter
from server.mail.letters.letter_phrases import one_line

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
    """The display name of the office, as its mails say it."""
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


def compose(letter: Letter, mark: Postmark) -> bytes:
    """The mail as it travels: text first, then HTML if there is any. Raises Unmailable."""
    _check(mark)
    head = _words("From", str(Address(_harmless(mark.office)[:_LONGEST_OFFICE], addr_spec=mark.sender)))
    head += _words("Subject", _harmless(letter.subject))
    head += "".join(f"{name}: {value}\r\n" for name, value in _for_machines(mark))
    if letter.html is None:
        body = _part("plain", letter.text)
    else:
        parts = (_part("plain", letter.text), _part("html", letter_as_html.document(letter.subject, letter.html)))
        body = f'Content-Type: multipart/alternative; boundary="{_BOUNDARY}"\n\n'
        body += "".join(f"--{_BOUNDARY}\n{part}\n" for part in parts) + f"--{_BOUNDARY}--\n"
    return (head + body.replace("\n", "\r\n")).encode("ascii")


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


@lru_cache(maxsize=256)
def _words(name: str, words: str) -> str:
    """A header made of words for people, encoded where they need it."""
    return str(POLICY.fold(*POLICY.header_store_parse(name, words)))


def _for_machines(mark: Postmark) -> Iterator[tuple[str, str]]:
    """The other headers, of which every part was checked: nothing in them can be read as anything else."""
    answers = mark.in_reply_to if mark.in_reply_to and _MESSAGE_ID.fullmatch(mark.in_reply_to) else None
    root = f"<table.{mark.table}@{mark.domain}>" if mark.table else None
    thread = [message_id for message_id in (root, answers) if message_id]
    yield "To", mark.to
    yield "Date", format_datetime(mark.at)
    yield "Message-ID", f"<{mark.message_id}@{mark.domain}>"
    if mark.reply_to:
        yield "Reply-To", mark.reply_to
    if thread:
        yield "In-Reply-To", thread[-1]
        yield "References", " ".join(thread)
    if mark.table:
        yield "List-Id", f"Table {mark.table[:8]} <{mark.table}.{mark.domain}>"
    # Both ask programs, the second those of Microsoft, not to answer that nobody is in.
    yield "Auto-Submitted", "auto-replied" if mark.in_reply_to else "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    if mark.unsubscribe:
        yield "List-Unsubscribe", ", ".join(f"<{link}>" for link in mark.unsubscribe)
    if any(link.startswith("https://") for link in mark.unsubscribe):
        yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"
    yield "MIME-Version", "1.0"


def _harmless(words: str) -> str:
    """Words for people on one line, which mean nothing to a program."""
    return one_line(one_line(words).replace(_ENCODED, "= ?"))


def _part(kind: str, text: str) -> str:
    """A text with its headers: as it stands if every mail server can carry it, or else quoted-printable."""
    encoding = "7bit"
    if _BOUNDARY in text or not _PORTABLE.fullmatch(text):
        encoding = "quoted-printable"
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        # It also writes every “=” as “=3D”, so that nothing in the text can pass for a boundary.
        text = binascii.b2a_qp(lines.encode("utf-8", "replace")).decode("ascii")
    return f'Content-Type: text/{kind}; charset="utf-8"\nContent-Transfer-Encoding: {encoding}\n\n{text}'
