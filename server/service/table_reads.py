"""What may be read of a table: the position as one may see it, what one may do, what happened, and the log itself."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from engine import notation
from engine.game import Seat
from engine.keys import Key
from engine.record.chain import Phase
from engine.record.entry import Json, read_line
from engine.record.replay import move_json
from engine.record.writer import LoggedTable
from server.problems import RequestRefused
from server.service.derived_columns import open_decisions, told_to
from server.service.one_moment_reads import visit
from server.service.poll_places import Waiter
from server.service.server_context import ServerContext
from server.storage.models import ENTRIES, TABLES


def view(context: ServerContext, reference: str, key: Key | None) -> Json:
    """The position as the player of this key, or an onlooker, may see it; None for it before the deal."""
    with visit(context, reference) as here:
        folded, seat = here.folded, here.seat_of(key)
        held = here.held(seat)
    chain, position, asked = folded.table.chain, folded.table.position, open_decisions(folded.table)
    return {
        "table": folded.id,
        "seq": chain.length - 1,
        "head": chain.head,
        "seat": seat,
        "asked": {str(one): _decision(folded.table, one) for one in asked},
        "view": position.game.view(position.state, seat) if position else None,
        "held": held.move if held else None,
    }


def _decision(table: LoggedTable, seat: Seat) -> Json:
    asked = table.playing.asked[seat]
    decision = asked.decision
    return {
        "kind": decision.kind,
        "prompt": decision.prompt,
        "sealed": decision.sealed,
        "base": asked.base,
        "since": asked.since,
        "due": table.playing.due(seat),
    }


def legal(context: ServerContext, reference: str, key: Key) -> Json:
    """The legal moves of the player of this key; none while they are not being asked. Raises Refused."""
    with visit(context, reference) as here:
        table, seat = here.folded.table, here.seat_of(key)
    if seat is None:
        raise RequestRefused("seat/not-yours", "you do not sit at this table")
    asked = open_decisions(table).get(seat)
    answer: Json = {
        "seq": table.chain.length - 1,
        "seat": seat,
        "base": None,
        "decision": None,
        "moves": [],
        "forms": [],
    }
    if asked is None:
        return answer
    game, state = table.playing.game, table.playing.state
    moves, forms = game.legal(state, seat), game.forms(game.view(state, seat))
    written = [{"move": move_json(move), "text": notation.write(forms, move)} for move in moves]
    return answer | {
        "base": asked.base,
        "decision": _decision(table, seat),
        "moves": written,
        "forms": list(notation.usage(forms, moves)),
    }


def log(
    context: ServerContext, reference: str, after: int, seconds: float, waiter: Waiter | None = None
) -> list[bytes]:
    """The lines of the log after this entry; with seconds, as soon as there are any."""
    number = context.folded_tables.place(reference).number
    lines = select(ENTRIES.c.line).where(ENTRIES.c.table_number == number, ENTRIES.c.seq > after)
    phase = select(TABLES.c.phase).where(TABLES.c.number == number)

    def look() -> list[bytes] | None:
        with context.storage.reading() as connection:
            found = list(connection.scalars(lines.order_by(ENTRIES.c.seq)))
            return found if found or connection.scalar(phase) == Phase.CLOSED.value else None

    return context.news.wait(look, seconds, waiter or Waiter()) or []


def events(context: ServerContext, reference: str, key: Key | None, after: int) -> list[Json]:
    """What happened after this entry, told as the player of this key, or an onlooker, may know it."""
    with visit(context, reference) as here:
        seat, rows = here.seat_of(key), here.entries(after)
    return [_told(row, seat) for row in rows]


def _told(row: Any, seat: Seat | None) -> Json:
    entry = read_line(row.line).entry
    return {
        "seq": entry.seq,
        "at": entry.at,
        "seat": getattr(entry, "seat", None),
        "kind": entry.__struct_config__.tag,
        "events": [{"event": told.event, "text": told.text} for told in told_to(row.events, seat)],
    }


def record(context: ServerContext, reference: str) -> tuple[str, list[bytes]]:
    """The id of a finished table and the lines of its record; raises Refused."""
    with visit(context, reference) as here:
        folded = here.folded
    if folded.table.chain.phase is not Phase.CLOSED:
        raise RequestRefused("table/unfinished", "there is a record once the table is closed; the log can be read now")
    return folded.id, log(context, folded.id, -1, 0)
