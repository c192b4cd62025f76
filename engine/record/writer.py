"""The writing side of a log: the server's clerk, who checks every entry as an auditor would and then seals it.

A :class:`LoggedTable` is a value; every act of the clerk gives the sealed entry and the table after it, or raises and
nothing has happened. Time and secrets come from outside: the engine has neither.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from engine.errors import OutOfTurn, RecordRejected
from engine.game import AnyGame, Seat
from engine.keys import Hash, Key, Signature, SigningKey
from engine.record.chain import Chain, Phase, check_entry, follow
from engine.record.entry import (
    FIRST,
    FORMAT,
    Abandon,
    AnyEntry,
    ByMail,
    Clock,
    Close,
    Correct,
    Deal,
    Json,
    Open,
    Play,
    Remark,
    Resign,
    Sealed,
    Sit,
    Succeed,
    Timeout,
    Timestamp,
    seal,
    well_formed,
)
from engine.record.replay import Position, after, components_digest, move_json, played_for, settled
from engine.record.secret import commitment
from engine.typed_json import convert

_PENDING: Hash = "0" * 64
"""Stands for the state digest of an entry until the state is known."""


class LoggedTable(Struct, frozen=True):
    """A table after its newest entry: what its log shows, and the game behind it once dealt."""

    chain: Chain = Chain()
    position: Position | None = None

    @property
    def playing(self) -> Position:
        """The position of a table that has been dealt; raises OutOfTurn before."""
        if self.position is None:
            raise OutOfTurn("the game has not been dealt yet")
        return self.position


class Clerk:
    """Writes the log of one table under the server's key and the table's secret."""

    def __init__(self, key: SigningKey, secret: bytes) -> None:
        self._key = key
        self._secret = secret

    def open(
        self, table: str, at: str, game: AnyGame, seats: int, options: Any = None, clock: Clock | None = None
    ) -> tuple[Sealed, LoggedTable]:
        """Open a table; options None are the game's defaults."""
        options = game.options() if options is None else options
        entry = Open(
            table=table,
            seq=0,
            prev=FIRST,
            at=at,
            format=FORMAT,
            game=f"{game.key}/{game.rules_version}",
            components=components_digest(game, options),
            options=msgspec.to_builtins(options),
            seats=seats,
            server=self._key.public,
            commitment=commitment(self._secret),
            clock=clock,
        )
        return self._append(LoggedTable(), entry)

    def sit(
        self, table: LoggedTable, at: str, seat: Seat, name: str, key: Key, entropy: Hash, signature: Signature
    ) -> tuple[Sealed, LoggedTable]:
        """Seat a player who signed for it."""
        entry = Sit(**_next(table, at), seat=seat, name=name, key=key, entropy=entropy, signature=signature)
        return self._append(table, entry)

    def deal(self, table: LoggedTable, at: str) -> tuple[Sealed, LoggedTable]:
        """Deal the game to a full table."""
        return self._append(table, Deal(**_next(table, at), state=_PENDING))

    def move(
        self,
        table: LoggedTable,
        at: str,
        seat: Seat,
        base: Hash,
        move: Json,
        signature: Signature,
        by: ByMail = None,
        given: Timestamp | None = None,
    ) -> tuple[Sealed, LoggedTable]:
        """Append a move signed by its player, or by the mail gateway in their place.

        A sealed one may have been ``given`` before, for an account of time to be charged up to then.
        """
        said = _next(table, at) | {"seat": seat, "base": base, "move": move, "by": by, "given": given}
        return self._append(table, Play(**said, signature=signature, state=_PENDING))

    def timeout(self, table: LoggedTable, at: str, seat: Seat) -> tuple[Sealed, LoggedTable]:
        """Play for a seat whose deadline has passed, whose player has resigned, or which is in a bot's hands."""
        position = table.playing
        asked = position.asked.get(seat)
        if asked is None:
            raise OutOfTurn(f"seat {seat} is not being asked anything now")
        bot = "bot" if seat in position.bots else "deadline"
        why = "resigned" if seat in table.chain.resigned else bot
        move = move_json(played_for(position, seat, table.chain.length, why))
        members = {"seat": seat, "base": asked.base, "move": move, "why": why, "state": _PENDING}
        return self._append(table, convert({**_next(table, at), "kind": "timeout", **members}, Timeout))

    def resign(
        self, table: LoggedTable, at: str, seat: Seat, base: Hash, signature: Signature, by: ByMail = None
    ) -> tuple[Sealed, LoggedTable]:
        """Let a player leave a seat."""
        state = _PENDING if table.position else None
        return self._append(
            table, Resign(**_next(table, at), seat=seat, base=base, signature=signature, state=state, by=by)
        )

    def say(self, table: LoggedTable, at: str, kind: type[Remark], **members: Any) -> tuple[Sealed, LoggedTable]:
        """Append what a player says to the table: days off, a return, a vote, a delegation or the end of one."""
        return self._append(table, kind(**_next(table, at), **members, state=_PENDING))

    def succeed(
        self, table: LoggedTable, at: str, seat: Seat, to: Key, signature: Signature, consent: Signature
    ) -> tuple[Sealed, LoggedTable]:
        """Let a player go on under another key."""
        state = _PENDING if table.position else None
        return self._append(
            table, Succeed(**_next(table, at), seat=seat, to=to, signature=signature, consent=consent, state=state)
        )

    def correct(self, table: LoggedTable, at: str) -> tuple[Sealed, LoggedTable]:
        """Say that the clock was wrong, and is right now: ``at`` is before what the newest entry is dated."""
        return self._append(table, Correct(**_next(table, at), state=_PENDING if table.position else None))

    def abandon(self, table: LoggedTable, at: str, why: str) -> tuple[Sealed, LoggedTable]:
        """End a table that cannot go on."""
        entry = convert(
            {**_next(table, at), "kind": "abandon", "why": why, "state": _PENDING if table.position else None}, Abandon
        )
        return self._append(table, entry)

    def close(self, table: LoggedTable, at: str) -> tuple[Sealed, LoggedTable]:
        """Reveal the secret and state the result."""
        position = table.position
        standing = position.standing if position else None
        if position and table.chain.phase is Phase.ABANDONED:
            standing = position.game.standing(position.state)
        entry = Close(
            **_next(table, at), secret=self._secret.hex(), standing=standing, state=_PENDING if table.position else None
        )
        return self._append(table, entry)

    def _append(self, table: LoggedTable, entry: AnyEntry) -> tuple[Sealed, LoggedTable]:
        well_formed(entry)
        for fault in check_entry(table.chain, entry):
            raise fault.raised()
        position = after(table.chain, table.position, entry, self._secret)
        if position is None:
            sealed = seal(entry, self._key)
        else:
            sealed = seal(msgspec.structs.replace(entry, state=position.digest), self._key)
            position = settled(position, sealed)
        return sealed, LoggedTable(follow(table.chain, sealed), position)


def _next(table: LoggedTable, at: str) -> dict[str, Any]:
    """The members that every entry after the first has."""
    chain = table.chain
    if chain.opened is None:
        raise RecordRejected("chain/order", "the table was never opened")
    return {"table": chain.opened.table, "seq": chain.length, "prev": chain.head, "at": at}
