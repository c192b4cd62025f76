"""The games that can be played here."""

from __future__ import annotations

from flask import Response

from server.http.request_types import GamePath
from server.http.response_types import GamesAnswer, WholeGameAnswer
from server.service import game_catalogue
from server.views import blueprint, reply

bp = blueprint("games")


@bp.get("/games", summary="Every game", responses={200: GamesAnswer})
def list_games() -> Response:
    """Every game in brief."""
    return reply({"games": game_catalogue.shelf()})


@bp.get("/games/<key>", summary="One game", responses={200: WholeGameAnswer})
def show_game(path: GamePath) -> Response:
    """A game with its options, its moves and how they are written."""
    return reply(game_catalogue.game(path.key))
