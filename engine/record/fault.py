"""What is wrong with a record: where, a stable code, and plain words."""

from __future__ import annotations

from msgspec import Struct

from engine.errors import EngineError, RecordRejected


class Fault(Struct, frozen=True):
    """One thing wrong; ``entry`` is its number in the file, or None where the fault is the file's."""

    entry: int | None
    code: str
    message: str

    @classmethod
    def of(cls, error: EngineError, entry: int | None) -> Fault:
        """The fault that an error found in this entry."""
        return cls(entry, error.code, str(error))

    def raised(self) -> RecordRejected:
        """The same as an error."""
        return RecordRejected(self.code, self.message, self.entry)
