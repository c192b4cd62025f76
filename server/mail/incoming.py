"""A mail as it came in, read for what a person wants: commands, signed moves, or neither.

Anybody may send anything here, so :func:`read` never raises and looks at every byte a fixed number of times. That is
why the standard library's parser of mail is not used: its time grows with the square of what a hostile mail nests, and
so does that of its parser of HTML. What is needed of both is small.
"""

from __future__ import annotations

import binascii
import hashlib
import html
import logging
import quopri
import re
from collections.abc import Collection, Iterator, Sequence
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from itertools import islice

from msgspec import Struct

from engine.errors import RecordRejected
from engine.record import armour
from engine.record.armour import SignedMove

WORDS = ("play", "show", "moves", "log", "resign", "help", "stop", "confirm", "continue", "abandon", "back")
LARGEST = 1024 * 1024
"""Bytes of a mail that is read; of a larger one only the head is looked at."""
MOST_PARTS = 50
DEEPEST = 10
MOST_COMMANDS = 10
LONGEST_HEADER = 2_000
LONGEST_SUBJECT = 300
LONGEST_REST = 500
"""No command is that long, so cutting it there never makes another command of it."""
_MOST_GREETINGS = 3
"""Lines such as “Hi,” that may stand before the first command."""
_MOST_REPEATS = 20

log = logging.getLogger("poste")


class Command(Struct, frozen=True):
    """One line of a mail that asks for something: a word of WORDS in lower case, and what follows it."""

    word: str
    rest: str


class Incoming(Struct, frozen=True):
    """What a mail says. Only the signature of a move proves who wrote it; the rest is what the mail claims."""

    sender: str
    """The sender of the envelope, as given; empty for a bounce."""
    author: str
    """The address in From; it proves nothing."""
    message_id: str | None
    digest: str
    """SHA-256 of the whole mail, in hexadecimal."""
    subject: str
    automatic: str | None
    """Why the mail must not be answered, or None."""
    text: str
    """What the person wrote, without what they quoted."""
    commands: tuple[Command, ...]
    moves: tuple[SignedMove, ...]
    trouble: str | None
    """A sentence for the sender if something could not be read, or None. Then there are neither commands nor moves."""


def read(data: bytes, sender: str) -> Incoming:
    """Read a mail. Never raises; every field is bounded, and so is the time for each byte, whatever the mail."""
    digest = hashlib.sha256(data).hexdigest()
    try:
        return _read(data, sender, digest)
    except Exception:  # one mail nobody foresaw must not keep the post office from reading the next
        log.exception("a mail could not be read; its SHA-256 is %s", digest)
        trouble = "Your mail could not be read here. Please send it again as plain text."
        return Incoming(sender, "", None, digest, "", None, "", (), (), trouble)


def _read(data: bytes, sender: str, digest: str) -> Incoming:
    found = headers(data, _WANTED)
    subject = _subject(_first(found, "subject"))
    text, trouble = _text_of(data) if len(data) <= LARGEST else ("", _TOO_LARGE)
    text = "\n".join(without_quotes(text.translate(_UNWRITTEN).splitlines())).strip()
    moves, broken = _moves(text)
    commands = _commands(_outside_blocks(text.splitlines()))
    if not commands and not moves:
        commands = _commands([_without_prefixes(subject)])
    if trouble == _NO_TEXT and commands:
        trouble = None  # “help” as a subject is a whole letter
    trouble = trouble or broken
    return Incoming(
        sender=sender,
        author=next(addresses(_first(found, "from")), ""),
        message_id=_message_id(_first(found, "message-id")),
        digest=digest,
        subject=subject,
        automatic=_automatic(found, sender, subject),
        text=text[: armour.LONGEST_TEXT],
        commands=() if trouble else commands,
        moves=moves,
        trouble=trouble,
    )


