"""Sealed answers: held back until all are there, replaceable until then, and nobody learns what was chosen."""

from __future__ import annotations

import pytest

from engine import games
from engine.chance import Chance
from engine.record import audit as auditing
from engine.record.entry import Json, Play, read_line
from tests.server.server_process import Visitor, play_out, refused, seated


def opens_sealed(key: str) -> bool:
    """Whether the game begins with a decision that several seats answer unseen."""
    game = games.load(key)
    state = game.deal(min(game.seats), game.options(), Chance(bytes(32))).state
    asked = game.waiting(state)
    return len(asked) > 1 and all(decision.sealed for decision in asked.values())


SEALED = [key for key in games.keys() if opens_sealed(key)]
EVERY_SEALED_GAME = pytest.mark.parametrize("game", SEALED)


def test_there_is_a_game_with_sealed_answers() -> None:
    assert SEALED


def answers(player: Visitor, table: str) -> list[Json]:
    """Everything anybody could ask about the table."""
    told = [player.get(f"/tables/{table}{path}", signed=True) for path in ("", "/view", "/events", "/moves")]
    told += [player.get(f"/tables/{table}{path}") for path in ("", "/view", "/events")]
    return [*told, {"log": player.log(table)}, player.get("/waiting", signed=True)]


@EVERY_SEALED_GAME
def test_nothing_tells_which_answer_was_given(url: str, game: str) -> None:
    table, (ann, bob) = seated(url, 2, game)
    legal = ann.get(f"/tables/{table}/moves", signed=True)
    assert len(legal["moves"]) > 1
    before = ann.log(table)
    seen = []
    for choice in legal["moves"][:2]:
        answer = ann.send(table, ann.signed_move(table, 0, legal["base"], choice["move"]))
        assert answer.status_code == 202
        assert answer.json() == {"receipts": [], "refused": None, "held": True}
        seen.append(answers(bob, table))
        assert ann.get(f"/tables/{table}/view", signed=True)["held"] == choice["move"]
        assert bob.get(f"/tables/{table}/view", signed=True)["held"] is None
    assert seen[0] == seen[1], "bob can tell which of the two it was"
    summary = bob.get(f"/tables/{table}")
    assert [asked["held"] for asked in summary["waiting"]] == [True, False]
    assert ann.get("/waiting", signed=True)["tables"] == [], "it is no longer ann who is waited for"
    assert ann.log(table) == before


@EVERY_SEALED_GAME
def test_the_answers_are_opened_together_in_seat_order(url: str, game: str) -> None:
    table, players = seated(url, 2, game)
    first, second = players[1].choice(table), players[0].choice(table)
    replaced = players[1].choice(table, 1)
    assert players[1].send(table, first).status_code == 202
    assert players[1].send(table, replaced).status_code == 202
    assert players[1].send(table, replaced).status_code == 202
    answer = players[0].send(table, second)
    assert answer.status_code == 201
    assert answer.json()["receipts"][0]["entry"]["entry"]["seat"] == 0
    entries = [read_line(line).entry for line in players[0].log(table, after=3)]
    moves = [entry for entry in entries if isinstance(entry, Play)]
    assert [entry.seat for entry in moves] == [0, 1]
    assert moves[1].move == replaced["move"]
    assert moves[0].at == moves[1].at, "the time does not tell who answered when"
    late = players[1].send(table, replaced)
    assert late.status_code == 201
    assert late.json()["receipts"][0]["seq"] == moves[1].seq
    refused(players[1].send(table, first), 409, "move/stale" if _asked(players[0], table, 1) else "move/out-of-turn")
    assert not any(asked["held"] for asked in players[0].get(f"/tables/{table}")["waiting"])


def _asked(player: Visitor, table: str, seat: int) -> bool:
    return str(seat) in player.get(f"/tables/{table}/view")["asked"]


@EVERY_SEALED_GAME
def test_a_bad_sealed_answer_is_refused_at_once(url: str, game: str) -> None:
    table, (ann, bob) = seated(url, 2, game)
    body = ann.choice(table)
    refused(ann.send(table, {**body, "signature": "0" * 128}), 403, "signature/forged")
    refused(bob.send(table, bob.signed_move(table, 0, body["base"], body["move"])), 403, "signature/forged")
    refused(ann.send(table, ann.signed_move(table, 0, body["base"], {"do": "cheat"})), 422, "move/invalid")
    refused(ann.send(table, ann.signed_move(table, 0, "a" * 64, body["move"])), 409, "move/stale")
    assert not any(asked["held"] for asked in ann.get(f"/tables/{table}")["waiting"])


@EVERY_SEALED_GAME
def test_who_resigns_is_answered_for_when_the_others_have_answered(url: str, game: str) -> None:
    table, players = seated(url, 3, game)
    players[0].move(table)
    players[1].move(table)
    players[1].resign(table, 1)
    assert len(players[0].log(table, after=4)) == 1, "nothing is opened yet"
    refused(players[1].send(table, players[1].choice(table)), 409, "seat/resigned")
    players[2].move(table)
    kinds = [read_line(line).entry.__struct_config__.tag for line in players[0].log(table, after=5)]
    assert kinds[:3] == ["move", "timeout", "move"]
    play_out(table, players)
    assert auditing.audit(players[0].ask("GET", f"/tables/{table}/record").content).faults == ()
