"""Watching a server that has no place for those who wait."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest

from tests.client.players_and_proxy import a_proxy, somebody
from tests.server.server_process import ServerProcess

PATIENCE = 60
BUSY = json.dumps({"code": "server/busy", "detail": "too many are waiting for news already"}).encode()


@pytest.mark.parametrize("which", [["--no-bell"], ["--any"]], ids=["one table", "any table"])
def test_who_gets_no_place_to_wait_comes_by_now_and_then(
    server: ServerProcess, tmp_path: Path, which: list[str]
) -> None:
    with a_proxy(server) as proxy:
        ann, bob = (somebody(tmp_path, proxy.url, name) for name in ("ann", "bob"))
        table = ann.does("new", "paris-paris", "--json").json["table"]
        bob.does("join", table)
        refused, asked, waits = Event(), Event(), Event()

        def no_place(path: str) -> tuple[int, bytes] | None:
            waiting = any(f"wait={digit}" in path for digit in "123456789")
            if waiting and not asked.is_set():
                refused.set()
                return 503, BUSY
            if waiting:
                waits.set()
            elif refused.is_set() and ("/log" in path or "/waiting" in path):
                asked.set()
            return None

        proxy.instead = no_place
        watching = bob.starts("watch", *which)
        assert refused.wait(PATIENCE)
        assert asked.wait(PATIENCE), "it asks without waiting"
        assert waits.wait(PATIENCE), "and waits again once there is a place"
        ann.does("play", ann.does("moves").out.splitlines()[0], "--yes")
        told, complained = watching.communicate(timeout=PATIENCE)
        assert (watching.returncode, "your turn" in told) == (0, True), complained


def test_a_server_that_never_has_a_place_is_watched_all_the_same(server: ServerProcess, tmp_path: Path) -> None:
    with a_proxy(server) as proxy:
        ann, bob = (somebody(tmp_path, proxy.url, name) for name in ("ann", "bob"))
        table = ann.does("new", "paris-paris", "--json").json["table"]
        bob.does("join", table)
        refused = Event()

        def no_place(path: str) -> tuple[int, bytes] | None:
            if any(f"wait={digit}" in path for digit in "123456789"):
                refused.set()
                return 503, BUSY
            return None

        proxy.instead = no_place
        watching = bob.starts("watch", "--no-bell")
        assert refused.wait(PATIENCE)
        ann.does("play", ann.does("moves").out.splitlines()[0], "--yes")
        told, complained = watching.communicate(timeout=PATIENCE)
        assert (watching.returncode, "your turn" in told) == (0, True), complained
