"""Entries: the lines of a log, their exact bytes, and what of them a player signs.

A line is ``{"entry":{...},"seal":"..."}`` in canonical JSON. The hash of an entry is the SHA-256 of the bytes of its
inner object as they stand in the line; the seal is the server's signature over that hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from json import JSONDecodeError, loads
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct

from engine.errors import RecordRejected
from engine.game import Standing
from engine.harmless_text import shown
from engine.keys import Hash, Key, Signature, SigningKey, sha256, tagged, verify
from engine.record.canonical import canonical, plain
from engine.typed_json import decoder

FORMAT: Final = "poste-record/1"
FIRST: Hash = "0" * 64
"""What the first entry names as the one before it."""
LONGEST_LINE = 16_384

TableId: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
Name: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z")]
Timestamp: TypeAlias = Annotated[
    str, Meta(pattern=r"^[0-9]{4}(-[0-9]{2}){2}T([01][0-9]|2[0-3])(:[0-5][0-9]){2}\.[0-9]{3}Z\Z")
]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=99)]
ByMail: TypeAlias = Literal["mail"] | None
"""How it came: by mail, signed by the gateway the player has delegated to, or (None) signed by the player's own key."""
Json: TypeAlias = dict[str, Any]


Seconds: TypeAlias = Annotated[int, Meta(ge=1, le=10**9)]


class _Clock(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="kind", kw_only=True):
    """What every clock may have: days off, and what becomes of a seat that lets deadline after deadline pass."""

    weekends_off: bool = False
    """Whether Saturdays and Sundays (UTC) do not count."""
    vacation: Annotated[int, Meta(ge=0, le=366)] = 0
    """Days that every player may take off in a calendar year."""
    strikes: Annotated[int, Meta(ge=0, le=99)] = 0
    """After so many timeouts in a row ``then`` happens to the seat; 0 is never."""
    then: Literal["bot", "vote"] = "bot"


class PerDecision(_Clock, frozen=True, tag="per-decision"):
    """A clock that gives every decision the same time from the entry that opened it."""

    seconds: Seconds


class Bank(_Clock, frozen=True, tag="bank"):
    """A clock that gives every seat an account of time: it begins with ``start``, and every answer adds ``refill``.

    Even an empty account leaves every decision a minute.
    """

    start: Seconds
    refill: Annotated[int, Meta(ge=0, le=10**9)]
    most: Seconds
    """No refill lifts the account above this."""


Clock: TypeAlias = PerDecision | Bank


class Entry(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, tag_field="kind", tag=str.lower
):
    """What every entry has: its table, its number, the hash of the entry before it, and the server's time."""

    table: TableId
    seq: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    prev: Hash
    at: Timestamp


class Open(Entry, frozen=True):
    """The server opens a table and commits to its secret."""

    format: Literal["poste-record/1"]
    game: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}/[1-9][0-9]{0,5}\Z")]
    components: Hash
    options: Json
    seats: Annotated[int, Meta(ge=1, le=99)]
    server: Key
    commitment: Hash
    clock: Clock | None = None


class Sit(Entry, frozen=True):
    """A player takes a seat and brings 32 fresh bytes of chance."""

    seat: SeatNumber
    name: Name
    key: Key
    entropy: Hash
    signature: Signature


class Deal(Entry, frozen=True):
    """Every seat is taken; the game begins."""

    state: Hash


class Play(Entry, frozen=True, tag="move"):
    """A player's signed move. ``base`` is the hash of the entry that opened the decision it answers."""

    seat: SeatNumber
    base: Hash
    move: Json
    signature: Signature
    state: Hash
    by: ByMail = None
    given: Timestamp | None = None
    """When a sealed answer reached the server, if it then lay there until the others had answered: up to here, and not
    to ``at``, an account of time is charged.
    """


class Timeout(Entry, frozen=True):
    """The server plays for a seat: the game's fallback when its deadline has passed or its player has resigned, or
    what the bot chooses into whose hands the clock has given it.
    """

    seat: SeatNumber
    base: Hash
    move: Json
    why: Literal["deadline", "resigned", "bot"]
    state: Hash


