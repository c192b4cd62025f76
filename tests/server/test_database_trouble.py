"""A database that is locked, full, read-only, of another version, or gone silent: said as that, and got over."""

from __future__ import annotations

import os
import re
import secrets
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import IO, Any

import psycopg
import pytest
import requests
from sqlalchemy import select

from engine.record.entry import Json
from server.http_server import GRACE
from server.service import deadline_rounds, table_summaries
from server.service.server_context import enter
from server.settings import Settings
from server.storage import database, postgresql_connection
from server.storage.models import TABLES
from tests.server.conftest import Databases, Houses
from tests.server.mail.mail_processes import Room, free_port
from tests.server.postgresql_server import new_database, postgresql, silenced
from tests.server.server_process import ServerProcess, Visitor, refused, seated, to_move
from tests.server.test_clockwork import THREE_DAYS, Seated, Watch

SOON = GRACE + 7.0
"""Seconds within which a process that was told to stop has ended: ten, and some for a machine that has more to do."""
COMMANDS = ("run", "worker", "mail", "check", "export", "outbox", "migrate")
MAIL = {"POSTE_MAIL_FROM": "post@example.org", "POSTE_MAIL_LISTEN": "lmtp://127.0.0.1:0"}


class Loud(ServerProcess):
    """A house whose log can be read."""

    def __init__(self, log: Path, data: Path, database: str, **environment: str) -> None:
        self.path = log
        self.log: IO[bytes] = log.open("ab")
        super().__init__(data, database, **environment)

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        self.log.close()

    def lines(self, words: str) -> list[str]:
        return [line for line in self.path.read_text().splitlines() if words in line]


def arguments(command: str) -> list[str]:
    return {"export": [command, "abcd"], "run": [command, "--port", "0"]}.get(command, [command])


def until(found: Callable[[], bool], what: str) -> None:
    """Wait for an event, however long it takes within reason."""
    end = time.monotonic() + 60
    while not found():
        assert time.monotonic() < end, what
        time.sleep(0.05)


# Locked.


@contextmanager
def locked(address: str) -> Iterator[None]:
    """Somebody else has begun to write and does not go on."""
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"), isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
    else:
        with psycopg.connect(address) as connection:
            connection.execute("SELECT * FROM tables FOR UPDATE")
            yield


def test_a_table_that_is_locked_is_looked_at_again_with_the_next_round(
    backend: str, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.3)
    monkeypatch.setitem(postgresql_connection._OPTIONS, "lock_timeout", 1)
    watch, address = Watch(), databases(backend, tmp_path)
    context = enter(Settings(data=tmp_path / "data", db=address), watch)
    table = Seated(context, watch, THREE_DAYS)
    watch.pass_by(timedelta(days=4))
    length = table_summaries.summary(context, table.id)["length"]
    with locked(address):
        assert deadline_rounds.round_of(context) == 0
    with context.storage.reading() as connection:
        assert (connection.scalar(select(TABLES.c.look)) or "") <= watch()
    assert deadline_rounds.round_of(context) == 1
    assert table_summaries.summary(context, table.id)["length"] == length + 1
    context.close()


def test_a_locked_database_is_busy_and_not_a_fault(new_house: Houses) -> None:
    house = new_house()
    table, players = seated(house.url)
    mover = players[to_move(table, players)[0]]
    move = mover.choice(table)
    with locked(house.environment["POSTE_DB"]):
        view = mover.ask("GET", f"/tables/{table}/view", signed=True)
        assert view.status_code == 200, "reading needs no lock"
        busy = mover.send(table, move)
        refused(busy, 503, "server/busy")
        assert busy.headers["Retry-After"]
    assert mover.send(table, move).status_code == 201


# Of a newer version.


def test_a_database_of_a_newer_version_is_refused_in_a_sentence_by_every_command(
    backend: str, new_house: Houses, tmp_path: Path
) -> None:
    house = new_house(**MAIL, POSTE_MAIL=f"maildir://{tmp_path / 'out'}")
    house.stop()
    _written(house.environment["POSTE_DB"], "UPDATE alembic_version SET version_num = '9999'")
    for command in COMMANDS:
        told = house.tool(*arguments(command))
        assert told.returncode == 1, command
        assert told.stderr.startswith("poste-server: the database has schema 9999, and this poste-server knows")
        assert "Install that one again, or restore the backup" in told.stderr
        assert len(told.stderr.splitlines()) == 1


def _written(address: str, statement: str) -> None:
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as connection, connection:
            connection.execute(statement)
    else:
        with psycopg.connect(address, autocommit=True) as other:
            other.execute(statement.encode())


