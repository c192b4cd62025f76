"""Nothing that a request, a letter or a damaged database says can act on the operator's terminal, or forge a line."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.server_process import ServerProcess, seated

HOSTILE = "a\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x7f\u202egnp\u2066\u200f\u2028\r\x0bz"
LOGGING = f"""
import logging, sys
from server.app import create_app
from server.cli import cli
from server.settings import from_environment
cli.callback()
hostile = {HOSTILE!r} + "\\n2026-11-18 00:00:00,000 INFO poste: all is well"
logging.getLogger("poste").warning("request %s failed", hostile)
logging.getLogger("waitress").error(hostile)
try:
    raise ValueError(hostile)
except ValueError:
    logging.getLogger("poste").exception("mail failed")
"""


def check_harmless(printed: str) -> None:
    assert [each for each in printed if not each.isprintable() and each != "\n"] == []


@pytest.mark.parametrize("start", ["cli.callback()", "create_app(from_environment({'POSTE_DATA': sys.argv[1]}))"])
def test_no_line_of_the_log_is_forged(start: str, tmp_path: Path) -> None:
    """However the server is started: by its own command, or by a WSGI server."""
    program = LOGGING.replace("cli.callback()", start)
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, check=True)
    told = done.stderr.decode()
    check_harmless(told)
    at_the_margin = [line for line in told.splitlines() if not line.startswith("  ")]
    assert [line.split(" ")[2] for line in at_the_margin] == ["WARNING", "ERROR", "ERROR"]
    assert "ValueError" in told


@pytest.fixture
def house(tmp_path: Path) -> ServerProcess:
    return ServerProcess(tmp_path, f"sqlite:///{tmp_path / 'poste.db'}")


def test_a_damaged_log_is_told_harmlessly(house: ServerProcess, tmp_path: Path) -> None:
    seated(house.url)
    assert house.stop() == 0
    with sqlite3.connect(tmp_path / "poste.db") as database:
        line = f'{{"entry":{{"move":{{"\x1b[2J{HOSTILE!r}":9007199254740993}}}},"seal":1}}'.replace("'", "")
        database.execute("UPDATE entries SET line = ? WHERE seq = 2", (line.encode(),))
        database.execute("UPDATE players SET name = ?||id", (HOSTILE,))
    done = house.tool("check")
    assert done.returncode == 4
    check_harmless(done.stdout + done.stderr)


def test_a_mail_that_was_given_up_is_told_harmlessly(house: ServerProcess, tmp_path: Path) -> None:
    seated(house.url)
    assert house.stop() == 0
    with sqlite3.connect(tmp_path / "poste.db") as database:
        database.execute(
            "INSERT INTO outbox (message_id, token, player, kind, created, due, attempts, state, error)"
            " SELECT 'm', 't', min(id), ?, ?, ?, 1, 'dead', ? FROM players",
            (HOSTILE, HOSTILE, HOSTILE, HOSTILE),
        )
    done = house.tool("outbox")
    assert done.returncode == 0
    assert "�" in done.stdout
    check_harmless(done.stdout + done.stderr)
