"""The mailbag: what several requests want to write at the same moment goes to disk in one transaction.

A commit waits for the disk. Whoever comes while one is under way puts their letter into the bag, and the first of them
to get the next turn commits for all. Nobody is answered before their own letter is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

from sqlalchemy import Connection

from server.storage.database import Storage
from server.storage.database_trouble import DatabaseBusy, DatabaseTrouble, DatabaseUnreachable

_TICK = 0.5
"""Seconds between two looks of who waits for their turn whether it will ever come."""

T = TypeVar("T")


class _Envelope(Generic[T]):
    """A letter, and what became of it."""

    def __init__(self, to: int, letter: T) -> None:
        self.to = to
        self.letter = letter
        self.written = False
        self.failure: Exception | None = None
        self.done = False


class _Overtaken(Exception):
    """Not every letter could be written."""


class GroupCommit(Generic[T]):
    """Collects letters to the tables of one database.

    ``write`` writes letters to different tables all together, or says False if one of them is out of date.
    """

    def __init__(self, storage: Storage, write: Callable[[Connection, Sequence[T]], bool]) -> None:
        self._storage = storage
        self._write = write
        self._turn = Lock()
        self._lock = Lock()
        self._bag: list[_Envelope[T]] = []

    def send(self, to: int, letter: T) -> bool:
        """Whether the letter was written; False if it is out of date. Raises what writing it raised."""
        envelope = _Envelope(to, letter)
        with self._lock:
            self._bag.append(envelope)
        self._wait_for_turn(envelope)
        try:
            if not envelope.done:
                with self._lock:
                    bag, self._bag = self._bag, []
                self._empty(bag)
        finally:
            self._turn.release()
        if envelope.failure is not None:
            raise envelope.failure
        return envelope.written

    def _wait_for_turn(self, envelope: _Envelope[T]) -> None:
        """Raises DatabaseUnreachable if whoever has the turn now waits for an answer that does not come.

        The letter may be in their hands, and be written after all: nobody is told that it was not.
        """
        while not self._turn.acquire(timeout=_TICK):
            if self._storage.silent:
                with self._lock:
                    self._bag = [other for other in self._bag if other is not envelope]
                raise DatabaseUnreachable("nothing has been heard of it for some time")

    def _empty(self, bag: list[_Envelope[T]]) -> None:
        """Write the first letter to each table; a second one to the same is out of date by then."""
        first: dict[int, _Envelope[T]] = {}
        for envelope in bag:
            first.setdefault(envelope.to, envelope)
        # In the order of the tables, so that two processes never wait for each other.
        self._try([first[to] for to in sorted(first)])
        for envelope in bag:
            envelope.done = True

    def _try(self, envelopes: list[_Envelope[T]]) -> None:
        try:
            with self._storage.writing() as connection:
                if not self._write(connection, [envelope.letter for envelope in envelopes]):
                    raise _Overtaken
        except Exception as failure:
            if len(envelopes) > 1 and not self._for_all(failure):  # one spoils it for all: each by itself then
                for envelope in envelopes:
                    self._try([envelope])
            elif not isinstance(failure, _Overtaken):
                for envelope in envelopes:
                    envelope.failure = failure
        else:
            for envelope in envelopes:
                envelope.written = True

    def _for_all(self, failure: Exception) -> bool:
        """Whether no letter can be written now. On PostgreSQL it may be the row of one table that is locked."""
        return isinstance(failure, DatabaseTrouble) and (self._storage.sqlite or not isinstance(failure, DatabaseBusy))
