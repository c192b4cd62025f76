"""Pages: what is to be appended to a table's log in one go, worked out before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from msgspec import Struct

from engine.game import Seat
from engine.keys import Hash, Signature, SigningKey
from engine.record.chain import Phase
from engine.record.entry import Json, Sealed, timestamp
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


HeldMoves: TypeAlias = Mapping[int, Held]


class Page:
    """What is to be appended to a table in one go."""

    def __init__(self, key: SigningKey, folded: Folded, held: HeldMoves) -> None:
        self.clerk = Clerk(key, folded.secret)
        self.folded = folded
        self.table: Table = folded.table
        self.at = max(now(), folded.table.chain.at)  # a clock set back does not date an entry before its predecessor
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

    def settle(self) -> None:
        """Add whatever follows without anybody doing anything.

        A full table is dealt; the game of which all but one have resigned is given up; a resigned seat plays its
        fallbacks; sealed answers are opened in seat order once all are there; a game that is over is closed.
        """
        if self.table.chain.phase is Phase.SITTING and self.table.chain.full:
            self.add(self.clerk.deal(self.table, self.at))
        while self.table.chain.phase is Phase.PLAYING:
            chain, position = self.table.chain, self.table.playing
            if position.over:
                self.add(self.clerk.close(self.table, self.at))
            elif chain.resigned and len(chain.resigned) >= position.seats - 1:
                self.add(self.clerk.abandon(self.table, self.at, "resigned"))
                self.add(self.clerk.close(self.table, self.at))
            elif (seat := self._ready()) is None:
                break
            elif seat in chain.resigned:
                self.add(self.clerk.timeout(self.table, self.at, seat))
            else:
                held = self.held.pop(seat)
                self.add(self.clerk.move(self.table, self.at, seat, held.base, held.move, held.signature))

        self._drop_outdated()

    def _drop_outdated(self) -> None:
        """Sealed answers to decisions that are no longer open are of no use to anybody."""
        asked = open_decisions(self.table)
        self.held = {
            seat: held for seat, held in self.held.items() if seat in asked and asked[Seat(seat)].base == held.base
        }

    def _ready(self) -> Seat | None:
        """The seat that can be answered for now."""
        asked, gone = self.table.playing.asked, self.table.chain.resigned
        first = min(asked)
        if asked[first].decision.sealed:
            given = {seat for seat, held in self.held.items() if seat in asked and held.base == asked[Seat(seat)].base}
            return first if asked.keys() <= given | gone else None
        return next((seat for seat in sorted(asked) if seat in gone and not asked[seat].decision.sealed), None)
