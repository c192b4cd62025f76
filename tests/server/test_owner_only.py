"""Everything a server writes is for its owner alone, wherever it is put; what is open to others stops the start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.app import create_app
from server.settings import Settings
from tests.server.server_process import ServerProcess, seated

COMMANDS = (["run", "--port", "0"], ["worker"], ["check"], ["outbox"], ["export", "abcd"], ["migrate"])


@pytest.fixture
def wide() -> Iterator[None]:
    """The umask that most systems have."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def folder(wide: None, tmp_path: Path) -> Path:
    """One that was there before the server, and that everybody may look into."""
    made = tmp_path / "data"
    made.mkdir(mode=0o755)
    return made


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def test_the_files_of_a_database_are_their_owners_in_any_folder(folder: Path) -> None:
    house = ServerProcess(folder, "")
    table, players = seated(house.url)
    players[0].get(f"/tables/{table}/view", signed=True)
    files = {f"poste.db{more}" for more in ("", "-wal", "-shm", "-nonces", "-nonces-wal", "-nonces-shm")}
    assert modes(folder) == dict.fromkeys({*files, "server.key"}, 0o600)
    assert house.tool("export", table, "-o", str(folder / "game.poste")).returncode == 0
    assert modes(folder)["game.poste"] == 0o600
    assert house.stop() == 0


def test_they_are_under_another_server_of_the_application_as_well(folder: Path) -> None:
    app = create_app(Settings(data=folder))
    context = app.extensions["office"]
    with context.storage.noting(), context.storage.writing():
        assert set(modes(folder).values()) == {0o600}
        assert "poste.db-nonces-wal" in modes(folder)
    context.close()


def test_a_database_that_is_open_to_others_is_refused_by_every_command(folder: Path) -> None:
    house = ServerProcess(folder, "")
    table, players = seated(house.url)
    players[0].get(f"/tables/{table}/view", signed=True)
    house.kill()
    wide = [("poste.db", 0o644, command) for command in COMMANDS]
    wide += [("poste.db", mode, ["check"]) for mode in (0o640, 0o602)]
    wide += [(name, 0o644, ["check"]) for name in ("poste.db-wal", "poste.db-nonces", "poste.db-nonces-wal")]
    for name, mode, command in wide:
        path = folder / name
        path.chmod(mode)
        told = house.tool(*command)
        assert told.returncode == 1
        assert told.stderr == f"poste-server: the database {path} is open to others: run `chmod 600 {path}`\n"
        path.chmod(0o600)
    assert house.tool("check").returncode == 0
