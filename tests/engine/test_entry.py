"""Entries: what is written is read back, and what is not exactly what would be written is refused, saying why."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import games
from engine.errors import EngineError, RecordRejected
from engine.game import Score, Seat, Standing, Tie
from engine.keys import SigningKey, sha256
from engine.record.canonical import DEEPEST, LARGEST_NUMBER
from engine.record.entry import (
    LONGEST_LINE,
    Abandon,
    AnyEntry,
    Away,
    Back,
    Bank,
    Close,
    Deal,
    Delegate,
    Open,
    PerDecision,
    Play,
    Resign,
    Revoke,
    Sealed,
    Sit,
    Succeed,
    Timeout,
    Vote,
    away_message,
    back_message,
    delegate_message,
    instant,
    is_sealed_by,
    mailed,
    move_message,
    read_line,
    resign_message,
    revoke_message,
    seal,
    sit_message,
    vote_message,
    well_formed,
)
from tests.engine.signed_games import Evening
from tests.engine.test_canonical import NAMES, PLAIN, TEXT

SERVER = SigningKey(b"the server's thirty-two byte key")
HASHES = st.binary(min_size=32, max_size=32).map(bytes.hex)
SIGNATURES = st.binary(min_size=64, max_size=64).map(bytes.hex)
SEATS = st.integers(0, 99)
NUMBERS = st.integers(-LARGEST_NUMBER, LARGEST_NUMBER)
OBJECTS = st.dictionaries(NAMES, PLAIN, max_size=4)
COMMON: dict[str, st.SearchStrategy[Any]] = {
    "table": st.binary(min_size=16, max_size=16).map(bytes.hex),
    "seq": st.integers(0, LARGEST_NUMBER),
    "prev": HASHES,
    "at": st.datetimes().map(lambda at: at.isoformat(timespec="milliseconds") + "Z"),
}
SECONDS = st.integers(1, 10**9)
CLOCKS: dict[str, st.SearchStrategy[Any]] = {
    "weekends_off": st.booleans(),
    "vacation": st.integers(0, 366),
    "strikes": st.integers(0, 99),
    "then": st.sampled_from(["bot", "vote"]),
}
BY = st.sampled_from([None, "mail"])
SPOKEN: dict[str, st.SearchStrategy[Any]] = {**COMMON, "seat": SEATS, "signature": SIGNATURES, "state": HASHES}
STANDINGS = st.builds(
    Standing,
    st.booleans(),
    st.lists(
        st.builds(
            Score,
            SEATS.map(Seat),
            NUMBERS,
            st.dictionaries(NAMES, NUMBERS, max_size=3),
            st.lists(st.builds(Tie, TEXT, NUMBERS, st.booleans()), max_size=2).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    st.lists(st.lists(SEATS.map(Seat), max_size=3).map(tuple), max_size=3).map(tuple),
)
ENTRIES: st.SearchStrategy[AnyEntry] = st.one_of(
    st.builds(
        Open,
        **COMMON,
        format=st.just("poste-record/1"),
        game=st.from_regex(r"\A[a-z0-9-]{1,64}/[1-9][0-9]{0,5}\Z"),
        components=HASHES,
        options=OBJECTS,
        seats=st.integers(1, 99),
        server=HASHES,
        commitment=HASHES,
        clock=st.none()
        | st.builds(PerDecision, seconds=SECONDS, **CLOCKS)
        | st.builds(Bank, start=SECONDS, refill=st.integers(0, 10**9), most=SECONDS, **CLOCKS),
    ),
    st.builds(
        Sit,
        **COMMON,
        seat=SEATS,
        name=st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z"),
        key=HASHES,
        entropy=HASHES,
        signature=SIGNATURES,
    ),
    st.builds(Deal, **COMMON, state=HASHES),
    st.builds(Play, **SPOKEN, base=HASHES, move=OBJECTS, by=BY, given=st.none() | COMMON["at"]),
    st.builds(
        Timeout,
        **COMMON,
        seat=SEATS,
        base=HASHES,
        move=OBJECTS,
        why=st.sampled_from(["deadline", "resigned", "bot"]),
        state=HASHES,
    ),
    st.builds(Resign, **{**SPOKEN, "state": st.none() | HASHES}, base=HASHES, by=BY),
    st.builds(Away, **SPOKEN, base=HASHES, begins=COMMON["at"], ends=COMMON["at"]),
    st.builds(Back, **SPOKEN, base=HASHES, by=BY),
    st.builds(Vote, **SPOKEN, base=HASHES, choice=st.sampled_from(["continue", "abandon"]), by=BY),
    st.builds(
        Delegate,
        **SPOKEN,
        to=HASHES,
        begins=COMMON["at"],
        ends=COMMON["at"],
        tables=st.none() | st.lists(COMMON["table"], min_size=1, max_size=9).map(tuple),
    ),
    st.builds(Revoke, **SPOKEN, before=COMMON["at"]),
    st.builds(Succeed, **{**SPOKEN, "state": st.none() | HASHES}, to=HASHES, consent=SIGNATURES),
    st.builds(
        Abandon, **COMMON, why=st.sampled_from(["unfilled", "resigned", "idle", "voted"]), state=st.none() | HASHES
    ),
    st.builds(Close, **COMMON, secret=HASHES, standing=st.none() | STANDINGS, state=st.none() | HASHES),
)


@given(ENTRIES)
def test_what_is_written_is_read_back(entry: AnyEntry) -> None:
    well_formed(entry)
    sealed = seal(entry, SERVER)
    assert read_line(sealed.line) == sealed
    assert sealed.hash == sha256(sealed.data)
    assert is_sealed_by(sealed, SERVER.public)
    assert not is_sealed_by(sealed, SigningKey(bytes(32)).public)


@cache
def a_record() -> list[Sealed]:
    evening = Evening("entries", games.load("paris-paris"), 2, clock=PerDecision(seconds=60))
    return evening.play(3).wait(60).timeout().play().close().record


OPEN, SIT, DEAL, MOVE = 0, 1, 3, 4


def line_of(number: int) -> bytes:
    return a_record()[number].line


def edited(number: int, **members: Any) -> bytes:
    """The line with members of its entry set, or taken out (``...``); written compactly, but sealed by nobody."""
    outer = json.loads(line_of(number))
    for name, value in members.items():
        if value is ...:
            del outer["entry"][name]
        else:
            outer["entry"][name] = value
    return json.dumps(outer, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()


def replaced(number: int, old: bytes, new: bytes) -> bytes:
    line = line_of(number)
    assert old in line
    return line.replace(old, new, 1)


def moving(value: bytes) -> bytes:
    """The line with one more member in its move, of this very spelling."""
    return replaced(MOVE, b'"move":{', b'"move":{"a":' + value + b",")


def deep(brackets: str, depth: int) -> bytes:
    opening, closing = brackets.split()
    return moving((opening * depth + "0" + closing * depth).encode())


def backwards(what: str) -> bytes:
    outer = json.loads(line_of(MOVE))
    if what == "entry":
        outer["entry"] = dict(reversed(outer["entry"].items()))
    else:
        outer = dict(reversed(outer.items()))
    return json.dumps(outer, separators=(",", ":")).encode()


LATER = "2026-11-18T12:00:00.000Z"
DEADLINE = b'"clock":{"kind":"per-decision","seconds":60}'

BAD_LINES: list[tuple[str, str, Any]] = [
    ("nothing", "entry/not-json", lambda: b""),
    ("a space", "entry/not-json", lambda: b" "),
    ("a number", "entry/malformed", lambda: b"17"),
    ("a list", "entry/malformed", lambda: b"[" + line_of(SIT) + b"]"),
    ("null", "entry/malformed", lambda: b"null"),
    ("an empty object", "entry/malformed", lambda: b"{}"),
    ("no seal", "entry/malformed", lambda: b'{"entry":' + a_record()[SIT].data + b"}"),
    ("no entry", "entry/malformed", lambda: b'{"seal":"' + b"0" * 128 + b'"}'),
    ("an entry that is text", "entry/malformed", lambda: b'{"entry":"move","seal":"' + b"0" * 128 + b'"}'),
    ("a further member outside", "entry/malformed", lambda: line_of(SIT)[:-1] + b',"x":1}'),
    ("cut off", "entry/not-json", lambda: line_of(MOVE)[:-40]),
    ("cut off in the entry", "entry/not-json", lambda: line_of(MOVE)[:40]),
    ("two on a line", "entry/not-json", lambda: line_of(SIT) + line_of(DEAL)),
    ("a carriage return at the end", "entry/not-canonical", lambda: line_of(MOVE) + b"\r"),
    ("a space at the end", "entry/not-canonical", lambda: line_of(MOVE) + b" "),
    ("a space inside", "entry/not-canonical", lambda: replaced(MOVE, b'"kind":', b'"kind": ')),
    ("a byte order mark", "entry/not-json", lambda: b"\xef\xbb\xbf" + line_of(OPEN)),
    ("UTF-16", "entry/not-utf8", lambda: line_of(OPEN).decode().encode("utf-16")),
    ("a byte that is not UTF-8", "entry/not-utf8", lambda: replaced(SIT, b'"ann"', b'"\xff"')),
    ("an overlong character", "entry/not-utf8", lambda: replaced(SIT, b'"ann"', b'"\xc0\xaf"')),
    ("half a surrogate pair as bytes", "entry/not-utf8", lambda: moving(b'"\xed\xa0\x80"')),
    ("half a surrogate pair", "entry/malformed", lambda: moving(rb'"\ud800"')),
    ("NUL in text", "entry/not-json", lambda: moving(b'"\0"')),
    ("NUL", "entry/not-json", lambda: line_of(MOVE) + b"\0"),
    ("a control character in text", "entry/not-json", lambda: moving(b'"\x1b"')),
    ("single quotes", "entry/not-json", lambda: line_of(MOVE).replace(b'"', b"'")),
    ("a comment", "entry/not-json", lambda: line_of(MOVE)[:-1] + b"/**/}"),
    ("a comma too many", "entry/not-json", lambda: line_of(MOVE)[:-1] + b",}"),
    ("not a number", "entry/not-json", lambda: moving(b'NaN')),
    ("infinity", "entry/not-json", lambda: moving(b'-Infinity')),
    ("a member twice", "entry/duplicate-member", lambda: replaced(MOVE, b'"seat":0', b'"seat":0,"seat":0')),
    ("a member twice in the move", "entry/duplicate-member", lambda: moving(b'1,"a":1')),
    ("the entry twice", "entry/duplicate-member", lambda: b'{"entry":{},' + line_of(MOVE)[1:]),
    ("the seal twice", "entry/duplicate-member", lambda: line_of(MOVE)[:-1] + b',"seal":"' + b"0" * 128 + b'"}'),
    ("an unknown kind", "entry/unknown-kind", lambda: edited(MOVE, kind="bribe")),
    ("a kind in capitals", "entry/unknown-kind", lambda: edited(MOVE, kind="MOVE")),
    ("no kind", "entry/malformed", lambda: edited(MOVE, kind=...)),
    ("a kind that is a number", "entry/malformed", lambda: edited(MOVE, kind=3)),
    ("an unknown member", "entry/malformed", lambda: edited(MOVE, comment="hello")),
    ("a member of another kind", "entry/malformed", lambda: edited(DEAL, seat=0)),
    ("a member missing", "entry/malformed", lambda: edited(MOVE, base=...)),
    ("null for a default", "entry/not-canonical", lambda: replaced(OPEN, DEADLINE, b'"clock":null')),
    ("another format", "entry/malformed", lambda: edited(OPEN, format="poste-record/2")),
    ("a clock of another kind", "entry/malformed", lambda: edited(OPEN, clock={"kind": "hourglass", "seconds": 60})),
    ("a clock without time", "entry/malformed", lambda: edited(OPEN, clock={"kind": "per-decision", "seconds": 0})),
    ("a default of the clock", "entry/not-canonical", lambda: edited(
        OPEN, clock={"kind": "per-decision", "seconds": 60, "strikes": 0})),
    ("a member of another clock", "entry/malformed", lambda: edited(
        OPEN, clock={"kind": "bank", "start": 1, "refill": 1, "most": 1, "seconds": 60})),
    ("a bank without limit", "entry/malformed", lambda: edited(OPEN, clock={"kind": "bank", "start": 1, "refill": 1})),
    ("more days off than days", "entry/malformed", lambda: edited(
        OPEN, clock={"kind": "per-decision", "seconds": 60, "vacation": 367})),
    ("by another way than mail", "entry/malformed", lambda: edited(MOVE, by="pigeon")),
    ("null for no mail", "entry/not-canonical", lambda: edited(MOVE, by=None)),
    ("days off that never were", "entry/malformed", lambda: edited(
        MOVE, kind="away", move=..., begins="2026-02-30T00:00:00.000Z", ends="2026-03-01T00:00:00.000Z")),
    ("a delegation without a table", "entry/malformed", lambda: edited(
        MOVE, kind="delegate", move=..., base=..., to="ab" * 32, begins=LATER, ends=LATER, tables=[])),
    ("a delegation that never ends", "entry/malformed", lambda: edited(
        MOVE, kind="delegate", move=..., base=..., to="ab" * 32, begins=LATER, ends="9999-99-99T00:00:00.000Z")),
    ("a revocation of no moment", "entry/malformed", lambda: edited(
        MOVE, kind="revoke", move=..., base=..., before="2026-11-31T00:00:00.000Z")),
    ("no seats", "entry/malformed", lambda: edited(OPEN, seats=0)),
    ("a hundred seats", "entry/malformed", lambda: edited(OPEN, seats=100)),
    ("options that are a list", "entry/malformed", lambda: edited(OPEN, options=[])),
    ("a game without a version", "entry/malformed", lambda: edited(OPEN, game="paris-paris")),
    ("a version with a leading zero", "entry/malformed", lambda: edited(OPEN, game="paris-paris/01")),
    ("a path for a game", "entry/malformed", lambda: edited(OPEN, game="../../etc/passwd/1")),
    ("a number as text", "entry/malformed", lambda: edited(MOVE, seat="0")),
    ("true as a number", "entry/malformed", lambda: edited(MOVE, seat=True)),
    ("a negative seat", "entry/malformed", lambda: edited(MOVE, seat=-1)),
    ("a negative number", "entry/malformed", lambda: edited(MOVE, seq=-1)),
    ("a number beyond 2^53", "entry/malformed", lambda: edited(MOVE, seq=2**53)),
    ("a number beyond 2^64", "entry/malformed", lambda: edited(MOVE, seq=2**64)),
    ("a number of 5000 digits", "entry/malformed", lambda: moving(b"9" * 5000)),
    ("a number beyond 2^53 in the move", "entry/malformed", lambda: edited(MOVE, move={"a": 2**53})),
    ("a fraction in the move", "entry/malformed", lambda: edited(MOVE, move={"a": 0.5})),
    ("a whole fraction in the move", "entry/malformed", lambda: edited(MOVE, move={"a": 1.0})),
    ("an infinite number", "entry/malformed", lambda: moving(b'1e999')),
    ("a name that is not ASCII in the move", "entry/malformed", lambda: edited(MOVE, move={"é": 1})),
    ("a whole fraction", "entry/malformed", lambda: replaced(OPEN, b'"seats":2', b'"seats":2.0')),
    ("an exponent", "entry/malformed", lambda: replaced(OPEN, b'"seconds":60', b'"seconds":6e1')),
    ("minus nought", "entry/not-canonical", lambda: replaced(MOVE, b'"seat":0', b'"seat":-0')),
    ("a leading zero", "entry/not-json", lambda: replaced(MOVE, b'"seat":0', b'"seat":00')),
    ("a leading plus", "entry/not-json", lambda: replaced(MOVE, b'"seat":0', b'"seat":+0')),
    ("an escape that is not needed", "entry/not-canonical", lambda: replaced(MOVE, b'"take"', rb'"t\u0061ke"')),
    ("an escaped slash", "entry/not-canonical", lambda: replaced(OPEN, b"paris-paris/1", rb"paris-paris\/1")),
    ("members out of order", "entry/not-canonical", lambda: backwards("entry")),
    ("the seal first", "entry/not-canonical", lambda: backwards("line")),
    ("a hash in capitals", "entry/malformed", lambda: edited(MOVE, prev=a_record()[MOVE - 1].hash.upper())),
    ("a hash too short", "entry/malformed", lambda: edited(MOVE, prev="ab" * 31)),
    ("a hash and a line end", "entry/malformed", lambda: edited(MOVE, prev="ab" * 32 + "\n")),
    ("a seal in capitals", "entry/malformed", lambda: replaced(
        MOVE, a_record()[MOVE].seal.encode(), a_record()[MOVE].seal.upper().encode())),
    ("a name of spaces", "entry/malformed", lambda: edited(SIT, name="   ")),
    ("a name with a line end", "entry/malformed", lambda: edited(SIT, name="ann\n")),
    ("a name beyond ASCII", "entry/malformed", lambda: edited(SIT, name="аnn")),
    ("a name too long", "entry/malformed", lambda: edited(SIT, name="a" * 33)),
    ("a day that never was", "entry/malformed", lambda: edited(MOVE, at="2026-02-30T00:00:00.000Z")),
    ("a year that never was", "entry/malformed", lambda: edited(MOVE, at="0000-01-01T00:00:00.000Z")),
    ("a leap second", "entry/malformed", lambda: edited(MOVE, at="2016-12-31T23:59:60.000Z")),
    ("the hour 24", "entry/malformed", lambda: edited(MOVE, at="2026-11-18T24:00:00.000Z")),
    ("a time zone", "entry/malformed", lambda: edited(MOVE, at="2026-11-18T06:40:00.000+01:00")),
    ("no milliseconds", "entry/malformed", lambda: edited(MOVE, at="2026-11-18T06:40:00Z")),
    ("digits of another script", "entry/malformed", lambda: edited(MOVE, at="２026-11-18T06:40:00.000Z")),
    ("lists nested 33 deep", "entry/malformed", lambda: deep("[ ]", 33)),
    ("objects nested 1000 deep", "entry/malformed", lambda: deep('{"a": }', 1000)),
    ("lists nested 7000 deep", "entry/malformed", lambda: deep("[ ]", 7000)),
    ("nothing but brackets", "entry/malformed", lambda: b"[" * LONGEST_LINE),
    ("too long", "entry/too-long", lambda: line_of(MOVE) + b" " * LONGEST_LINE),
    ("2000 members of one name", "entry/duplicate-member", lambda: b"{" + b'"a":1,' * 2000 + b'"a":1}'),
]  # fmt: skip


@pytest.mark.parametrize(("code", "line"), [pytest.param(code, line, id=name) for name, code, line in BAD_LINES])
def test_a_bad_line_is_refused(code: str, line: Any) -> None:
    with pytest.raises(RecordRejected) as refused:
        read_line(line())
    assert refused.value.code == code
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 600


@pytest.mark.parametrize("brackets", ["[ ]", '{"a": }'])
def test_no_depth_of_nesting_does_more_than_be_refused(brackets: str) -> None:
    """Wherever Python's recursion limit lies, ours comes first or its error is caught."""
    for depth in range(1, DEEPEST):
        read_line(deep(brackets, depth))
    for depth in (*range(DEEPEST, 1200), *range(1200, 2600, 97)):
        with pytest.raises(RecordRejected) as refused:
            read_line(deep(brackets, depth))
        assert refused.value.code == "entry/malformed"


