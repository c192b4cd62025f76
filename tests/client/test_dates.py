"""What the server dates is held against this machine's own clock, and what to do if that one was wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from client.commands.log import _accept
from client.table.player_desk import Desk
from client.table.turn import sit
from client.trust.log_verification import Unverified
from client.trust.player_home import Home
from client.trust.table_memory import Memory
from engine.record.entry import timestamp
from tests.client.players_and_proxy import Person
from tests.client.test_hostile_server import moved

NewPerson = Callable[[str], Person]
HOUR = timedelta(hours=1)


class Clock:
    """A clock that runs so much ahead of the true time."""

    def __init__(self, ahead: timedelta = timedelta()) -> None:
        self.ahead = ahead

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


class Scene:
    """Two at a table; the victim has looked at it, and since then the other one has moved."""

    def __init__(self, victim: Person, other: Desk, table: str, ahead: timedelta) -> None:
        home = Home(victim.home)
        self.victim, self.clock = victim, Clock(ahead)
        self.desk = Desk(home, home.identity(), self.clock)
        self.memory: Memory = self.desk.memory(table)
        self.desk.remember(table=table)
        self.memory.remember_sync(None)
        self.desk.sync(self.memory)
        for _ in range(3):
            moved(other, table)

    def looks(self) -> None:
        self.desk.sync(self.memory)

    def code(self) -> str:
        with pytest.raises(Unverified) as caught:
            self.looks()
        evidence = caught.value.evidence
        assert evidence is not None
        assert json.loads(evidence.read_bytes())["found"]["code"] == caught.value.code
        return caught.value.code


@pytest.fixture
def scene(new_person: NewPerson) -> Callable[[timedelta], Scene]:
    def at(ahead: timedelta) -> Scene:
        other, victim = new_person("other"), new_person("victim")
        desks = [other.desk, victim.desk]
        table = desks[0].api().open_table({"game": "paris-paris", "seats": 2}).table
        for desk in desks:
            sit(desk, desk.memory(table), None)
        return Scene(victim, desks[0], table, ahead)

    return at


Scenes = Callable[[timedelta], Scene]


def test_clocks_that_differ_by_minutes_accuse_nobody(scene: Scenes) -> None:
    for minutes in (-5, 0, 5):
        scene(timedelta(minutes=minutes)).looks()


def test_what_comes_to_light_later_than_it_is_dated_is_backdated(scene: Scenes) -> None:
    """To this machine it is as if the server had waited for an hour with what it dates an hour ago."""
    found = scene(HOUR)
    length = found.memory.chain.length
    assert found.code() == "time/backdated"
    assert found.code() == "time/backdated", "it is not forgotten"
    assert found.memory.chain.length == length, "and not believed"


def test_what_is_dated_in_the_future_is_postdated_until_the_clock_is_set_right(scene: Scenes) -> None:
    found = scene(timedelta())
    found.clock.ahead = -HOUR
    assert found.code() == "time/postdated"
    found.clock.ahead = timedelta()
    found.looks()


def test_a_last_look_in_the_future_says_that_the_clock_was_wrong_and_nothing_else(scene: Scenes) -> None:
    found = scene(HOUR)
    found.clock.ahead = timedelta()
    found.looks()
    assert found.memory.synced is not None
    assert found.memory.synced <= timestamp(found.clock()), "from now on the right time counts"


def test_who_knows_that_their_clock_was_wrong_accepts_the_date(scene: Scenes) -> None:
    found = scene(HOUR)
    assert found.code() == "time/backdated"
    _accept(found.desk, found.memory)
    found.looks()


def test_what_to_do_is_said(scene: Scenes) -> None:
    found = scene(HOUR)
    with pytest.raises(Unverified, match="set it right and accept it with: poste log --accept"):
        found.looks()
    found.clock.ahead = -HOUR
    with pytest.raises(Unverified, match="set it right and look again"):
        found.looks()
