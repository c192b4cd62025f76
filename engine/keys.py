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
_PRIME = 2**255 - 19
_EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL_ORDER = frozenset({0, 1, _EIGHTH, _PRIME - _EIGHTH, _PRIME - 1})
"""The y of all points of small order: of order four, one, eight, eight and two."""


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


def _is_sound(point: bytes) -> bool:
    """Whether these bytes are the one encoding of a point, and it is not of small order.

    As a key, a point of small order "signs" whatever anybody likes; as the first half of a signature, it holds for some
    verifiers and not for others, and so do other encodings of good points.
    """
    y = int.from_bytes(point, "little") & (2**255 - 1)  # without the sign of x
    return y < _PRIME and y not in _SMALL_ORDER


@lru_cache(maxsize=1024)
def _public(key: Key) -> Ed25519PublicKey:
    raw = bytes.fromhex(key)
    if not _is_sound(raw):
        raise ValueError("this point is nobody's key")
    return Ed25519PublicKey.from_public_bytes(raw)


def verify(key: Key, message: bytes, signature: Signature) -> bool:
    """Whether this key signed this tagged message: the equation without the cofactor, and no point of small order.

    That is what the Web Cryptography API asks for, and what docs/record-format.md asks of every auditor.
    """
    try:
        raw = bytes.fromhex(signature)
        _public(key).verify(raw, message)
    except (InvalidSignature, ValueError):
        return False
    return _is_sound(raw[:32])