_TOO_LARGE = f"Your mail is larger than {LARGEST} bytes, which is more than is read here."
_NO_TEXT = "There is no text in your mail. Please send it as plain text."
_TOO_MANY = f"Your mail has more than {MOST_PARTS} parts, or parts nested more than {DEEPEST} deep."
_TOO_LONG = f"Your mail is longer than {armour.LONGEST_TEXT} characters, which is more than is read here."


# The head.

_WANTED = {
    *("from", "subject", "message-id", "content-type", "auto-submitted", "precedence", "list-id", "list-post"),
    *("x-autoreply", "x-autorespond", "x-auto-response-suppress"),
}
_OF_A_PART = frozenset(["content-type", "content-disposition", "content-transfer-encoding"])
_HEAD_ENDS = re.compile(rb"\r?\n\r?\n")
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_ADDRESS = re.compile(r"""[^\s<>(),;:"@\\]{1,64}@[^\s<>(),;:"@\\]{1,255}""")
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,120}@[!-;=?A-~]{1,120}>")
_PRECEDENCES = frozenset(["bulk", "list", "junk", "auto_reply"])
_AWAY = (
    *("out of office", "automatic reply", "auto-reply", "autoreply", "auto:", "autosvar", "automatisch antwoord"),
    *("automatische antwort", "abwesenheit", "abwesend", "réponse automatique", "absence du bureau"),
    *("respuesta automática", "risposta automatica", "undeliverable", "undelivered mail", "delivery status"),
)
_PREFIXES = frozenset(
    ["re", "ré", "réf", "fwd", "fw", "aw", "wg", "sv", "vs", "vb", "antw", "tr", "rv", "r", "i", "odp"]
)


def headers(data: bytes, names: Collection[str], longest: int = LONGEST_HEADER) -> dict[str, list[str]]:
    """The values of these headers (named in lower case), unfolded and cut to a length, in their order."""
    head = _split(data[:LARGEST])[0]
    found: dict[str, list[str]] = {}
    for line in _FOLD.sub(b"", head).splitlines():
        name, colon, value = line.partition(b":")
        key = name.strip().lower().decode("latin-1")
        if colon and key in names and len(found.get(key, ())) < _MOST_REPEATS:
            found.setdefault(key, []).append(_decoded(value[:longest], "").strip())
    return found


def addresses(value: str) -> Iterator[str]:
    """The mail addresses of a header; if just one stands in angle brackets, what is before it is a name."""
    value = value[value.find("<") :] if value.count("<") == 1 else value
    return (found.group() for found in _ADDRESS.finditer(value))


def _first(found: dict[str, list[str]], name: str) -> str:
    return found.get(name, [""])[0]


def _message_id(value: str) -> str | None:
    return value if _MESSAGE_ID.fullmatch(value) else None


def _subject(value: str) -> str:
    try:
        pieces: Sequence[tuple[bytes | str, str | None]] = decode_header(value)
    except (HeaderParseError, ValueError):
        pieces = [(value, None)]
    text = "".join(piece if isinstance(piece, str) else _decoded(piece, charset or "") for piece, charset in pieces)
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:LONGEST_SUBJECT]


def _without_prefixes(subject: str) -> str:
    while True:
        prefix, colon, rest = subject.partition(":")
        if not colon or prefix.strip().lower().rstrip("[]()0123456789") not in _PREFIXES:
            return subject
        subject = rest


def _automatic(found: dict[str, list[str]], sender: str, subject: str) -> str | None:
    if sender.strip("<> ").partition("@")[0].lower() in ("", "mailer-daemon"):
        return "it comes from a mail system"
    if _first(found, "auto-submitted").partition(";")[0].strip().lower() not in ("", "no"):
        return "it says that it was sent automatically"
    if _kind(found).get_content_type() in ("multipart/report", "message/delivery-status"):
        return "it is a report about another mail"
    if _first(found, "precedence").lower() in _PRECEDENCES or "list-id" in found or "list-post" in found:
        return "it comes from a mailing list"
    if any(name.startswith("x-auto") for name in found):
        return "it comes from an automatic responder"
    if _without_prefixes(subject).strip().lower().startswith(_AWAY) or subject.lower().startswith(_AWAY):
        return "its subject is that of an automatic reply"
    return None


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


