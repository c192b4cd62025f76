"""Records as long as one likes, of lines that take up far more once they are read, and what a reader of them needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from engine import games
from engine.record.chain import Chain, follow
from engine.record.entry import Close, Json, Play, move_message, seal
from tests.engine.signed_games import Evening

MIB = 2**20
MEASURED = """
import runpy, sys
sys.argv = ["poste", *sys.argv[1:]]
try:
    runpy.run_module("client", run_name="__main__")
finally:
    with open("/proc/self/status") as status:
        (peak,) = (line for line in status if line.startswith("VmHWM"))
    print("PEAK", peak.split()[1], file=sys.stderr)
"""
"""Runs ``poste`` and tells the most memory it ever took, in KiB: of the process itself, not of whoever started it."""


def heavy(size: int, *, signed: bool = True) -> bytes:
    """A closed record of about this size. Its chain is right, its moves are lists of empty lists, and the first is
    already no move of the game; unless ``signed``, each of them is a fault.
    """
    evening = Evening("heavy", games.load("paris-paris"), 2)
    move: Json = {"a": [[]] * 5000}
    record, chain = [sealed.line for sealed in evening.record], evening.table.chain
    base = chain.head
    pen = evening.keys[0] if signed else evening.server
    signature = pen.sign(move_message(evening.id, base, 0, move))
    members: dict[str, Any] = {"table": evening.id, "at": evening.now, "state": "00" * 32}
    while len(record) * 15_500 < size:
        play = Play(**members, seq=chain.length, prev=chain.head, seat=0, base=base, move=move, signature=signature)
        chain = _added(record, chain, play, evening)
    _added(record, chain, Close(**members, seq=chain.length, prev=chain.head, secret=evening.secret.hex()), evening)
    return b"".join(line + b"\n" for line in record)


def _added(record: list[bytes], chain: Chain, entry: Play | Close, evening: Evening) -> Chain:
    sealed = seal(entry, evening.server)
    record.append(sealed.line)
    return follow(chain, sealed)


def poste(verb: str, *records: Path) -> tuple[int, str, int]:
    """Run this command on records: how it ended, what it said, and its peak in bytes."""
    command = [sys.executable, "-c", MEASURED, verb, *map(str, records)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    *said, peak = done.stderr.splitlines()
    assert peak.startswith("PEAK "), done.stderr
    return done.returncode, done.stdout + "\n".join(said), int(peak.split()[1]) * 1024
