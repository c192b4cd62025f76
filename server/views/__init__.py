"""The API, one module a noun. A view parses, calls one service function, and serialises."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import msgspec
from flask import Response, current_app, request
from flask_openapi3.blueprint import APIBlueprint

from engine.keys import Key
from engine.record.entry import Json, Sealed
from server.http.rate_limit import network_of
from server.http.response_types import ProblemAnswer
from server.http.signed_requests import Identities
from server.service.players import known
from server.service.poll_places import Waiter, hung_up
from server.service.server_context import ServerContext

SIGNED: list[dict[str, list[Any]]] = [{"signature": []}]
PERHAPS_SIGNED: list[dict[str, list[Any]]] = [{}, {"signature": []}]
_PROBLEM = {
    "description": "A problem (RFC 9457).",
    "content": {"application/problem+json": {"schema": ProblemAnswer.model_json_schema()}},
}


def blueprint(noun: str) -> APIBlueprint:
    """The blueprint of a noun, whose every operation may answer with a problem."""
    return APIBlueprint(noun, __name__, url_prefix="/v1", abp_responses={"400": _PROBLEM, "default": _PROBLEM})


def the_context() -> ServerContext:
    """The server that serves this request."""
    return cast("ServerContext", current_app.extensions["office"])


def identity() -> Identities:
    """Tells who signed this request."""
    return cast("Identities", current_app.extensions["identities"])


def network() -> str | None:
    """Where this request comes from, for whatever is limited by that; None if from this machine itself."""
    return network_of(request.remote_addr or "", proxied=bool(the_context().settings.proxies))


def waiter(key: Key | None) -> Waiter:
    """Whoever makes this request, if it has to wait; the key is the one it is signed with."""
    environ, player = request.environ, known(the_context(), key)
    connection = environ.get("poste.connection")
    if connection is not None:
        return Waiter(network(), player, connection.gone, connection.resting)
    line = environ.get("gunicorn.socket")
    return Waiter(network(), player, partial(hung_up, line) if line is not None else lambda: False)


def reply(body: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(msgspec.json.encode(body), status, content_type="application/json")


def receipt(sealed: Sealed) -> Json:
    """The proof that an entry was taken."""
    return {"entry": msgspec.Raw(sealed.line), "hash": sealed.hash, "seq": sealed.entry.seq}


def media(kind: str) -> Any:
    """How an answer that is no JSON object is described."""
    return {"description": "OK", "content": {kind: {"schema": {"type": "string"}}}}
