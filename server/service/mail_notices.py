"""Notices: what a batch tells players by mail, and when the clock has to look at a table again.

They are written in the transaction of the batch itself, for those who want mail and have confirmed where; what a mail
says is worked out when it is sent.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Insert, Text, bindparam, exists, insert, literal, select

from engine.game import Seat
from engine.keys import sha256
from engine.record.chain import Phase
from engine.record.clock import allowance
from engine.record.entry import AnyEntry, Play, Timeout, instant, timestamp
from server.service.derived_columns import absent, attending, open_decisions
from server.service.entry_batch import EntryBatch
from server.storage.models import INVITES, MAILBOXES, OUTBOX, SEATS

AT_THE_TERMINAL = timedelta(minutes=2)
"""Whoever is asked again by their own move is probably still sitting there, and not in need of a mail."""
AFTER_THE_ANSWER = timedelta(seconds=5)
"""Whoever is asked again by their own move by mail first gets the answer to it, which is queued a moment later."""
_SOONEST = 4
"""A reminder comes when at most this part (one in so many) of the time is left, however early reminders are set."""


class Stationery(Struct, frozen=True):
    """What turns a notice into a row: the secret behind reply addresses, and how long before a deadline to remind."""

    secret: bytes
    lead: timedelta
    posts: bool
    """Whether there is any post: a server that sends no mail writes no notices, and its moves pay for none."""

    def token(self, message_id: str) -> str:
        """The reply address that belongs to this mail and no other."""
        return base64.b32encode(hmac.digest(self.secret, message_id.encode(), "sha256")[:20]).decode().lower()

    def remind_at(self, batch: EntryBatch, seat: Seat) -> str | None:
        """When a seat that is being asked is reminded of its deadline; None without a clock."""
        position = batch.table.playing
        due = position.due(seat)
        if due is None or position.clock is None or position.attendance is None:
            return None
        lead = min(self.lead, allowance(position.clock, position.attendance.banks[seat]) / _SOONEST)
        return timestamp(instant(due) - lead)


class Notice(Struct, frozen=True):
    """One thing to tell the player of a seat."""

    kind: str
    seat: Seat
    seq: int
    base: str | None = None
    wait: timedelta = timedelta()
    again: str = ""
    """What makes it news once more: the signature of an answer that no longer counts."""

    def message_id(self, table: str) -> str:
        """The same for the same news, whoever works it out and however often."""
        news = f"{table} {self.seat} {self.base or self.seq}{self.again}"
        return f"{self.kind}.{sha256(news.encode())[:32]}"


def notices(batch: EntryBatch, stationery: Stationery) -> Iterator[Notice]:
    """Everything to be told of what a batch did, or of the moment it was written at."""
    if not stationery.posts:
        return
    new = {sealed.hash: sealed.entry for sealed in batch.entries}
    for entry in new.values():
        if isinstance(entry, Timeout) and entry.why == "deadline":
            yield Notice("missed", Seat(entry.seat), entry.seq)
    for seat, asked in _awaited(batch).items():
        opened_by = new.get(asked.base)
        if opened_by is not None:
            yield Notice("turn", seat, opened_by.seq, asked.base, _wait(seat, opened_by, new.values()))
        elif (lapsed := batch.lapsed.get(seat)) is not None:
            yield Notice("turn", seat, batch.table.chain.length - 1, asked.base, again=lapsed.signature)
        elif (remind_at := stationery.remind_at(batch, seat)) is not None and remind_at <= batch.at:
            yield Notice("reminder", seat, batch.table.chain.length - 1, asked.base)
    yield from _votes(batch)
    if new and batch.table.chain.phase is Phase.CLOSED and batch.table.position is not None:
        for number in range(batch.table.playing.seats):
            yield Notice("over", Seat(number), batch.table.chain.length - 1)


def _wait(seat: Seat, opened_by: AnyEntry, new: Collection[AnyEntry]) -> timedelta:
    """How long the question to a seat waits that this entry opened, because of what its own player did."""
    if isinstance(opened_by, Play) and opened_by.seat == seat and opened_by.by is None:
        return AT_THE_TERMINAL
    by_mail = any(isinstance(entry, Play) and entry.seat == seat and entry.by is not None for entry in new)
    return AFTER_THE_ANSWER if by_mail else timedelta()


def _votes(batch: EntryBatch) -> Iterator[Notice]:
    """Tell those who may vote since this batch, and all who may if it is about somebody else as well."""
    before, after = attending(batch.folded.table).voting, attending(batch.table).voting
    somebody_else = after and absent(batch.table) - absent(batch.folded.table)
    for seat in after if somebody_else else sorted(set(after) - set(before)):
        yield Notice("vote", Seat(seat), batch.table.chain.length - 1)


def next_look(batch: EntryBatch, stationery: Stationery) -> str | None:
    """When the clock has something to do at this table: a reminder, a deadline, or the end of a delegation under which
    a sealed answer is held, up to and with which it counts.
    """
    delegations = (batch.table.chain.delegation(Seat(seat), batch.at) for seat, held in batch.held.items() if held.by)
    moments = [delegation.ends for delegation in delegations if delegation is not None]
    for seat in _awaited(batch):
        due, remind_at = batch.table.playing.due(seat), stationery.remind_at(batch, seat)
        moments += [moment for moment in (due, remind_at) if moment is not None and moment > batch.at]
    return min(moments, default=None)


def _awaited(batch: EntryBatch) -> dict[Seat, Any]:
    """The decisions that wait for a player: not answered under seal, not given up, not in a bot's hands."""
    asked, chain = open_decisions(batch.table), batch.table.chain
    bots = batch.table.playing.bots if asked else frozenset()
    return {seat: one for seat, one in asked.items() if seat not in batch.held and seat not in chain.resigned | bots}


