"""Moves: what one may do, and doing it."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from server.http.request_types import MoveBody, MovesBody, TablePath
from server.http.response_types import LegalAnswer, MovesAnswer
from server.service import table_actions, table_reads
from server.views import SIGNED, blueprint, identity, receipt, reply, the_context

bp = blueprint("moves")


@bp.post("/tables/<table>/moves", summary="Move", responses={201: MovesAnswer, 202: MovesAnswer})
def submit_moves(path: TablePath, body: MovesBody) -> Response:
    """Append one signed move, or several up to the first refusal; 202 if a sealed one is held back."""
    moves = [body.root] if isinstance(body.root, MoveBody) else body.root.moves
    played = table_actions.play_all(
        the_context(),
        path.table,
        [table_actions.SubmittedMove(one.seat, one.base, one.move, one.signature) for one in moves],
    )
    answer = {"receipts": list(map(receipt, played.sealed)), "refused": played.refused, "held": played.held}
    return reply(answer, HTTPStatus.ACCEPTED if played.held else HTTPStatus.CREATED)


@bp.get("/tables/<table>/moves", summary="The signer's legal moves", responses={200: LegalAnswer}, security=SIGNED)
def list_moves(path: TablePath) -> Response:
    """Every legal move of the signer, as it is signed and as people write it."""
    key = identity().required()
    return reply(table_reads.legal(the_context(), path.table, key))
