"""A mail as bytes: the headers of its head, and the text of its parts.

Anybody may send anything here, so every byte is looked at a fixed number of times. That is why the standard library's
parser of mail is not used: its time grows with the square of what a hostile mail nests.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from itertools import islice

from server.mail.incoming.html_to_text import text_of_html

LARGEST = 1024 * 1024
"""Bytes of a mail that is read; of a larger one only the head is looked at."""
MOST_PARTS = 50
DEEPEST = 10
LONGEST_HEADER = 2_000
LONGEST_SUBJECT = 300
_MOST_REPEATS = 20

TOO_LARGE = f"Your mail is larger than {LARGEST} bytes, which is more than is read here."
NO_TEXT = "There is no text in your mail. Please send it as plain text."
_TOO_MANY = f"Your mail has more than {MOST_PARTS} parts, or parts nested more than {DEEPEST} deep."

Headers = Mapping[str, Sequence[str]]
"""The values of headers by their names in lower case."""


# The head.

_OF_A_PART = frozenset(["content-type", "content-disposition", "content-transfer-encoding"])
_HEAD_ENDS = re.compile(rb"\r?\n\r?\n")
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_ADDRESS = re.compile(r"""[^\s<>(),;:"@\\]{1,64}@[^\s<>(),;:"@\\]{1,255}""")
_PREFIXES = frozenset(
    ["re", "ré", "réf", "fwd", "fw", "aw", "wg", "sv", "vs", "vb", "antw", "tr", "rv", "r", "i", "odp"]
)


def headers(
    data: bytes, names: Collection[str], longest: int = LONGEST_HEADER, prefixes: tuple[str, ...] = ()
) -> dict[str, list[str]]:
    """The values of these headers (named in lower case), unfolded and cut to a length, in their order.

    With ``prefixes`` those whose names begin so as well.
    """
    head = _split(data[:LARGEST])[0]
    found: dict[str, list[str]] = {}
    for line in _FOLD.sub(b"", head).splitlines():
        name, colon, value = line.partition(b":")
        key = name.strip().lower().decode("latin-1")
        wanted = key in names or (prefixes and key.startswith(prefixes))
        if colon and wanted and len(found.get(key, ())) < _MOST_REPEATS:
            found.setdefault(key, []).append(_decoded(value[:longest], "").strip())
    return found


def first(found: Headers, name: str) -> str:
    """The first value of a header, or nothing."""
    return found.get(name, [""])[0]


def addresses(value: str) -> Iterator[str]:
    """The mail addresses of a header; where one stands in angle brackets, what is before it is a name.

    >>> list(addresses('post@games.example.org, "bob@else.org" <bob@example.org>'))
    ['post@games.example.org', 'bob@example.org']
    """
    for one in value.split(","):
        meant = one[one.find("<") :] if one.count("<") == 1 else one
        yield from (found.group() for found in _ADDRESS.finditer(meant))


def subject_of(value: str) -> str:
    """A subject as it is read: decoded, on one line, not too long."""
    try:
        pieces: Sequence[tuple[bytes | str, str | None]] = decode_header(value)
    except (HeaderParseError, ValueError):
        pieces = [(value, None)]
    text = "".join(piece if isinstance(piece, str) else _decoded(piece, charset or "") for piece, charset in pieces)
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:LONGEST_SUBJECT]


def without_prefixes(subject: str) -> str:
    """A subject without the marks of replies and forwarded mails.

    >>> without_prefixes("Re: AW: RE[2]: help").strip()
    'help'
    """
    while True:
        prefix, colon, rest = subject.partition(":")
        if not colon or prefix.strip().lower().rstrip("[]()0123456789") not in _PREFIXES:
            return subject
        subject = rest


# The parts.

_CHARSET = re.compile(
    r"utf-?8|utf-16(le|be)?|(us-)?ascii|iso-?8859-?\d{1,2}|latin-?1|(windows-|cp)125\d|koi8-[rut]|gb2312|gbk|gb18030"
    r"|big5(-hkscs)?|shift[_-]jis|euc-(jp|kr)|iso-2022-(jp|kr)|ks_c_5601-1987|macintosh",
    re.IGNORECASE,
)
"""Python knows others, among them some that take the square of the time (punycode) or are no charsets at all."""


def _split(part: bytes) -> tuple[bytes, bytes]:
    if part.startswith((b"\n", b"\r\n")):
        return b"", part
    end = _HEAD_ENDS.search(part)
    return (part[: end.start()], part[end.end() :]) if end else (part, b"")


def kind_of(found: Headers) -> Message:
    """What a part is, by its headers."""
    # Message reads parameters; the value it reads is short, because ``headers`` cut it.
    kind = Message()
    for name in _OF_A_PART & found.keys():
        kind[name] = "".join(letter for letter in first(found, name) if letter.isprintable())
    return kind


def _leaves(data: bytes) -> Iterator[tuple[Message, bytes] | None]:
    """The parts that hold something, first to last; None where it gives up, there being too many or too deep ones."""
    waiting = [(data, 0)]
    for _ in range(MOST_PARTS + 1):
        if not waiting:
            return
        part, depth = waiting.pop()
        kind, body = kind_of(headers(part, _OF_A_PART)), _split(part)[1]
        boundary = _parameter(kind, "boundary") if kind.get_content_maintype() == "multipart" else ""
        if not boundary:
            yield kind, body
        elif depth == DEEPEST:
            break
        else:
            waiting += [(child, depth + 1) for child in reversed(_children(body, boundary.encode()))]
    yield None


def _children(body: bytes, boundary: bytes) -> list[bytes]:
    line = re.compile(rb"^--" + re.escape(boundary) + rb"(--)?[ \t]*\r?$", re.MULTILINE)
    children: list[bytes] = []
    start = None
    for mark in islice(line.finditer(body), MOST_PARTS + 1):
        if start is not None:
            children.append(body[start : mark.start()].removesuffix(b"\n").removesuffix(b"\r"))
        start = None if mark.group(1) else mark.end() + 1
        if start is None:
            break
    return children if start is None else [*children, body[start:]]


def _parameter(kind: Message, name: str) -> str:
    try:
        value = kind.get_boundary() if name == "boundary" else kind.get_param(name)
    except ValueError:  # a value in a charset that cannot be
        return ""
    return value if isinstance(value, str) else ""


def text_of(data: bytes) -> tuple[str, str | None]:
    """The first plain text of a mail, else the text of its first HTML, and what is wrong if there is neither."""
    page = ""
    trouble = NO_TEXT
    for leaf in _leaves(data):
        if leaf is None:
            trouble = _TOO_MANY
            break
        kind, body = leaf
        if kind.get_content_disposition() == "attachment":
            continue
        if kind.get_content_type() == "text/plain":
            text = _decoded(_unpacked(kind, body), _parameter(kind, "charset"))
            text = _unflowed(text, kind) if _parameter(kind, "format").lower() == "flowed" else text
            if text.strip():
                return text, None
        elif kind.get_content_type() == "text/html" and not page:
            page = text_of_html(_decoded(_unpacked(kind, body), _parameter(kind, "charset")))
    return page, None if page.strip() else trouble


def _unpacked(kind: Message, body: bytes) -> bytes:
    match str(kind.get("content-transfer-encoding", "")).strip().lower():
        case "quoted-printable":
            return quopri.decodestring(body)
        case "base64":
            try:
                return binascii.a2b_base64(body + b"==")
            except binascii.Error:
                return body
    return body


def _decoded(data: bytes, charset: str) -> str:
    for name in (charset if _CHARSET.fullmatch(charset) else "utf-8", "utf-8"):
        try:
            return data.decode(name).removeprefix("\ufeff")
        except (LookupError, UnicodeError):
            continue
    return data.decode("latin-1")


def _unflowed(text: str, kind: Message) -> str:
    """The text with the lines joined that its writer's program broke (RFC 3676); quoted ones are left as they are."""
    squeeze = _parameter(kind, "delsp").lower() == "yes"
    lines: list[str] = []
    pieces: list[str] = []
    for line in text.splitlines():
        if pieces and (line.startswith(">") or line == "-- "):
            lines.append("".join(pieces))
            pieces = []
        flows = line.endswith(" ") and line != "-- " and not line.startswith(">")
        pieces.append(line.removeprefix(" ").removesuffix(" " if flows and squeeze else ""))
        if not flows:
            lines.append("".join(pieces))
            pieces = []
    return "\n".join([*lines, "".join(pieces)])
