"""What is wrong with a record: where, a stable code, and plain words."""

from __future__ import annotations

from msgspec import Struct

from engine.errors import EngineError, RecordRejected

LONGEST_MESSAGE = 400


def shown(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """Text that may quote a hostile file, fit to be printed: short, and without control or direction characters."""
    return "".join(character if character.isprintable() else "�" for character in text[:longest])


class Fault(Struct, frozen=True):
    """One thing wrong; ``entry`` is its number in the file, or None where the fault is the file's."""

    entry: int | None
    code: str
    message: str

    @classmethod
    def of(cls, error: EngineError, entry: int | None) -> Fault:
        """The fault that an error found in this entry."""
        return cls(entry, error.code, shown(str(error)))

    def raised(self) -> RecordRejected:
        """The same as an error."""
        return RecordRejected(self.code, self.message, self.entry)
