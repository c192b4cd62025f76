"""The server itself and the description of its API."""

from __future__ import annotations

from typing import cast

from flask import Response, current_app
from flask_openapi3.openapi import OpenAPI

from engine import games
from server.http.response_types import OfficeAnswer
from server.service.server_context import engine_version, software_version
from server.views import blueprint, reply, the_context

bp = blueprint("office")


@bp.get("", summary="The server and its sealing key", responses={200: OfficeAnswer})
def show_office() -> Response:
    """Who this is, and the key that every entry is sealed with."""
    return reply(
        {
            "software": "poste-restante",
            "version": software_version(),
            "engine": engine_version(),
            "key": the_context().key.public,
            "gateway": the_context().gateway.public,
            "mail": the_context().settings.mail_from or None,
            "games": games.keys(),
        }
    )


@bp.get("/openapi.json", doc_ui=False)
def show_description() -> Response:
    """The OpenAPI document."""
    return reply(cast("OpenAPI", current_app).api_doc)
