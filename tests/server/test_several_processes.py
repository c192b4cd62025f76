"""Two servers on one database: what one of them remembers of a table never decides who may read what is there now."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

from engine.keys import SigningKey
from engine.record.entry import succeed_message
from tests.server.conftest import Databases
from tests.server.server_process import ServerProcess, Visitor, company, refused, seated, to_move

READS = ("", "/view", "/events", "/moves", "/log", "/record")


@pytest.fixture(scope="module")
def servers(
    backend: str, databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ServerProcess, ServerProcess]]:
    folder = tmp_path_factory.mktemp("servers")
    database = databases(backend, folder)
    first, second = (ServerProcess(folder / "data", database, POSTE_TABLES="10000") for _ in range(2))
    yield first, second
    assert [first.stop(), second.stop()] == [0, 0]


def elsewhere(player: Visitor, house: ServerProcess) -> Visitor:
    """The same player at another server."""
    other = Visitor(house.url, player.name)
    other.key = player.key
    return other


def replaced(servers: tuple[ServerProcess, ServerProcess]) -> tuple[str, Visitor, Visitor]:
    """A table at which somebody sat, as the second server knows, and then left, as it was not told; somebody else has
    their seat, and the cards are dealt. Gives the one who left and the one who came.
    """
    here, there = servers
    host, left, came = company(here.url, 3)
    table = host.open()
    left.sit(table, 0)
    assert elsewhere(left, there).get(f"/tables/{table}/view", signed=True)["seat"] == 0
    left.resign(table, 0)
    came.sit(table, 0)
    host.sit(table, 1)
    return table, left, came


@pytest.mark.parametrize("path", READS)
def test_whoever_was_replaced_reads_what_an_onlooker_reads(
    servers: tuple[ServerProcess, ServerProcess], path: str
) -> None:
    table, left, _ = replaced(servers)
    gone = elsewhere(left, servers[1])
    answer = gone.ask("GET", f"/tables/{table}{path}", signed=True)
    if path == "/moves":
        refused(answer, 403, "seat/not-yours")
    else:
        assert answer.content == Visitor(servers[0].url).ask("GET", f"/tables/{table}{path}").content
    assert gone.get("/waiting", signed=True)["tables"] == []
    assert gone.get("/tables", list="waiting", signed=True)["tables"] == []


@pytest.mark.parametrize("path", READS)
def test_whoever_came_reads_their_own_at_once(servers: tuple[ServerProcess, ServerProcess], path: str) -> None:
    table, _, came = replaced(servers)
    asked = [elsewhere(came, house).ask("GET", f"/tables/{table}{path}", signed=True) for house in reversed(servers)]
    assert asked[0].content == asked[1].content
    if path in ("/view", "/events"):
        assert asked[0].content != Visitor(servers[1].url).ask("GET", f"/tables/{table}{path}").content


@pytest.mark.parametrize("path", ["/view", "/events", "/moves"])
def test_a_key_that_was_changed_at_one_server_reads_nothing_at_the_other(
    servers: tuple[ServerProcess, ServerProcess], path: str
) -> None:
    table, _, came = replaced(servers)
    old = elsewhere(came, servers[1])
    assert old.get(f"/tables/{table}/view", signed=True)["seat"] == 0
    change_key(came)
    answer = old.ask("GET", f"/tables/{table}{path}", signed=True)
    if path == "/moves":
        refused(answer, 403, "seat/not-yours")
    else:
        assert answer.content == Visitor(servers[0].url).ask("GET", f"/tables/{table}{path}").content


def change_key(player: Visitor) -> None:
    new = SigningKey(secrets.token_bytes(32))
    said = succeed_message(player.key.public, new.public)
    body = {"to": new.public, "signature": player.key.sign(said), "consent": new.sign(said)}
    assert player.ask("PUT", f"/players/{player.name}/key", body, signed=True).status_code == 200
    player.key = new


def test_a_key_that_is_changed_while_it_waits_for_news_is_told_none(
    servers: tuple[ServerProcess, ServerProcess],
) -> None:
    table, players = seated(servers[0].url)
    (turn,) = to_move(table, players)
    mover, other = players[turn], players[1 - turn]
    old = elsewhere(other, servers[1])
    cursor = old.get("/waiting", signed=True)["cursor"]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(old.ask, "GET", "/waiting", signed=True, params={"since": cursor, "wait": 60})
        sleep(0.5)  # whichever of the two comes first, the answer must be the same
        change_key(other)
        while to_move(table, players) == [turn]:
            mover.move(table)
        refused(waiting.result(90), 403, "seat/not-yours")


def test_what_a_process_remembers_is_used_for_writing_alone() -> None:
    """Where the log is held against it once more before anything is done."""
    server = Path(__file__).parents[2] / "server"
    users = {str(path.relative_to(server)) for path in server.rglob("*.py") if ".recent(" in path.read_text()}
    assert users == {"service/log_append.py"}