@given(st.binary(max_size=300))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    with pytest.raises(RecordRejected):
        read_line(data)


@given(st.text(max_size=300))
def test_hostile_text_in_an_entry_is_refused_in_printable_words(text: str) -> None:
    outer = json.loads(line_of(MOVE))
    outer["entry"]["kind"] = outer["entry"][text] = text
    with pytest.raises(RecordRejected) as refused:
        read_line(json.dumps(outer, separators=(",", ":")).encode())
    assert refused.value.message.isprintable()


def test_the_longest_line_can_be_read_and_written_and_no_longer_one() -> None:
    entry = a_record()[MOVE].entry
    assert isinstance(entry, Play)
    room = LONGEST_LINE - len(seal(msgspec.structs.replace(entry, move={"a": ""}), SERVER).line)
    longest = seal(msgspec.structs.replace(entry, move={"a": "x" * room}), SERVER)
    assert len(longest.line) == LONGEST_LINE
    assert read_line(longest.line) == longest
    with pytest.raises(RecordRejected) as refused:
        seal(msgspec.structs.replace(entry, move={"a": "x" * (room + 1)}), SERVER)
    assert refused.value.code == "entry/too-long"


def test_a_number_in_the_standing_is_bounded_like_any_other() -> None:
    entry = a_record()[-1].entry
    assert isinstance(entry, Close)
    assert entry.standing is not None
    scores = [msgspec.structs.replace(score, total=2**53) for score in entry.standing.scores]
    sealed = seal(msgspec.structs.replace(entry, standing=Standing.of(scores, final=True)), SERVER)
    with pytest.raises(RecordRejected, match="2\\^53"):
        read_line(sealed.line)


