"""Batches: what is to be appended to a table's log in one go, worked out before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from engine.errors import RecordRejected
from engine.game import Seat
from engine.keys import Hash, Key, Signature, SigningKey, verify
from engine.record.chain import Chain, Phase
from engine.record.entry import (
    Bank,
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
from engine.record.writer import Clerk, LoggedTable
from server.clock_guard import is_ahead
from server.problems import RequestRefused
from server.service.derived_columns import open_decisions, told_events
from server.service.folded_tables import FoldedTable, caused
from server.service.log_limits import check_remark


def now() -> str:
    """The time, as entries write it."""
    return timestamp(datetime.now(UTC))


class HeldAnswer(Struct, frozen=True):
    """A sealed answer that waits for the others."""

    base: Hash
    move: Json
    signature: Signature
    by: ByMail = None
    given: Timestamp | None = None
    """When it came."""


class SignedDelegation(Struct, frozen=True):
    """What a player signed to let the mail gateway speak for them."""

    to: Key
    begins: Timestamp
    ends: Timestamp
    signature: Signature
    tables: tuple[TableId, ...] | None = None


class Succession(Struct, frozen=True):
    """What a player signed, with both keys, to go on under another."""

    to: Key
    signature: Signature
    consent: Signature


def check_held(chain: Chain, seat: Seat, held: HeldAnswer, at: Timestamp) -> None:
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


HeldAnswers: TypeAlias = Mapping[int, HeldAnswer]


class EntryBatch:
    """What is to be appended to a table in one go."""

    def __init__(self, key: SigningKey, folded: FoldedTable, held: HeldAnswers, at: str) -> None:
        self.clerk = Clerk(key, folded.secret)
        self.folded = folded
        self.now = at
        self.table: LoggedTable = folded.table
        self.at = max(at, folded.table.chain.at)  # a clock set back does not date an entry before its predecessor
        self.before = held
        self.held = dict(held)
        self.looked = False
        """Whether the clock wrote it: what there is to tell is told even if nothing happened."""
        self.succeeding = False
        """Whether it puts on record what changes of key the table owed its log."""
        self.lines: list[dict[str, Any]] = []
        self.entries: list[Sealed] = []

    def add(self, written: tuple[Sealed, LoggedTable]) -> Sealed:
        """Put an entry on the batch."""
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

    def delegate(self, seat: Seat, delegation: SignedDelegation) -> None:
        """Put a player's delegation on record, unless it is."""
        chain = self.table.chain
        known = chain.delegation(seat, self.at)
        if known is None or known.signature != delegation.signature:
            check_remark(chain, seat)
            members = {name: getattr(delegation, name) for name in delegation.__struct_fields__}
            self.add(self.clerk.say(self.table, self.at, Delegate, seat=seat, **members))

    def succeed(self, seat: Seat, succession: Succession) -> None:
        """Put a player's change of key on record. What the former key answered under seal is asked for again."""
        said = succession.to, succession.signature, succession.consent
        self.add(self.clerk.succeed(self.table, self.at, seat, *said))
        self.held.pop(seat, None)

    def correct(self) -> None:
        """Put on record that the clock was wrong, and is right now; raises Refused where it was not ahead."""
        chain = self.table.chain
        if chain.phase is Phase.CLOSED:
            raise RequestRefused("table/over", f"table {_table_of(chain)[:8]} is closed, and its record is final")
        if not is_ahead(chain.at, self.now):
            why = f"the newest entry of table {_table_of(chain)[:8]} is of {chain.at}: there is nothing to correct"
            raise RequestRefused("server/clock", why)
        self.at = self.now
        self.add(self.clerk.correct(self.table, self.at))

    def hold(self, seat: Seat, answer: HeldAnswer) -> None:
        """Keep a sealed answer; the same one again is not a later one."""
        before = self.held.get(seat)
        if before is None or before.signature != answer.signature:
            self.held[seat] = msgspec.structs.replace(answer, given=self.at)

    def settle(self) -> None:
        """Add whatever follows without anybody doing anything.

        A full table is dealt; a game is given up of which all but one have resigned (but of two, the other has won), at
        which nobody acts any more, or which those who do have voted out, but not before its players have the answers
        that were taken from them opened; a seat that has resigned, is in a bot's hands or has let its deadline pass is
        played for; sealed answers are opened in seat order once all are there; a game that is over is closed.
        """
        if self.table.chain.phase is Phase.SITTING and self.table.chain.full:
            self.add(self.clerk.deal(self.table, self.at))
        while self.table.chain.phase is Phase.PLAYING:
            chain, position = self.table.chain, self.table.playing
            if position.over:
                self.add(self.clerk.close(self.table, self.at))
            elif (why := _hopeless(chain, position)) is not None and not self._owes(why):
                self.add(self.clerk.abandon(self.table, self.at, why))
                self.add(self.clerk.close(self.table, self.at))
            elif (seat := self._ready()) is None:
                break
            elif self._counts(seat):
                self._open(seat)
            else:
                self.add(self.clerk.timeout(self.table, self.at, seat))
        self.held = {seat: held for seat, held in self.held.items() if self._counts(Seat(seat))}

    @property
    def lapsed(self) -> dict[Seat, HeldAnswer]:
        """The sealed answers that no longer count although their decisions are still open: their seats are asked again.

        Such an answer came by mail, under a delegation that has ended or was taken back; or its player has given up the
        key that signed it.
        """
        asked = open_decisions(self.table)
        gone = {Seat(seat): held for seat, held in self.before.items() if seat not in self.held}
        return {seat: held for seat, held in gone.items() if seat in asked and asked[seat].base == held.base}

    def _owes(self, why: str) -> bool:
        """Whether an answer lies here that is opened before the table is given up: who gave it is present.

        It is, too, where that has to wait for others. Who has voted to give the table up is not waited for.
        """
        position = self.table.playing
        given = {seat for seat in position.asked if self._counts(seat)}
        if why == "voted" and position.attendance is not None and self._ready() is None:
            given -= position.attendance.votes
        return bool(given)

    def _open(self, seat: Seat) -> None:
        """Put a sealed answer on record, and where an account of time is charged for it, when it was given."""
        held, position = self.held.pop(seat), self.table.playing
        given = None
        if held.given is not None and isinstance(position.clock, Bank):
            given = max(held.given, position.asked[seat].since)  # which is later if the clock was corrected since
        given = given if given is not None and given < self.at else None
        self.add(self.clerk.move(self.table, self.at, seat, held.base, held.move, held.signature, held.by, given))

    def _ready(self) -> Seat | None:
        """The seat that can be answered for now."""
        asked = self.table.playing.asked
        first = min(asked)
        if asked[first].decision.sealed:
            return first if all(self._counts(seat) or self._played_for(seat) for seat in asked) else None
        return next((seat for seat in sorted(asked) if self._played_for(seat)), None)

    def _counts(self, seat: Seat) -> bool:
        """Whether a sealed answer of this seat lies here and counts; one that came by mail needs the delegation still.

        Once a batch is settled, no others are held: lists, letters and the clock need not ask again.
        """
        held, asked = self.held.get(seat), open_decisions(self.table).get(seat)
        if held is None or asked is None or held.base != asked.base or seat in self.table.chain.resigned:
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
