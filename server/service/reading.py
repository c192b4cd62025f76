"""What may be read of a table: the position as one may see it, what one may do, what happened, and the log itself."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from engine import notation
from engine.game import Seat
from engine.keys import Key
from engine.record.chain import Phase
from engine.record.entry import Json, read_line
from engine.record.replay import move_json
from engine.record.writer import Table
from server.models import ENTRIES, PLAYER_KEYS, PLAYERS
from server.problems import Refused
from server.service.derived import open_decisions, told_to
from server.service.folding import Folded
from server.service.office import Office
from server.service.storing import held_moves
from server.waiting_places import Waiter


def view(office: Office, reference: str, key: Key | None) -> Json:
    """The position as the player of this key, or an onlooker, may see it; None for it before the deal."""
    with office.storage.reading() as connection:
        folded = office.folds.newest(connection, reference)
        seat = seat_of(connection, folded, key)
        asked = open_decisions(folded.table)
        held = held_moves(connection, folded.number).get(seat) if seat is not None and folded.sealed else None
    chain, position = folded.table.chain, folded.table.position
    return {
        "table": folded.id,
        "seq": chain.length - 1,
        "head": chain.head,
        "seat": seat,
        "asked": {str(one): _decision(folded.table, one) for one in asked},
        "view": position.game.view(position.state, seat) if position else None,
        "held": held.move if held else None,
    }


def _decision(table: Table, seat: Seat) -> Json:
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


def legal(office: Office, reference: str, key: Key) -> Json:
    """The legal moves of the player of this key; none while they are not being asked. Raises Refused."""
    with office.storage.reading() as connection:
        folded = office.folds.newest(connection, reference)
        seat = seat_of(connection, folded, key)
    if seat is None:
        raise Refused("seat/not-yours", "you do not sit at this table")
    table = folded.table
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


def log(office: Office, reference: str, after: int, seconds: float, waiter: Waiter | None = None) -> list[bytes]:
    """The lines of the log after this entry; with seconds, as soon as there are any."""
    folded = office.folds.recent(reference)
    lines = (
        select(ENTRIES.c.line)
        .where(ENTRIES.c.table_number == folded.number, ENTRIES.c.seq > after)
        .order_by(ENTRIES.c.seq)
    )

    def look() -> list[bytes] | None:
        with office.storage.reading() as connection:
            return list(connection.scalars(lines)) or None

    closed = folded.table.chain.phase is Phase.CLOSED
    return office.bell.wait(look, 0 if closed else seconds, waiter or Waiter()) or []


def events(office: Office, reference: str, key: Key | None, after: int) -> list[Json]:
    """What happened after this entry, told as the player of this key, or an onlooker, may know it."""
    folded = office.folds.recent(reference)
    with office.storage.reading() as connection:
        seat = seat_of(connection, folded, key)
        rows = connection.execute(
            select(ENTRIES.c.line, ENTRIES.c.events)
            .where(ENTRIES.c.table_number == folded.number, ENTRIES.c.seq > after)
            .order_by(ENTRIES.c.seq)
        ).all()
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


def record(office: Office, reference: str) -> tuple[str, list[bytes]]:
    """The id of a finished table and the lines of its record; raises Refused."""
    with office.storage.reading() as connection:
        folded = office.folds.newest(connection, reference)
        if folded.table.chain.phase is not Phase.CLOSED:
            raise Refused("table/unfinished", "there is a record once the table is closed; the log can be read now")
    return folded.id, log(office, folded.id, -1, 0)


def seat_of(connection: Connection, folded: Folded, key: Key | None) -> Seat | None:
    """The seat of the player whose key this is now, with whichever of their keys they sat down."""
    if key is None:
        return None
    seats = {sit.key: Seat(seat) for seat, sit in enumerate(folded.table.chain.players) if sit}
    theirs = (
        select(PLAYER_KEYS.c.key)
        .join(PLAYERS, PLAYERS.c.id == PLAYER_KEYS.c.player)
        .where(PLAYERS.c.key == key, PLAYER_KEYS.c.key.in_(seats))
    )
    return next((seats[one] for one in connection.scalars(theirs)), None)
