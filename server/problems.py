"""What goes wrong, as RFC 9457 problems: one stable code each, and one place that maps every error to its status."""

from __future__ import annotations

import logging
import secrets
from http import HTTPStatus
from typing import Any

import msgspec
from flask import Flask, Response, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException

from engine.errors import EngineError, IllegalMove
from server.storage.database_trouble import DatabaseTrouble

log = logging.getLogger("poste")

STATUSES: dict[str, int] = {
    "request/malformed": 400,
    "request/unknown-field": 400,
    "options/invalid": 400,
    "entry/malformed": 400,
    "entry/too-long": 400,
    "identity/missing": 401,
    "identity/signature": 401,
    "identity/expired": 401,
    "identity/replayed": 401,
    "seat/not-yours": 403,
    "signature/forged": 403,
    "table/not-invited": 403,
    "delegation/none": 403,
    "delegation/other": 403,
    "delegation/time": 403,
    "delegation/table": 403,
    "delegation/replaced": 403,
    "delegation/revoked": 403,
    "mail/stopped": 403,
    "not-found": 404,
    "game/unknown": 404,
    "table/unknown": 404,
    "player/unknown": 404,
    "seat/unknown": 404,
    "mail/none": 404,
    "request/method": 405,
    "request/accept": 406,
    "move/stale": 409,
    "move/out-of-turn": 409,
    "seat/taken": 409,
    "seat/twice": 409,
    "seat/resigned": 409,
    "player/taken": 409,
    "table/unfinished": 409,
    "table/over": 409,
    "table/ambiguous": 409,
    "request/too-large": 413,
    "request/type": 415,
    "move/illegal": 422,
    "move/invalid": 422,
    "player/name": 422,
    "clock/none": 422,
    "away/over": 422,
    "away/too-long": 422,
    "vote/none": 422,
    "vote/twice": 409,
    "mail/address": 422,
    "mail/code": 422,
    "succession/former": 409,
    "limit/keys": 409,
    "limit/log": 409,
    "limit/rate": 429,
    "limit/tables": 429,
    "limit/players": 429,
    "limit/mail": 429,
    "server/fault": 500,
    "server/busy": 503,
    "server/clock": 503,
    "server/storage": 503,
    "server/full": 507,
}
"""Every code there is, with its status."""

_OF_STATUS = {
    400: "request/malformed",
    404: "not-found",
    405: "request/method",
    406: "request/accept",
    413: "request/too-large",
    415: "request/type",
}


_TRY_AGAIN = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE)


class RequestRefused(Exception):
    """A request that cannot be served: the code of the problem, why in a sentence, and what else helps."""

    def __init__(self, code: str, why: str, **more: Any) -> None:
        super().__init__(why)
        self.code = code
        self.more = more


class DamagedLog(Exception):
    """A stored log does not replay: nobody but the operator can put that right (``poste-server check``)."""


def problem(code: str, detail: str, **more: Any) -> dict[str, Any]:
    """The problem as it is sent."""
    status = STATUSES[code]
    return {
        "type": f"urn:poste-restante:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        **more,
    }


def problem_of(error: EngineError | RequestRefused) -> dict[str, Any]:
    """The problem that a refusal is."""
    if isinstance(error, RequestRefused):
        return problem(error.code, str(error), **error.more)
    if isinstance(error, IllegalMove):
        return problem(error.code, str(error), rule=error.rule.key)
    if error.code not in STATUSES:
        raise DamagedLog(f"{error.code}: {error}") from error
    return problem(error.code, str(error))


def answered(told: dict[str, Any]) -> Response:
    """A problem as a response."""
    retry = told.pop("retry", 1)
    response = Response(msgspec.json.encode(told), told["status"], content_type="application/problem+json")
    if told["status"] == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Signature"
    if told["status"] in _TRY_AGAIN:
        response.headers["Retry-After"] = str(retry)
    return response


def invalid(error: ValidationError) -> Response:
    """The answer to a request whose fields are not what they should be."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    fields = {".".join(map(str, fault["loc"])) or "body": fault["msg"] for fault in faults[:20]}
    unknown = all(fault["type"] == "extra_forbidden" for fault in faults)
    name, why = next(iter(fields.items()))
    code = "request/unknown-field" if unknown else "request/malformed"
    return answered(problem(code, f"{name[:100]}: {why}", fields={name[:100]: why for name, why in fields.items()}))


def _refused(error: EngineError | RequestRefused) -> Response:
    try:
        return answered(problem_of(error))
    except DamagedLog as damaged:
        return _fault(damaged)


def _http(error: HTTPException) -> Response:
    """Flask's own refusals; what they carry besides the body (Allow, say) is kept."""
    given = error.get_response()
    if not isinstance(given, Response):
        given = Response(given.get_data(), given.status_code, given.headers)
    if given.mimetype == "application/problem+json" or given.status_code < HTTPStatus.BAD_REQUEST:
        return given
    code = _OF_STATUS.get(given.status_code, "request/malformed" if given.status_code < 500 else "server/fault")
    told = answered(problem(code, error.description or ""))
    for name, value in given.headers.items():
        if name not in ("Content-Type", "Content-Length"):
            told.headers[name] = value
    return told


def _trouble(trouble: DatabaseTrouble) -> Response:
    """Not logged here, once for each request: the storage has done so when it began."""
    return answered(problem(trouble.code, trouble.told))


def _fault(error: Exception) -> Response:
    number = secrets.token_hex(8)
    log.error("request %s: %s %s failed", number, request.method, request.path, exc_info=error)
    why = "something went wrong here; the operator finds it under this request id"
    return answered(problem("server/fault", why, request=number))


def install(app: Flask) -> None:
    """Answer every error of this application as a problem."""
    app.register_error_handler(RequestRefused, _refused)
    app.register_error_handler(EngineError, _refused)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(DatabaseTrouble, _trouble)
    app.register_error_handler(Exception, _fault)
