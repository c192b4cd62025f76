"""Nobody is registered under a name that would mean something else in a move."""

from __future__ import annotations

import secrets

import pytest
from sqlalchemy import insert

from engine import games
from engine.chance import Chance
from engine.keys import SigningKey
from engine.reserved_names import why_no_name
from server.problems import RequestRefused
from server.service import players
from server.service.entry_batch import now
from server.service.server_context import ServerContext
from server.storage.models import PLAYER_KEYS, PLAYERS
from tests.server.server_process import Visitor, refused


@pytest.mark.parametrize(
    "name", ["2", "007", "1.2", "violet", "Violet", "VIO-LET", "evict", "take", "then", "D4", "b", "cube", "plat"]
)
def test_a_number_or_a_word_of_a_move_is_no_name(url: str, name: str) -> None:
    visitor = Visitor(url)
    answer = visitor.ask("POST", "/players", {"name": name}, signed=True)
    refused(answer, 422, "player/name")
    assert name in answer.json()["detail"]
    assert "choose another name" in answer.json()["detail"]
    refused(visitor.ask("GET", f"/players/{name}"), 404, "player/unknown")


@pytest.mark.parametrize("key", games.keys())
def test_the_words_are_those_of_every_game(key: str) -> None:
    game = games.load(key)
    state = game.deal(max(game.seats), game.options(), Chance(bytes(32))).state
    for form in game.forms(game.view(state, None)):
        assert why_no_name(form.verb)
        assert all(why_no_name(word) for word in form.words())


@pytest.mark.parametrize("name", ["vi", "violette", "2nd", "b-52x", "eve", "al", "ann", "a-hat"])
def test_what_only_begins_like_a_word_is_a_name(name: str) -> None:
    assert why_no_name(name) is None


def test_whoever_is_called_so_already_stays_so(context: ServerContext) -> None:
    key, stranger = SigningKey(secrets.token_bytes(32)).public, SigningKey(secrets.token_bytes(32)).public
    with context.storage.writing() as connection:
        row = {"name": "violet", "folded": "violet", "key": key, "since": now()}
        connection.execute(insert(PLAYERS), row)
        violet = players.named(connection, "violet")
        connection.execute(insert(PLAYER_KEYS), {"key": key, "player": violet.id})
    assert players.register(context, key, "violet") == (violet, False)
    with pytest.raises(RequestRefused) as other:
        players.register(context, stranger, "violet")
    assert other.value.code == "player/name"
