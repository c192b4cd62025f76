"""Canonical JSON: RFC 8785 (JCS) for the values an entry may hold.

Entries hold strings, whole numbers below 2^53, booleans, null, lists, and objects whose member names are ASCII. For
those JCS is compact JSON with sorted members, which ``msgspec`` writes twenty times faster than a general JCS library;
a property test holds the two against each other.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.errors import RecordRejected

LARGEST_NUMBER = 2**53 - 1
DEEPEST = 32
"""How deeply lists and objects may be nested; a limit of our own, so that it is the same on every machine."""
_ENCODER = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """The canonical bytes of a value; the value must be :func:`plain`."""
    return _ENCODER.encode(value)


def plain(value: Any, where: str = "$", depth: int = 0) -> None:
    """Raise RecordRejected unless the value is of the kinds an entry may hold."""
    if depth > DEEPEST:
        raise RecordRejected("entry/malformed", f"{where[:40]}... is nested more than {DEEPEST} deep")
    match value:
        case None | bool() | str():
            pass
        case int():
            if abs(value) > LARGEST_NUMBER:
                raise RecordRejected("entry/malformed", f"{where} is a number beyond 2^53")
        case list() | tuple():
            for index, item in enumerate(value):
                plain(item, f"{where}[{index}]", depth + 1)
        case dict():
            for name, item in value.items():
                if not (isinstance(name, str) and name.isascii()):
                    raise RecordRejected("entry/malformed", f"{where} has a member whose name is not ASCII")
                plain(item, f"{where}.{name}", depth + 1)
        case _:
            raise RecordRejected("entry/malformed", f"{where} is a {type(value).__name__}, which no entry may hold")
