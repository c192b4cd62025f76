"""Clocks, days off, bots and votes at a real server."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.record.audit import audit
from tests.client.clocked_tables import SlowHouse, table_of
from tests.client.players_and_proxy import Person, somebody

NewPerson = Callable[[str], Person]


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

    assert f"{ann.name} (away until" in " ".join(bob.does("tables").out.split())
    assert list(bob.does("show", table, "--json").json["away"]) == ["0"]

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


def test_days_off_that_one_of_several_tables_refuses_are_a_refusal_said_last(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    strict = table_of([ann, bob], "--clock", "3d", "--vacation", "3d")
    easy = table_of([ann, bob], "--clock", "3d", "--vacation", "3w")
    bare = table_of([ann, bob])
    done = ann.run("vacation", "1w")
    assert done.code == 1
    *granted, refused = done.out.splitlines()
    assert {line[:8] for line in granted} == {easy[:8], bare[:8]}
    assert refused.startswith(f"{strict[:8]}  REFUSED.")
    assert f"Your time runs on at {strict[:8]}" in done.err
    assert ann.does("vacation", "1d", "--from", f"{datetime.now(UTC).year + 1}-12-20").code == 0
    assert "You have days off from" in ann.does("show", strict).out, "those to come are told as well"


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
    assert (shown["absent"], shown["voted"]) == ([0], [])
    told = bob.does("show").out
    assert f"{ann.name} has let the deadline pass." in told
    assert f"voted on by you and {cy.name}: nobody has voted yet." in told
    assert "poste vote abandon" in told
    assert "Your vote is wanted" in bob.does("watch", "--timeout", "1").out
    for listed in ([], ["--waiting"]):
        assert f"YOUR VOTE is wanted on going on without {ann.name}" in " ".join(cy.does("tables", *listed).out.split())
    assert "the others vote on going on without you" in " ".join(ann.does("tables").out.split())
    assert "poste back" in ann.does("show").out
    about_me = ann.run("vote", "continue")
    assert (about_me.code, "The vote is about you" in about_me.err) == (1, True)

    assert bob.does("vote", "abandon", "--json").json["entry"]["choice"] == "abandon"
    again = bob.run("vote", "abandon")
    assert (again.code, f"waits for the vote of {cy.name}" in again.err) == (1, True)
    assert [line["entry"]["kind"] for line in bob.does("log", "--json").json].count("vote") == 1
    told = bob.does("show").out
    assert "you have voted to abandon it." in told
    assert "poste vote continue" in told
    assert "YOUR VOTE" not in bob.does("tables").out
    assert f"{bob.name} has voted to abandon it." in cy.does("show").out
    assert cy.does("tables", "--waiting", "--json").json[0]["voted"] == [1]
    cy.does("vote", "abandon")
    assert "abandoned: all who still act have voted for it" in " ".join(ann.does("tables").out.split())
    assert f"{bob.name} votes to abandon the table." in ann.does("log").out
    assert "all who still act have voted for it" in ann.does("log").out
    assert ann.does("audit", table, "--json").json["valid"]


def test_whoever_is_voted_on_ends_the_vote_by_being_back(slow: SlowHouse, tmp_path: Path) -> None:
    ann, bob = (somebody(tmp_path, slow.url, name) for name in ("ann", "bob"))
    table_of([ann, bob], "--clock", "8s", "--strikes", "1", "--then", "vote")
    slow.wait(8)
    assert "Your vote is wanted" in bob.does("show").out
    ann.does("back")
    assert "vote" not in bob.does("show").out.rpartition("Table ")[2].partition("There are")[0]
    assert (bob.does("show", "--json").json["absent"], bob.run("vote", "abandon").code) == ([], 1)


def test_a_bot_in_ones_own_seat_is_told_in_one_bracket(slow: SlowHouse, tmp_path: Path) -> None:
    ann, bob = (somebody(tmp_path, slow.url, name) for name in ("ann", "bob"))
    table_of([ann, bob], "--clock", "8s", "--strikes", "1", "--then", "bot")
    slow.wait(8)
    assert f"{ann.name} (bot, you) and {bob.name}." in ann.does("show").out


def test_whoever_might_sit_down_is_told_the_clock(new_person: NewPerson) -> None:
    ann, bob = new_person("ann"), new_person("bob")
    options = ["--clock", "bank:7d+12h", "--weekends-off", "--vacation", "3w", "--strikes", "2", "--then", "vote"]
    table = ann.does("new", "paris-paris", *options, "--json").json["table"]
    shown = " ".join(bob.does("show", table).out.split())
    assert "Everybody begins with 7 days on an account of time; every answer adds 12 hours, up to 7 days" in shown
    assert "weekends do not count. Everybody may take 21 days off in a year." in shown
    assert "After 2 missed deadlines in a row the others vote" in shown
    assert "7 days in all + 12 hours a move, weekends off" in " ".join(bob.does("tables", "--open").out.split())
    free = ann.does("new", "paris-paris", "--json").json["table"]
    assert "There is no time limit." in bob.does("show", free).out
    assert "no clock" in bob.does("tables", "--open").out


def test_the_last_two_minutes_are_told_in_seconds(slow: SlowHouse, tmp_path: Path) -> None:
    ann, bob = (somebody(tmp_path, slow.url, name) for name in ("ann", "bob"))
    table_of([ann, bob], "--clock", "110s")
    assert "seconds left" in ann.does("show").out
    assert "seconds left" in ann.does("tables").out
