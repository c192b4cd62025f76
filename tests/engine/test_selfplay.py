"""A whole game among bots: a complete record that follows from its seed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine import games, selfplay
from engine.bots import POLICIES
from engine.errors import OptionsRefused
from engine.record.audit import audit
from engine.record.entry import Close, Deal, Open, Play, Sit, instant
from tests.engine.signed_games import odds_and_evens

PARIS = games.load("paris-paris")


@pytest.mark.parametrize("seats", PARIS.seats)
def test_a_game_is_a_complete_record(seats: int) -> None:
    played = selfplay.play(PARIS, ["random"] * seats, b"complete".ljust(32))
    kinds = [type(sealed.entry) for sealed in played.record]
    assert kinds == [Open, *[Sit] * seats, Deal, *[Play] * played.moves, Close]
    assert played.data.count(b"\n") == len(played.record)
    found = audit(played.data)
    assert found.valid
    assert found.standing == played.standing
    assert found.players == tuple(f"random-{seat + 1}" for seat in range(seats))


def test_the_same_seed_plays_the_same_game_and_another_another() -> None:
    games_played = [selfplay.play(PARIS, ["random", "greedy"], seed.ljust(32)).data for seed in (b"a", b"a", b"b")]
    assert games_played[0] == games_played[1] != games_played[2]


def test_every_key_secret_and_table_is_another() -> None:
    record = selfplay.play(PARIS, ["random"] * 4, bytes(32)).record
    keys = [sealed.entry.key for sealed in record if isinstance(sealed.entry, Sit)]
    entropy = [sealed.entry.entropy for sealed in record if isinstance(sealed.entry, Sit)]
    assert isinstance(record[0].entry, Open)
    assert isinstance(record[-1].entry, Close)
    assert len({*keys, *entropy, record[0].entry.server, record[-1].entry.secret}) == 10


def test_entries_are_a_second_apart() -> None:
    record = selfplay.play(PARIS, ["random"] * 2, bytes(32)).record
    assert instant(record[0].entry.at) == selfplay.EVENING
    assert instant(record[-1].entry.at) == selfplay.EVENING + timedelta(seconds=len(record) - 1)


@pytest.mark.usefixtures("shelf")
def test_sealed_decisions_are_answered_in_seat_order() -> None:
    played = selfplay.play(odds_and_evens(), ["greedy", "random", "random"], bytes(32))
    assert audit(played.data).valid


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(OptionsRefused):
        selfplay.play(PARIS, ["random"] * 7, bytes(32))


def test_a_game_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay, "MOST_MOVES", 10)
    with pytest.raises(selfplay.NeverEnds) as refused:
        selfplay.play(PARIS, ["random"] * 2, bytes(32), policies=POLICIES)
    assert refused.value.code == "selfplay/never-ends"
