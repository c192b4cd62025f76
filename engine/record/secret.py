"""What follows from a table's secret: the commitment to it, the seed of all chance, and the key of the state digests.

The seed depends on the secret, which the server fixed before anyone sat down, and on the entropy of every player; on
nothing that the server may still choose after it has seen them (docs/adr/0003-the-seed.md).
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from engine.game import Value, encode_state
from engine.keys import Hash, sha256, tagged

SECRET_BYTES = 32


def commitment(secret: bytes) -> Hash:
    """What the server publishes of its secret when it opens a table."""
    return sha256(tagged("commitment", secret))


def seed(secret: bytes, opened: Hash, entropy: Sequence[str]) -> bytes:
    """The seed of a table: its secret over the hash of its opening and the players' entropy in seat order."""
    material = bytes.fromhex(opened) + b"".join(map(bytes.fromhex, entropy))
    return hmac.digest(secret, tagged("seed", material), "sha256")


def digest_key(secret: bytes) -> bytes:
    """The key under which states are digested: nobody can test a guess about a state before the secret is out."""
    return hmac.digest(secret, tagged("state", b""), "sha256")


def state_digest(key: bytes, seq: int, state: Value) -> Hash:
    """The digest of the state after entry ``seq``; the number keeps equal states from looking equal."""
    return hmac.digest(key, seq.to_bytes(8, "big") + encode_state(state), "sha256").hex()
