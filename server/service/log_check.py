"""The operator's fsck: every log in the database is verified and replayed, and what is derived from it compared.

What is wrong with a log nobody can put right; what is derived (codes that begin with ``derived/``) can be rebuilt.

1. Every line is exactly one canonical entry, at its number, with its hash.
2. The chain, the server's seals and the players' signatures hold, under this server's key.
3. The secret is the one committed to, and the replay is the game that was played.
4. The derived columns, seats and told events are those that follow from the log.
5. Every sealed answer that is held back answers an open decision and was signed by its player.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, select

from engine.errors import EngineError, RecordRejected
from engine.game import Seat
from engine.keys import Key
from engine.record.chain import Chain, check, follow
from engine.record.entry import Sealed, read_line
from engine.record.replay import Position, advance
from engine.record.writer import LoggedTable
from server.service.batch_storage import held_moves, seat_rows
from server.service.derived_columns import derived, differ_in_words_alone, open_decisions, told_events
from server.service.entry_batch import check_held
from server.service.folded_tables import caused
from server.service.server_context import ServerContext
from server.storage.models import ENTRIES, SEATS, TABLES


class Wrong(Struct, frozen=True):
    """Something wrong with a table: the entry it was found at (None: beside the log), a stable code, and why."""

    table: str
    entry: int | None
    code: str
    why: str

    @property
    def derived(self) -> bool:
        """Whether the log says what is right."""
        return self.code.startswith("derived/")

    def __str__(self) -> str:
        where = "" if self.entry is None else f" entry {self.entry}"
        return f"{self.table}{where}: {self.why} [{self.code}]"


class Checked(Struct, frozen=True):
    """One table, and everything found wrong with it."""

    table: str
    entries: int
    wrong: tuple[Wrong, ...]
    reworded: int
    """Entries that are told in other words than this version's, which is nothing wrong."""


def check_all(context: ServerContext) -> Iterator[Checked]:
    """Check every table, one after the other, each as it stands at one moment."""
    last = 0
    while True:
        with context.storage.reading() as connection:
            query = select(TABLES).where(TABLES.c.number > last).order_by(TABLES.c.number).limit(1)
            row = connection.execute(query).one_or_none()
            if row is None:
                return
            checker = _Checker(connection, row, context.key.public)
            checker.run()
        last = row.number
        yield Checked(row.id, checker.chain.length, tuple(checker.wrong), checker.reworded)


class _Checker:
    """Walks one log; goes on past what is wrong as far as it can."""

    def __init__(self, connection: Connection, row: Any, key: Key) -> None:
        self.connection = connection
        self.row = row
        self.key = key
        self.chain = Chain()
        self.position: Position | None = None
        self.replaying = True
        self.wrong: list[Wrong] = []
        self.reworded = 0

    def found(self, code: str, why: str, entry: int | None = None) -> None:
        self.wrong.append(Wrong(self.row.id, entry, code, why))

    def run(self) -> None:
        lines = select(ENTRIES).where(ENTRIES.c.table_number == self.row.number).order_by(ENTRIES.c.seq)
        for line in self.connection.execute(lines):
            self.take(line)
        if self.replaying:
            table = LoggedTable(self.chain, self.position)
            self.check_row(table)
            self.check_seats(table)
            self.check_held(table)

    def take(self, line: Any) -> None:
        number = self.chain.length
        # 1
        try:
            sealed = read_line(line.line)
        except EngineError as error:
            self.found(error.code, str(error), number)
            self.replaying = False
            self.chain = self.chain.skip()
            return
        if line.seq != sealed.entry.seq:
            self.found("entry/misplaced", f"entry {sealed.entry.seq} stands at {line.seq}", number)
        if (line.hash, line.seat) != (sealed.hash, getattr(sealed.entry, "seat", None)):
            self.found("derived/entry", "the columns beside the line are not its own", number)
        # 2
        for fault in check(self.chain, sealed):
            self.found(fault.code, fault.message, number)
        self.replay(sealed, line)
        self.chain = follow(self.chain, sealed)

    def replay(self, sealed: Sealed, line: Any) -> None:
        if not self.replaying:
            return
        # 3
        try:
            self.position = advance(self.chain, self.position, sealed, self.row.secret)
        except EngineError as error:
            self.found(error.code, str(error), self.chain.length)
            self.replaying = False
            return
        # 4
        table = LoggedTable(follow(self.chain, sealed), self.position)
        kept, right = line.events, told_events(table, caused(table, sealed))
        if kept == right:
            return
        if differ_in_words_alone(kept, right):
            self.reworded += 1
        else:
            self.found("derived/events", "what is told of this entry is not what happened", self.chain.length)

    def check_row(self, table: LoggedTable) -> None:
        for column, value in derived(table).items():
            if getattr(self.row, column) != value:
                self.found("derived/table", f"the column {column} does not follow from the log")
        opened = table.chain.opened
        if opened is None:
            self.found("chain/order", "the log is empty")
        elif (opened.table, opened.game, opened.seats, opened.server) != (
            self.row.id,
            f"{self.row.game}/{self.row.version}",
            self.row.seats,
            self.key,
        ):
            self.found("opening/differs", "the table was opened as another, or sealed with another server's key")

    def check_seats(self, table: LoggedTable) -> None:
        expected = seat_rows(self.connection, self.row.number, table)
        for row in expected:
            if row["player"] is None:
                self.found("seat/nobody", f"nobody is registered with the key that sits at seat {row['seat']}")
                return
        rows = select(SEATS).where(SEATS.c.table_number == self.row.number).order_by(SEATS.c.seat)
        if [dict(row._mapping) for row in self.connection.execute(rows)] != expected:
            self.found("derived/seats", "the seats do not follow from the log")

    def check_held(self, table: LoggedTable) -> None:
        # 5
        asked = open_decisions(table)
        for seat, held in held_moves(self.connection, self.row.number).items():
            question = asked.get(Seat(seat))
            if question is None or not question.decision.sealed or question.base != held.base:
                self.found("held/outdated", f"a sealed answer of seat {seat} answers nothing that is open")
                continue
            try:
                check_held(table.chain, Seat(seat), held, table.chain.at)
            except RecordRejected:
                self.found("held/forged", f"a sealed answer of seat {seat} is not signed by its player")
