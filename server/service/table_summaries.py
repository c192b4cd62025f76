"""Tables in a few lines each: lists, and who is being waited for. Nothing is folded for them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, String, and_, cast, exists, or_, select

from engine import games
from engine.keys import Key
from engine.record.chain import Phase, given_up
from engine.record.entry import Abandon, Json, read_line
from engine.typed_json import decode
from server.problems import RequestRefused
from server.service import players
from server.service.derived_columns import asked_seats, attending_of
from server.service.folded_tables import find
from server.service.players import Player
from server.service.poll_places import Waiter
from server.service.server_context import ServerContext
from server.storage.models import ENTRIES, HELD, INVITES, PLAYERS, SEATS, TABLES

List: TypeAlias = Literal["open", "mine", "waiting", "finished"]

_OVER = (Phase.ABANDONED.value, Phase.CLOSED.value)
_COLUMNS = [column for column in TABLES.c if column.name not in ("secret", "look")]


def summary(context: ServerContext, reference: str) -> Json:
    """One table; raises Refused."""
    with context.storage.reading() as connection:
        rows = connection.execute(find(reference).with_only_columns(*_COLUMNS)).all()
        if len(rows) > 1:
            raise RequestRefused("table/ambiguous", f"more than one table begins with {reference}")
        if not rows:
            raise RequestRefused("table/unknown", f"there is no table {reference}")
        return _summaries(connection, rows)[0]


def listed(
    context: ServerContext, which: List, key: Key | None, game: str | None, after: int | None, limit: int
) -> tuple[list[Json], int | None]:
    """The tables of a list, newest first, and the cursor of those that come after; raises Refused."""
    with context.storage.reading() as connection:
        signer = players.by_key(connection, key) if key else None
        if which in ("mine", "waiting") and signer is None:
            if key is None:
                raise RequestRefused("identity/missing", f"the list “{which}” is somebody's: sign the request")
            players.registered(connection, key)
        query = select(*_COLUMNS).where(_in_list(which, signer)).order_by(TABLES.c.number.desc()).limit(limit + 1)
        if game is not None:
            query = query.where(TABLES.c.game == games.load(game).key)
        if after is not None:
            query = query.where(TABLES.c.number < after)
        rows = connection.execute(query).all()
        more = rows[limit - 1].number if len(rows) > limit else None
        return _summaries(connection, rows[:limit]), more


def _in_list(which: List, signer: Player | None) -> ColumnElement[bool]:
    match which:
        case "open":
            return and_(TABLES.c.phase == Phase.SITTING.value, or_(~TABLES.c.private, _welcome(signer)))
        case "finished":
            return TABLES.c.phase == Phase.CLOSED.value
        case "mine":
            who = signer.id if signer else None
            sits = exists().where(SEATS.c.table_number == TABLES.c.number, SEATS.c.player == who)
            return or_(TABLES.c.opener == who, sits)
        case "waiting":
            return _waits_for(signer.id if signer else None)


def _welcome(signer: Player | None) -> ColumnElement[bool]:
    who = signer.id if signer else None
    invited = exists().where(INVITES.c.table_number == TABLES.c.number, INVITES.c.player == who)
    return or_(TABLES.c.opener == who, invited)


def _waits_for(player: int | None) -> ColumnElement[bool]:
    """Tables where the player is being asked and has not given a sealed answer yet."""
    held = exists().where(HELD.c.table_number == SEATS.c.table_number, HELD.c.seat == SEATS.c.seat)
    asked = TABLES.c.turn.contains("," + cast(SEATS.c.seat, String) + ",")
    return exists().where(
        SEATS.c.table_number == TABLES.c.number, SEATS.c.player == player, SEATS.c.live, ~SEATS.c.resigned, asked, ~held
    )


def waiting(
    context: ServerContext, key: Key, since: str | None, seconds: float, waiter: Waiter | None = None
) -> tuple[list[Json], str]:
    """The tables that wait for this player, and a cursor; with seconds, once they differ from those of ``since``.

    Whose key it is is asked with every look: it may be changed while somebody waits.
    """

    def differs() -> str | None:
        with context.storage.reading() as connection:
            cursor = _cursor(connection, players.registered(connection, key))
        return cursor if cursor != since else None

    context.news.wait(differs, seconds if since is not None else 0, waiter or Waiter())
    with context.storage.reading() as connection:
        player = players.registered(connection, key)
        query = select(*_COLUMNS).where(_waits_for(player.id)).order_by(TABLES.c.number.desc())
        return _summaries(connection, connection.execute(query).all()), _cursor(connection, player)


def _cursor(connection: Connection, player: Player) -> str:
    heads = select(TABLES.c.id, TABLES.c.head).where(_waits_for(player.id)).order_by(TABLES.c.number)
    digest = hashlib.sha256()
    for row in connection.execute(heads):
        digest.update(f"{row.id} {row.head}\n".encode())
    return digest.hexdigest()[:16]


def _summaries(connection: Connection, rows: Sequence[Row[Any]]) -> list[Json]:
    numbers = [row.number for row in rows]
    seats: dict[int, dict[int, Row[Any]]] = defaultdict(dict)
    seated = select(SEATS, PLAYERS.c.name).join(PLAYERS, PLAYERS.c.id == SEATS.c.player)
    for seat in connection.execute(seated.where(SEATS.c.table_number.in_(numbers))):
        seats[seat.table_number][seat.seat] = seat
    held = select(HELD.c.table_number, HELD.c.seat).where(HELD.c.table_number.in_(numbers))
    holding = {(row.table_number, row.seat) for row in connection.execute(held)}
    openers = select(PLAYERS.c.id, PLAYERS.c.name).where(PLAYERS.c.id.in_({row.opener for row in rows}))
    names = {row.id: row.name for row in connection.execute(openers)}
    invited = _invited(connection, [row.number for row in rows if row.private])
    abandoned = _abandoned(connection, [row.number for row in rows if row.phase in _OVER])
    return [
        _summary(row, seats[row.number], names[row.opener], invited.get(row.number), holding)
        | {"abandoned": abandoned.get(row.number)}
        for row in rows
    ]


def _invited(connection: Connection, numbers: Sequence[int]) -> dict[int, list[str]]:
    invited: dict[int, list[str]] = {number: [] for number in numbers}
    if numbers:
        names = select(INVITES.c.table_number, PLAYERS.c.name).join(PLAYERS, PLAYERS.c.id == INVITES.c.player)
        for row in connection.execute(names.where(INVITES.c.table_number.in_(numbers)).order_by(PLAYERS.c.name)):
            invited[row.table_number].append(row.name)
    return invited


def _abandoned(connection: Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Why tables were given up, for those that were: their logs say so right before they are closed."""
    if not numbers:
        return {}
    last = select(ENTRIES.c.table_number, TABLES.c.seats, ENTRIES.c.line).join(
        TABLES, TABLES.c.number == ENTRIES.c.table_number
    )
    last = last.where(TABLES.c.number.in_(numbers), ENTRIES.c.seq >= TABLES.c.length - 2)
    found = [(row.table_number, row.seats, read_line(bytes(row.line)).entry) for row in connection.execute(last)]
    why = {number: given_up(entry, seats) for number, seats, entry in found if isinstance(entry, Abandon)}
    return {number: reason for number, reason in why.items() if reason is not None}


def _summary(
    row: Row[Any], seats: dict[int, Row[Any]], opener: str, invited: list[str] | None, holding: set[tuple[int, int]]
) -> Json:
    present = attending_of(row.attendance)
    return {
        "table": row.id,
        "game": row.game,
        "version": row.version,
        "options": decode(row.options),
        "seats": row.seats,
        "players": [seats[seat].name if seat in seats else None for seat in range(row.seats)],
        "resigned": [seat for seat in sorted(seats) if seats[seat].resigned],
        "phase": row.phase,
        "length": row.length,
        "head": row.head,
        "at": row.at,
        "opened": row.opened,
        "opener": opener,
        "invited": invited,
        "clock": decode(row.clock) if row.clock else None,
        "waiting": [
            {
                "seat": asked.seat,
                "name": seats[asked.seat].name,
                "kind": asked.kind,
                "since": asked.since,
                "due": asked.due,
                "held": (row.number, asked.seat) in holding,
            }
            for asked in asked_seats(row.asked)
        ],
        "bots": present.bots,
        "voting": present.voting,
        "standing": decode(row.standing) if row.standing else None,
    }