class Resign(Entry, frozen=True):
    """A player gives up the seat: before the deal it is free again, afterwards its fallback is played."""

    seat: SeatNumber
    base: Hash
    signature: Signature
    state: Hash | None = None
    by: ByMail = None


class Away(Entry, frozen=True):
    """A player takes days off: from ``begins`` (or this entry, if that is later) to ``ends`` no time counts."""

    seat: SeatNumber
    base: Hash
    begins: Timestamp
    ends: Timestamp
    signature: Signature
    state: Hash


class Back(Entry, frozen=True):
    """A player is back: days off end here, and a bot in their seat makes room."""

    seat: SeatNumber
    base: Hash
    signature: Signature
    state: Hash
    by: ByMail = None


class Vote(Entry, frozen=True):
    """A player says whether to go on with a table where somebody lets deadline after deadline pass."""

    seat: SeatNumber
    base: Hash
    choice: Literal["continue", "abandon"]
    signature: Signature
    state: Hash
    by: ByMail = None


class Delegate(Entry, frozen=True):
    """A player lets another key (the server's mail gateway) speak for them at these tables, or at all of theirs."""

    seat: SeatNumber
    to: Key
    begins: Timestamp
    ends: Timestamp
    signature: Signature
    state: Hash
    tables: Annotated[tuple[TableId, ...], Meta(min_length=1, max_length=200)] | None = None


class Revoke(Entry, frozen=True):
    """A player takes back whatever they delegated before this moment."""

    seat: SeatNumber
    before: Timestamp
    signature: Signature
    state: Hash


class Succeed(Entry, frozen=True):
    """A player goes on under another key, which speaks for the seat from here on; the former one no longer does."""

    seat: SeatNumber
    to: Key
    signature: Signature
    consent: Signature
    """The new key's own signature over the same words: nobody goes on under a key that they do not have."""
    state: Hash | None = None


class Correct(Entry, frozen=True):
    """The server's clock was wrong, and what stands before this is dated too late: ``at`` is the right time again.

    Whatever is being asked is asked anew from here on, and nobody has missed a deadline.
    """

    state: Hash | None = None


class Abandon(Entry, frozen=True):
    """The server ends a table that cannot go on: never filled, all but one resigned, nobody acting any more, or all
    who still act have voted for it.
    """

    why: Literal["unfilled", "resigned", "idle", "voted"]
    state: Hash | None = None


class Close(Entry, frozen=True):
    """The server reveals its secret and states the result (none if the game was never dealt)."""

    secret: Hash
    standing: Standing | None = None
    state: Hash | None = None


Spoken: TypeAlias = Resign | Away | Back | Vote
"""What a player says to the table at one point of its log: ``base`` is the hash of the newest entry they have seen."""
Remark: TypeAlias = Away | Back | Vote | Delegate | Revoke | Succeed
"""What a player may say as often as they like: in the game it changes nothing, and so it must not shift its chance."""
SignedEntry: TypeAlias = Sit | Play | Spoken | Delegate | Revoke | Succeed
"""The entries that carry a player's signature."""
AnyEntry: TypeAlias = Open | SignedEntry | Deal | Timeout | Correct | Abandon | Close
Dealt: TypeAlias = Deal | Play | Timeout | Spoken | Delegate | Revoke | Succeed | Correct | Abandon | Close
"""The entries that may follow the deal, which carry a state digest then."""

_DECODER = decoder(AnyEntry)


class Sealed(Struct, frozen=True):
    """An entry with its exact bytes, their hash, and the server's seal."""

    entry: AnyEntry
    data: bytes
    hash: Hash
    seal: Signature

    @property
    def line(self) -> bytes:
        """The line of the record, without its line end."""
        return b'{"entry":%b,"seal":"%b"}' % (self.data, self.seal.encode())


def seal_message(entry_hash: Hash) -> bytes:
    """What the server signs of an entry."""
    return tagged("seal", bytes.fromhex(entry_hash))