def _kind(found: dict[str, list[str]]) -> Message:
    # Message reads parameters; the value it reads is short, because ``headers`` cut it.
    kind = Message()
    for name in _OF_A_PART & found.keys():
        kind[name] = "".join(letter for letter in _first(found, name) if letter.isprintable())
    return kind


def _leaves(data: bytes) -> Iterator[tuple[Message, bytes] | None]:
    """The parts that hold something, first to last; None where it gives up, there being too many or too deep ones."""
    waiting = [(data, 0)]
    for _ in range(MOST_PARTS + 1):
        if not waiting:
            return
        part, depth = waiting.pop()
        kind, body = _kind(headers(part, _OF_A_PART)), _split(part)[1]
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


def _text_of(data: bytes) -> tuple[str, str | None]:
    """The first plain text of a mail, else the text of its first HTML, and what is wrong if there is neither."""
    page = ""
    trouble = _NO_TEXT
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
        if pieces and line.startswith(">"):
            lines.append("".join(pieces))
            pieces = []
        flows = line.endswith(" ") and line != "-- " and not line.startswith(">")
        pieces.append(line.removeprefix(" ").removesuffix(" " if flows and squeeze else ""))
        if not flows:
            lines.append("".join(pieces))
            pieces = []
    return "\n".join([*lines, "".join(pieces)])


# HTML.

_BLOCKS = {
    *("address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
    *("li", "ol", "p", "pre", "table", "tr", "ul"),
}
_NAME = re.compile(r"/?[a-z][a-z0-9]{0,15}", re.IGNORECASE)
_CLOSING = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("style", "script", "title")}
_WHITE = re.compile(r"\s+")


def text_of_html(page: str) -> str:
    """The text of a page without what it quotes; looks at every character a fixed number of times."""
    pieces: list[str] = []
    quoted = preformatted = 0
    start = 0
    while start < len(page):
        opening = page.find("<", start)
        words = page[start : opening if opening >= 0 else len(page)]
        if not quoted:
            pieces.append(_unescaped(words if preformatted else _WHITE.sub(" ", words)))
        if opening < 0:
            break
        comment = page.startswith("<!--", opening)
        named = _NAME.match(page, opening + 1)
        if not named and not page.startswith(("<!", "<?", "</"), opening):
            pieces.append("<")  # a sign of less, as in “1 < 2”
            start = opening + 1
            continue
        closing = page.find("-->" if comment else ">", opening)
        if closing < 0:
            break
        start = closing + (3 if comment else 1)
        name = named.group().lower() if named else ""
        if name in _CLOSING:
            end = _CLOSING[name].search(page, start)
            start = end.start() if end else len(page)
        if name.removeprefix("/") == "blockquote":
            quoted = max(0, quoted + (-1 if name.startswith("/") else 1))
        if name.removeprefix("/") == "pre":
            preformatted = max(0, preformatted + (-1 if name.startswith("/") else 1))
        if name.removeprefix("/") in _BLOCKS and not quoted:
            pieces.append("\n")
    lines = [line.strip() for line in "".join(pieces).splitlines()]
    return "\n".join(line for line, above in zip(lines, ["", *lines], strict=False) if line or above)


def _unescaped(words: str) -> str:
    try:
        return html.unescape(words)
    except ValueError:  # a number of more digits than Python reads
        return words


# What the person wrote.

