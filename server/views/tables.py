"""Tables: opening them, finding them, sitting down, leaving."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from engine.record.entry import Away, Back, Clock, Vote
from engine.typed_json import convert
from server.http.request_types import (
    ListQuery,
    OpenBody,
    ResignBody,
    SitBody,
    StatementBody,
    TablePath,
    WaitingQuery,
)
from server.http.response_types import ListAnswer, ReceiptAnswer, SummaryAnswer, WaitingAnswer
from server.service import table_actions, table_summaries
from server.views import PERHAPS_SIGNED, SIGNED, blueprint, identity, receipt, reply, the_context, waiter

bp = blueprint("tables")


@bp.post("/tables", summary="Open a table", responses={201: SummaryAnswer}, security=SIGNED)
def open_table(body: OpenBody) -> Response:
    """Open a table for a game; whoever may sit is asked to do so by themselves."""
    key = identity().required()
    clock = convert(body.clock.model_dump(), Clock) if body.clock else None
    table = table_actions.open_table(the_context(), key, body.game, body.seats, body.options, body.invite, clock)
    return reply(table_summaries.summary(the_context(), table), HTTPStatus.CREATED)


@bp.get("/tables", summary="Tables, newest first", responses={200: ListAnswer}, security=PERHAPS_SIGNED)
def list_tables(query: ListQuery) -> Response:
    """Open tables that the signer (or anybody) may sit at, the signer's own, those that wait for them, or finished."""
    after = int(query.after) if query.after else None
    found, more = table_summaries.listed(
        the_context(), query.list, identity().optional(), query.game, after, query.limit
    )
    return reply({"tables": found, "next": str(more) if more is not None else None})


@bp.get("/waiting", summary="Tables that wait for the signer", responses={200: WaitingAnswer}, security=SIGNED)
def list_waiting(query: WaitingQuery) -> Response:
    """With ``wait``, answers as soon as the list differs from the one ``since`` names."""
    key = identity().required()
    found, cursor = table_summaries.waiting(the_context(), key, query.since, query.wait, waiter(key))
    return reply({"tables": found, "cursor": cursor})


@bp.get("/tables/<table>", summary="A table in brief", responses={200: SummaryAnswer}, security=PERHAPS_SIGNED)
def show_table(path: TablePath) -> Response:
    """The summary of a table."""
    identity().optional()
    return reply(table_summaries.summary(the_context(), path.table))


@bp.post("/tables/<table>/sits", summary="Take a seat", responses={201: ReceiptAnswer})
def take_seat(path: TablePath, body: SitBody) -> Response:
    """The last one to sit is followed by the deal."""
    wish = table_actions.SitRequest(body.base, body.seat, body.name, body.key, body.entropy, body.signature)
    return reply(receipt(table_actions.sit(the_context(), path.table, wish)), HTTPStatus.CREATED)


@bp.post("/tables/<table>/resignations", summary="Give up a seat", responses={201: ReceiptAnswer})
def give_up_seat(path: TablePath, body: ResignBody) -> Response:
    """Before the deal the seat is free again; afterwards its fallbacks are played."""
    sealed = table_actions.resign(the_context(), path.table, body.seat, body.base, body.signature)
    return reply(receipt(sealed), HTTPStatus.CREATED)


_KINDS: dict[str, type[Away] | type[Back] | type[Vote]] = {"away": Away, "back": Back, "vote": Vote}


@bp.post("/tables/<table>/statements", summary="Say something to the table", responses={201: ReceiptAnswer})
def make_statement(path: TablePath, body: StatementBody) -> Response:
    """Days off, a return, a vote."""
    said = body.root.model_dump()
    kind = _KINDS[said.pop("say")]
    return reply(receipt(table_actions.say(the_context(), path.table, kind, **said)), HTTPStatus.CREATED)
