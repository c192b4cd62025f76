"""Record files as the commands read them."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.errors import RecordRejected
from engine.record.audit import LARGEST_RECORD, each_entry, secret_in
from engine.record.replay import Replay, replay


def read_bytes(path: str) -> bytes:
    """The file's bytes (``-`` is stdin), never more than a record may have: an endless file is cut, not swallowed."""
    if path == "-":
        return sys.stdin.buffer.read(LARGEST_RECORD + 1)
    with Path(path).open("rb") as file:
        return file.read(LARGEST_RECORD + 1)


def replayed(data: bytes) -> Replay:
    """A finished record replayed; raises RecordRejected if it is unfinished or not even its deal can be replayed."""
    secret = secret_in(data)
    if secret is None:
        raise RecordRejected("record/unfinished", "the record does not end with “close”: it cannot be replayed yet")
    result = replay(each_entry(data), secret)
    if not result.positions:
        fault = result.stopped
        raise fault.raised() if fault else RecordRejected("record/undealt", "the game of this record was never dealt")
    return result