_UNWRITTEN = (
    dict.fromkeys(code for code in (*range(32), *range(127, 160)) if not chr(code).isspace())
    | dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF])
    | {0xA0: " ", 0x202F: " "}
)
"""Characters without a shape, which mail programs scatter and which would hide a command; and odd spaces."""
_ATTRIBUTIONS = (
    *(("On ", "wrote"), ("Le ", "a écrit"), ("Am ", "schrieb"), ("El ", "escribió"), ("Il ", "ha scritto")),
    *(("Op ", "schreef"), ("Em ", "escreveu"), ("Den ", "skrev")),
)
_LONGEST_LINE = 400
"""Of a line that says who wrote what follows."""
_ORIGINALS = {
    *("original message", "forwarded message", "ursprüngliche nachricht", "weitergeleitete nachricht"),
    *("message d'origine", "message transféré", "mensaje original", "messaggio originale", "oorspronkelijk bericht"),
}
_FROM = ("from:", "von:", "de:", "de :", "da:", "van:")
_THEN = ("sent:", "date:", "to:", "gesendet:", "datum:", "an:", "envoyé:", "envoyé :", "date :", "enviado:", "inviato:")
_DECORATION = "*_\"'`“”„«» "


def without_quotes(lines: Sequence[str]) -> list[str]:
    """The lines a person wrote: no quoted lines, nothing of the mail they answer, no signature.

    What follows “On ... wrote:” is the mail that is answered, unless nothing stands above it and it is quoted with
    ``>``: then the answer may come below.
    """
    written: list[str] = []
    begun = False
    index = 0
    while index < len(lines):
        line = lines[index]
        length = _attribution(lines, index)
        if length and (begun or not _next(lines, index + length).startswith(">")):
            break
        if line.rstrip() == "--" or _original(lines, index):
            break
        if not length and not line.lstrip().startswith(">"):
            written.append(line)
            begun = begun or bool(line.strip())
        index += length or 1
    return written


def _attribution(lines: Sequence[str], index: int) -> int:
    """How many lines from here on say who wrote what follows: none, or up to three."""
    first = lines[index].strip()
    for beginning, verb in _ATTRIBUTIONS:
        if first.startswith(beginning):
            said = ""
            for count, line in enumerate(lines[index : index + 3], start=1):
                if not line.strip():
                    break
                said += " " + line.strip()[:_LONGEST_LINE]
                if said.endswith(":") and verb in said:
                    return count
    return 0


def _original(lines: Sequence[str], index: int) -> bool:
    line = lines[index].strip().lower()
    if (line.startswith("--") and line.strip("- ") in _ORIGINALS) or line == "begin forwarded message:":
        return True
    if len(line) > 4 and not line.strip("_"):
        return _next(lines, index + 1).lower().startswith(_FROM)
    plain = line.replace("*", "")
    return plain.startswith(_FROM) and _next(lines, index + 1).replace("*", "").lower().startswith(_THEN)


def _next(lines: Sequence[str], index: int) -> str:
    """The next line that is not empty; an empty one counts only once, or a mail of empty lines would take for ever."""
    for line in lines[index : index + 2]:
        if line.strip():
            return line.strip()
    return ""


def _moves(text: str) -> tuple[tuple[SignedMove, ...], str | None]:
    if len(text) > armour.LONGEST_TEXT:
        return (), _TOO_LONG
    try:
        return tuple(armour.read(text)), None
    except RecordRejected as rejected:
        broken = f"The signed move in your mail could not be read: {rejected}."
        return (), None if rejected.code == "armour/none" else broken


def _outside_blocks(lines: Sequence[str]) -> list[str]:
    outside: list[str] = []
    inside = False
    for line in lines:
        word = line.strip()
        inside = inside or word == armour.BEGIN
        if not inside:
            outside.append(line)
        inside = inside and word != armour.END
    return outside


def _commands(lines: Sequence[str]) -> tuple[Command, ...]:
    commands: list[Command] = []
    greetings = 0
    for line in lines:
        first, _, rest = line.replace("\t", " ").strip(_DECORATION).partition(" ")
        word = first.strip(_DECORATION).lower()
        if word in WORDS:
            commands.append(Command(word, rest.strip(_DECORATION)[:LONGEST_REST]))
        elif line.strip():
            greetings += 1
            if commands or greetings > _MOST_GREETINGS:
                break
        if len(commands) == MOST_COMMANDS:
            break
    return tuple(commands)
