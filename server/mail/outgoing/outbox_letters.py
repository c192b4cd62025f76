"""Putting a row of the outbox into words: what it tells is worked out from the log at the moment it is sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Row, Select, and_, bindparam, case, func, select

from engine.game import Seat
from engine.record.chain import Phase, given_up
from engine.record.entry import Abandon, instant, read_line
from engine.typed_json import convert, decode
from server.mail.letters import letter_texts
from server.mail.letters.letter_parts import Letter
from server.mail.letters.reply_instructions import Ways
from server.service.derived_columns import attending, open_decisions, told_to
from server.service.entry_batch import SignedDelegation
from server.service.folded_tables import FoldedTable, lookup
from server.service.server_context import ServerContext
from server.storage.models import ENTRIES, HELD, MAILBOXES, OUTBOX, PLAYERS, TABLES


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
    private: bool = True
    """Whether it may tell what only its reader may see, because they wanted that when it was put into words."""


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
        given = decode(self.delegation, SignedDelegation)
        return at <= given.ends and (given.tables is None or table in given.tables)


def recipients(connection: Connection, players: set[int]) -> dict[int, Recipient]:
    """The mailboxes of these players."""
    query = select(MAILBOXES, PLAYERS.c.name).join(PLAYERS).where(MAILBOXES.c.player.in_(players))
    return {row.player: convert(dict(row._mapping), Recipient) for row in connection.execute(query)}


class Papers(Struct, frozen=True):
    """What has to be looked up for the letters of some rows, looked up for all of them at once."""

    tables: dict[int, Row[Any]]
    """By their numbers, as :func:`server.service.folded_tables.lookup` has them."""
    events: dict[int, list[bytes]]
    """What there is to tell, by the ids of the rows."""


def papers(connection: Connection, rows: Sequence[Row[Any]]) -> Papers:
    """The papers for the letters of these rows."""
    numbers = {row.table_number for row in rows if row.table_number is not None}
    tables = {row.number: row for row in connection.execute(_TABLES, {"numbers": list(numbers)})}
    events: defaultdict[int, list[bytes]] = defaultdict(list)
    for found in connection.execute(_EVENTS, {"ids": [row.id for row in rows]}):
        events[found.id].append(bytes(found.events))
    return Papers(tables, events)


def _events() -> Select[Any]:
    """What rows tell, with their ids: of a deadline that was missed, what was played then; else all that has happened
    since the player last did something.
    """
    own = select(func.max(ENTRIES.c.seq)).where(
        ENTRIES.c.table_number == OUTBOX.c.table_number,
        ENTRIES.c.seat == OUTBOX.c.seat,
        ENTRIES.c.seq < OUTBOX.c.seq,
    )
    last = func.coalesce(own.correlate(OUTBOX).scalar_subquery(), -1)
    after = case((OUTBOX.c.kind == "missed", OUTBOX.c.seq - 1), else_=last)
    told = and_(ENTRIES.c.table_number == OUTBOX.c.table_number, ENTRIES.c.seq > after, ENTRIES.c.seq <= OUTBOX.c.seq)
    rows = select(OUTBOX.c.id, ENTRIES.c.events).join_from(OUTBOX, ENTRIES, told)
    return rows.where(OUTBOX.c.id.in_(bindparam("ids", expanding=True))).order_by(OUTBOX.c.id, ENTRIES.c.seq)


_TABLES = lookup().where(TABLES.c.number.in_(bindparam("numbers", expanding=True)))
_EVENTS = _events()


def written(
    context: ServerContext,
    connection: Connection,
    row: Row[Any],
    to: Recipient,
    found: Papers,
    *,
    takes_mail: bool,
    in_digest: bool = False,
) -> Written | None:
    """The letter of a row; None if what it tells has passed."""
    if row.kind in ("answer", "digest"):
        kept = decode(row.body, Kept)
        letter = letter_texts.withheld(Ways(takes_mail=takes_mail)) if kept.private and not to.private else kept.letter
        return Written(letter, kept.table, kept.answers)
    if row.kind == "confirmation":
        current = to.code is not None and to.code == row.body and to.address
        ways = Ways(takes_mail=takes_mail)
        return Written(letter_texts.confirmation(to.name, row.body, ways)) if current else None
    folded = context.folded_tables.brought_up(connection, found.tables[row.table_number])
    ways = Ways(takes_mail, to.may_reply(folded.id, context.now()), in_digest)
    eyes = Seat(row.seat) if to.private and row.seat is not None else None
    news = [told.text for events in found.events.get(row.id, ()) for told in told_to(events, eyes)]
    said = _about(context, connection, row, to, folded, news, ways)
    return Written(said, folded.id) if said else None


def _about(
    context: ServerContext,
    connection: Connection,
    row: Row[Any],
    to: Recipient,
    folded: FoldedTable,
    news: Sequence[str],
    ways: Ways,
) -> Letter | None:
    table = folded.table
    if row.kind == "invitation":
        opener = select(PLAYERS.c.name).join(TABLES, TABLES.c.opener == PLAYERS.c.id)
        name = connection.scalar(opener.where(TABLES.c.number == folded.number))
        return (
            letter_texts.invitation(str(name), table, folded.id, ways) if table.chain.phase is Phase.SITTING else None
        )
    seat = Seat(row.seat)
    if row.kind == "missed":
        return letter_texts.missed(table, folded.id, seat, news, ways)
    if row.kind == "vote":
        voters = frozenset(map(Seat, attending(table).voting))
        return letter_texts.vote(table, folded.id, seat, voters, ways) if seat in voters - _voted(folded) else None
    if row.kind == "over":
        return letter_texts.over(table, folded.id, seat, news, ways, abandoned=abandoned_for(connection, folded))
    asked = open_decisions(table).get(seat)
    if asked is None or asked.base != row.base or (asked.decision.sealed and answered(connection, folded, seat)):
        return None
    due = table.playing.due(seat)
    if row.kind == "reminder" and due is not None:
        left = (instant(due) - instant(context.now())).total_seconds()
        return letter_texts.reminder(table, folded.id, seat, news, due, left, ways, private=to.private)
    return letter_texts.turn(table, folded.id, seat, news, due, ways, private=to.private)


def _voted(folded: FoldedTable) -> frozenset[Seat]:
    """The seats that have voted to abandon the table."""
    attendance = folded.table.playing.attendance
    return attendance.votes if attendance is not None else frozenset()


def answered(connection: Connection, folded: FoldedTable, seat: Seat) -> bool:
    """Whether the answer to a sealed decision is here already."""
    held = select(HELD.c.seat).where(HELD.c.table_number == folded.number, HELD.c.seat == seat)
    return connection.scalar(held) is not None


def abandoned_for(connection: Connection, folded: FoldedTable) -> str | None:
    """Why a closed table was given up; None if its game was played to the end."""
    last = select(ENTRIES.c.line).where(
        ENTRIES.c.table_number == folded.number, ENTRIES.c.seq == folded.table.chain.length - 2
    )
    line = connection.scalar(last)
    entry = read_line(bytes(line)).entry if line is not None else None
    return given_up(entry, len(folded.table.chain.players)) if isinstance(entry, Abandon) else None