def test_signed_messages_are_these_bytes() -> None:
    table, base, key, entropy = "ab" * 16, "cd" * 32, "ef" * 32, "01" * 32
    assert move_message(table, base, 1, {"station": "opera", "do": "take"}) == (
        b'poste-restante/move/v1\n{"base":"' + b"cd" * 32 + b'","move":{"do":"take","station":"opera"},'
        b'"seat":1,"table":"' + b"ab" * 16 + b'"}'
    )
    assert sit_message(table, base, 0, "ann", key, entropy) == (
        b'poste-restante/sit/v1\n{"base":"' + b"cd" * 32 + b'","entropy":"' + b"01" * 32 + b'","key":"' + b"ef" * 32
        + b'","name":"ann","seat":0,"table":"' + b"ab" * 16 + b'"}'
    )  # fmt: skip
    assert resign_message(table, base, 2) == (
        b'poste-restante/resign/v1\n{"base":"' + b"cd" * 32 + b'","seat":2,"table":"' + b"ab" * 16 + b'"}'
    )


def test_remarks_are_signed_as_these_bytes() -> None:
    table, base, key, to, then = "ab" * 16, "cd" * 32, "ef" * 32, "01" * 32, "2026-11-18T12:00:00.000Z"
    here = b'"seat":2,"table":"' + b"ab" * 16 + b'"}'
    based = b'{"base":"' + b"cd" * 32 + b'",'
    times = b'"begins":"2026-11-18T12:00:00.000Z",'
    until = b'"ends":"2026-11-18T12:00:00.000Z",'
    assert back_message(table, base, 2) == b"poste-restante/back/v1\n" + based + here
    assert vote_message(table, base, 2, "abandon") == (
        b"poste-restante/vote/v1\n" + based + b'"choice":"abandon",' + here
    )
    assert away_message(table, base, 2, then, then) == b"poste-restante/away/v1\n" + based + times + until + here
    keys = b'"key":"' + b"ef" * 32 + b'",'
    whom = b'"to":"' + b"01" * 32 + b'"}'
    assert delegate_message(key, to, then, then) == b"poste-restante/delegate/v1\n{" + times + until + keys + whom
    assert delegate_message(key, to, then, then, [table]) == (
        b"poste-restante/delegate/v1\n{" + times + until + keys + b'"tables":["' + b"ab" * 16 + b'"],' + whom
    )
    assert revoke_message(key, then) == (
        b'poste-restante/revoke/v1\n{"before":"2026-11-18T12:00:00.000Z","key":"' + b"ef" * 32 + b'"}'
    )
    assert mailed(b"poste-restante/back/v1\n{}") == b"poste-restante/mail/v1\nposte-restante/back/v1\n{}"


