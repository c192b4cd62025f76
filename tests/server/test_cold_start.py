"""Players who all come back at the moment at which a server starts: the first requests of a process, all at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from engine import games
from tests.server.server_process import ServerProcess, Signed, Visitor, seated, to_move

STARTS = 60
TOGETHER = 16
WANTED = ("view", "moves", "events")
NEST = """
import os, sys
from server.http_server import serve
from server.settings import from_environment

for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        serve(from_environment(os.environ, port=0))
        os._exit(0)
    print("child", child, flush=True)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Starts one server after the other, each as a process that has the code loaded and has read nothing yet."""


class Nest:
    """Servers on the same data, one at a time, that start faster than a whole ``poste-server run``."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._nest = subprocess.Popen(
            [sys.executable, "-c", NEST],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def start(self) -> str:
        """Start the next one; gives its address."""
        assert self._nest.stdin is not None
        self._nest.stdin.write("\n")
        self._nest.stdin.flush()
        said = sorted([self._line(), self._line()])
        assert said[0].startswith("Poste Restante at "), said
        self._child = int(said[1].removeprefix("child "))
        return said[0].split()[-1]

    def end(self) -> int:
        """Kill it if it is alive; gives how it ended."""
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)
        return int(self._line().removeprefix("ended "))

    def close(self) -> None:
        self._nest.kill()
        self._nest.communicate()

    def _line(self) -> str:
        assert self._nest.stdout is not None
        return self._nest.stdout.readline().rstrip()


@pytest.fixture
def nest(tmp_path: Path) -> Iterator[tuple[Nest, list[tuple[str, Visitor]]]]:
    """A house with tables of every game, some moves old and saved, and a nest for starting it anew."""
    house = ServerProcess(
        tmp_path / "data",
        f"sqlite:///{tmp_path / 'poste.db'}",
        POSTE_SNAPSHOT_EVERY="1",
        POSTE_MAIL=f"maildir://{tmp_path / 'mail'}",
        POSTE_MAIL_FROM="post@example.org",
    )
    found = []
    for number in range(TOGETHER):
        keys = games.keys()
        table, players = seated(house.url, 3, keys[number % len(keys)])
        for _ in range(2):
            players[to_move(table, players)[0]].move(table)
        found.append((table, players[number % 3]))
    assert house.stop() == 0
    nest = Nest(house.environment)
    yield nest, found
    nest.close()


def written(url: str, path: str, visitor: Visitor) -> bytes:
    """A signed request as it goes over the wire."""
    prepared = requests.Request("GET", f"{url}/v1{path}", auth=Signed(visitor.key)).prepare()
    headers = {"Host": urlsplit(url).netloc, "Connection": "close", **prepared.headers}
    lines = [f"GET {prepared.path_url} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def answered(connection: socket.socket) -> str:
    """The status of what comes back; nothing if nothing does."""
    data = b""
    try:
        while chunk := connection.recv(65536):
            data += chunk
    except ConnectionError:
        return ""
    return data[9:12].decode()


def test_the_first_requests_of_a_process_may_come_all_at_once(nest: tuple[Nest, list[tuple[str, Visitor]]]) -> None:
    """Types are made ready for reading when they are first needed: never by two at once, or the process dies."""
    house, tables = nest
    ends: Counter[int] = Counter()
    answers: Counter[str] = Counter()
    for start in range(STARTS):
        url = house.start()
        port = urlsplit(url).port
        wants = [
            written(url, f"/tables/{table}/{WANTED[(start + number) % 3]}", player)
            for number, (table, player) in enumerate(tables)
        ]
        connections = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in wants]
        for connection, want in zip(connections, wants, strict=True):
            connection.sendall(want)
        for connection in connections:
            with closing(connection):
                answers[answered(connection)] += 1
        ends[house.end()] += 1
    assert ends == {-signal.SIGKILL: STARTS}
    assert answers == {"200": STARTS * TOGETHER}
