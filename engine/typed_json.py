"""JSON and plain values read as values of a type: the one place where ``msgspec`` is let at a type.

It makes a type ready when that is first read, and leaves it half made in the sight of other threads meanwhile: whoever
reads with it then takes the whole process down (a segmentation fault). So every type is made ready here, under a lock.
"""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")

_READY: dict[Any, msgspec.json.Decoder[Any]] = {}
_MAKING = RLock()


@overload
def decoder(kind: type[T]) -> msgspec.json.Decoder[T]: ...
@overload
def decoder(kind: Any) -> msgspec.json.Decoder[Any]: ...
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """What reads JSON as this type; the same one for everybody, whole before anybody has it."""
    ready = _READY.get(kind)
    if ready is None:
        with _MAKING:
            ready = _READY.setdefault(kind, msgspec.json.Decoder(kind))
    return ready


@overload
def decode(data: bytes | str, kind: type[T]) -> T: ...
@overload
def decode(data: bytes | str, kind: Any = ...) -> Any: ...
def decode(data: bytes | str, kind: Any = Any) -> Any:
    """JSON as a value of this type (by default as plain values); raises msgspec.DecodeError.

    >>> decode(b"[1, 2]", tuple[int, ...])
    (1, 2)
    """
    return decoder(kind).decode(data)


@overload
def convert(value: Any, kind: type[T], *, strict: bool = ...) -> T: ...
@overload
def convert(value: Any, kind: Any, *, strict: bool = ...) -> Any: ...
def convert(value: Any, kind: Any, *, strict: bool = True) -> Any:
    """Plain values as a value of this type; raises msgspec.ValidationError."""
    decoder(kind)
    return msgspec.convert(value, kind, strict=strict)
