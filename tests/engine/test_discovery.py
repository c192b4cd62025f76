"""A game is found because its folder is there: a fifth one needs no edit anywhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import games, selfplay
from engine.errors import UnknownGame
from engine.record.audit import audit
from tests.engine.signed_games import SHELF, a_shelf_of_games, odds_and_evens


def test_a_folder_is_all_a_game_needs() -> None:
    assert "odds-and-evens" not in games.keys()
    with a_shelf_of_games():
        assert "odds-and-evens" in games.keys()
        game = games.load("odds-and-evens")
        assert audit(selfplay.play(game, ["greedy", "random"], bytes(32)).data).valid
    assert "odds-and-evens" not in games.keys()


def test_a_folder_dropped_among_the_games_is_played_by_a_fresh_process(tmp_path: Path) -> None:
    """The engine copied as it is, with one folder more."""
    engine = Path(games.__file__).parents[1]
    shutil.copytree(engine, tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(SHELF / "odds_and_evens", tmp_path / "engine" / "games" / "odds_and_evens")
    script = (
        "from engine import games, selfplay; from engine.record.audit import audit;"
        "played = selfplay.play(games.load('odds-and-evens'), ['random'] * 3, bytes(32));"
        "print(games.__file__, audit(played.data).valid, audit(played.data).game)"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [str(tmp_path / "engine/games/__init__.py"), "True", "odds-and-evens/2"]


def test_a_record_of_a_game_that_is_not_here_says_so() -> None:
    with a_shelf_of_games():
        data = selfplay.play(odds_and_evens(), ["random"] * 2, bytes(32)).data
    found = audit(data)
    assert [(fault.entry, fault.code) for fault in found.faults] == [(0, "game/unknown")]


def test_files_and_folders_that_are_no_packages_are_no_games(tmp_path: Path) -> None:
    (tmp_path / "notes.py").write_text("")
    (tmp_path / "drafts").mkdir()
    before = games.keys()
    with a_shelf_of_games(tmp_path):
        assert games.keys() == before


@pytest.mark.parametrize("key", ["", "..", "paris-paris/1", "os", "__init__", "Paris-Paris", "x" * 10_000])
def test_what_is_no_game_is_not_loaded(key: str) -> None:
    with pytest.raises(UnknownGame) as refused:
        games.load(key)
    assert len(str(refused.value)) < 200
