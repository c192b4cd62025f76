"""The log in words, and who made the moves of a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from client.screen.log_sentences import told
from client.table.verified_view import Seen
from client.trust.table_memory import Memory
from engine.record.entry import PerDecision
from tests.client.clocked_tables import VACATION, asked, clocked, moved_by_mail
from tests.client.players_and_proxy import Person
from tests.engine.signed_games import Evening


def words(evening: Evening, tmp_path: Path, *, dealt: bool = True) -> str:
    """The newest entry, told."""
    view = evening.game.view(evening.table.playing.state, None) if dealt else None
    seen = Seen(Memory(tmp_path), evening.table.chain, evening.game, None, view)
    return told(seen, evening.record[-1].entry)


def late(then: Any, timeouts: int = 1) -> Evening:
    """A table where the first to move has let deadlines pass."""
    evening = clocked("late", PerDecision(seconds=60, strikes=1, then=then))
    for _ in range(timeouts):
        evening.wait(60).timeout()
    return evening


@pytest.mark.parametrize(
    ("evening", "said"),
    [
        (clocked("w", VACATION), "The game is dealt."),
        (clocked("w", VACATION).days_off(0, 1), "ann takes days off from 2026-11-18 06:40 to 2026-11-19 06:40."),
        (clocked("w", VACATION).days_off(1, 1).back(1), "bob is back."),
        (late("vote").vote(1, "continue"), "bob votes to go on."),
        (late("vote").vote(1, "abandon"), "bob votes to abandon the table."),
        (late("vote").vote(1, "abandon").abandon("voted"), "abandoned: all who still act have voted for it."),
        (late("vote").vote(1, "abandon").abandon("voted").close(), "not finished, and nobody has won."),
        (late("bot"), "ann let the deadline pass: take"),
        (late("bot", 2).abandon("idle"), "abandoned: nobody acts any more."),
        (clocked("w", None).resign(0), "ann resigns."),
        (clocked("w", None).resign(0).close(), "bob has won: ann resigned."),
        (clocked("w", None).resign(0).abandon("resigned"), "The game is over."),
        (clocked("w", None).resign(0).abandon("resigned").close(), "bob has won: ann resigned."),
        (clocked("w", None).succeed(0), "ann goes on under another key, "),
        (clocked("w", None).delegate(0), "until 2026-11-25 06:40."),
        (moved_by_mail(clocked("w", None).delegate(0)), "ann (by mail): take"),
        (clocked("w", None).delegate(0).revoke(0), "ann no longer lets the mail gateway play for them."),
    ],
)
def test_an_entry_in_words(tmp_path: Path, evening: Evening, said: str) -> None:
    assert said in words(evening, tmp_path)


def test_a_bots_move_is_said_to_be_one(tmp_path: Path) -> None:
    evening = late("bot")
    while asked(evening) != 0:
        evening.play(1)
    evening.timeout()
    assert words(evening, tmp_path).startswith("ann (a bot): ")


def test_an_audit_says_who_made_the_moves(tmp_path: Path) -> None:
    evening = late("bot")
    evening.delegate(1)
    while evening.table.playing.asked:
        if asked(evening) == 0:
            evening.timeout()
        else:
            moved_by_mail(evening)
    evening.close()
    record = tmp_path / "game.poste"
    record.write_bytes(evening.data)
    nobody = Person(tmp_path, "nobody")
    counts = nobody.does("audit", str(record), "--json").json
    assert counts["valid"]
    assert counts["by_clock"] == 1
    assert counts["by_bot"] > 1
    assert counts["by_mail"] > 1
    said = nobody.does("audit", str(record)).out
    assert f"{counts['by_mail']} came by mail, 1 played by the clock and {counts['by_bot']} played by a bot." in said
