"""What a server answers, as far as the client reads it; members it does not know are passed over."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from engine.game import Standing
from engine.keys import Hash, Key, Signature
from engine.record.entry import Name, TableId, Timestamp


class Info(Struct, frozen=True):
    """The server itself."""

    software: str
    version: str
    key: Key
    gateway: Key | None = None
    """The key of its mail gateway."""
    mail: str | None = None
    """Where mail for it goes; None if it has no mail."""


class Player(Struct, frozen=True):
    """A registered player."""

    name: Name
    key: Key


class Waiting(Struct, frozen=True):
    """Somebody who is being asked."""

    seat: int
    name: str | None = None
    kind: str = ""
    since: str | None = None
    due: str | None = None
    held: bool = False


class Summary(Struct, frozen=True):
    """A table in brief. It is hearsay: what matters is read from the log."""

    table: TableId
    game: str
    seats: int
    players: list[str | None]
    phase: str
    length: int
    head: Hash
    at: str
    options: dict[str, Any] = {}
    version: int | None = None
    resigned: list[int] = []
    opened: str | None = None
    opener: str | None = None
    invited: list[str] | None = None
    clock: dict[str, Any] | None = None
    waiting: list[Waiting] = []
    bots: list[int] = []
    voting: list[int] = []
    standing: Standing | None = None
    abandoned: str | None = None
    """Why the table was given up, if it was."""
    voted: list[int] = []
    """Who has voted to abandon the table; this and what follows no server says: it is worked out from the log."""
    absent: list[int] = []
    """Whom the vote is about."""
    away: dict[str, str] = {}
    """The seats that have days off now, and until when."""


class SummaryPage(Struct, frozen=True):
    """Some tables, and where the next ones begin."""

    tables: list[Summary]
    next: str | None = None


class WaitingTables(Struct, frozen=True):
    """The tables that wait for the player."""

    tables: list[Summary]
    cursor: str


class Question(Struct, frozen=True):
    """What a seat is being asked."""

    kind: str
    prompt: str
    base: Hash
    since: str
    sealed: bool = False
    due: str | None = None


class ViewAnswer(Struct, frozen=True):
    """A view, and who is being asked what."""

    table: TableId
    seq: int
    head: Hash
    seat: int | None
    asked: dict[str, Question]
    view: Raw
    held: dict[str, Any] | None = None


class Receipt(Struct, frozen=True):
    """An entry as the server sealed it."""

    entry: Raw
    hash: Hash
    seq: int


class MoveAnswer(Struct, frozen=True):
    """What became of moves: receipts up to the first refusal, or the news that a sealed one is held."""

    receipts: list[Receipt] = []
    refused: dict[str, Any] | None = None
    held: bool = False


class Told(Struct, frozen=True):
    """An event in words."""

    text: str
    event: Any = None


class Happened(Struct, frozen=True):
    """What one entry caused."""

    seq: int
    events: list[Told]
    at: str = ""
    kind: str = ""
    seat: int | None = None


class Events(Struct, frozen=True):
    """What happened, entry by entry."""

    events: list[Happened]


class DelegationStatus(Struct, frozen=True):
    """What a player lets the mail gateway do, as the server keeps it."""

    to: Key
    begins: Timestamp
    ends: Timestamp
    signature: Signature
    tables: tuple[TableId, ...] | None = None


class MailboxStatus(Struct, frozen=True):
    """Where a player gets mail, when, and whether they may answer it."""

    address: str | None
    confirmed: bool
    when: str
    private: bool
    delegation: DelegationStatus | None = None
    revoked: Timestamp | None = None
    """What was delegated before this moment is revoked for good, wherever that was done."""

    @property
    def begins(self) -> Timestamp | None:
        """The moment of the delegation, if there is one."""
        return self.delegation.begins if self.delegation is not None else None
