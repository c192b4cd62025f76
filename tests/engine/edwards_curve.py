"""Edwards25519 in plain numbers (RFC 8032, section 5.1), for signatures that no library would make."""

from __future__ import annotations

import hashlib
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, PRIME) % PRIME
NEUTRAL: Point = (0, 1)


def plus(one: Point, other: Point) -> Point:
    (x, y), (u, v) = one, other
    product = D * x * y * u * v
    return (
        (x * v + y * u) * pow(1 + product, -1, PRIME) % PRIME,
        (y * v + x * u) * pow(1 - product, -1, PRIME) % PRIME,
    )


def times(number: int, point: Point) -> Point:
    result = NEUTRAL
    while number:
        if number & 1:
            result = plus(result, point)
        point, number = plus(point, point), number >> 1
    return result


def minus(point: Point) -> Point:
    return -point[0] % PRIME, point[1]


def encoded(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def with_y(y: int, sign: int = 0) -> Point:
    """The point of this y; raises ValueError if there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if (x * x - square) % PRIME:
        raise ValueError("no such point")
    return (x, y) if x & 1 == sign or not x else minus((x, y))


BASE = with_y(4 * pow(5, -1, PRIME) % PRIME)


def challenge(first: bytes, key: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(first + key + message).digest(), "little") % ORDER


def secret_number(seed: bytes) -> int:
    """What a private key stands for."""
    digest = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return digest & (2**254 - 8) | 2**254


def signature(first: Point, second: int) -> str:
    return (encoded(first) + second.to_bytes(32, "little")).hex()


def careless_signature(seed: bytes, message: bytes) -> str:
    """What the holder of a private key can sign without a nonce: it begins with the point of order one."""
    secret = secret_number(seed)
    k = challenge(encoded(NEUTRAL), encoded(times(secret, BASE)), message)
    return signature(NEUTRAL, k * secret % ORDER)


def holds(key: str, message: bytes, signed: str, *, cofactor: bool = False) -> bool:
    """Whether the equation of RFC 8032 holds, the one with or the one without the cofactor, whatever else is wrong."""
    first, second = bytes.fromhex(signed)[:32], int.from_bytes(bytes.fromhex(signed)[32:], "little")
    k = challenge(first, bytes.fromhex(key), message)
    difference = plus(times(second, BASE), minus(times(k, decoded(bytes.fromhex(key)))))
    if cofactor:
        return times(8, difference) == times(8, decoded(first))
    return encoded(difference) == first


def decoded(point: bytes) -> Point:
    number = int.from_bytes(point, "little")
    return with_y(number % 2**255 % PRIME, number >> 255)
