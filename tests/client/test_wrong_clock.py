"""A server whose clock is wrong, as its players meet it: processes on both sides, and a clock that we wind."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.table.player_desk import Desk
from client.trust.table_memory import SignedHere
from engine.record.audit import audit
from tests.client.players_and_proxy import Person, somebody
from tests.client.test_hostile_server import moved
from tests.server.server_process import Visitor, refused
from tests.server.wound_server_process import DAYS, WoundHouse

NOTHING_WRONG = 0


@pytest.fixture
def wound(tmp_path: Path) -> Iterator[WoundHouse]:
    house = WoundHouse(tmp_path)
    yield house
    if house.process.poll() is None:
        house.kill()


def table_of_two(house: WoundHouse, folder: Path) -> tuple[str, list[Person]]:
    """A game just dealt, with an hour for every move."""
    people = [somebody(folder, house.url, name) for name in ("ann", "bob")]
    table = str(people[0].does("new", "paris-paris", "--seats", "2", "--clock", "1h", "--json").json["table"])
    people[1].does("join", table)
    return table, people


def kinds(house: WoundHouse, table: str) -> list[str]:
    """What stands in the log, as the server tells it."""
    return [line.split(b'"kind":"')[-1].split(b'"')[0].decode() for line in Visitor(house.url).log(table)]


def to_move(people: list[Person], table: str) -> Desk:
    waiting = Visitor(people[0].desk.server()).get(f"/tables/{table}")["waiting"]
    seat: int = waiting[0]["seat"]
    return people[seat].desk


def signed_move(house: WoundHouse, desk: Desk, table: str) -> tuple[Visitor, object]:
    """A move, signed and not sent."""
    visitor = Visitor(house.url)
    visitor.key = desk.key
    move = visitor.choice(table)
    desk.memory(table).remember(SignedHere("move", move["signature"], move["seat"], move["base"], move["move"]))
    return visitor, move


def test_a_clock_that_jumps_ahead_times_nobody_out_and_recovers_by_itself(wound: WoundHouse, tmp_path: Path) -> None:
    table, people = table_of_two(wound, tmp_path)
    visitor, move = signed_move(wound, to_move(people, table), table)
    wound.wind(2 * DAYS)
    wound.says("THE CLOCK HAS JUMPED 2 days AHEAD")
    answer = visitor.send(table, move)
    assert "the server's clock is wrong" in refused(answer, 503, "server/clock")["detail"]
    assert answer.headers["Retry-After"] == "60"
    newcomer = people[0].run("new", "paris-paris", "--clock", "1h")
    assert (newcomer.code, "[server/clock]" in newcomer.err) == (3, True), newcomer.err
    wound.wind(0)
    wound.says("the clock is right again")
    assert visitor.send(table, move).status_code == 201
    assert kinds(wound, table)[-2:] == ["deal", "move"]
    for person in people:
        person.does("show", table)


def test_a_table_dated_ahead_goes_on_once_its_server_has_said_so(wound: WoundHouse, tmp_path: Path) -> None:
    """Nothing tells a clock that is wrong from the start: what it has dated is put right by hand."""
    table, people = table_of_two(wound, tmp_path)
    untouched, _ = table_of_two(wound, tmp_path)
    assert wound.stop() == 0
    wound.wind(2 * DAYS)
    wound.start()
    until = time.monotonic() + 120
    while "timeout" not in kinds(wound, table):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert wound.stop() == 0
    wound.wind(0)
    wound.start()
    wound.says("2 TABLES ARE DATED AHEAD OF THIS CLOCK")
    for person in people:
        denied = person.run("show", table)
        assert (denied.code, "[time/postdated]" in denied.err) == (4, True), denied.err
    visitor, move = signed_move(wound, to_move(people, table), table)
    problem = refused(visitor.send(table, move), 503, "server/clock")
    assert "dated ahead of the server's clock" in problem["detail"]

    listed = wound.tool("correct")
    assert (listed.returncode, sorted(line.split()[0] for line in listed.stdout.splitlines())) == (
        NOTHING_WRONG,
        sorted([table, untouched]),
    )
    corrected = wound.tool("correct", table[:8])
    assert (corrected.returncode, corrected.stdout.startswith(f"{table} goes on at 20")) == (NOTHING_WRONG, True)
    again = wound.tool("correct", table)
    assert (again.returncode, "there is nothing to correct" in again.stderr) == (1, True)
    assert wound.tool("correct", "--all").stdout.startswith(untouched)
    assert wound.tool("correct").stdout == ""

    assert visitor.send(table, move).status_code == 201, "what was signed for the open decision counts"
    for person in people:
        shown = person.does("show", table).out
        assert "The server's clock was wrong: it dated entries up to" in shown
        assert "The server's clock was wrong, and is right again" in person.does("log", table).out
    found = wound.tool("check")
    assert (found.returncode, found.stdout) == (NOTHING_WRONG, "")
    for _ in range(3):
        moved(to_move(people, table), table)
    people[1].does("resign", table, "--yes")
    record = people[0].home / "record.poste"
    people[0].does("export", table, "-o", str(record))
    assert audit(record.read_bytes()).valid
    assert people[1].does("audit", str(record)).code == NOTHING_WRONG
