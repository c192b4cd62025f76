"""Putting a row of the outbox into words: what it tells is worked out from the log at the moment it is sent."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Integer, Row, Select, bindparam, func, select

from engine.game import Seat
from engine.record.chain import Phase
from engine.record.entry import Abandon, instant, read_line
from server.mail import letters
from server.mail.answering import Ways
from server.mail.parts import Letter
from server.models import ENTRIES, HELD, MAILBOXES, PLAYERS, TABLES
from server.service.derived import attending, open_decisions, told_to
from server.service.folding import Folded, lookup
from server.service.office import Office
from server.service.pages import Delegation


class Written(Struct, frozen=True):
    """A letter, the table it is about, and the mail it answers."""

    letter: Letter
    table: str | None = None
    answers: str | None = None


class Kept(Struct, frozen=True):
    """A letter that was put into words when it was queued: an answer, or a digest."""

    letter: Letter
    answers: str | None = None
    table: str | None = None
    base: str | None = None


class Recipient(Struct, frozen=True):
    """The player a mail is for, with their mailbox."""

    player: int
    name: str
    address: str | None
    confirmed: str | None
    code: str | None
    handle: str
    frequency: str
    private: bool
    sent: str | None
    delegation: str | None

    def may_reply(self, table: str, at: str) -> bool:
        """Whether the gateway may speak for them at this table."""
        if self.delegation is None:
            return False
        given = msgspec.json.decode(self.delegation, type=Delegation)
        return at <= given.ends and (given.tables is None or table in given.tables)


def recipients(connection: Connection, players: set[int]) -> dict[int, Recipient]:
    """The mailboxes of these players."""
    query = select(MAILBOXES, PLAYERS.c.name).join(PLAYERS).where(MAILBOXES.c.player.in_(players))
    return {row.player: msgspec.convert(dict(row._mapping), Recipient) for row in connection.execute(query)}


def written(
    office: Office, connection: Connection, row: Row[Any], to: Recipient, *, takes_mail: bool, in_digest: bool = False
) -> Written | None:
    """The letter of a row; None if what it tells has passed."""
    if row.kind in ("answer", "digest"):
        kept = msgspec.json.decode(row.body, type=Kept)
        return Written(kept.letter, kept.table, kept.answers)
    if row.kind == "confirmation":
        current = to.code is not None and to.code == row.body and to.address
        ways = Ways(takes_mail=takes_mail)
        return Written(letters.confirmation(to.name, to.address or "", row.body, ways)) if current else None
    folded = office.folds.brought_up(connection, connection.execute(_TABLE, {"number": row.table_number}).one())
    ways = Ways(takes_mail, to.may_reply(folded.id, office.now()), in_digest)
    letter = _about(office, connection, row, to, folded, ways)
    return Written(letter, folded.id) if letter else None


def _about(
    office: Office, connection: Connection, row: Row[Any], to: Recipient, folded: Folded, ways: Ways
) -> Letter | None:
    table = folded.table
    if row.kind == "invitation":
        opener = select(PLAYERS.c.name).join(TABLES, TABLES.c.opener == PLAYERS.c.id)
        name = connection.scalar(opener.where(TABLES.c.number == folded.number))
        return letters.invitation(str(name), table, folded.id, ways) if table.chain.phase is Phase.SITTING else None
    seat = Seat(row.seat)
    if row.kind == "missed":
        return letters.missed(table, folded.id, seat, _told(connection, _OF_THE_ENTRY, row, to), ways)
    if row.kind == "vote":
        voters = frozenset(map(Seat, attending(table).voting))
        return letters.vote(table, folded.id, seat, voters, ways) if seat in voters - _voted(folded) else None
    news = _told(connection, _SINCE_LAST_TURN, row, to)
    if row.kind == "over":
        return letters.over(table, folded.id, seat, news, ways, abandoned=abandoned_for(connection, folded))
    asked = open_decisions(table).get(seat)
    if asked is None or asked.base != row.base or (asked.decision.sealed and answered(connection, folded, seat)):
        return None
    due = table.playing.due(seat)
    if row.kind == "reminder" and due is not None:
        left = (instant(due) - instant(office.now())).total_seconds()
        return letters.reminder(table, folded.id, seat, news, due, left, ways, private=to.private)
    return letters.turn(table, folded.id, seat, news, due, ways, private=to.private)


def _voted(folded: Folded) -> frozenset[Seat]:
    """The seats that have voted to abandon the table."""
    attendance = folded.table.playing.attendance
    return attendance.votes if attendance is not None else frozenset()


def answered(connection: Connection, folded: Folded, seat: Seat) -> bool:
    """Whether the answer to a sealed decision is here already."""
    held = select(HELD.c.seat).where(HELD.c.table_number == folded.number, HELD.c.seat == seat)
    return connection.scalar(held) is not None


def _told(connection: Connection, events: Select[Any], row: Row[Any], to: Recipient) -> list[str]:
    """What happened, as this player may have it in their mail."""
    eyes = Seat(row.seat) if to.private else None
    found = connection.scalars(events, {"number": row.table_number, "told_seat": row.seat, "told_seq": row.seq})
    return [told.text for column in found for told in told_to(bytes(column), eyes)]


def _since_last_turn() -> Select[Any]:
    """The events after the entry at which the player of a seat last did something, up to the one that is told."""
    at_table = ENTRIES.c.table_number == bindparam("number")
    told_seq = bindparam("told_seq", type_=Integer())
    own = select(func.max(ENTRIES.c.seq)).where(at_table, ENTRIES.c.seat == bindparam("told_seat"))
    last = func.coalesce(own.where(ENTRIES.c.seq < told_seq).scalar_subquery(), -1)
    return (
        select(ENTRIES.c.events)
        .where(at_table, ENTRIES.c.seq > last, ENTRIES.c.seq <= told_seq)
        .order_by(ENTRIES.c.seq)
    )


# Made once: making a statement costs more than running it.
_TABLE = lookup().where(TABLES.c.number == bindparam("number"))
_SINCE_LAST_TURN = _since_last_turn()
_OF_THE_ENTRY = select(ENTRIES.c.events).where(
    ENTRIES.c.table_number == bindparam("number"), ENTRIES.c.seq == bindparam("told_seq")
)


def abandoned_for(connection: Connection, folded: Folded) -> str | None:
    """Why a closed table was given up; None if its game was played to the end."""
    last = select(ENTRIES.c.line).where(
        ENTRIES.c.table_number == folded.number, ENTRIES.c.seq == folded.table.chain.length - 2
    )
    line = connection.scalar(last)
    entry = read_line(bytes(line)).entry if line is not None else None
    return entry.why if isinstance(entry, Abandon) else None
