"""One commit for several requests: what they want to write at the same moment goes to disk in one transaction.

A commit waits for the disk. Whoever comes while one is under way adds their batch to those that wait, and the first of
them to get the next turn commits for all. Nobody is answered before their own batch is on disk.
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


class _Waiting(Generic[T]):
    """What is to be written to a table, and what became of it."""

    def __init__(self, to: int, batch: T) -> None:
        self.to = to
        self.batch = batch
        self.written = False
        self.failure: Exception | None = None
        self.done = False


class _Overtaken(Exception):
    """Not everything could be written."""


class GroupCommit(Generic[T]):
    """Collects what is to be written to the tables of one database.

    ``write`` writes batches of different tables all together, or says False if one of them is out of date.
    """

    def __init__(self, storage: Storage, write: Callable[[Connection, Sequence[T]], bool]) -> None:
        self._storage = storage
        self._write = write
        self._turn = Lock()
        self._lock = Lock()
        self._waiting: list[_Waiting[T]] = []

    def send(self, to: int, batch: T) -> bool:
        """Whether the batch was written; False if it is out of date. Raises what writing it raised."""
        waiting = _Waiting(to, batch)
        with self._lock:
            self._waiting.append(waiting)
        self._wait_for_turn(waiting)
        try:
            if not waiting.done:
                with self._lock:
                    group, self._waiting = self._waiting, []
                self._write_down(group)
        finally:
            self._turn.release()
        if waiting.failure is not None:
            raise waiting.failure
        return waiting.written

    def _wait_for_turn(self, waiting: _Waiting[T]) -> None:
        """Raises DatabaseUnreachable if whoever has the turn now waits for an answer that does not come.

        The batch may be in their hands, and be written after all: nobody is told that it was not.
        """
        while not self._turn.acquire(timeout=_TICK):
            if self._storage.silent:
                with self._lock:
                    self._waiting = [other for other in self._waiting if other is not waiting]
                raise DatabaseUnreachable("nothing has been heard of it for some time")

    def _write_down(self, group: list[_Waiting[T]]) -> None:
        """Write the first batch of each table; a second one to the same is out of date by then."""
        first: dict[int, _Waiting[T]] = {}
        for each in group:
            first.setdefault(each.to, each)
        # In the order of the tables, so that two processes never wait for each other.
        self._try([first[to] for to in sorted(first)])
        for each in group:
            each.done = True

    def _try(self, group: list[_Waiting[T]]) -> None:
        try:
            with self._storage.writing() as connection:
                if not self._write(connection, [each.batch for each in group]):
                    raise _Overtaken
        except Exception as failure:
            if len(group) > 1 and not self._for_all(failure):  # one spoils it for all: each by itself then
                for each in group:
                    self._try([each])
            elif not isinstance(failure, _Overtaken):
                for each in group:
                    each.failure = failure
        else:
            for each in group:
                each.written = True

    def _for_all(self, failure: Exception) -> bool:
        """Whether nothing can be written now. On PostgreSQL it may be the row of one table that is locked."""
        return isinstance(failure, DatabaseTrouble) and (self._storage.sqlite or not isinstance(failure, DatabaseBusy))