def test_instants_are_told_in_utc() -> None:
    assert instant("2026-11-18T06:40:00.125Z").isoformat() == "2026-11-18T06:40:00.125000+00:00"


OUTSIDE: list[tuple[str, dict[str, Any]]] = [
    ("a seat before the first", {"seat": -1}),
    ("a seat that is no number", {"seat": "0"}),
    ("a key in capitals", {"key": SigningKey(bytes(32)).public.upper()}),
    ("a key with a space in it", {"key": SigningKey(bytes(32)).public[:32] + " " + SigningKey(bytes(32)).public[32:]}),
    ("a name with a line end", {"name": "ann\n"}),
    ("entropy in capitals", {"entropy": "AB" * 32}),
    ("too little entropy", {"entropy": "ab"}),
    ("half a surrogate pair", {"name": "\ud800"}),
    ("a time without milliseconds", {"at": "2026-11-18T06:40:00Z"}),
    ("a day that never was", {"at": "2026-02-30T06:40:00.000Z"}),
]


@pytest.mark.parametrize("changes", [pytest.param(changes, id=name) for name, changes in OUTSIDE])
def test_the_clerk_writes_nothing_that_a_reader_would_refuse(changes: dict[str, Any]) -> None:
    """What a player sends goes into the log as it is, so it must be exactly right before it does."""
    evening = Evening("outside", games.load("paris-paris"), 2, sit=False)
    pen = SigningKey(bytes(32))
    said: dict[str, Any] = {
        "seat": 0,
        "name": "ann",
        "key": pen.public,
        "entropy": "ab" * 32,
        "at": evening.now,
    } | changes
    try:
        message = sit_message(evening.id, evening.head, said["seat"], said["name"], said["key"], said["entropy"])
    except UnicodeError:
        message = b""
    with pytest.raises(EngineError) as refused:
        evening.clerk.sit(
            evening.table, said["at"], said["seat"], said["name"], said["key"], said["entropy"], pen.sign(message)
        )
    assert refused.value.code == "entry/malformed"
    assert str(refused.value).isprintable()
