"""The first word of a command line: a table, or how a move begins; never one taken for the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.output import CommandRefused
from client.screen.shell_completion import move_words
from client.screen.table_or_move import table_and_move
from client.table.player_desk import Desk
from client.trust.player_home import Home
from engine import games
from tests.engine.signed_games import SHELF, Evening, a_shelf_of_games

LONGER = "7f3a".ljust(33, "0")
"""No id is as long as that."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Somebody who last meant a table of La Bistro, and remembers others."""
    home = Home(tmp_path)
    desk = Desk(home, home.create("ann", ""))
    evening = Evening("counter", games.load("la-bistro"), 2)
    for letters in ("face", "decade", "addecaff"):
        remember(desk, letters.ljust(32, "0"))
    remember(desk, evening.id, evening.data)
    return desk


def remember(desk: Desk, table: str, log: bytes = b"") -> None:
    """Let a table be remembered, and be the one last meant."""
    folder = desk.home.tables(desk.identity) / table
    folder.mkdir(parents=True)
    (folder / "server").write_text("https://example.org")
    (folder / "log.poste").write_bytes(log)
    desk.remember(table=table)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ([], (None, "")),
        (["hire", "5,3", "0"], (None, "hire 5,3 0")),
        (["hire 5,3 0"], (None, "hire 5,3 0")),
        (["7f3a"], ("7f3a", "")),
        (["7F3A", "hire", "5,3", "0"], ("7f3a", "hire 5,3 0")),
        (["7f3a hire 5,3 0"], ("7f3a", "hire 5,3 0")),
        (["2000", "pass"], ("2000", "pass")),
        (["face", "pass"], ("face", "pass")),
        (["face0000", "pass"], ("face0000", "pass")),
        (["cafe", "pass"], (None, "cafe pass")),
        (["bid", "19"], (None, "bid 19")),
        (["ad", "0", "5"], (None, "ad 0 5")),
        (["dec"], (None, "dec")),
        (["d4"], (None, "d4")),
        (["5,3", "0"], (None, "5,3 0")),
        ([LONGER, "pass"], (None, f"{LONGER} pass")),
    ],
)
def test_digits_name_a_table_and_letters_begin_a_move(desk: Desk, words: list[str], meant: tuple[str, str]) -> None:
    assert table_and_move(desk, words) == meant


def test_letters_that_could_be_both_are_asked_about(desk: Desk, tmp_path: Path) -> None:
    """No game so far has a move that begins with four letters from a to f; one that comes may."""
    folder = tmp_path / "shelf" / "fading"
    folder.mkdir(parents=True)
    source = (SHELF / "odds_and_evens" / "version_1.py").read_text()
    (folder / "__init__.py").write_text(source.replace("odds-and-evens", "fading").replace('"nod"', '"faced"'))
    with a_shelf_of_games(folder.parent):
        evening = Evening("fading", games.load("fading"), 2)
        assert [form.verb for form in evening.game.forms(evening.game.view(evening.table.playing.state, None))][1:] == [
            "faced"
        ]
        remember(desk, evening.id, evening.data)
        assert table_and_move(desk, ["faced"]) == (None, "faced"), "no table begins like that"
        with pytest.raises(CommandRefused, match="“face” may be a table or the beginning of a move"):
            table_and_move(desk, ["face"])
        assert table_and_move(desk, ["face0", "faced"]) == ("face0", "faced")


def test_the_shell_completes_the_moves_of_the_table_that_is_named(desk: Desk) -> None:
    assert move_words(desk, ["face"], "") == [], "nothing is remembered of what can be done there"
    assert move_words(desk, ["d"], "") == [], "no table, though one begins like this"