def row(batch: EntryBatch, notice: Notice, stationery: Stationery) -> dict[str, Any]:
    """A notice as the parameters of :data:`POSTED`."""
    message_id = notice.message_id(batch.folded.id)
    return {
        "message_id": message_id,
        "token": stationery.token(message_id),
        "kind": notice.kind,
        "number": batch.folded.number,
        "at_seat": notice.seat,
        "base": notice.base,
        "told_seq": notice.seq,
        "created": batch.at,
        "due": timestamp(instant(batch.at) + notice.wait),
    }


def _posted() -> Insert:
    """Writes a notice down if the player of the seat wants mail and has confirmed where, and it is not there yet."""
    text = {name: bindparam(name, type_=Text()) for name in ("message_id", "token", "kind", "base", "created", "due")}
    columns = {
        "message_id": text["message_id"],
        "token": text["token"],
        "player": SEATS.c.player,
        "kind": text["kind"],
        "table_number": SEATS.c.table_number,
        "seat": SEATS.c.seat,
        "base": text["base"],
        "seq": bindparam("told_seq", type_=OUTBOX.c.seq.type),
        "created": text["created"],
        "due": text["due"],
        "attempts": literal(0),
        "state": literal("queued"),
    }
    there = exists().where(OUTBOX.c.message_id == text["message_id"])
    wanted = (
        select(*columns.values())
        .join_from(SEATS, MAILBOXES, MAILBOXES.c.player == SEATS.c.player)
        .where(SEATS.c.table_number == bindparam("number"), SEATS.c.seat == bindparam("at_seat"))
        .where(MAILBOXES.c.confirmed.is_not(None), MAILBOXES.c.frequency != "off", ~there)
    )
    return insert(OUTBOX).from_select(list(columns), wanted)


POSTED = _posted()


def invite_guests(
    connection: Connection, stationery: Stationery, table: str, number: int, at: str, may_tell: Callable[[int], bool]
) -> None:
    """Tell everybody who is invited to a table, wants mail and has not had enough of it; the others find the table."""
    guests = (
        select(INVITES.c.player)
        .join(MAILBOXES, MAILBOXES.c.player == INVITES.c.player)
        .where(INVITES.c.table_number == number, MAILBOXES.c.confirmed.is_not(None), MAILBOXES.c.frequency != "off")
    )
    for player in connection.scalars(guests.order_by(INVITES.c.player)).all():
        if may_tell(player):
            enqueue(connection, stationery, f"invitation.{table}.{player}", player, "invitation", at, number)


def enqueue(
    connection: Connection,
    stationery: Stationery,
    message_id: str,
    player: int,
    kind: str,
    at: str,
    number: int | None = None,
    body: str | None = None,
) -> None:
    """Write down a mail that is not about a seat's turn."""
    token = stationery.token(message_id)
    row = {"message_id": message_id, "token": token, "player": player, "kind": kind, "created": at, "due": at}
    connection.execute(insert(OUTBOX), row | {"table_number": number, "body": body, "attempts": 0, "state": "queued"})


def post(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Write notices down."""
    for one in rows:
        connection.execute(POSTED, one)
