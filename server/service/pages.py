"""Pages: what is to be appended to a table's log in one go, worked out before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from msgspec import Struct

from engine.errors import RecordRejected
from engine.game import Seat
from engine.keys import Hash, Key, Signature, SigningKey, verify
from engine.record.chain import Chain, Phase
from engine.record.entry import (
    ByMail,
    Delegate,
    Json,
    Sealed,
    TableId,
    Timestamp,
    mailed,
    move_message,
    timestamp,
)
from engine.record.replay import Position
from engine.record.writer import Clerk, Table
from server.service.derived import open_decisions, told_events
from server.service.folding import Folded, caused


def now() -> str:
    """The time, as entries write it."""
    return timestamp(datetime.now(UTC))


class Held(Struct, frozen=True):
    """A sealed answer that waits for the others."""

    base: Hash
    move: Json
    signature: Signature
    by: ByMail = None


class Delegation(Struct, frozen=True):
    """What a player signed to let the mail gateway speak for them."""

    to: Key
    begins: Timestamp
    ends: Timestamp
    signature: Signature
    tables: tuple[TableId, ...] | None = None


def check_held(chain: Chain, seat: Seat, held: Held, at: Timestamp) -> None:
    """Raise RecordRejected unless the seat's player (or the gateway, for mail) signed this sealed answer."""
    player, message = chain.players[seat], move_message(_table_of(chain), held.base, seat, held.move)
    if player is None:
        raise RecordRejected("seat/unknown", f"nobody sits at seat {seat}")
    key = player.key
    if held.by is not None:
        delegation = chain.delegation(seat, at)
        if delegation is None:
            raise RecordRejected("delegation/none", f"{player.name} had not let the mail gateway speak for them")
        key, message = delegation.to, mailed(message)
    if not verify(key, message, held.signature):
        raise RecordRejected("signature/forged", f"{player.name} did not sign this move at this point of this table")


def _table_of(chain: Chain) -> TableId:
    if chain.opened is None:
        raise RecordRejected("chain/order", "the table was never opened")
    return chain.opened.table


HeldMoves: TypeAlias = Mapping[int, Held]


class Page:
    """What is to be appended to a table in one go."""

    def __init__(self, key: SigningKey, folded: Folded, held: HeldMoves, at: str) -> None:
        self.clerk = Clerk(key, folded.secret)
        self.folded = folded
        self.table: Table = folded.table
        self.at = max(at, folded.table.chain.at)  # a clock set back does not date an entry before its predecessor
        self.before = held
        self.held = dict(held)
        self.lines: list[dict[str, Any]] = []
        self.entries: list[Sealed] = []

    def add(self, written: tuple[Sealed, Table]) -> Sealed:
        """Put an entry on the page."""
        sealed, self.table = written
        self.entries.append(sealed)
        self.lines.append(
            {
                "table_number": self.folded.number,
                "seq": sealed.entry.seq,
                "hash": sealed.hash,
                "seat": getattr(sealed.entry, "seat", None),
                "line": sealed.line,
                "events": told_events(self.table, caused(self.table, sealed)),
            }
        )
        return sealed

    def delegate(self, seat: Seat, delegation: Delegation) -> None:
        """Put a player's delegation on record, unless it is."""
        chain = self.table.chain
        known = chain.delegation(seat, self.at)
        if known is None or known.signature != delegation.signature:
            members = {name: getattr(delegation, name) for name in delegation.__struct_fields__}
            self.add(self.clerk.say(self.table, self.at, Delegate, seat=seat, **members))

    def settle(self) -> None:
        """Add whatever follows without anybody doing anything.

        A full table is dealt; a game is given up of which all but one have resigned, at which nobody acts any more, or
        which those who do have voted out; a seat that has resigned, is in a bot's hands or has let its deadline pass is
        played for; sealed answers are opened in seat order once all are there; a game that is over is closed.
        """
        if self.table.chain.phase is Phase.SITTING and self.table.chain.full:
            self.add(self.clerk.deal(self.table, self.at))
        while self.table.chain.phase is Phase.PLAYING:
            chain, position = self.table.chain, self.table.playing
            if position.over:
                self.add(self.clerk.close(self.table, self.at))
            elif (why := _hopeless(chain, position)) is not None:
                self.add(self.clerk.abandon(self.table, self.at, why))
                self.add(self.clerk.close(self.table, self.at))
            elif (seat := self._ready()) is None:
                break
            elif self._given(seat):
                held = self.held.pop(seat)
                self.add(self.clerk.move(self.table, self.at, seat, held.base, held.move, held.signature, held.by))
            else:
                self.add(self.clerk.timeout(self.table, self.at, seat))
        self._drop_outdated()

    def _drop_outdated(self) -> None:
        """Sealed answers to decisions that are no longer open are of no use to anybody."""
        asked = open_decisions(self.table)
        self.held = {
            seat: held for seat, held in self.held.items() if seat in asked and asked[Seat(seat)].base == held.base
        }

    def _ready(self) -> Seat | None:
        """The seat that can be answered for now."""
        asked = self.table.playing.asked
        first = min(asked)
        if asked[first].decision.sealed:
            return first if all(self._given(seat) or self._played_for(seat) for seat in asked) else None
        return next((seat for seat in sorted(asked) if self._played_for(seat)), None)

    def _given(self, seat: Seat) -> bool:
        """Whether a sealed answer of this seat lies here; one that came by mail needs the delegation still."""
        held = self.held.get(seat)
        if held is None or held.base != self.table.playing.asked[seat].base or seat in self.table.chain.resigned:
            return False
        return held.by is None or self.table.chain.delegation(seat, self.at) is not None

    def _played_for(self, seat: Seat) -> bool:
        """Whether the server answers for this seat."""
        position = self.table.playing
        return seat in self.table.chain.resigned or seat in position.bots or position.is_overdue(seat, self.at)


def _hopeless(chain: Chain, position: Position) -> str | None:
    """Why a game cannot go on, if it cannot."""
    if chain.resigned and len(chain.resigned) >= position.seats - 1:
        return "resigned"
    clock, attendance = position.clock, position.attendance
    if clock is None or attendance is None:
        return None
    if attendance.voted_out(clock, chain.resigned):
        return "voted"
    return "idle" if attendance.idle(clock, chain.resigned) else None
