"""What players do at tables: open one, sit down, move, resign."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, insert, select

from engine import games
from engine.errors import EngineError, OptionsRefused, OutOfTurn, RecordRejected, StaleMove
from engine.game import Seat
from engine.keys import Hash, Key, Signature, verify
from engine.record.canonical import plain
from engine.record.chain import Chain, Phase
from engine.record.entry import (
    ByMail,
    Clock,
    Json,
    Play,
    Remark,
    Sealed,
    SignedEntry,
    Timeout,
    Vote,
    read_line,
    sit_message,
)
from engine.record.replay import move_of, options_of
from engine.record.secret import SECRET_BYTES
from engine.record.writer import Clerk
from server.problems import RequestRefused, problem_of
from server.service import daily_limits, log_limits, mailboxes, players
from server.service.derived_columns import derived, told_events
from server.service.entry_batch import EntryBatch, HeldAnswer, check_held
from server.service.folded_tables import FoldedTable, Place
from server.service.log_append import Act, append, append_locked
from server.service.mail_notices import invite_guests
from server.service.players import Player
from server.service.server_context import ServerContext
from server.storage.models import ENTRIES, INVITES, TABLES

_AT_A_TIME = 16
"""So many lines are fetched together in search of an answer; as a rule the first is it."""
_CHANGED = 200
"""More of the log than this is not told in a refusal; it can be read."""


def open_table(
    context: ServerContext,
    key: Key,
    game_key: str,
    seats: int,
    options: Json,
    invite: Sequence[str] | None,
    clock: Clock | None,
) -> str:
    """Open a table and give its id; raises EngineError or Refused."""
    game = games.load(game_key)
    chosen = options_of(game, options)
    if seats not in game.seats:
        raise OptionsRefused(f"{game.key} is for {game.seats.start} to {game.seats.stop - 1} players")
    secret, table_id = secrets.token_bytes(SECRET_BYTES), secrets.token_hex(16)
    sealed, table = Clerk(context.key, secret).open(table_id, context.guard.believed(), game, seats, chosen, clock)
    with context.storage.writing() as connection:
        opener = players.registered(connection, key, locked=True)
        guests = [players.named(connection, name) for name in invite or ()]
        _check_limit(context, connection, opener)
        row = {
            "id": table_id,
            "secret": secret,
            "opener": opener.id,
            "private": invite is not None,
            "game": game.key,
            "version": game.rules_version,
            "options": msgspec.json.encode(chosen).decode(),
            "seats": seats,
            "clock": msgspec.json.encode(clock).decode() if clock else None,
            "opened": sealed.entry.at,
            **derived(table),
        }
        number = connection.execute(insert(TABLES).returning(TABLES.c.number), row).scalar_one()
        line = {"table_number": number, "seq": 0, "hash": sealed.hash, "seat": None, "line": sealed.line}
        connection.execute(insert(ENTRIES), {**line, "events": told_events(table, ())})
        invites = [{"table_number": number, "player": guest} for guest in {guest.id for guest in guests}]
        if invites:
            connection.execute(insert(INVITES), invites)
            may_tell = partial(daily_limits.may_invite_by_mail, context, connection, opener.id)
            invite_guests(connection, context.stationery, table_id, number, sealed.entry.at, may_tell)
    context.folded_tables.keep(FoldedTable(number, table_id, secret, table))
    context.news.ring()
    return table_id


def _check_limit(context: ServerContext, connection: Connection, opener: Player) -> None:
    unfinished = select(func.count()).where(TABLES.c.opener == opener.id, TABLES.c.phase != Phase.CLOSED.value)
    if (connection.scalar(unfinished) or 0) >= context.settings.tables:
        most = context.settings.tables
        raise RequestRefused("limit/tables", f"you have {most} unfinished tables open; finish one first", retry=3600)


class SitRequest(Struct, frozen=True):
    """A wish to sit, as a player signed it."""

    base: Hash
    seat: int
    name: str
    key: Key
    entropy: Hash
    signature: Signature


def sit(context: ServerContext, reference: str, wish: SitRequest) -> Sealed:
    """Take a seat; the last one to sit is followed by the deal. Gives the sealed entry."""
    base, seat, name, key = wish.base, wish.seat, wish.name, wish.key
    place = context.folded_tables.place(reference)
    if not verify(key, sit_message(place.id, base, seat, name, key, wish.entropy), wish.signature):
        raise RequestRefused("signature/forged", f"{name} did not sign this seat, name and entropy at this table")

    def act(batch: EntryBatch, connection: Connection) -> None:
        _check_guest(connection, place, name, key)
        chain = batch.table.chain
        _check_running(chain)
        if chain.phase is not Phase.SITTING:
            raise RequestRefused("seat/taken", "every seat is taken and the game has begun")
        if base != chain.head:
            raise RecordRejected("move/stale", f"{name} sat down at another point of the log")
        log_limits.check_sit(connection, place.number, name)
        batch.add(batch.clerk.sit(batch.table, batch.at, Seat(seat), name, key, wish.entropy, wish.signature))

    try:
        batch = append_locked(context, place.id, act)
    except (EngineError, RequestRefused) as refusal:
        return _already(context, place, base, seat, wish.signature, refusal)
    return _receipt(batch, wish.signature)


def _check_guest(connection: Connection, place: Place, name: str, key: Key) -> None:
    """Until the transaction ends the player does not change their key: no seat is taken with one just given up."""
    player = players.named(connection, name, locked=True)
    if player.key != key or player.name != name:
        raise RequestRefused("seat/not-yours", f"{player.name} is registered with another key (or spelling)")
    table = connection.execute(select(TABLES.c.private, TABLES.c.opener).where(TABLES.c.number == place.number)).one()
    invited = select(INVITES.c.player).where(INVITES.c.table_number == place.number, INVITES.c.player == player.id)
    if table.private and player.id != table.opener and connection.scalar(invited) is None:
        raise RequestRefused("table/not-invited", "this table is for the players its opener has invited")


class SubmittedMove(Struct, frozen=True):
    """A move as a player signed it, or the mail gateway for a player who has delegated."""

    seat: int
    base: Hash
    move: Json
    signature: Signature
    by: ByMail = None


class Played(Struct, frozen=True):
    """What became of some moves: the sealed entries, whether the last is held back, the problem of the one refused."""

    sealed: list[Sealed]
    held: bool = False
    refused: Json | None = None


def play_all(context: ServerContext, reference: str, moves: Sequence[SubmittedMove]) -> Played:
    """Take moves one after the other up to the first refusal; raises that if it is the very first."""
    taken: list[Sealed] = []
    held = False
    for move in moves:
        try:
            sealed = play(context, reference, move)
        except (EngineError, RequestRefused) as refusal:
            if not taken and not held:
                raise
            return Played(taken, held, problem_of(refusal))
        held = sealed is None
        taken += [sealed] if sealed else []
    return Played(taken, held)


def play(context: ServerContext, reference: str, signed: SubmittedMove) -> Sealed | None:
    """Append a signed move; None if it is held back because others have not answered this sealed decision yet."""
    seat, base, move, signature = signed.seat, signed.base, signed.move, signed.signature
    plain(move, "move")
    place = context.folded_tables.place(reference)

    def act(batch: EntryBatch) -> None:
        _check_dealt(batch.table.chain)
        log_limits.check_move(batch.table.chain)
        asked = batch.table.playing.asked.get(Seat(seat))
        if asked is not None and asked.decision.sealed:
            _check_sealed(batch, signed)
            batch.hold(Seat(seat), HeldAnswer(base, move, signature, signed.by))
        else:
            batch.add(batch.clerk.move(batch.table, batch.at, Seat(seat), base, move, signature, signed.by))

    def act_by_mail(batch: EntryBatch, connection: Connection) -> None:
        _check_dealt(batch.table.chain)
        _introduce(batch, connection, seat)
        act(batch)

    try:
        batch = append_locked(context, place.id, act_by_mail) if signed.by else append(context, place.id, act)
    except (EngineError, RequestRefused) as refusal:
        return _already(context, place, base, seat, signature, refusal)
    return _signed_with(batch, signature)


def _check_sealed(batch: EntryBatch, signed: SubmittedMove) -> None:
    """Raise unless this sealed answer can be opened later: signed by the seat's player, to what is asked, and legal."""
    chain, position, seat = batch.table.chain, batch.table.playing, Seat(signed.seat)
    if seat in chain.resigned:
        raise RecordRejected("seat/resigned", f"seat {seat} has resigned")
    check_held(chain, seat, HeldAnswer(signed.base, signed.move, signed.signature, signed.by), batch.at)
    if signed.base != position.asked[seat].base:
        raise StaleMove(f"seat {seat} answered another decision than the one that is open")
    answer = move_of(position.game, signed.move)
    position.game.play(position.state, seat, answer, position.chance(chain.length))


