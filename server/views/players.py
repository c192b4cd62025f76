"""Players."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from engine.record.entry import Json
from server.http.request_types import PlayerPath, RegisterBody, RotateBody
from server.http.response_types import PlayerAnswer
from server.service import players
from server.service.entry_batch import Succession
from server.service.players import Player
from server.views import SIGNED, blueprint, identity, network, reply, the_context

bp = blueprint("players")


@bp.post(
    "/players",
    summary="Register the signing key under a name",
    responses={200: PlayerAnswer, 201: PlayerAnswer},
    security=SIGNED,
)
def register_player(body: RegisterBody) -> Response:
    """One name, one key. Registering the same again is answered with 200."""
    player, new = players.register(the_context(), identity().required(), body.name, network())
    return reply(_player(player), HTTPStatus.CREATED if new else HTTPStatus.OK)


@bp.get("/players/<name>", summary="A player", responses={200: PlayerAnswer})
def show_player(path: PlayerPath) -> Response:
    """Who has this name."""
    return reply(_player(players.show(the_context(), path.name)))


@bp.put("/players/<name>/key", summary="Change a player's key", responses={200: PlayerAnswer}, security=SIGNED)
def rotate_key(path: PlayerPath, body: RotateBody) -> Response:
    """The request is signed by the old key, what it says by both; it is put on record wherever the player sits."""
    succession = Succession(body.to, body.signature, body.consent)
    return reply(_player(players.rotate(the_context(), identity().required(), path.name, succession)))


def _player(player: Player) -> Json:
    return {"name": player.name, "key": player.key, "since": player.since}
