"""What a released version of the rules does is pinned: tables are played by it, and records audited, for ever.

For every number of seats and every option the file beside the golden records counts what is legal to depth three, and
has digests of random games: of everything legal on the way, every state, every event and the standing. A change of any
of it is a new version beside the old one (docs/adding-a-game.md), never an edit.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from engine import games
from engine.chance import Chance
from engine.game import AnyGame, encode_state
from tests.games.golden_recipes import folder
from tests.games.random_games import Playing, tables

WIDTH = 6
"""So many of the legal moves, spread over all of them, are followed at each depth."""
DEPTH = 3
GAMES = 5
Behaviour: TypeAlias = dict[str, dict[str, Any]]

EVERY_VERSION = pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, id=f"{key}-{version}")
        for key in games.keys()
        for version, game in games.versions(key).items()
    ],
)


def pinned_in(game: AnyGame) -> Path:
    return folder(game.key) / "golden" / f"behaviour-{game.rules_version}.json"


def behaviour(game: AnyGame) -> Behaviour:
    return {
        label: {
            "legal": legal_to_depth(game, seats, options),
            "games": [game_digest(game, seats, options, seed) for seed in range(GAMES)],
        }
        for label, seats, options in tables(game)
    }


def legal_to_depth(game: AnyGame, seats: int, options: Any) -> list[int]:
    """How many moves are legal in all, at each depth, behind the moves that are followed."""
    chance = Chance(b"depth".ljust(32))
    states, counts = [game.deal(seats, options, chance).state], []
    for depth in range(1, DEPTH + 1):
        asked = [(state, min(game.waiting(state))) for state in states if game.waiting(state)]
        offered = [(state, seat, game.legal(state, seat)) for state, seat in asked]
        counts.append(sum(len(legal) for _, _, legal in offered))
        states = [
            game.play(state, seat, move, chance.at(depth)).state
            for state, seat, legal in offered
            for move in legal[:: max(1, len(legal) // WIDTH)][:WIDTH]
        ]
    return counts


def game_digest(game: AnyGame, seats: int, options: Any, seed: int) -> str:
    digest = hashlib.sha256()
    for playing in Playing(game, seats, options, seed.to_bytes(32, "big")):
        seat = playing.to_move()
        digest.update(encode_state(playing.state))
        digest.update(msgspec.json.encode(playing.events))
        if seat is not None:
            digest.update(msgspec.json.encode(game.legal(playing.state, seat)))
            digest.update(msgspec.json.encode(game.fallback(playing.state, seat)))
    digest.update(msgspec.json.encode(game.standing(playing.state)))
    return digest.hexdigest()


@EVERY_VERSION
def test_a_released_version_does_what_it_did(game: AnyGame, request: pytest.FixtureRequest) -> None:
    found, path = behaviour(game), pinned_in(game)
    if request.config.getoption("--update-golden") and not path.exists():
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    assert path.exists(), "a new version is pinned by pytest --update-golden"
    assert found == msgspec.json.decode(path.read_bytes()), (
        f"{game.key} version {game.rules_version} no longer does what tables were played by; a change of the rules is"
        " a new version (docs/adding-a-game.md)"
    )
