"""A signed request is served once, by whichever process; and to note that, nothing is written to the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import requests

from tests.server.conftest import Houses
from tests.server.server_process import ServerProcess, Signed, Visitor, refused, seated

NAME = "http://games.test"


def signed(visitor: Visitor, path: str) -> requests.PreparedRequest:
    """A request to the server of this name, signed, to be sent to any process of it."""
    return requests.Request("GET", f"{NAME}/v1{path}", auth=Signed(visitor.key)).prepare()


def sent(to: ServerProcess, request: requests.PreparedRequest) -> requests.Response:
    again = request.copy()
    again.headers["Host"] = "games.test"
    again.url = f"{to.url}{request.path_url}"
    with requests.Session() as session:
        session.trust_env = False
        return session.send(again, timeout=60)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_request_is_served_once_by_all_processes_and_across_a_restart(new_house: Houses, end: str) -> None:
    first = new_house(POSTE_URL=NAME)
    second = ServerProcess(first.data, first.environment["POSTE_DB"], POSTE_URL=NAME)
    try:
        visitor = Visitor(first.url)
        requests_made = [signed(visitor, f"/tables?list=open&limit={number}") for number in range(1, 6)]
        for number, request in enumerate(requests_made):
            here, there = (first, second) if number % 2 else (second, first)
            assert sent(here, request).status_code == 200
            refused(sent(here, request), 401, "identity/replayed")
            refused(sent(there, request), 401, "identity/replayed")
        for house in (first, second):
            getattr(house, end)()
        first.start()
        for request in requests_made:
            refused(sent(first, request), 401, "identity/replayed")
        assert sent(first, signed(visitor, "/tables?list=open")).status_code == 200
    finally:
        if second.process.poll() is None:
            second.kill()


def test_whoever_reads_writes_nothing_to_the_database(tmp_path: Path) -> None:
    house = ServerProcess(tmp_path / "data", "", POSTE_WORKER="0")
    table, players = seated(house.url)
    with closing(sqlite3.connect(tmp_path / "data" / "poste.db")) as watching:

        def commits() -> int:
            (version,) = watching.execute("PRAGMA data_version").fetchone()
            return int(version)

        before = commits()
        for path in (f"/tables/{table}", f"/tables/{table}/view", f"/tables/{table}/moves", "/waiting", "/mailbox") * 5:
            assert players[0].ask("GET", path, signed=True).status_code in (200, 404)
        assert commits() == before
        players[0].resign(table, 0)
        assert commits() > before, "else this would prove nothing"
    assert house.stop() == 0
