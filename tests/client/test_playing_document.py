"""docs/playing.md is lived through, line by line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from engine.record.audit import audit
from tests.client.players_and_proxy import Person
from tests.server.server_process import ServerProcess

DOCUMENT = Path(__file__).parents[2] / "docs" / "playing.md"


def commands() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert all(line.startswith("$ ") for line in lines)
    return [line[2:] for line in lines]


def test_every_command_of_the_first_evening_works(tmp_path: Path, server: ServerProcess) -> None:
    """The names are made unlike any others', and ``$MOVE`` is whatever can be played at that moment."""
    house = Person(tmp_path / "home", "alice")
    work = tmp_path / "work"
    work.mkdir()
    known = {"SERVER": server.url}
    told = ""
    for line in commands():
        asked = re.search(r"--as (\w+)", line)
        who = ["--as", asked[1]] if asked else []
        if "$TABLE" in line:
            known["TABLE"] = house.does("whoami", "--json").json["table"]
        if "$WHO" in line:
            turn = house.does("show", "--json").json["your_turn"]
            known["WHO"] = "alice" if turn else "bob"
            who = ["--as", known["WHO"]]
        if "$MOVE" in line:
            known["MOVE"] = house.does("moves", *who).out.splitlines()[0]
        done = subprocess.run(
            ["bash", "-c", line],
            env=house.environment(known),
            cwd=work,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, (line, done.stderr)
        assert "Traceback" not in done.stderr
        told += done.stdout + done.stderr
    assert "BEGIN POSTE MOVE" in told
    assert audit((work / "evening.poste").read_bytes()).valid
