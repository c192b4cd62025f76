"""The audit: everything that can be proved about a finished game, from its record alone.

1. The file is a record: bounded, complete, every line exactly one canonical entry.
2. The chain: one table, numbered, linked by hash, in order of time and kind.
3. The server sealed every entry; every player signed what was done in their name.
4. The secret revealed at the end is the one committed to at the start, and with the players' entropy gives the seed.
5. The game, its rules version, options and component data are those that can be replayed here.
6. Every move was asked for, answered the decision that was open, and was legal; every timeout was due.
7. After every entry the state is the one that was played.
8. The standing is the one the game ended with.

Nothing found wrong ends the audit: it goes on as far as it can and reports every fault, in the order of the entries,
up to a hundred. It holds the file, one line of it and the position, and so needs little more memory than the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from engine.errors import EngineError, RecordRejected
from engine.game import Seat, Standing
from engine.record.chain import Chain, check, follow
from engine.record.entry import AnyEntry, Close, Open, Sealed, read_line
from engine.record.fault import Fault
from engine.record.replay import NOT_COMMITTED_TO, Position, advance
from engine.record.secret import commitment

LARGEST_RECORD = 64 * 1024 * 1024
MOST_FAULTS = 100
"""With so many the audit ends: a file of garbage should not become a longer file of complaints."""
_CLOSE = b'"kind":"close"'


class Audit(Struct, frozen=True):
    """What an audit found. ``standing`` is what the replay ended with, proved only if ``valid``."""

    valid: bool
    entries: int
    faults: tuple[Fault, ...]
    table: str | None = None
    game: str | None = None
    players: tuple[str, ...] = ()
    standing: Standing | None = None
    victor: Seat | None = None
    """Who has won because the other one of two has resigned."""


def read(data: bytes) -> Iterator[Sealed | Fault]:
    """The lines of a record one after the other, each as its entry or as what is wrong with it.

    Raises RecordRejected if the file is none. Only one line is held at a time, whatever it takes up once it is read.
    """
    if len(data) > LARGEST_RECORD:
        raise RecordRejected("record/too-large", f"a record is at most {LARGEST_RECORD // 2**20} MiB long")
    if not data:
        raise RecordRejected("record/empty", "the file is empty")
    return _lines(data)


def _lines(data: bytes) -> Iterator[Sealed | Fault]:
    number = start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        if end < 0:
            yield Fault(number, "record/truncated", "the last line has no end: the file was cut off")
            return
        yield _read_line(data[start:end], number)
        number, start = number + 1, end + 1


def _read_line(line: bytes, number: int) -> Sealed | Fault:
    try:
        return read_line(line)
    except RecordRejected as error:
        return Fault.of(error, number)


def each_entry(data: bytes) -> Iterator[Sealed]:
    """The entries of a record one after the other; raises RecordRejected at the first line that is none."""
    for line in read(data):
        if isinstance(line, Fault):
            raise line.raised()
        yield line


def entries(data: bytes) -> list[Sealed]:
    """All entries of a record at once; raises RecordRejected if a line is none."""
    return list(each_entry(data))


def secret_of(sealed: Iterable[Sealed]) -> bytes | None:
    """The secret that a finished log reveals."""
    closed = next((line.entry for line in sealed if isinstance(line.entry, Close)), None)
    return bytes.fromhex(closed.secret) if closed else None


def secret_in(data: bytes) -> bytes | None:
    """The secret that a record reveals, found without reading the lines that cannot be a close."""
    return secret_of(line for line in _lines_with(data, _CLOSE) if isinstance(line, Sealed))


def _lines_with(data: bytes, text: bytes) -> Iterator[Sealed | Fault]:
    found = data.find(text)
    while found >= 0 and (end := data.find(b"\n", found)) >= 0:
        yield _read_line(data[data.rfind(b"\n", 0, found) + 1 : end], 0)
        found = data.find(text, end)


def audit(data: bytes) -> Audit:
    """Check a record from its bytes and nothing else; never raises."""
    try:
        lines = read(data)
    except RecordRejected as error:
        return Audit(False, 0, (Fault.of(error, None),))
    auditor = _Auditor(secret_in(data))
    for line in lines:
        auditor.take(line)
        if len(auditor.faults) >= MOST_FAULTS:
            break
    return auditor.report()


def _committed_to(opened: AnyEntry | None, secret: bytes) -> bool:
    return isinstance(opened, Open) and commitment(secret) == opened.commitment


class _Auditor:
    """Walks a record with two companions: the chain, which always goes on, and the game, while it can be replayed."""

    def __init__(self, secret: bytes | None) -> None:
        self.faults: list[Fault] = []
        self.chain = Chain()
        self.position: Position | None = None
        self.secret = secret
        self.replaying = secret is not None
        self.gap = False

    def take(self, line: Sealed | Fault) -> None:
        if isinstance(line, Fault):
            self.faults.append(line)
            self.gap, self.replaying = True, False
            self.chain = self.chain.skip()
            return
        wrong = [fault for fault in check(self.chain, line) if not (self.gap and fault.code == "chain/broken")]
        self.gap = False
        self.faults += wrong
        if self.chain.length == 0 and self.secret is not None:
            self.replaying = _committed_to(line.entry, self.secret)
        if self.replaying and self.secret is not None:
            try:
                self.position = advance(self.chain, self.position, line, self.secret)
            except EngineError as error:
                self.replaying = False
                found = Fault.of(error, self.chain.length)
                if not any(fault.code == found.code for fault in wrong):
                    self.faults.append(found)
        elif isinstance(line.entry, Close) and not _committed_to(self.chain.opened, bytes.fromhex(line.entry.secret)):
            self.faults.append(Fault(self.chain.length, "secret/other", NOT_COMMITTED_TO))
        self.chain = follow(self.chain, line)

    def report(self) -> Audit:
        if self.secret is None:
            why = "the record does not end with “close”: without the secret the game cannot be replayed"
            self.faults.append(Fault(max(self.chain.length - 1, 0), "record/unfinished", why))
        opened = self.chain.opened
        return Audit(
            valid=not self.faults,
            entries=self.chain.length,
            faults=tuple(self.faults[:MOST_FAULTS]),
            table=opened.table if opened else None,
            game=opened.game if opened else None,
            players=self.chain.names,
            standing=self.position.standing if self.position else None,
            victor=self.chain.victor,
        )
