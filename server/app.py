"""The Flask application."""

from __future__ import annotations

import os
from typing import Any

import msgspec
from flask import Flask, Response, request
from flask.json.provider import DefaultJSONProvider
from flask_openapi3.models.info import Info
from flask_openapi3.openapi import OpenAPI
from werkzeug.middleware.proxy_fix import ProxyFix

from engine.typed_json import decode
from server import problems
from server.http.rate_limit import Rate
from server.http.response_types import ProblemAnswer
from server.http.signed_requests import Identities
from server.mail.background_services import check
from server.operator_terminal import log_to_stderr
from server.problems import RequestRefused
from server.service.server_context import ServerContext, enter, software_version
from server.settings import Settings, from_environment
from server.views import games, logs, mailbox, moves, network, players, server_info, tables

_JSON = "application/json"
_SPOKEN = (_JSON, "application/problem+json", "application/jsonl", "application/x-poste-record")
_LONGEST_ACCEPT = 1000
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_PAGES = ("mailbox.ask_to_stop", "mailbox.stop_mail")
"""What mail programs and browsers go to: they take what they get, and post forms of either kind (RFC 8058)."""


class _Json(DefaultJSONProvider):
    """JSON as it is specified: no NaN, no lone surrogates."""

    def loads(self, s: str | bytes, **_kwargs: Any) -> Any:
        try:
            return decode(s)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError(str(error)) from None


def create_app(settings: Settings | None = None) -> Flask:
    """The application of a server set up like this (None: by the environment); raises SettingsRefused."""
    log_to_stderr()
    settings = settings or from_environment(os.environ)
    check(settings)
    return application(enter(settings))


def application(opened: ServerContext) -> Flask:
    """The application of this server."""
    app = OpenAPI(
        "server",
        info=Info(title="Poste Restante", version=software_version()),
        security_schemes={"signature": {"type": "http", "scheme": "Signature", "description": "RFC 9421, Ed25519"}},
        validation_error_status=400,
        validation_error_model=ProblemAnswer,
        validation_error_callback=problems.invalid,
        doc_ui=False,
        static_folder=None,
    )
    app.json = _Json(app)
    app.config["MAX_CONTENT_LENGTH"] = opened.settings.body
    app.extensions["office"] = opened
    app.extensions["identities"] = Identities(opened)
    problems.install(app)
    _guard(app, opened.settings)
    app.after_request(_finish)
    for noun in (server_info, games, players, mailbox, tables, moves, logs):
        app.register_api(noun.bp)
    if opened.settings.proxies:
        count = opened.settings.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]
    return app


def _guard(app: Flask, settings: Settings) -> None:
    """What is checked of every request before anybody looks at what it wants."""
    rate = Rate(settings.rate, settings.burst)

    @app.before_request
    def check_request() -> None:
        rate.take(network())
        page = request.endpoint in _PAGES
        if not page and not _is_understood(request.headers.get("Accept", "*/*")):
            raise RequestRefused("request/accept", "this server answers in JSON")
        if request.method in ("POST", "PUT") and request.url_rule is not None:
            if page and request.mimetype in _FORMS:
                return
            if request.mimetype != _JSON:
                raise RequestRefused("request/type", "the body must be application/json")
            request.get_json()


def _public() -> bool:
    """Whether the answer is one that everybody gets who asks the same."""
    signed = "Signature-Input" in request.headers or "Signature" in request.headers
    return request.method in ("GET", "HEAD") and not signed and request.endpoint not in _PAGES


def _is_understood(accept: str) -> bool:
    # What a client would rather have is found in time that grows with the square of what it says.
    return accept == "*/*" or (
        len(accept) <= _LONGEST_ACCEPT and request.accept_mimetypes.best_match(_SPOKEN) is not None
    )


def _finish(response: Response) -> Response:
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache" if _public() else "private, no-store"
    if request.method in ("GET", "HEAD") and response.status_code == 200:
        response.vary.add("Signature-Input")
        response.add_etag()
        response.make_conditional(request)
    return response
