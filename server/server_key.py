"""The server's signing key: 32 bytes in a file that nobody else may read.

Every table is sealed with it, so it is made once, on the first start, and never silently made anew.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from pathlib import Path

from msgspec import Struct

from engine.keys import Key, SigningKey, tagged
from server import owner_only_files
from server.settings import SettingsRefused

FILE = "server.key"


class Keys(Struct, frozen=True):
    """All that follows from the key file: what tables are sealed with, the mail gateway's key, and the secret behind
    reply addresses. Each is of no use for finding out another.
    """

    seal: SigningKey
    gateway: SigningKey
    stationery: bytes

    @classmethod
    def of(cls, seed: bytes) -> Keys:
        """The keys of these 32 secret bytes."""
        gateway, stationery = (hmac.digest(seed, tagged(use, b""), "sha256") for use in ("gateway", "stationery"))
        return cls(SigningKey(seed), SigningKey(gateway), stationery)


def load(data: Path, *, sealed_with: Key | None) -> Keys:
    """The keys of this data directory, made now unless tables were sealed (``sealed_with``) before.

    Raises SettingsRefused if it is missing, unreadable, open to others or another than the tables were sealed with.
    """
    path = data / FILE
    if not path.exists() and sealed_with is None:
        _create(path)
    held = Keys.of(_read(path))
    if sealed_with not in (None, held.seal.public):
        raise SettingsRefused(
            f"the key in {path} is not the one the tables in the database were sealed with"
            f" (that is {sealed_with}): restore the right file from your backup"
        )
    return held


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{FILE}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        # A link never replaces: of two servers that start at the same moment one wins, and both use its key.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    try:
        text = path.read_text().strip()
    except FileNotFoundError:
        raise SettingsRefused(
            f"the server's key {path} is missing, but the database has tables sealed with it:"
            " restore the file from your backup"
        ) from None
    except (OSError, UnicodeError) as error:
        raise SettingsRefused(f"the server's key {path} cannot be read: {error}") from None
    owner_only_files.refuse_open("the server's key", [path])
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise SettingsRefused(f"the server's key {path} is damaged: it should hold 64 hexadecimal digits")
    return bytes.fromhex(text)
