"""Moves that their players signed themselves, taken from a mail: the signature is the proof, whoever sends it.

It proves who made the move, not who sent the mail: once a move is on record, everybody can copy it from the log.
"""

from __future__ import annotations

from sqlalchemy import select

from engine.errors import EngineError
from engine.record.armour import SignedMove
from engine.record.entry import SignedEntry
from server.mail.incoming.mail_commands import Asker, at_table, newest, reason, said_since, told_since
from server.problems import RequestRefused
from server.service import table_actions
from server.service.server_context import ServerContext
from server.storage.models import HELD, MAILBOXES, PLAYER_KEYS


def signer(context: ServerContext, move: SignedMove) -> Asker | None:
    """The player who signed a move; None if it is not signed by the one who sits there."""
    try:
        players = newest(context, move.table).table.chain.players
    except RequestRefused:
        return None
    sit = players[move.seat] if move.seat < len(players) else None
    if sit is None or not move.signed_by(sit.key):
        return None
    with context.storage.reading() as connection:
        owner = select(PLAYER_KEYS.c.player, MAILBOXES.c.private).outerjoin(
            MAILBOXES, MAILBOXES.c.player == PLAYER_KEYS.c.player
        )
        row = connection.execute(owner.where(PLAYER_KEYS.c.key == sit.key)).one_or_none()
    return Asker(row.player, bool(row.private), move.table) if row else None


def on_record(context: ServerContext, move: SignedMove) -> bool:
    """Whether this very move is in the log already, or lies sealed beside it."""
    number = newest(context, move.table).number
    held = select(HELD.c.signature).where(HELD.c.table_number == number, HELD.c.seat == move.seat)
    with context.storage.reading() as connection:
        if connection.scalar(held) == move.signature:
            return True
    entries = [sealed.entry for sealed in said_since(context, number, move.seat, move.base)]
    return any(isinstance(entry, SignedEntry) and entry.signature == move.signature for entry in entries)


def take(context: ServerContext, move: SignedMove, asker: Asker) -> list[str]:
    """Take a move, and tell what came of it to the one who is answered, who may be another than the one who moved."""
    signed = table_actions.SubmittedMove(move.seat, move.base, move.move, move.signature)
    where = f"table {move.table[:8]}"
    try:
        sealed = table_actions.play(context, move.table, signed)
    except (EngineError, RequestRefused) as error:
        why = reason(error, move.table, private=asker.private and _is_of(context, move, asker))
        return [f"Not taken at {where}: {why.rstrip('.')}."]
    if sealed is None:
        return [f"Your signed answer lies sealed at {where} until everybody has answered."]
    told = told_since(context, move.table, sealed.entry.seq - 1, asker)
    return [f"Your signed move was taken at {where} (entry {sealed.entry.seq}).", *told]


def _is_of(context: ServerContext, move: SignedMove, asker: Asker) -> bool:
    """Whether a move is for the seat of the one who is answered."""
    try:
        return at_table(context, move.table, asker)[1] == move.seat
    except RequestRefused:
        return False
