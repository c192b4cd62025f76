"""Ed25519 identities: a published vector, tags, and keys that are nobody's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.keys import SigningKey, sha256, tagged, verify

PEN = SigningKey(bytes(range(32)))
ORDER = 2**252 + 27742317777372353535851937790883648493
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


@pytest.mark.parametrize("sign_bit", [0, 0x80])
@pytest.mark.parametrize("key", WEAK)
def test_a_point_of_small_order_is_nobodys_key(key: str, sign_bit: int) -> None:
    """With such a key one signature would do for a good part of all messages, so it would prove nothing."""
    raw = bytearray.fromhex(key)
    raw[31] |= sign_bit
    signatures = [point + "00" * 32 for point in WEAK]
    assert not any(verify(raw.hex(), bytes([n]), signature) for n in range(16) for signature in signatures)


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
