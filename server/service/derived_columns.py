"""What is derived from a log and kept beside it, so that lists and polls need not fold anything.

``poste-server check`` works all of it out again and compares; ``poste-server rebuild`` writes down what it should be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

from engine.game import Event, Seat
from engine.record.chain import Phase
from engine.record.replay import Asked
from engine.record.writer import LoggedTable
from engine.typed_json import decode, decoder


class AskedSeat(Struct, frozen=True, omit_defaults=True):
    """A seat that is being asked, as the table's row has it."""

    seat: int
    kind: str
    base: str
    since: str
    due: str | None = None


class Attending(Struct, frozen=True):
    """The seats in a bot's hands, and those that may vote on going on."""

    bots: list[int] = []
    voting: list[int] = []


class ToldEvent(Struct, frozen=True):
    """An event as it is kept: who may know it (None: everybody), what it is, and the sentence."""

    to: tuple[int, ...] | None
    event: Raw
    text: str


_ATTENDING = decoder(Attending)
_ASKED = decoder(list[AskedSeat])
_TOLD = decoder(list[ToldEvent])
_NOTHING = b"[]"


def open_decisions(table: LoggedTable) -> dict[Seat, Asked]:
    """Who is being asked what; nobody once the table is given up or closed."""
    if table.position is None or table.chain.phase is not Phase.PLAYING:
        return {}
    return dict(table.position.asked)


def attending(table: LoggedTable) -> Attending:
    """Who stands in, and who may vote."""
    position = table.position
    if position is None or position.clock is None or position.attendance is None or not open_decisions(table):
        return Attending()
    voting = position.attendance.voters(position.clock, table.chain.resigned)
    return Attending(sorted(position.bots - table.chain.resigned), sorted(voting))


def absent(table: LoggedTable) -> frozenset[Seat]:
    """The seats whose players let deadline after deadline pass, so that something happens: a bot plays, or a vote."""
    position = table.position
    if position is None or position.clock is None or position.attendance is None:
        return frozenset()
    return position.attendance.struck(position.clock) - table.chain.resigned


DERIVED = ("phase", "length", "head", "at", "asked", "turn", "attendance", "standing")
"""The names of the derived columns of a table's row."""


def derived(table: LoggedTable) -> dict[str, Any]:
    """The derived columns of a table's row."""
    chain, asked = table.chain, open_decisions(table)
    present = attending(table)
    over = chain.phase in (Phase.ABANDONED, Phase.CLOSED) and table.position is not None
    standing = table.playing.standing if over else None
    return {
        "phase": chain.phase.value,
        "length": chain.length,
        "head": chain.head,
        "at": chain.at,
        "asked": msgspec.json.encode(
            [
                AskedSeat(seat, one.decision.kind, one.base, one.since, table.playing.due(seat))
                for seat, one in asked.items()
            ]
        ).decode(),
        "turn": "".join(f",{seat}" for seat in asked) + ",",
        "attendance": msgspec.json.encode(present).decode() if present != Attending() else None,
        "standing": msgspec.json.encode(standing).decode() if standing else None,
    }


def asked_seats(column: str) -> list[AskedSeat]:
    """The seats that are being asked, from the column."""
    return _ASKED.decode(column)


def attending_of(column: str | None) -> Attending:
    """Who stands in and who may vote, from the column."""
    return _ATTENDING.decode(column) if column else Attending()


def told_events(table: LoggedTable, events: Sequence[Event]) -> bytes:
    """What an entry caused, as it is kept beside it."""
    if not events:
        return _NOTHING
    game, names = table.playing.game, table.chain.names
    return msgspec.json.encode(
        [ToldEvent(event.to, Raw(msgspec.json.encode(event)), game.tell(event, names)) for event in events]
    )


def differ_in_words_alone(column: bytes, other: bytes) -> bool:
    """Whether two columns tell the same events to the same eyes, as two versions do that say the same differently."""
    try:
        kept = [_TOLD.decode(one) for one in (column, other)]
    except msgspec.MsgspecError:
        return False
    one, two = ([(told.to, decode(told.event)) for told in events] for events in kept)
    return one == two


def told_to(column: bytes, seat: Seat | None) -> list[ToldEvent]:
    """What a seat, or an onlooker, may know of what an entry caused."""
    if column == _NOTHING:
        return []
    told = _TOLD.decode(column)
    return [one for one in told if one.to is None or (seat is not None and seat in one.to)]
