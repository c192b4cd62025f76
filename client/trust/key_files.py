"""Key files: OpenSSH private keys, so that a player may use the Ed25519 key they already have."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from client.output import CommandRefused, ask, say
from client.trust.durable_files import write_whole
from engine.keys import SigningKey

PASSPHRASE = "POSTE_PASSPHRASE"  # noqa: S105 - the name of a variable, not a passphrase
"""The environment variable that answers the question for the passphrase, for scripts."""


def create(path: Path, passphrase: str) -> SigningKey:
    """Make a new key and write it, encrypted unless the passphrase is empty."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        KeySerializationEncryption,
        NoEncryption,
        PrivateFormat,
    )

    if path.exists():
        raise CommandRefused(f"There is a key in {path} already; it is not overwritten.")
    private = Ed25519PrivateKey.generate()
    encryption: KeySerializationEncryption = NoEncryption()
    if passphrase:
        encryption = BestAvailableEncryption(passphrase.encode())
    write_whole(path, private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, encryption))
    return SigningKey(private.private_bytes_raw())


def new_passphrase() -> str:
    """The passphrase that a new key is to have; none where nobody can be asked."""
    if (given := os.environ.get(PASSPHRASE)) is not None:
        return given
    if not sys.stdin.isatty():
        return ""
    while True:
        answer = ask("A passphrase for your key (empty for none)", secret=True)
        if not answer or ask("The same again", secret=True) == answer:
            return answer
        say("These were two different ones.")


def load(path: Path) -> SigningKey:
    """Read a key, asking for its passphrase where it has one; refuses a file that others may read."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    data = _read(path)
    try:
        private = load_ssh_private_key(data, None)
    except TypeError:  # cryptography's way of saying that it is encrypted
        try:
            private = load_ssh_private_key(data, _passphrase(path).encode())
        except ValueError:
            raise CommandRefused(f"That is not the passphrase of {path}.") from None
    except (ValueError, UnsupportedAlgorithm):
        raise CommandRefused(f"{path} is not an OpenSSH private key.") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise CommandRefused(f"{path} is not an Ed25519 key; make one with: ssh-keygen -t ed25519")
    return SigningKey(private.private_bytes_raw())


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CommandRefused(
            f"The key file {path} is gone. Without it nobody can play as you; look for a backup."
        ) from None
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise CommandRefused(f"Others may read the key file {path}. Close it first: chmod 600 {path}")
    return data


def _passphrase(path: Path) -> str:
    if (given := os.environ.get(PASSPHRASE)) is not None:
        return given
    if not sys.stdin.isatty():
        raise CommandRefused(f"{path} has a passphrase, and there is no terminal to ask for it; set {PASSPHRASE}.")
    return ask(f"Passphrase of {path}", secret=True)
