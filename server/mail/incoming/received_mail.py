"""A mail as it came in, read for what a person wants: commands, signed moves, or neither.

Anybody may send anything here, so :func:`read` never raises and looks at every byte a fixed number of times.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from engine.errors import RecordRejected
from engine.record import armour
from engine.record.armour import SignedMove
from server.mail.incoming import automatic_mail, mime_parser
from server.mail.incoming.mime_parser import (
    LARGEST,
    LONGEST_SUBJECT,
    addresses,
    first,
    headers,
    subject_of,
    without_prefixes,
)
from server.mail.incoming.quoted_text import without_quotes

WORDS = ("play", "show", "moves", "log", "resign", "help", "stop", "confirm", "continue", "abandon", "back", "join")
MOST_COMMANDS = 10
LONGEST_REST = 500
"""No command is that long, so cutting it there never makes another command of it."""
_MOST_GREETINGS = 3
"""Lines such as “Hi,” that may stand before the first command."""

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
    identity: str
    """The same however often and by whichever way the same mail comes: of its Message-ID and of what it asks for."""
    subject: str
    automatic: str | None
    """Why the mail must not be answered, or None."""
    text: str
    """What the person wrote, without what they quoted."""
    commands: tuple[Command, ...]
    moves: tuple[SignedMove, ...]
    trouble: str | None
    """A sentence for the sender if something could not be read, or None. Then there are neither commands nor moves."""
    more: bool = False
    """Whether there are more commands in it than the first so many, which are those that are read."""

    @property
    def asks(self) -> bool:
        """Whether it wants anything of us: there is a command in it, or a signed move, whole or broken."""
        return bool(self.commands or self.moves) or armour.BEGIN in self.text


def read(data: bytes, sender: str) -> Incoming:
    """Read a mail. Never raises; every field is bounded, and so is the time for each byte, whatever the mail."""
    digest = hashlib.sha256(data).hexdigest()
    try:
        return _read(data, sender, digest)
    except Exception:  # one mail nobody foresaw must not keep the post office from reading the next
        log.exception("a mail could not be read; its SHA-256 is %s", digest)
        trouble = "Your mail could not be read here. Please send it again as plain text."
        return Incoming(sender, "", None, digest, digest, "", None, "", (), (), trouble)


def _read(data: bytes, sender: str, digest: str) -> Incoming:
    found = headers(data, _WANTED, prefixes=automatic_mail.PREFIXES)
    subject = subject_of(first(found, "subject"))
    text, trouble = mime_parser.text_of(data) if len(data) <= LARGEST else ("", mime_parser.TOO_LARGE)
    text = "\n".join(without_quotes(text.translate(_UNWRITTEN).splitlines())).strip()
    text = _straightened(text) if len(text) <= armour.LONGEST_TEXT else text
    moves, broken = _moves(text)
    commands, more = _commands(_outside_blocks(text.splitlines()))
    if not commands and not moves and len(subject) < LONGEST_SUBJECT:  # of a longer one the end is not there
        commands, more = _commands([without_prefixes(subject)])
    if trouble == mime_parser.NO_TEXT and commands:
        trouble = None  # “help” as a subject is a whole letter
    trouble = trouble or broken
    commands = () if trouble else commands
    return Incoming(
        sender=sender,
        author=next(addresses(first(found, "from")), ""),
        message_id=_message_id(first(found, "message-id")),
        digest=digest,
        identity=_identity(first(found, "message-id") or first(found, "date"), commands, moves),
        subject=subject,
        automatic=automatic_mail.why_automatic(found, sender, subject),
        text=text[: armour.LONGEST_TEXT],
        commands=commands,
        moves=moves,
        trouble=trouble,
        more=more and not trouble,
    )


_WANTED = automatic_mail.HEADERS | {"from", "subject", "message-id", "date"}
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,120}@[!-;=?A-~]{1,120}>")
_TOO_LONG = f"Your mail is longer than {armour.LONGEST_TEXT} characters, which is more than is read here."


def _message_id(value: str) -> str | None:
    return value if _MESSAGE_ID.fullmatch(value) else None


def _identity(name: str, commands: Sequence[Command], moves: Sequence[SignedMove]) -> str:
    """Whoever passes a mail on adds to its head, so its bytes do not tell whether it is the same; this does."""
    return hashlib.sha256(msgspec.json.encode([name, commands, moves])).hexdigest()


# Characters.

_UNWRITTEN = (
    dict.fromkeys(code for code in (*range(32), *range(127, 160)) if not chr(code).isspace())
    | dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF])
    | dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
    | {0x2010: "-", 0x2011: "-"}
)
"""Characters without a shape, which mail programs scatter and which would hide a command; odd spaces and hyphens."""


# Signed moves.

_DASHES = "[-\u2010-\u2015\u2212]"
_MARK = re.compile(rf"{_DASHES}{{2,5}} ?(BEGIN|END) POSTE MOVE ?{_DASHES}{{2,5}}")
_WHITE = re.compile(r"\s+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{200,}={0,2}")
"""A signature alone is longer than that, and no word."""


def _straightened(text: str) -> str:
    """The text with every block on lines of its own, however programs have broken or joined its lines.

    Only what can be nothing else is touched: Base64, and much of it, between the two marks.
    """
    text = _MARK.sub(lambda mark: armour.BEGIN if mark[1] == "BEGIN" else armour.END, text)
    *pieces, last = text.split(armour.END)
    straight: list[str] = []
    for piece in pieces:
        before, begin, inside = piece.rpartition(armour.BEGIN)
        block = _WHITE.sub("", inside)
        if begin and _BASE64.fullmatch(block):
            straight += [before, "\n", armour.BEGIN, "\n", block, "\n", armour.END, "\n"]
        else:
            straight += [piece, armour.END]
    return "".join([*straight, last])


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


# Commands.

_DECORATION = "*_\"'`“”„«» \t"
_AT_ITS_END = _DECORATION + ".!"
_LOOKING = frozenset(["show", "moves", "log", "help", "join"])
_ACTING = frozenset(["resign", "stop", "back", "continue", "abandon"])
_AFTER_THE_WORD = re.compile(r"[\s:]")
_CODE = re.compile(r"[0-9A-Za-z]{4,64}")
_WRAPPED = range(55, 81)
"""The length of a line that a program may have broken where the next one begins."""
_NARROWEST = 65
"""No program breaks a line before a word that has room within so many characters."""


def _commands(lines: Sequence[str]) -> tuple[tuple[Command, ...], bool]:
    """The first commands of a mail, and whether there are more of them."""
    commands: list[Command] = []
    greetings = 0
    above = ""
    for line in _unbroken(lines):
        command = _command(line)
        if command and command.word in _ACTING and len(above.rstrip()) in _WRAPPED:
            command = None  # the end of a sentence: “I would never / resign.”
        if command and command.word == "confirm" and (greetings or commands):
            command = None  # our own mail, sent back by a program, has the code further down
        if command:
            if len(commands) == MOST_COMMANDS:
                return tuple(commands), True
            commands.append(command)
        elif line.strip():
            greetings += 1
            if commands or greetings > _MOST_GREETINGS:
                break
        above = "" if command else line
    return tuple(commands), False


def _unbroken(lines: Sequence[str]) -> list[str]:
    """The lines with every move on one: of a move that a program has broken, no part may be taken for the whole.

    >>> _unbroken(["play open gastronomique O1 with bread flour meat potatoes", "potatoes/cheese", "Bye"])
    ['play open gastronomique O1 with bread flour meat potatoes potatoes/cheese', 'Bye']
    """
    whole: list[str] = []
    above = ""
    for line in lines:
        broken = len(above.rstrip()) + 1 + len(line.strip().partition(" ")[0]) > _NARROWEST
        if broken and above.strip() and line.strip() and _plays(whole[-1]) and _command(line) is None:
            whole[-1] = f"{whole[-1].rstrip()} {line.strip()}"
        else:
            whole.append(line)
        above = line
    return whole


def _plays(line: str) -> bool:
    """Whether a line asks for a move, and is not too long for any already."""
    command = _command(line) if len(line) <= LONGEST_REST else None
    return command is not None and command.word == "play"


def _command(line: str) -> Command | None:
    """What a line asks for. Only two words have anything after them: “stop it, Bob” is not said to us.

    >>> _command("Play: take louvre."), _command("**stop**!"), _command("Stop it, Bob!")
    (Command(word='play', rest='take louvre'), Command(word='stop', rest=''), None)
    """
    line = line.strip(_DECORATION)
    alone = line.rstrip(_AT_ITS_END).lower()
    if alone in _ACTING or alone.rstrip("?" + _AT_ITS_END) in _LOOKING:
        return Command(alone.rstrip("?" + _AT_ITS_END), "")
    word, *after = _AFTER_THE_WORD.split(line, maxsplit=1)
    rest = "".join(after).strip(_DECORATION + ":")[: LONGEST_REST + 1].rstrip(_AT_ITS_END)[:LONGEST_REST]
    match word.strip(_AT_ITS_END).lower():
        case "play":
            return Command("play", rest)
        case "confirm" if _CODE.fullmatch(rest):
            return Command("confirm", rest)
    return None
