"""What the database holds. The entries are the truth; every column called derived follows from them."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import BigInteger, Column, Index, LargeBinary, MetaData, Table, Text
from sqlmodel import Field, SQLModel

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

_CLUSTERED = {"sqlite_with_rowid": False}


class PlayerRow(SQLModel, table=True):
    """Somebody who plays here: one name, one key at a time."""

    __tablename__: ClassVar[str] = "players"

    id: int | None = Field(default=None, primary_key=True)
    name: str
    folded: str = Field(unique=True)
    """The name without case: no two players differ in case alone."""
    key: str = Field(unique=True)
    since: str


class PlayerKeyRow(SQLModel, table=True):
    """Every key a player has had. A key belongs to one player for ever."""

    __tablename__: ClassVar[str] = "player_keys"

    key: str = Field(primary_key=True)
    player: int = Field(foreign_key="players.id", index=True)
    former: str | None = Field(unique=True)
    """The key that was given up for this one; with it what both have signed, for the logs (none for a first key)."""
    signature: str | None
    consent: str | None


class TableRow(SQLModel, table=True):
    """A table: what it was opened as, its secret, and where its log stands."""

    __tablename__: ClassVar[str] = "tables"
    __table_args__ = (Index(None, "phase", "number"), Index(None, "opener", "phase"))

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    secret: bytes
    opener: int = Field(foreign_key="players.id")
    private: bool
    """Whether only the opener and those invited may sit."""
    game: str
    version: int
    options: str = Field(sa_column=Column(Text, nullable=False))
    seats: int
    clock: str | None
    opened: str
    # Derived:
    phase: str
    length: int
    head: str
    at: str
    asked: str = Field(sa_column=Column(Text, nullable=False))
    turn: str
    """The seats that are being asked, as ``,0,2,``."""
    attendance: str | None
    """The seats in a bot's hands and those that may vote; nothing if there are neither."""
    standing: str | None = Field(sa_column=Column(Text, nullable=True))
    # The clock's own:
    succeeding: bool = False
    """Whether a player here goes on under another key and the log does not say so yet."""
    look: str | None = Field(index=True)
    """When the clock has something to do here: a reminder, or a deadline that passes."""


class InviteRow(SQLModel, table=True):
    """A player who may sit at a private table."""

    __tablename__: ClassVar[str] = "invites"
    __table_args__ = _CLUSTERED

    table_number: int = Field(foreign_key="tables.number", primary_key=True)
    player: int = Field(foreign_key="players.id", primary_key=True, index=True)


class SeatRow(SQLModel, table=True):
    """A taken seat; derived."""

    __tablename__: ClassVar[str] = "seats"
    __table_args__ = (Index(None, "player", "live"), _CLUSTERED)

    table_number: int = Field(foreign_key="tables.number", primary_key=True)
    seat: int = Field(primary_key=True)
    player: int = Field(foreign_key="players.id")
    resigned: bool = False
    live: bool = True
    """Whether the table is not closed yet."""


class EntryRow(SQLModel, table=True):
    """One line of a log, byte for byte; beside it what it caused, told with names (derived)."""

    __tablename__: ClassVar[str] = "entries"
    __table_args__ = (Index(None, "table_number", "hash", unique=True), _CLUSTERED)

    table_number: int = Field(foreign_key="tables.number", primary_key=True)
    seq: int = Field(primary_key=True)
    hash: str
    seat: int | None
    line: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    events: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class HeldRow(SQLModel, table=True):
    """A sealed answer, kept until the others have given theirs."""

    __tablename__: ClassVar[str] = "held"
    __table_args__ = _CLUSTERED

    table_number: int = Field(foreign_key="tables.number", primary_key=True)
    seat: int = Field(primary_key=True)
    base: str
    move: str = Field(sa_column=Column(Text, nullable=False))
    signature: str
    by: str | None
    given: str | None
    """When it was given, which is what an account of time is charged for."""


class SnapshotRow(SQLModel, table=True):
    """A table folded up to some entry: saves time and nothing else, and may be deleted whenever one likes."""

    __tablename__: ClassVar[str] = "snapshots"

    table_number: int = Field(foreign_key="tables.number", primary_key=True)
    engine: str
    folded: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class NonceRow(SQLModel, table=True):
    """A signed request that has been served: it is not served again. On SQLite in a file of its own."""

    metadata = MetaData(naming_convention=SQLModel.metadata.naming_convention)
    __tablename__: ClassVar[str] = "nonces"
    __table_args__ = _CLUSTERED

    key: str = Field(primary_key=True)
    nonce: str = Field(primary_key=True)
    expires: int = Field(sa_column=Column(BigInteger, nullable=False, index=True))


class MailboxRow(SQLModel, table=True):
    """Where a player gets mail, when, and whether the gateway may speak for them."""

    __tablename__: ClassVar[str] = "mailboxes"

    player: int = Field(foreign_key="players.id", primary_key=True)
    address: str | None
    confirmed: str | None
    """Since when the address is known to be the player's; nothing but the question is sent before."""
    code: str | None
    """What the confirmation mail asks to be sent back."""
    handle: str = Field(unique=True)
    """Unguessable: whoever has a mail of this player can stop them with it, and nothing else."""
    frequency: str
    private: bool
    sent: str | None
    """When the last collected mail went out."""
    delegation: str | None = Field(sa_column=Column(Text, nullable=True))
    revoked: str | None
    """Delegations that begin before this are revoked for good."""


class OutboxRow(SQLModel, table=True):
    """A mail to be sent: written in the transaction of what it tells, put into words when it is sent."""

    __tablename__: ClassVar[str] = "outbox"
    __table_args__ = (Index(None, "state", "due"), Index(None, "player", "kind", "created"))

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    """The local part of its Message-ID: the same at every attempt."""
    token: str = Field(unique=True)
    """Its reply address: unguessable, and bound to the player, the table and the decision of this row."""
    player: int = Field(foreign_key="players.id")
    kind: str
    table_number: int | None = Field(foreign_key="tables.number")
    seat: int | None
    base: str | None
    seq: int | None
    body: str | None = Field(sa_column=Column(Text, nullable=True))
    """What it says, where that cannot be worked out from the log."""
    created: str
    due: str
    """Not before this is it sent, or sent again."""
    attempts: int = 0
    state: str = "queued"
    """``queued``, ``sent``, ``collected`` (into a digest), ``moot`` (what it tells has passed), ``dead`` (given up)."""
    error: str | None


class DailyCountRow(SQLModel, table=True):
    """How often something was done on the last day that it was, where a day has its limit."""

    __tablename__: ClassVar[str] = "daily_counts"

    what: str = Field(primary_key=True)
    """What, and a mark of by whom or to whom: not an address."""
    day: str
    number: int


METADATA: MetaData = SQLModel.metadata


def _of(model: type[SQLModel]) -> Table:
    return model.metadata.tables[str(model.__tablename__)]


PLAYERS = _of(PlayerRow)
PLAYER_KEYS = _of(PlayerKeyRow)
TABLES = _of(TableRow)
INVITES = _of(InviteRow)
SEATS = _of(SeatRow)
ENTRIES = _of(EntryRow)
HELD = _of(HeldRow)
SNAPSHOTS = _of(SnapshotRow)
NONCES = _of(NonceRow)
MAILBOXES = _of(MailboxRow)
OUTBOX = _of(OutboxRow)
DAILY_COUNTS = _of(DailyCountRow)