def seal(entry: AnyEntry, key: SigningKey) -> Sealed:
    """Seal an entry with the server's key."""
    data = canonical(entry)
    digest = sha256(data)
    sealed = Sealed(entry, data, digest, key.sign(seal_message(digest)))
    if len(sealed.line) > LONGEST_LINE:
        raise RecordRejected("entry/too-long", f"the line is longer than {LONGEST_LINE} bytes", entry.seq)
    return sealed


def is_sealed_by(sealed: Sealed, key: Key) -> bool:
    """Whether this key sealed this entry."""
    return verify(key, seal_message(sealed.hash), sealed.seal)


def sit_message(table: TableId, base: Hash, seat: int, name: Name, key: Key, entropy: Hash) -> bytes:
    """What a player signs to sit down; ``base`` is the hash of the newest entry they have seen."""
    said = {"table": table, "base": base, "seat": seat, "name": name, "key": key, "entropy": entropy}
    return tagged("sit", canonical(said))


def move_message(table: TableId, base: Hash, seat: int, move: Json) -> bytes:
    """What a player signs to move."""
    return tagged("move", canonical({"table": table, "base": base, "seat": seat, "move": move}))


def resign_message(table: TableId, base: Hash, seat: int) -> bytes:
    """What a player signs to give up the seat; ``base`` is the hash of the newest entry they have seen."""
    return tagged("resign", canonical({"table": table, "base": base, "seat": seat}))


def away_message(table: TableId, base: Hash, seat: int, begins: Timestamp, ends: Timestamp) -> bytes:
    """What a player signs to take days off."""
    return tagged("away", canonical({"table": table, "base": base, "seat": seat, "begins": begins, "ends": ends}))


def back_message(table: TableId, base: Hash, seat: int) -> bytes:
    """What a player signs to be back."""
    return tagged("back", canonical({"table": table, "base": base, "seat": seat}))


def vote_message(table: TableId, base: Hash, seat: int, choice: str) -> bytes:
    """What a player signs to vote."""
    return tagged("vote", canonical({"table": table, "base": base, "seat": seat, "choice": choice}))


def delegate_message(
    key: Key, to: Key, begins: Timestamp, ends: Timestamp, tables: Sequence[TableId] | None = None
) -> bytes:
    """What the player of ``key`` signs to let another key speak for them; without ``tables``, at all of theirs."""
    said: Json = {"key": key, "to": to, "begins": begins, "ends": ends}
    return tagged("delegate", canonical(said if tables is None else said | {"tables": list(tables)}))


def revoke_message(key: Key, before: Timestamp) -> bytes:
    """What the player of ``key`` signs to take back all that they delegated before then."""
    return tagged("revoke", canonical({"key": key, "before": before}))


def succeed_message(key: Key, to: Key) -> bytes:
    """What the player of ``key`` signs with it, and with the other one too, to go on under that at all their tables."""
    return tagged("succeed", canonical({"key": key, "to": to}))


def mailed(message: bytes) -> bytes:
    """What the mail gateway signs in place of a player who would have signed this message."""
    return tagged("mail", message)


def signed_message(entry: SignedEntry, key: Key) -> bytes:
    """What the player with this key signed of the entry, or the gateway in their place."""
    match entry:
        case Sit():
            return sit_message(entry.table, entry.prev, entry.seat, entry.name, entry.key, entry.entropy)
        case Play():
            message = move_message(entry.table, entry.base, entry.seat, entry.move)
        case Resign():
            message = resign_message(entry.table, entry.base, entry.seat)
        case Away():
            return away_message(entry.table, entry.base, entry.seat, entry.begins, entry.ends)
        case Back():
            message = back_message(entry.table, entry.base, entry.seat)
        case Vote():
            message = vote_message(entry.table, entry.base, entry.seat, entry.choice)
        case Delegate():
            return delegate_message(key, entry.to, entry.begins, entry.ends, entry.tables)
        case Revoke():
            return revoke_message(key, entry.before)
        case Succeed():
            return succeed_message(key, entry.to)
    return mailed(message) if entry.by else message


def instant(at: Timestamp) -> datetime:
    """The moment a timestamp names; raises ValueError if there is none."""
    return datetime.fromisoformat(at)


