"""How long ``poste`` takes, wall clock and start-up included, on loopback: ``python -m benchmarks.bench_client``."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from client.connection.local_server import running
from client.demonstration import player
from client.table.bot_player import play_once
from client.table.turn import sit
from client.table.verified_view import look
from engine.bots import POLICIES
from engine.chance import Chance

ROUNDS = 9
ROUNDS_PLAYED = 15


def seconds(home: Path, *arguments: str) -> float:
    """The median time of a command."""
    spent = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "client", *arguments],
            env=os.environ | {"POSTE_HOME": str(home)},
            check=True,
            capture_output=True,
        )
        spent.append(time.perf_counter() - began)
    return statistics.median(spent)


def line(what: str, figure: float, bar: float) -> None:
    """One figure and the bar it has to stay under."""
    print(f"  {what:<46}{figure:8.3f} s   (< {bar} s)")


def report() -> None:
    """Play some moves of a game on a server of its own, and look at it."""
    with tempfile.TemporaryDirectory() as name, running(Path(name)) as server:
        folder = Path(name)
        desks = [player(folder, server, who) for who in ("ann", "bob")]
        table = desks[0].api().open_table({"game": "paris-paris", "seats": 2}).table
        for desk in desks:
            sit(desk, desk.memory(table), None)
        mind = Chance(bytes(32))
        for _ in range(ROUNDS_PLAYED):
            for desk in desks:
                seen = look(desk, desk.memory(table))
                if seen.mine is not None:
                    play_once(desk, seen, POLICIES["random"], mind)
        print(f"the client, paris-paris after {desks[0].memory(table).chain.length} entries")
        line("poste --help", seconds(folder / "ann", "--help"), 0.2)
        line("poste show", seconds(folder / "ann", "show", table), 0.5)
        line("poste show --json", seconds(folder / "ann", "show", table, "--json"), 0.5)
        line("poste tables", seconds(folder / "ann", "tables"), 0.5)
