"""Files that nobody but their owner may read: the database holds every secret, as the key does."""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from server.settings import SettingsRefused

UMASK = 0o077
"""Under which every command of the server makes its files."""


def make(path: Path) -> None:
    """Make an empty file for its owner alone, unless there is one.

    It is never open here under its own name: closing it would take away the locks that SQLite holds on it.
    """
    if path.exists():
        return
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()


def refuse_open(what: str, paths: Iterable[Path]) -> None:
    """Raise SettingsRefused if one of these files may be read or written by others; those that are missing may not."""
    wide = [str(path) for path in paths if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    if wide:
        are = "is" if len(wide) == 1 else "are"
        run = shlex.join(["chmod", "600", *wide])
        raise SettingsRefused(f"{what} {' and '.join(wide)} {are} open to others: run `{run}`")
