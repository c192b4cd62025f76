"""What was said, kept: enough for anybody to see what a server did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from client.trust.durable_files import write_whole
from client.trust.log_verification import Trust, Unverified
from client.trust.table_memory import Memory
from engine.harmless_text import escaped
from engine.record.entry import timestamp


def save(folder: Path, found: Unverified, memory: Memory, received: Sequence[bytes], trust: Trust) -> Path:
    """Write both stories into one file, and say in the finding where it is."""
    now = datetime.now(UTC)
    path = folder / f"{memory.table[:8]}-{now:%Y%m%d-%H%M%S-%f}.json"
    told = {
        "format": "poste-evidence/1",
        "found": {"code": found.code, "entry": found.entry, "message": found.message},
        "at": timestamp(now),
        "table": memory.table,
        "server": memory.server,
        "server_key": trust.server,
        "last_seen": trust.since,
        "player_key": trust.me,
        "remembered": [sealed.line.decode() for sealed in memory.log],
        "received": [line.decode(errors="replace") for line in received],
        "own": [msgspec.to_builtins(each) for each in trust.own],
    }
    write_whole(path, escaped(msgspec.json.format(msgspec.json.encode(told), indent=2).decode()).encode() + b"\n")
    found.evidence = path
    return path
