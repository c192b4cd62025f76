"""Files that survive a power cut: whole or not at all, and never readable by others."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, for its owner alone."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file: whoever reads it, even after a crash, finds the old contents or the new, never a mixture."""
    make_folder(path.parent)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(PRIVATE_FILE)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def read_lines(path: Path) -> list[bytes]:
    """The complete lines of a file; what a crash left without a line end was never finished and is not there."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    return data.split(b"\n")[:-1]


def append_lines(path: Path, lines: list[bytes]) -> None:
    """Add lines to the end of a file and see them to the disk; a torn line from an earlier crash is cut off first."""
    make_folder(path.parent)
    new = not path.exists()
    handle = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    with os.fdopen(handle, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        if end and _last_byte(file) != b"\n":
            file.seek(0)
            end = file.read().rfind(b"\n") + 1
            file.truncate(end)
        file.seek(end)
        file.write(b"".join(line + b"\n" for line in lines))
        file.flush()
        os.fsync(file.fileno())
    if new:
        _sync_folder(path.parent)


def _last_byte(file: BinaryIO) -> bytes:
    file.seek(-1, os.SEEK_END)
    return file.read(1)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that other processes of this user respect, for as long as the block runs."""
    make_folder(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

    def _sync_folder(path: Path) -> None:
        """Windows has no such thing."""

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _sync_folder(path: Path) -> None:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
