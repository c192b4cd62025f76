"""Clocks, days off, bots and votes at a real server."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from werkzeug.serving import make_server

from engine.record.audit import audit
from engine.record.entry import timestamp
from server.app import application
from server.service import clockwork
from server.service.office import enter
from server.settings import Settings
from tests.client.people import Person, somebody

NewPerson = Callable[[str], Person]


class SlowHouse:
    """A server whose time stands still until it is told to pass: no machine is too slow for its deadlines.

    It is never many minutes from the true time, or its dates would not be believed.
    """

    def __init__(self, folder: Path) -> None:
        self._moment = datetime.now(UTC)
        self._office = enter(Settings(data=folder, rate=0), lambda: timestamp(self._moment))
        self._http = make_server("127.0.0.1", 0, application(self._office), threaded=True)
        self._thread = Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def wait(self, seconds: float) -> None:
        """Let time pass, and with it the deadlines that are in it."""
        self._moment += timedelta(seconds=seconds)
        clockwork.round_of(self._office)

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        self._office.close()


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[SlowHouse]:
    house = SlowHouse(tmp_path / "data")
    yield house
    house.close()


def table_of(people: list[Person], *options: str) -> str:
    """A game just dealt."""
    seats = ["--seats", str(len(people))]
    table = str(people[0].does("new", "paris-paris", *seats, *options, "--json").json["table"])
    for person in people[1:]:
        person.does("join", table)
    return table


def played_for(person: Person, table: str) -> list[int]:
    """The seats that the server has played for."""
    entries = [line["entry"] for line in person.does("log", table, "--json").json]
    return [entry["seat"] for entry in entries if entry["kind"] == "timeout"]


@pytest.mark.parametrize(
    ("options", "clock"),
    [
        (["--clock", "3d"], {"kind": "per-decision", "seconds": 259200}),
        (["--clock", "bank:7d+12h"], {"kind": "bank", "start": 604800, "refill": 43200, "most": 604800}),
        (["--clock", "bank:7d+12h/10d"], {"kind": "bank", "start": 604800, "refill": 43200, "most": 864000}),
        (
            ["--clock", "12h", "--weekends-off", "--vacation", "3w", "--strikes", "2", "--then", "vote"],
            {
                "kind": "per-decision",
                "seconds": 43200,
                "weekends_off": True,
                "vacation": 21,
                "strikes": 2,
                "then": "vote",
            },
        ),
    ],
)
def test_a_table_has_the_clock_that_was_asked_for(
    new_person: NewPerson, options: list[str], clock: dict[str, Any]
) -> None:
    ann = new_person("ann")
    told = ann.does("new", "paris-paris", *options, "--json").json
    assert told["clock"] == clock
    assert ann.does("log", "--json").json[0]["entry"]["clock"] == clock


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--weekends-off"], "--weekends-off"),
        (["--vacation", "3w"], "--vacation"),
        (["--strikes", "2", "--then", "bot"], "--strikes, --then"),
        (["--clock", "3d", "--then", "bot"], "--strikes"),
        (["--clock", "3d+12h"], "bank:7d+12h"),
        (["--clock", "bank:soon"], "bank:7d+12h"),
        (["--clock", "40y"], "bank:7d+12h"),
        (["--clock", "3d", "--vacation", "12h"], "3w"),
    ],
)
def test_a_clock_that_cannot_be_is_wrong_usage(tmp_path: Path, options: list[str], said: str) -> None:
    done = Person(tmp_path, "me").run("new", "paris-paris", *options)
    assert done.code == 2
    assert said in done.err


def test_the_time_left_is_shown_everywhere(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    table_of([ann, bob], "--clock", "bank:7d+12h")
    assert "7 days left" in ann.does("show").out
    assert "7 days left" in ann.does("tables").out
    assert "7 days left" in bob.does("tables").out
    assert "7 days left" in ann.does("watch").out
    (listed,) = bob.does("tables", "--json").json
    shown = bob.does("show", "--json").json
    assert [each["due"] for each in listed["waiting"]] == [asked["due"] for asked in shown["asked"].values()]
    assert shown["clock"]["kind"] == "bank"


def test_days_off_and_back_again(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    assert "no table" in ann.does("vacation").err
    assert "nowhere away" in ann.run("back").err
    bare = table_of([ann, bob])
    strict = table_of([ann, bob], "--clock", "3d")
    table = table_of([ann, bob], "--clock", "3d", "--vacation", "3w")
    shown = ann.does("vacation").out
    assert "0 of 21 days off taken" in shown
    assert "allows no days off" in shown
    assert "no clock" in shown

    told = {each["table"]: each for each in ann.does("vacation", "1w", "--json").json}
    assert (told[bare]["done"], told[strict]["done"], told[table]["done"]) == (False, False, True)
    assert told[table]["left"] == pytest.approx(14, abs=0.01)
    assert "10 days left" in ann.does("show", table).out
    assert "You have days off until" in ann.does("show", table).out
    assert f"{ann.name} has days off until" in bob.does("show", table).out
    assert f"{ann.name} takes days off from" in bob.does("log", table).out

    too_long = ann.run("vacation", "3w", table)
    assert too_long.code == 1
    assert "away/too-long" in too_long.out
    over = ann.run("vacation", "3d", table, "--from", "2020-01-01")
    assert (over.code, "away/over" in over.out) == (1, True)
    assert ann.run("vacation", "--from", "2026-12-20").code == 2
    assert "do not sit" in new_person("cy").run("vacation", "1d", table).err

    assert "You are back" in ann.does("back").err
    assert "3 days left" in ann.does("show", table).out
    assert f"{ann.name} is back." in ann.does("log", table).out
    assert "not away there" in ann.run("back", table).err
    bob.does("vacation", "2d", table)
    assert bob.does("back", table, "--json").json[0]["entry"]["kind"] == "back"


def test_days_off_taken_on_another_machine_are_noticed_and_may_be_accepted(
    new_person: NewPerson, tmp_path: Path
) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    table_of([ann, bob], "--clock", "3d", "--vacation", "3w")
    elsewhere = Person(tmp_path / "elsewhere", ann.name)
    shutil.copytree(ann.home, elsewhere.home)
    elsewhere.does("vacation", "1w")
    noticed = ann.run("show")
    assert (noticed.code, "own/unsigned" in noticed.err) == (4, True)
    ann.does("log", "--accept")
    assert "You have days off" in ann.does("show").out


def test_a_server_lets_deadlines_pass_by_itself(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    table = table_of([ann, bob], "--clock", "1s")
    end = time.monotonic() + 60
    while not (found := played_for(bob, table)):
        assert time.monotonic() < end, "the clock does not do anything"
    assert found[0] == 0


def test_a_bot_plays_for_whoever_is_late_and_makes_room_again(slow: SlowHouse, tmp_path: Path) -> None:
    ann, bob = (somebody(tmp_path, slow.url, name) for name in ("ann", "bob"))
    table = table_of([ann, bob], "--clock", "8s", "--strikes", "1", "--then", "bot")
    slow.wait(7.999)
    assert played_for(bob, table) == []
    slow.wait(0.001)
    assert played_for(bob, table) == [0]
    assert f"{ann.name} (bot)" in bob.does("tables").out
    assert "A bot plays for you" in ann.does("show").out
    ann.does("back")
    assert "let the deadline pass" in ann.does("log").out
    kinds = [line["entry"]["kind"] for line in ann.does("log", "--json").json]
    assert "back" in kinds
    ann.does("resign", "--yes")
    bob.does("export", "-o", str(tmp_path / "game.poste"))
    assert audit((tmp_path / "game.poste").read_bytes()).valid
    assert "played by the clock" in bob.does("audit", table).out
    assert bob.does("audit", table, "--json").json["by_clock"] >= 1


def test_those_who_are_there_vote_on_whether_to_go_on(slow: SlowHouse, tmp_path: Path) -> None:
    people = [somebody(tmp_path, slow.url, name) for name in ("ann", "bob", "cy")]
    table = table_of(people, "--clock", "8s", "--strikes", "1", "--then", "vote")
    ann, bob, cy = people
    nothing = bob.run("vote", "abandon")
    assert (nothing.code, "vote/none" in nothing.err) == (1, True)
    assert "do not sit" in somebody(tmp_path, slow.url, "dee").run("vote", "abandon", table).err
    slow.wait(8)
    assert played_for(bob, table) == [0]
    shown = bob.does("show", "--json").json
    assert shown["voting"] == [1, 2]
    assert "poste vote abandon" in bob.does("show").out
    assert bob.does("vote", "abandon", "--json").json["entry"]["choice"] == "abandon"
    cy.does("vote", "abandon")
    assert f"{bob.name} votes to abandon the table." in ann.does("log").out
    assert "all who still act have voted for it" in ann.does("log").out
    assert ann.does("audit", table, "--json").json["valid"]
