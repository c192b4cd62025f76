"""Several versions of a game's rules beside each other: every table goes on, and is audited, by its own."""

from __future__ import annotations

import pytest

from engine import games, selfplay
from engine.chance import Chance
from engine.errors import UnknownGame
from engine.game import Seat
from engine.record.audit import audit, entries, secret_of
from engine.record.replay import replay
from tests.engine.signed_games import an_installation, odds_and_evens

SEED = bytes(32)


def played(version: int) -> bytes:
    with an_installation(1, 2):
        return selfplay.play(odds_and_evens(version), ["random"] * 3, SEED).data


def test_every_version_is_known_and_the_newest_is_what_is_meant() -> None:
    with an_installation(1, 2):
        assert list(games.versions("odds-and-evens")) == [1, 2]
        assert games.load("odds-and-evens").rules_version == 2
        assert [games.load("odds-and-evens", version).rules_version for version in (1, 2)] == [1, 2]
        with pytest.raises(UnknownGame, match=r"known in versions 1 and 2 of its rules, not in 3"):
            games.load("odds-and-evens", 3)


def test_the_versions_differ_in_what_is_legal_and_in_what_is_drawn() -> None:
    old, new = odds_and_evens(1), odds_and_evens(2)
    dealt = old.deal(2, old.options(), Chance(SEED)).state
    assert len(old.legal(dealt, Seat(0))) == 6
    assert len(new.legal(dealt, Seat(0))) == 5
    dice = {}
    for game in (old, new):
        state = dealt
        for seat in (0, 1):
            state = game.play(state, Seat(seat), game.legal(dealt, Seat(seat))[-1], Chance(SEED, 7)).state
        dice[game.rules_version] = state.die
    assert dice[1] < dice[2]


@pytest.mark.parametrize("version", [1, 2])
def test_a_record_is_audited_by_the_version_it_names(version: int) -> None:
    data = played(version)
    with an_installation(1, 2):
        found = audit(data)
        assert (found.valid, found.game) == (True, f"odds-and-evens/{version}"), found.faults
        secret = secret_of(entries(data))
        assert secret is not None
        assert {position.game.rules_version for position in replay(entries(data), secret).positions} == {version}


@pytest.mark.parametrize(("version", "here"), [(1, 2), (2, 1)])
def test_a_record_of_a_version_that_is_not_here_is_not_audited_by_another(version: int, here: int) -> None:
    data = played(version)
    with an_installation(here):
        (fault,) = audit(data).faults
    assert (fault.entry, fault.code) == (0, "game/unknown")
    assert f"version {here} of its rules, not in {version}" in fault.message


def test_a_record_that_names_another_version_does_not_replay() -> None:
    """What was played by the first version is not a game by the second."""
    data = played(1).replace(b"odds-and-evens/1", b"odds-and-evens/2")
    with an_installation(1, 2):
        assert not audit(data).valid