def resign(
    context: ServerContext, reference: str, seat: int, base: Hash, signature: Signature, by: ByMail = None
) -> Sealed:
    """Give up a seat: free again before the deal, played by its fallbacks afterwards. Gives the sealed entry.

    An opener who leaves an empty table before the deal closes it.
    """
    place = context.folded_tables.place(reference)
    with context.storage.reading() as connection:
        opener = players.opener_keys(connection, place.number)

    def act(batch: EntryBatch) -> None:
        chain = batch.table.chain
        _check_running(chain)
        player = chain.players[seat] if seat < len(chain.players) else None
        batch.add(batch.clerk.resign(batch.table, batch.at, Seat(seat), base, signature, by))
        batch.held.pop(seat, None)
        if player and player.key in opener and chain.phase is Phase.SITTING and not any(batch.table.chain.players):
            batch.add(batch.clerk.abandon(batch.table, batch.at, "unfilled"))
            batch.add(batch.clerk.close(batch.table, batch.at))

    return _append_signed(context, place, base, seat, signature, act)


def say(context: ServerContext, reference: str, kind: type[Remark], seat: int, **members: Any) -> Sealed:
    """Append what a player signed for the table to know: days off, a return, a vote. Gives the sealed entry."""
    place = context.folded_tables.place(reference)

    def act(batch: EntryBatch) -> None:
        _check_dealt(batch.table.chain)
        log_limits.check_remark(batch.table.chain, Seat(seat))
        attendance = batch.table.playing.attendance
        if kind is Vote and members["choice"] == "abandon" and attendance and seat in attendance.votes:
            raise RequestRefused("vote/twice", "you have voted to abandon this table already")
        batch.add(batch.clerk.say(batch.table, batch.at, kind, seat=seat, **members))

    base, signature = members["base"], members["signature"]
    return _append_signed(context, place, base, seat, signature, act)


