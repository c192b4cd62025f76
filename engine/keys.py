r"""Ed25519 identities. Everything signed begins with a tag that says what it is, so no signature serves twice.

A key, a signature and a digest are written as lower-case hexadecimal digits: the one spelling that has no variants.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Annotated, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Meta

Key: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Signature: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{128}\Z")]
Hash: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]

_TAGS = "poste-restante/{}/v1\n"
_SMALL_ORDER = frozenset(
    {
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    }
)
"""The points of small order, without their sign bit: as a key each of them "signs" whatever anybody likes."""


def tagged(purpose: str, message: bytes) -> bytes:
    r"""The message behind the tag of its purpose.

    >>> tagged("seal", b"...")
    b'poste-restante/seal/v1\n...'
    """
    return _TAGS.format(purpose).encode() + message


def sha256(data: bytes) -> Hash:
    """The SHA-256 digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class SigningKey:
    """The private half of an identity.

    >>> pen = SigningKey(bytes(32))
    >>> verify(pen.public, b"tag message", pen.sign(b"tag message"))
    True
    """

    def __init__(self, seed: bytes) -> None:
        """The key of these 32 secret bytes; the caller draws them, the engine has no chance but the seeded one."""
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: Key = self._private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> Signature:
        """Sign a tagged message."""
        return self._private.sign(message).hex()


@lru_cache(maxsize=1024)
def _public(key: Key) -> Ed25519PublicKey:
    raw = bytes.fromhex(key)
    public = Ed25519PublicKey.from_public_bytes(raw)
    if bytes((*raw[:-1], raw[-1] & 0x7F)).hex() in _SMALL_ORDER:
        raise ValueError("a point of small order is nobody's key")
    return public


def verify(key: Key, message: bytes, signature: Signature) -> bool:
    """Whether this key signed this tagged message."""
    try:
        _public(key).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True
