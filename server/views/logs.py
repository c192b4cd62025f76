"""Logs, and what they mean to the one who reads them."""

from __future__ import annotations

from flask import Response

from server.http.request_types import EventsQuery, LogQuery, TablePath
from server.http.response_types import EventsAnswer, ViewAnswer
from server.service import table_reads
from server.views import PERHAPS_SIGNED, blueprint, identity, media, reply, the_context, waiter

bp = blueprint("logs")


@bp.get("/tables/<table>/log", summary="The log", responses={200: media("application/jsonl")}, security=PERHAPS_SIGNED)
def show_log(path: TablePath, query: LogQuery) -> Response:
    """The lines after entry ``after``, as they stand in a record; with ``wait``, as soon as there is one.

    Everybody sees the same; places to wait are kept for players who sign.
    """
    lines = table_reads.log(the_context(), path.table, query.after, query.wait, waiter(identity().optional()))
    return _lined(lines, "application/jsonl")


@bp.get("/tables/<table>/view", summary="The position", responses={200: ViewAnswer}, security=PERHAPS_SIGNED)
def show_view(path: TablePath) -> Response:
    """All that the signer, or an onlooker, may see."""
    return reply(table_reads.view(the_context(), path.table, identity().optional()))


@bp.get("/tables/<table>/events", summary="What happened", responses={200: EventsAnswer}, security=PERHAPS_SIGNED)
def list_events(path: TablePath, query: EventsQuery) -> Response:
    """What happened after entry ``after``, told as the signer, or an onlooker, may know it."""
    return reply({"events": table_reads.events(the_context(), path.table, identity().optional(), query.after)})


@bp.get("/tables/<table>/record", summary="The record", responses={200: media("application/x-poste-record")})
def show_record(path: TablePath) -> Response:
    """The record of a finished table: anybody can audit it."""
    table, lines = table_reads.record(the_context(), path.table)
    response = _lined(lines, "application/x-poste-record")
    response.headers["Content-Disposition"] = f'attachment; filename="{table[:8]}.poste"'
    return response


def _lined(lines: list[bytes], kind: str) -> Response:
    return Response(b"".join(line + b"\n" for line in lines), content_type=kind)