def test_a_file_that_is_no_database_is_refused_in_a_sentence_by_every_command(tmp_path: Path) -> None:
    (tmp_path / "poste.db").write_bytes(b"Dear diary, " * 1000)
    (tmp_path / "poste.db").chmod(0o600)
    for command in COMMANDS:
        told = _tool(tmp_path, f"sqlite:///{tmp_path / 'poste.db'}", command)
        assert (told.returncode, len(told.stderr.splitlines())) == (1, 1), told.stderr
        assert "file is not a database" in told.stderr


def _tool(data: Path, database: str, command: str) -> subprocess.CompletedProcess[str]:
    environment = {"POSTE_DATA": str(data), "POSTE_DB": database, **MAIL, "POSTE_MAIL": f"maildir://{data / 'out'}"}
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments(command)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


# Full.


@contextmanager
def small_disk(folder: Path, size: str, owner: int = 0) -> Iterator[Path]:
    """A disk of its own with this much room."""
    folder.mkdir(exist_ok=True)
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    made = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700,uid={owner},gid={owner}", "tmpfs", str(folder)]
    mounted = subprocess.run(made, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Leave no room at all; gives the file that takes it."""
    ballast = disk / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (65536, 512):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


def test_a_full_disk_is_said_and_got_over(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "8m") as disk:
        house = Loud(tmp_path / "log", disk / "data", f"sqlite:///{disk / 'data' / 'poste.db'}", POSTE_TABLES="9999")
        try:
            _full_and_well_again(house, lambda: fill(disk))
        finally:
            house.close()
        assert _tool(disk / "data", house.environment["POSTE_DB"], "check").returncode == 0


def test_a_full_disk_of_postgresql_is_said_and_got_over(tmp_path: Path) -> None:
    nobody = 65534
    folder = Path(tempfile.mkdtemp())  # where PostgreSQL's own user may go
    try:
        with small_disk(folder, "24m", nobody) as disk, postgresql(durable=False) as address:
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
                connection.execute("CREATE DATABASE small TABLESPACE small")
            small = address.replace("/postgres?", "/small?")
            house = Loud(tmp_path / "log", tmp_path / "data", small, POSTE_TABLES="9999")
            try:
                _full_and_well_again(house, lambda: fill(disk))
            finally:
                house.close()
    finally:
        folder.rmdir()


def _full_and_well_again(house: Loud, filled: Callable[[], Path]) -> None:
    table, players = seated(house.url)
    mover = players[to_move(table, players)[0]]
    options = {"game": "paris-paris", "seats": 2, "invite": [player.name for player in players]}
    ballast = filled()
    for _ in range(2000):  # what room there is inside the database's own files is used first
        answer = mover.ask("POST", "/tables", options, signed=True)
        if answer.status_code != 201:
            break
    told = refused(answer, 507, "server/full")
    assert told["detail"] == "the server's disk is full; nothing was written"
    assert mover.ask("GET", f"/tables/{table}/view").status_code == 200, "reading needs no room"
    for _ in range(3):
        refused(mover.ask("POST", "/tables", options, signed=True), 507, "server/full")
    assert len(house.lines("the disk of the database is full")) == 1
    assert house.lines("Traceback") == []
    ballast.unlink()
    assert mover.ask("POST", "/tables", options, signed=True).status_code == 201
    mover.move(table)

    def written_again() -> bool:
        assert mover.ask("POST", "/tables", options, signed=True).status_code == 201
        return bool(house.lines("the database can be used again"))

    until(written_again, "that it is over is not in the log")
    assert len(house.lines("the disk of the database is full")) == 1
    assert house.stop() == 0


# Silent, gone, or read-only: PostgreSQL.


@pytest.fixture(scope="module")
def own() -> Iterator[str]:
    """A PostgreSQL that may be stopped."""
    with postgresql(durable=False) as address:
        yield address


@pytest.fixture
def fresh(own: str) -> str:
    return new_database(own, f"poste_{secrets.token_hex(6)}")


def test_a_silent_database_keeps_nobody_from_what_needs_none(own: str, fresh: str, tmp_path: Path) -> None:
    house = Loud(tmp_path / "log", tmp_path / "data", fresh)
    try:
        tables = [seated(house.url) for _ in range(3)]
        movers = [(table, players[to_move(table, players)[0]]) for table, players in tables]
        moves = [(table, mover, mover.choice(table)) for table, mover in movers]
        with silenced(own), ThreadPoolExecutor(64) as crowd:
            asking = [crowd.submit(mover.send, table, move) for table, mover, move in moves]
            for _ in range(20):
                for table, mover in movers:
                    visitor = Visitor(house.url)
                    visitor.session.headers["Connection"] = "close"
                    asking.append(crowd.submit(visitor.ask, "GET", f"/tables/{table}/view"))
                    asking.append(crowd.submit(visitor.ask, "GET", f"/tables/{table}/log?after=99&wait=60"))
                    asking.append(crowd.submit(mover.ask, "GET", "/waiting?wait=60", signed=True))
            for _ in range(20):
                assert requests.get(f"{house.url}/v1/games", timeout=15).status_code == 200
                time.sleep(0.25)
            for one in asking:
                assert refused(one.result(), 503, one.result().json()["code"])["code"] in (
                    "server/storage",
                    "server/busy",
                )
            last = Visitor(house.url).ask("GET", f"/tables/{tables[0][0]}/view")
            refused(last, 503, "server/storage")
            assert last.headers["Retry-After"]
        for table, mover, move in moves:
            until(partial(_taken, mover, table, move), "it does not come round")
            assert len(mover.log(table)) == 5, "once"
        assert house.lines("Traceback") == []
        assert house.stop() == 0
    finally:
        house.close()


def test_told_to_stop_everything_ends_although_the_database_is_silent(own: str, fresh: str, tmp_path: Path) -> None:
    house = ServerProcess(
        tmp_path / "data", fresh, **MAIL, POSTE_MAIL=f"maildir://{tmp_path / 'out'}", POSTE_URL="http://games.test"
    )
    port = free_port()
    listening = {**house.environment, "POSTE_MAIL_LISTEN": f"lmtp://127.0.0.1:{port}"}
    rooms = [Room("worker", house.environment).ready(), Room("mail", listening).ready()]
    with silenced(own), ThreadPoolExecutor(32) as crowd, socket.create_connection(("127.0.0.1", port)) as letter:
        letter.sendall(b"LHLO x\r\nMAIL FROM:<a@b.org>\r\nRCPT TO:<post+" + b"a" * 32 + b"@example.org>\r\n")
        paths = ["/tables/aaaaaaaa/view", "/tables", "/players/nobody"] * 8
        asked = [crowd.submit(_perhaps, f"{house.url}/v1{path}") for path in paths]
        time.sleep(0.5)  # for them to be under way; if they are not, this proves less and fails no more
        processes = [house.process, *(room.process for room in rooms)]
        for process in processes:
            process.terminate()
        for process in processes:
            assert process.wait(SOON) == 0
        assert len([one.result() for one in asked]) == len(paths)
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()


def _taken(mover: Visitor, table: str, move: Json) -> bool:
    return mover.send(table, move).status_code == 201


def _perhaps(url: str) -> int | None:
    try:
        return requests.get(url, timeout=60).status_code
    except requests.RequestException:
        return None


@pytest.mark.parametrize("command", ["run", "worker", "check"])
def test_at_a_silent_database_the_start_is_refused_in_a_sentence(own: str, command: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        port = deaf.getsockname()[1]
        told = _tool(tmp_path, f"postgresql://poste@127.0.0.1:{port}/poste", command)
    assert (told.returncode, len(told.stderr.splitlines())) == (1, 1), told.stderr
    assert "the database does not answer" in told.stderr


def test_a_start_at_a_silent_database_can_be_stopped(own: str, fresh: str, tmp_path: Path) -> None:
    environment = {"POSTE_DATA": str(tmp_path), "POSTE_DB": fresh}
    with silenced(own):
        process = subprocess.Popen(
            [sys.executable, "-m", "server", "run", "--port", "0"],
            env={**os.environ, **environment},
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        time.sleep(1.0)  # for it to be under way; whenever it comes, it must end
        process.terminate()
        process.communicate(timeout=SOON)
    assert process.returncode != 0


def test_a_database_that_hangs_up_or_is_read_only_is_got_over(own: str, fresh: str, tmp_path: Path) -> None:
    house = Loud(tmp_path / "log", tmp_path / "data", fresh)
    name = re.findall(r"/(poste_\w+)", fresh)[0]

    def change(setting: str) -> None:
        with psycopg.connect(own, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} {setting}".encode())
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

    def asked() -> Any:
        return mover.ask("POST", "/tables", {"game": "paris-paris", "seats": 2}, signed=True)

    try:
        table, players = seated(house.url)
        mover = players[to_move(table, players)[0]]
        change("SET default_transaction_read_only = on")
        for _ in range(20):
            answer = asked()
            assert answer.json()["code"] == "server/storage", answer.text
            if "cannot be written to" in answer.json()["detail"]:
                break
        refused(answer, 503, "server/storage")
        assert "cannot be written to" in answer.json()["detail"]
        until(lambda: mover.ask("GET", f"/tables/{table}/view").status_code == 200, "it cannot be read either")
        change("RESET default_transaction_read_only")
        until(lambda: asked().status_code == 201, "it stays read-only")
        assert house.lines("Traceback") == []
        assert house.stop() == 0
    finally:
        house.close()
