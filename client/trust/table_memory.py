"""What a player remembers of a table: its log as far as it was verified, and everything signed in their own name.

    <table>/
      server        the address of the server it is on
      log.poste     the verified lines, as a record has them
      own.jsonl     what the player signed (written before it is sent), and what the server answered to it
      views.jsonl   what the server said the player could see, to be held against the truth when the game is over
      synced        when the server was last asked for the log and its answer found true, by this machine's clock

The logs only grow, line by line, each line on the disk before anything is done on its account.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, Struct

from client.output import CommandRefused
from client.trust.durable_files import append_lines, locked, read_lines, write_whole
from engine.errors import RecordRejected
from engine.keys import Hash, Key, Signature
from engine.record.chain import Chain, follow
from engine.record.entry import Json, Sealed, TableId, Timestamp, read_line
from engine.typed_json import decode


class SignedHere(Struct, frozen=True, tag_field="own", tag="signed"):
    """Something signed with the player's key: written down before anybody else sees it."""

    kind: str
    signature: Signature
    seat: int
    base: Hash
    move: Json | None = None
    said: Json | None = None
    """What else was signed: days off from when to when, or a vote."""


class HeldByServer(Struct, frozen=True, tag_field="own", tag="held"):
    """The server said that it holds this sealed answer until the others have answered."""

    signature: Signature
    at: Timestamp | None = None
    """When it said so, by the clock of this machine."""


class Receipted(Struct, frozen=True, tag_field="own", tag="receipt"):
    """The server sealed an entry of the player's and gave it out as a receipt."""

    line: str


class Delegated(Struct, frozen=True, tag_field="own", tag="delegated"):
    """The player let the mail gateway speak for them: at every table, not at one (gateway_delegations keeps it)."""

    signature: Signature
    to: Key
    begins: Timestamp
    ends: Timestamp
    tables: tuple[TableId, ...] | None = None


class Revoked(Struct, frozen=True, tag_field="own", tag="revoked"):
    """The player took back what they had delegated before then."""

    signature: Signature
    before: Timestamp
    heard: bool = False
    """Whether the server has answered that it knows."""
    answered: Timestamp | None = None
    """When it did, by this machine's clock."""


class Succession(Struct, frozen=True, tag_field="own", tag="succession"):
    """The player went on under another key: at every table of their server, not at one (player_home keeps it)."""

    former: Key
    to: Key
    signature: Signature
    """Of the former key; the new one's own is ``consent``."""
    consent: Signature


Own: TypeAlias = SignedHere | HeldByServer | Receipted | Delegated | Revoked | Succession


class SeenView(Struct, frozen=True):
    """A view as the server told it after entry ``seq``, and what it then asked."""

    seq: int
    seat: int | None
    view: Raw
    asked: dict[str, Any]


class Damaged(CommandRefused):
    """The memory itself cannot be read."""


class Memory:
    """The memory of one table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = folder.name
        self._log: list[Sealed] = []
        self._chain = Chain()
        self._size = 0

    @property
    def server(self) -> str | None:
        """The address of the server this table is on."""
        try:
            return (self.folder / "server").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None

    def begin(self, server: str) -> None:
        """Begin to remember a table of this server."""
        write_whole(self.folder / "server", server.encode() + b"\n")

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep other processes from adding to the log."""
        return locked(self.folder / "lock")

    @property
    def log(self) -> Sequence[Sealed]:
        """The verified entries, with those that another process has added in the meantime."""
        if self._written() != self._size:
            size = self._written()
            self._log, self._chain = self._read_log()
            self._size = size
        return self._log

    def _written(self) -> int:
        try:
            return (self.folder / "log.poste").stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def chain(self) -> Chain:
        """The table as its verified log shows it."""
        return self._chain if self.log else Chain()

    def append(self, entries: Sequence[Sealed]) -> None:
        """Remember entries that were verified to follow."""
        if not entries:
            return
        append_lines(self.folder / "log.poste", [sealed.line for sealed in entries])
        for sealed in entries:
            self._chain = follow(self._chain, sealed)
        self._log = [*self._log, *entries]
        self._size = self._written()

    @property
    def synced(self) -> Timestamp | None:
        """When the log was last asked for and found true, by this machine's clock; None if never."""
        try:
            synced: Timestamp = decode((self.folder / "synced").read_bytes(), Timestamp)
        except FileNotFoundError:
            return None
        except (msgspec.DecodeError, UnicodeError):
            raise self._damaged("synced") from None
        return synced

    def remember_sync(self, at: Timestamp | None) -> None:
        """Write down when that was; None forgets it."""
        if at is None:
            (self.folder / "synced").unlink(missing_ok=True)
        else:
            write_whole(self.folder / "synced", msgspec.json.encode(at))

    def own(self) -> list[Own]:
        """Everything signed and everything answered, in order."""
        return [self._read(Own, line, "own.jsonl") for line in read_lines(self.folder / "own.jsonl")]

    def remember(self, own: Own) -> None:
        """Write down what was signed or answered; the same thing again right after itself is the same thing."""
        with locked(self.folder / "own.lock"):
            line = msgspec.json.encode(own)
            if read_lines(self.folder / "own.jsonl")[-1:] != [line]:
                append_lines(self.folder / "own.jsonl", [line])

    def views(self) -> list[SeenView]:
        """What the server has shown."""
        return [self._read(SeenView, line, "views.jsonl") for line in read_lines(self.folder / "views.jsonl")]

    def last_view(self) -> SeenView | None:
        """The newest of them."""
        lines = read_lines(self.folder / "views.jsonl")
        return self._read(SeenView, lines[-1], "views.jsonl") if lines else None

    def remember_view(self, seen: SeenView) -> None:
        """Write down what the server showed, once for every point of the game."""
        with locked(self.folder / "own.lock"):
            last = self.last_view()
            if last is None or (last.seq, last.seat) != (seen.seq, seen.seat):
                append_lines(self.folder / "views.jsonl", [msgspec.json.encode(seen)])

    def _read(self, kind: Any, line: bytes, name: str) -> Any:
        try:
            return decode(line, kind)
        except (msgspec.DecodeError, UnicodeError):
            raise self._damaged(name) from None

    def _read_log(self) -> tuple[list[Sealed], Chain]:
        """The log as this machine wrote it: signatures were verified then, the links are checked again."""
        chain, log = Chain(), []
        for line in read_lines(self.folder / "log.poste"):
            try:
                sealed = read_line(line)
            except RecordRejected:
                raise self._damaged("log.poste") from None
            if (sealed.entry.seq, sealed.entry.prev) != (chain.length, chain.head):
                raise self._damaged("log.poste")
            chain = follow(chain, sealed)
            log.append(sealed)
        return log, chain

    def _damaged(self, name: str) -> Damaged:
        return Damaged(
            f"What this machine remembers of table {self.table[:8]} is damaged ({self.folder / name}). "
            "Restore it from a backup; or move that folder away, and the server is believed anew."
        )