def introduce(context: ServerContext, reference: str, seat: int) -> Hash:
    """See to it that a table's log has the delegation of this seat, and give its head; raises Refused."""
    batch = append_locked(context, reference, lambda batch, connection: _introduce(batch, connection, seat))
    return batch.table.chain.head


def _introduce(batch: EntryBatch, connection: Connection, seat: int) -> None:
    """Put on record what the player of this seat delegates; raises Refused if they do not, or no longer.

    Under the table's lock: whoever takes a delegation back, and then looks where it stands, finds it here or is obeyed.
    """
    players_there = batch.table.chain.players
    player = players_there[seat] if seat < len(players_there) else None
    delegation = mailboxes.delegation_of(connection, player.key) if player else None
    if delegation is None:
        raise RequestRefused("delegation/none", "you have not let the mail gateway speak for you: poste mail enable")
    batch.delegate(Seat(seat), delegation)


def _check_running(chain: Chain) -> None:
    if chain.phase in (Phase.ABANDONED, Phase.CLOSED):
        raise RequestRefused("table/over", "this table is closed")


def _check_dealt(chain: Chain) -> None:
    _check_running(chain)
    if chain.phase is Phase.SITTING:
        raise OutOfTurn("the game has not been dealt yet")


def _append_signed(
    context: ServerContext, place: Place, base: Hash, seat: int, signature: Signature, act: Act
) -> Sealed:
    try:
        batch = append(context, place.id, act)
    except (EngineError, RequestRefused) as refusal:
        return _already(context, place, base, seat, signature, refusal)
    return _receipt(batch, signature)


def _receipt(batch: EntryBatch, signature: Signature) -> Sealed:
    """The entry that this signature has just made; others may come before it and after it."""
    return next(sealed for sealed in batch.entries if _signature(sealed) == signature)


def _signed_with(batch: EntryBatch, signature: Signature) -> Sealed | None:
    return next((sealed for sealed in batch.entries if _signature(sealed) == signature), None)


def _signature(sealed: Sealed) -> Signature | None:
    return sealed.entry.signature if isinstance(sealed.entry, SignedEntry) else None


def _already(
    context: ServerContext,
    place: Place,
    base: Hash,
    seat: int,
    signature: Signature,
    refusal: EngineError | RequestRefused,
) -> Sealed:
    """The entry that this very signature made before; raises the refusal if it made none."""
    with context.storage.reading() as connection:
        of_table = ENTRIES.c.table_number == place.number
        start = connection.scalar(select(ENTRIES.c.seq).where(of_table, ENTRIES.c.hash == base))
        since = select(ENTRIES.c.line).where(of_table, ENTRIES.c.seq > bindparam("start")).order_by(ENTRIES.c.seq)
        theirs = since.where(ENTRIES.c.seat == seat).execution_options(yield_per=_AT_A_TIME)
        with connection.scalars(theirs, {"start": start}) as lines:
            for sealed in map(read_line, lines):
                if _signature(sealed) == signature:
                    return sealed
                if isinstance(sealed.entry, Timeout) and sealed.entry.base == base:
                    passed = f"the deadline had passed, and entry {sealed.entry.seq} played for you"
                    refusal = RequestRefused("move/stale", passed)
                if isinstance(sealed.entry, Play | Timeout):  # remarks may come before the answer, nothing after it
                    break
        if refusal.code not in ("move/stale", "move/out-of-turn"):
            raise refusal
        changed = connection.scalars(since.limit(_CHANGED), {"start": start})
        head = connection.scalar(select(TABLES.c.head).where(TABLES.c.number == place.number))
        raise RequestRefused(refusal.code, str(refusal), head=head, changed=[msgspec.Raw(line) for line in changed])
