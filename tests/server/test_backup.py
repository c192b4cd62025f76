"""The backup that the operator's document tells how to make, made as it says while players keep the server busy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from server import server_key
from tests.server.server_process import ServerProcess, Visitor, seated, to_move

DOCUMENT = (Path(__file__).parents[2] / "docs" / "operating.md").read_text()
COMMANDS = re.findall(r"^    (\(umask 077; .*VACUUM INTO.*\))$", DOCUMENT, re.MULTILINE)


class Crowd:
    """Players who look and play without a pause."""

    def __init__(self, house: ServerProcess, tables: int) -> None:
        self.over = Event()
        self.reads = self.moves = 0
        self.troubles: list[BaseException] = []
        self.tables = dict(seated(house.url) for _ in range(tables))
        self.threads = [Thread(target=self.keep_at, args=one) for one in self.tables.items()]

    def __enter__(self) -> Crowd:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()

    def keep_at(self, table: str, players: list[Visitor]) -> None:
        try:
            for turn in range(10**6):
                if self.over.is_set():
                    return
                for player in players:
                    player.get(f"/tables/{table}/view", signed=True)
                    self.reads += 1
                waiting = to_move(table, players)
                if waiting:
                    players[waiting[0]].move(table, turn * 7)
                    self.moves += 1
        except BaseException as error:
            self.troubles.append(error)
            raise


def test_the_document_has_a_backup_with_the_tool_and_one_without() -> None:
    assert [command.split()[2] for command in COMMANDS] == ["sqlite3", "python3"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[2])
def test_a_backup_of_a_busy_server_comes_to_an_end_and_is_whole(command: str, tmp_path: Path) -> None:
    if command.split()[2] == "sqlite3" and shutil.which("sqlite3") is None:
        pytest.skip("the sqlite3 tool is not installed")
    house, safe = ServerProcess(tmp_path / "data", "", POSTE_RATE="0"), tmp_path / "safe"
    safe.mkdir()
    here = command.replace("~/.local/share/poste-server", str(house.data)).replace("/somewhere/safe", str(safe))
    with Crowd(house, 4) as crowd:
        while crowd.moves < 8:
            assert not crowd.troubles
        before = crowd.reads
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        subprocess.run(["bash", "-c", here], check=True, timeout=120, env=environment)
        while crowd.reads < before + 8:
            assert not crowd.troubles
    assert not crowd.troubles
    copy = safe / "poste.db"
    assert copy.stat().st_mode & 0o777 == 0o600
    shutil.copy(house.data / server_key.FILE, safe / server_key.FILE)
    restored = ServerProcess(safe, "")
    for table in crowd.tables:
        kept, all_of_it = Visitor(restored.url).log(table), Visitor(house.url).log(table)
        assert len(kept) > 3
        assert all_of_it[: len(kept)] == kept
    assert restored.stop() == 0
    checked = restored.tool("check")
    assert (checked.returncode, checked.stdout) == (0, "")
    assert "4 tables" in checked.stderr
    assert house.stop() == 0
