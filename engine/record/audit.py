"""The audit: everything that can be proved about a finished game, from its record alone.

1. The file is a record: bounded, complete, every line exactly one canonical entry.
2. The chain: one table, numbered, linked by hash, in order of time and kind.
3. The server sealed every entry; every player signed what was done in their name.
4. The secret revealed at the end is the one committed to at the start, and with the players' entropy gives the seed.
5. The game, its rules version, options and component data are those that can be replayed here.
6. Every move was asked for, answered the decision that was open, and was legal; every timeout was due.
7. After every entry the state is the one that was played.
8. The standing is the one the game ended with.

Nothing found wrong ends the audit: it goes on as far as it can and reports every fault, in the order of the entries.
"""

from __future__ import annotations

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
"""More are not listed, and lines are not read on: a file of garbage should not become a longer file of complaints."""


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


def read(data: bytes) -> list[Sealed | Fault]:
    """The lines of a record, each as its entry or as what is wrong with it; raises RecordRejected if it has none.

    After as many bad lines as an audit would list the rest is left unread.
    """
    if len(data) > LARGEST_RECORD:
        raise RecordRejected("record/too-large", f"a record is at most {LARGEST_RECORD // 2**20} MiB long")
    if not data:
        raise RecordRejected("record/empty", "the file is empty")
    lines: list[Sealed | Fault] = []
    bad = start = 0
    while start < len(data) and bad < MOST_FAULTS:
        end = data.find(b"\n", start)
        if end < 0:
            lines.append(Fault(len(lines), "record/truncated", "the last line has no end: the file was cut off"))
            break
        lines.append(_read_line(data[start:end], len(lines)))
        bad += isinstance(lines[-1], Fault)
        start = end + 1
    return lines


def _read_line(line: bytes, number: int) -> Sealed | Fault:
    try:
        return read_line(line)
    except RecordRejected as error:
        return Fault.of(error, number)


def entries(data: bytes) -> list[Sealed]:
    """The entries of a record; raises RecordRejected at the first line that is none."""
    sealed: list[Sealed] = []
    for line in read(data):
        if isinstance(line, Fault):
            raise line.raised()
        sealed.append(line)
    return sealed


def secret_of(sealed: list[Sealed]) -> bytes | None:
    """The secret that a finished record reveals."""
    closed = next((line.entry for line in sealed if isinstance(line.entry, Close)), None)
    return bytes.fromhex(closed.secret) if closed else None


def audit(data: bytes) -> Audit:
    """Check a record from its bytes and nothing else; never raises."""
    try:
        lines = read(data)
    except RecordRejected as error:
        return Audit(False, 0, (Fault.of(error, None),))
    auditor = _Auditor([line for line in lines if isinstance(line, Sealed)])
    for line in lines:
        auditor.take(line)
    return auditor.report(len(lines))


def _committed_to(opened: AnyEntry | None, secret: bytes) -> bool:
    return isinstance(opened, Open) and commitment(secret) == opened.commitment


class _Auditor:
    """Walks a record with two companions: the chain, which always goes on, and the game, while it can be replayed."""

    def __init__(self, sealed: list[Sealed]) -> None:
        self.faults: list[Fault] = []
        self.chain = Chain()
        self.position: Position | None = None
        self.secret = secret_of(sealed)
        self.replaying = self.secret is not None and _committed_to(sealed[0].entry, self.secret)
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

    def report(self, lines: int) -> Audit:
        if self.secret is None:
            why = "the record does not end with “close”: without the secret the game cannot be replayed"
            self.faults.append(Fault(max(lines - 1, 0), "record/unfinished", why))
        opened = self.chain.opened
        return Audit(
            valid=not self.faults,
            entries=lines,
            faults=tuple(self.faults[:MOST_FAULTS]),
            table=opened.table if opened else None,
            game=opened.game if opened else None,
            players=self.chain.names,
            standing=self.position.standing if self.position else None,
            victor=self.chain.victor,
        )
