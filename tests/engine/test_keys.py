"""Ed25519 identities: a published vector, tags, and keys that are nobody's."""

from __future__ import annotations

from contextlib import suppress

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from engine.keys import SigningKey, sha256, tagged, verify
from tests.engine import edwards_curve
from tests.engine.edwards_curve import (
    BASE,
    NEUTRAL,
    ORDER,
    Point,
    careless_signature,
    challenge,
    encoded,
    holds,
    plus,
    times,
    with_y,
)

PEN = SigningKey(bytes(range(32)))
EIGHTH = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
WEAK = [
    "00" * 32,
    "01" + "00" * 31,
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ec" + "ff" * 30 + "7f",
    "ed" + "ff" * 30 + "7f",
    "ee" + "ff" * 30 + "7f",
]


def test_rfc8032_vector_2() -> None:
    pen = SigningKey(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
    assert pen.public == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert pen.sign(b"\x72") == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )


def test_sha256_of_nothing() -> None:
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_signature_holds_for_its_key_and_message_only() -> None:
    signature = PEN.sign(b"message")
    assert verify(PEN.public, b"message", signature)
    assert not verify(PEN.public, b"Message", signature)
    assert not verify(SigningKey(bytes(32)).public, b"message", signature)


def test_a_signature_for_one_purpose_serves_no_other() -> None:
    signature = PEN.sign(tagged("move", b"..."))
    assert not verify(PEN.public, tagged("resign", b"..."), signature)
    assert not verify(PEN.public, b"...", signature)


@given(bit=st.integers(0, 511))
def test_no_bit_of_a_signature_may_change(bit: int) -> None:
    raw = bytearray.fromhex(PEN.sign(b"message"))
    raw[bit // 8] ^= 1 << bit % 8
    assert not verify(PEN.public, b"message", raw.hex())


def test_a_signature_has_one_form() -> None:
    """Its second half, as much larger as the group has elements, would satisfy the same equation."""
    signature = bytes.fromhex(PEN.sign(b"message"))
    other = int.from_bytes(signature[32:], "little") + ORDER
    assert not verify(PEN.public, b"message", (signature[:32] + other.to_bytes(32, "little")).hex())


def small_points() -> list[Point]:
    """All points of small order: the multiples of one of order eight."""
    eighth = with_y(EIGHTH)
    return [times(number, eighth) for number in range(8)]


def test_there_are_eight_points_of_small_order() -> None:
    assert {point[1].to_bytes(32, "little").hex() for point in small_points()} <= set(WEAK)
    assert len(set(small_points())) == 8
    assert plus(small_points()[7], small_points()[1]) == NEUTRAL


@pytest.mark.parametrize("sign_bit", [0, 0x80])
@pytest.mark.parametrize("key", WEAK)
def test_a_point_of_small_order_is_nobodys_key(key: str, sign_bit: int) -> None:
    """With such a key anybody can sign a good part of all messages, so it would prove nothing."""
    raw = bytearray.fromhex(key)
    raw[31] |= sign_bit
    library, taken = Ed25519PublicKey.from_public_bytes(bytes(raw)), 0
    for number in range(32):
        message = bytes([number])
        for part in small_points():
            first = encoded(plus(times(5, BASE), part))
            signature = first + (5).to_bytes(32, "little")
            with suppress(InvalidSignature):
                library.verify(signature, message)
                taken += 1
            assert not verify(raw.hex(), message, signature.hex())
    assert taken, "with the library alone anybody could sign"


def signed_from_nothing(secret: int, torsion: Point, message: bytes) -> tuple[str, str, Point]:
    """A key, with a point of small order added to it, and a signature whose first half is of small order.

    The message is lengthened until the equation without the cofactor holds, as it does for one in eight.
    """
    key = plus(times(secret, BASE), torsion)
    written = encoded(key)
    for number in range(256):
        for point in small_points():
            first, said = encoded(point), message + bytes([number])
            second = challenge(first, written, said) * secret % ORDER
            signed = edwards_curve.signature(point, second)
            if (point != NEUTRAL) == (torsion != NEUTRAL) and holds(written.hex(), said, signed):
                return written.hex(), signed + said.hex(), point
    raise AssertionError("no such message")


@pytest.mark.parametrize("torsion", range(8))
def test_a_signature_whose_first_half_is_of_small_order_is_none(torsion: int) -> None:
    """Its maker needs no luck but the key, and some libraries take it and some do not."""
    key, made, point = signed_from_nothing(7**80 % ORDER, small_points()[torsion], b"message")
    signature, message = made[:128], bytes.fromhex(made[128:])
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), message)
    assert point in small_points()
    assert not verify(key, message, signature)


def test_the_holder_of_a_good_key_can_make_such_a_signature() -> None:
    seed = bytes(range(32))
    signature = careless_signature(seed, b"message")
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(PEN.public)).verify(bytes.fromhex(signature), b"message")
    assert not verify(PEN.public, b"message", signature)


def test_the_equation_is_the_one_without_the_cofactor() -> None:
    """With a key that has a part of small order the two equations differ, and everybody must use the same one."""
    secret, torsion, nonce = 7**80 % ORDER, small_points()[1], 11**60 % ORDER
    key = plus(times(secret, BASE), torsion)
    written, first = encoded(key), encoded(times(nonce, BASE))
    taken = []
    for number in range(64):
        message = bytes([number])
        k = challenge(first, written, message)
        signature = first + ((nonce + k * secret) % ORDER).to_bytes(32, "little")
        taken.append(verify(written.hex(), message, signature.hex()))
        assert taken[-1] == (k % 8 == 0)
    assert 0 < sum(taken) < 32


@pytest.mark.parametrize("key", ["", "00", "zz" * 32, "ab" * 31, "ab" * 33])
def test_what_is_not_a_key_verifies_nothing(key: str) -> None:
    assert not verify(key, b"message", PEN.sign(b"message"))


@pytest.mark.parametrize("signature", ["", "00", "zz" * 64, "ab" * 63, "ab" * 65])
def test_what_is_not_a_signature_verifies_nothing(signature: str) -> None:
    assert not verify(PEN.public, b"message", signature)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_signing_key_is_made_of_32_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="32"):
        SigningKey(bytes(size))
