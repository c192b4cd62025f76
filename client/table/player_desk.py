"""The player's desk: identity, server and memory brought together; nothing leaves it unverified."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import msgspec

from client.connection.http_api import Api, Problem
from client.connection.response_types import Receipt
from client.output import CommandRefused, say
from client.trust import evidence
from client.trust.gateway_delegations import Delegations
from client.trust.log_verification import (
    Trust,
    Unverified,
    check_receipt,
    check_receipts,
    difference,
    extension,
)
from client.trust.player_home import Home, Identity
from client.trust.table_clock import timing
from client.trust.table_memory import Memory, Receipted, SignedHere
from engine.errors import RecordRejected
from engine.keys import Key, SigningKey
from engine.record.canonical import canonical
from engine.record.chain import Chain
from engine.record.clock import CLOCKS_DIFFER
from engine.record.entry import Sealed, Timestamp, instant, read_line, timestamp
from engine.typed_json import decode

_ID = re.compile(r"[0-9a-f]{4,32}")


def _now() -> datetime:
    return datetime.now(UTC)


class Desk:
    """Where a player sits down to play."""

    def __init__(self, home: Home, identity: Identity, clock: Callable[[], datetime] = _now) -> None:
        self.home = home
        self.identity = identity
        self.clock = clock
        self._apis: dict[str, Api] = {}

    @classmethod
    def of(cls, name: str | None) -> Desk:
        """The desk of the identity of this name, or of the current one."""
        home = Home.find()
        identity = home.identity(name)
        if identity.next is not None:
            say("You have begun to change your key. To see it through: poste key rotate")
        return cls(home, identity)

    @cached_property
    def key(self) -> SigningKey:
        """The private key; asks for its passphrase once."""
        return self.home.signing_key(self.identity)

    def server(self) -> str:
        """The server this identity is registered with."""
        if self.identity.server is None:
            raise CommandRefused("You are not registered with a server yet: poste register URL NAME")
        return self.identity.server

    def name(self) -> str:
        """The name the server knows."""
        if self.identity.registered is None:
            raise CommandRefused("You are not registered with a server yet: poste register URL NAME")
        return self.identity.registered

    def api(self, server: str | None = None) -> Api:
        """A server to talk to: this one, or the one that the identity is registered with."""
        url = server or self.server()
        if url not in self._apis:
            self._apis[url] = Api(url, self.key)
        return self._apis[url]

    def server_key(self, server: str) -> Key:
        """The key this server had when it was first met; meets it if need be."""
        pinned = self.home.pinned(server)
        if pinned is None:
            pinned = self.api(server).info().key
            self.home.pin(server, pinned)
        return pinned

    def gateway(self) -> Key:
        """The key of the server's mail gateway, which must be the one it had when it was first met."""
        server = self.server()
        info = self.api().info()
        if info.key != self.server_key(server):
            raise Unverified("server/key", f"{server} has another key than when you first met it.")
        if info.mail is None or info.gateway is None:
            raise CommandRefused("This server sends no mail. [mail/none]")
        self.home.pin_gateway(server, info.gateway)
        if self.home.pinned_gateway(server) != info.gateway:
            why = f"the mail gateway of {server} has another key than when you first met it."
            raise Unverified("server/gateway", why)
        return info.gateway

    @property
    def delegations(self) -> Delegations:
        """What was delegated from this machine."""
        return Delegations(self.home.delegations(self.identity))

    def remember(self, **changes: Any) -> None:
        """Change what is remembered of this identity."""
        changed = msgspec.structs.replace(self.identity, **changes)
        if changed != self.identity:
            self.home.save(changed)
            self.identity = changed

    def remembered(self) -> list[str]:
        """The tables this machine remembers for this identity."""
        folder = self.home.tables(self.identity)
        return sorted(path.parent.name for path in folder.glob("*/server"))

    def table(self, given: str | None) -> Memory:
        """The table that is meant (None: the current one), which is the current one from now on."""
        table = given or self.identity.table
        if table is None:
            raise CommandRefused("Which table? Name one (poste tables lists them); it is remembered from then on.")
        full = self.table_id(table)
        self.remember(table=full)
        return self.memory(full)

    def table_id(self, given: str) -> str:
        """The whole id of a table of which the beginning is given."""
        table = given.lower()
        if not _ID.fullmatch(table):
            raise CommandRefused(
                f"“{given}” is not a table: an id has 32 hexadecimal digits, of which 4 or more will do."
            )
        fitting = [each for each in self.remembered() if each.startswith(table)]
        if len(fitting) > 1:
            raise CommandRefused(
                f"“{table}” could be any of {', '.join(known[:8] for known in fitting)}; type some more of it."
            )
        return fitting[0] if fitting else self._asked_for(table)

    def memory(self, table: str) -> Memory:
        """What is remembered of this table; a new one is on the server of this identity."""
        memory = Memory(self.home.tables(self.identity) / table)
        if memory.server is None:
            memory.begin(self.server())
        return memory

    def _asked_for(self, table: str) -> str:
        found = self.api().summary(table).table
        if not found.startswith(table):
            raise Unverified("table/other", f"asked for table {table}, the server answers with {found[:8]}.")
        return found

    def trust(self, memory: Memory) -> Trust:
        """What can be held against the server of this table."""
        server = memory.server or self.server()
        own = [*memory.own(), *self.delegations.own(), *self.identity.successions]
        return Trust(memory.table, self.server_key(server), self.identity.key, own)

    def sync(self, memory: Memory) -> Chain:
        """Fetch what is new in a table's log, verify that it goes on from what is remembered, and remember it."""
        api = self.api(memory.server)
        with memory.locked():
            trust, log = self.trust(memory), memory.log
            received: list[bytes] = []
            asked_at = self.clock()
            try:
                received = self._lines(api, memory)
                since = _still_true(memory.synced, asked_at)
                trust = msgspec.structs.replace(trust, since=since, now=timestamp(self.clock()))
                memory.append(extension(memory.chain, log[-1] if log else None, received, trust))
                check_receipts(memory.log, trust.own)
                _check_times(memory.log)
            except Unverified as found:
                raise self._compared(found, memory, received, trust) from None
            memory.remember_sync(timestamp(asked_at))
            return memory.chain

    def _lines(self, api: Api, memory: Memory) -> list[bytes]:
        """The log from the last remembered entry on."""
        length = memory.chain.length
        try:
            return api.log(memory.table, after=length - 2)
        except Problem as problem:
            if problem.status == 404 and length:
                why = f"the server denies this table, of which it has sealed {length} entries."
                raise Unverified("table/denied", why) from None
            raise

    def caught(self, found: Unverified, memory: Memory, received: list[bytes]) -> Unverified:
        """The finding with its evidence saved."""
        evidence.save(self.home.path / "evidence", found, memory, received, self.trust(memory))
        return found

    def _compared(self, found: Unverified, memory: Memory, received: list[bytes], trust: Trust) -> Unverified:
        """The finding told as exactly as the server's whole log allows."""
        try:
            received = self.api(memory.server).log(memory.table)
        except CommandRefused:
            pass  # What was received before is evidence enough.
        else:
            found = difference(memory.log, received, trust.server) or found
        return self.caught(found, memory, received)

    def take_receipt(self, memory: Memory, receipt: Receipt, expected: SignedHere) -> Sealed:
        """Verify a receipt and keep it; the log will be held against it."""
        try:
            try:
                sealed = read_line(canonical(decode(receipt.entry)))
            except (msgspec.DecodeError, UnicodeError, RecursionError, RecordRejected):
                raise Unverified("receipt/malformed", "the receipt is not a sealed entry.", receipt.seq) from None
            check_receipt(sealed, self.trust(memory).server, expected, memory.table)
        except Unverified as found:
            raise self.caught(found, memory, [bytes(receipt.entry)]) from None
        memory.remember(Receipted(sealed.line.decode()))
        return sealed


def _still_true(synced: Timestamp | None, now: datetime) -> Timestamp | None:
    """When the log was last looked at; None if that was never, or lies in the future: then the clock was wrong."""
    return None if synced is None or instant(synced) > now + CLOCKS_DIFFER else synced


def _check_times(log: Sequence[Sealed]) -> None:
    """Raise Unverified if somebody was timed out too early, or anything else happened against the clock."""
    try:
        timing(log)
    except RecordRejected as error:
        raise Unverified(error.code, f"{error}.", error.entry) from None