def timestamp(moment: datetime) -> Timestamp:
    """A moment (in UTC) as entries write it.

    >>> from datetime import UTC
    >>> timestamp(datetime(2026, 11, 18, 6, 40, tzinfo=UTC))
    '2026-11-18T06:40:00.000Z'
    """
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    entry: Raw
    seal: Signature


_LINE_DECODER = decoder(_Line)


def well_formed(entry: AnyEntry) -> None:
    """Raise RecordRejected unless this is an entry that a reader would take: what is written here came from outside."""
    try:
        _check_plain(entry)
        _check_times(_DECODER.decode(canonical(entry)))
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise RecordRejected("entry/malformed", f"this cannot be an entry: {error}", entry.seq) from None


def read_line(line: bytes) -> Sealed:
    """The sealed entry of a line; raises RecordRejected unless it is exactly what :func:`seal` would write."""
    if len(line) > LONGEST_LINE:
        raise RecordRejected("entry/too-long", f"the line is longer than {LONGEST_LINE} bytes")
    try:
        outer = _LINE_DECODER.decode(line)
        data = bytes(outer.entry)
        entry = _DECODER.decode(data)
        _check_times(entry)
        _check_plain(entry)
        canonical_data = canonical(entry)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        raise _diagnosis(line, error) from None
    sealed = Sealed(entry, data, sha256(data), outer.seal)
    if canonical_data != data or sealed.line != line:
        raise _diagnosis(line, None)
    return sealed


def _check_times(entry: AnyEntry) -> None:
    """Raise ValueError if a timestamp names no moment."""
    instant(entry.at)
    match entry:
        case Away() | Delegate():
            instant(entry.begins)
            instant(entry.ends)
        case Revoke():
            instant(entry.before)
        case Play() if entry.given is not None:
            instant(entry.given)


def _check_plain(entry: AnyEntry) -> None:
    match entry:
        case Open():
            plain(entry.options, "$.entry.options")
        case Play() | Timeout():
            plain(entry.move, "$.entry.move")
        case Close() if entry.standing:
            plain(msgspec.to_builtins(entry.standing), "$.entry.standing")


def _diagnosis(line: bytes, error: Exception | None) -> RecordRejected:
    """Why a line is not an entry, said as exactly as can be. Slow, and only ever called for a bad line."""
    try:
        text = line.decode()
    except UnicodeDecodeError as bad:
        return RecordRejected("entry/not-utf8", f"byte {bad.start + 1} of the line is not UTF-8")
    twice: list[str] = []
    try:
        value = loads(text, object_pairs_hook=partial(_members, twice), parse_int=float, parse_constant=_not_a_number)
    except RecordRejected as found:
        return found
    except RecursionError:
        return RecordRejected("entry/malformed", "the line is nested too deeply to be an entry")
    except JSONDecodeError as bad:
        return RecordRejected("entry/not-json", f"the line is not JSON: {bad.msg} at character {bad.pos + 1}")
    if twice:
        return RecordRejected("entry/duplicate-member", f"the member “{shown(twice[0], 120)}” stands twice")
    kind = value["entry"].get("kind") if isinstance(value, dict) and isinstance(value.get("entry"), dict) else None
    if isinstance(kind, str) and not any(kind == entry.__struct_config__.tag for entry in AnyEntry.__args__):
        return RecordRejected("entry/unknown-kind", f"there is no entry of the kind “{shown(kind, 120)}”")
    if error is not None:
        return RecordRejected("entry/malformed", f"the line is not an entry: {error}")
    return RecordRejected("entry/not-canonical", "the line is not in canonical form (spaces, order or spelling)")


def _not_a_number(name: str) -> None:
    raise RecordRejected("entry/not-json", f"the line is not JSON: {name} is no number there")


def _members(twice: list[str], pairs: list[tuple[str, Any]]) -> Json:
    """The members of an object; the names of those that stand in it more than once are noted."""
    members: Json = {}
    for name, value in pairs:
        if name in members:
            twice.append(name)
        members[name] = value
    return members
