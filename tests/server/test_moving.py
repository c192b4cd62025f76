"""docs/operating.md, Move to PostgreSQL: the recipe as it is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.server.conftest import Databases
from tests.server.server_process import ServerProcess, play_out, seated, to_move

DOCUMENT = Path(__file__).parents[2] / "docs" / "operating.md"


def test_a_server_moves_to_postgresql_with_everything_it_has(databases: Databases, tmp_path: Path) -> None:
    (recipe,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    (tmp_path / "to_postgresql.py").write_text(recipe)
    old, new = (databases(backend, tmp_path) for backend in ("sqlite", "postgresql"))
    house = ServerProcess(tmp_path, old)
    finished, players = seated(house.url)
    play_out(finished, players)
    going, others = seated(house.url)
    others[to_move(going, others)[0]].move(going)
    before = [players[0].get(f"/tables/{table}") for table in (finished, going)]
    assert house.stop() == 0
    copied = subprocess.run(
        [sys.executable, tmp_path / "to_postgresql.py", old, new], capture_output=True, text=True, check=False
    )
    assert (copied.returncode, copied.stderr) == (0, "")
    house.environment["POSTE_DB"] = new
    found = house.tool("check")
    assert (found.returncode, found.stdout) == (0, "")
    house.start()
    try:
        for player in (*players, *others):
            player.url = house.url
        assert [players[0].get(f"/tables/{table}") for table in (finished, going)] == before
        play_out(going, others)
        seated(house.url)
    finally:
        house.stop()
