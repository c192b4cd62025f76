"""What a database can have trouble with, as errors of ours: whichever driver it is that says so, in whichever words."""

from __future__ import annotations

import logging
import os
import sqlite3
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import ClassVar

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

log = logging.getLogger("poste")

_ROOM = 256 * 1024
"""Bytes: with less than this left on its disk, a SQLite that cannot write or make a file has no room for it."""


_QUIET = 5.0
"""Seconds without trouble after which it is over: on a full disk there is room for one thing and none for another."""


class DatabaseTrouble(Exception):
    """The database cannot do now what was asked of it. Quotes one line of the driver, without parameters."""

    code: ClassVar[str] = "server/storage"
    """The code of the problem that a request is answered with."""
    kind: ClassVar[str]
    """What is wrong, as the operator reads it."""
    told: ClassVar[str]
    """What is wrong, as whoever asked for something is told it."""

    def __str__(self) -> str:
        return f"{self.kind}: {' '.join(map(str, self.args))}"


class DatabaseBusy(DatabaseTrouble):
    """Somebody else is writing, or every connection is in use: it helps to try again."""

    code = "server/busy"
    kind = "the database is busy"
    told = "the server is busy; try again in a moment"


class DatabaseUnreachable(DatabaseTrouble):
    """It does not answer, or hangs up. Whether what was being written is on disk is not known."""

    kind = "the database does not answer"
    told = "the server's database does not answer; try again in a moment"


class DatabaseFull(DatabaseTrouble):
    """There is no room on its disk. Nothing was written."""

    code = "server/full"
    kind = "the disk of the database is full"
    told = "the server's disk is full; nothing was written"


class DatabaseReadOnly(DatabaseTrouble):
    """It can be read and not written."""

    kind = "the database cannot be written to"
    told = "the server's database cannot be written to; whoever runs the server has to put that right"


class DatabaseDamaged(DatabaseTrouble):
    """What is on its disk cannot be read, or is no database."""

    kind = "the database or its disk is damaged"
    told = "the server's database is damaged; whoever runs the server has to put that right"


_OF_SQLITE: dict[int, type[DatabaseTrouble]] = {
    sqlite3.SQLITE_BUSY: DatabaseBusy,
    sqlite3.SQLITE_LOCKED: DatabaseBusy,
    sqlite3.SQLITE_PROTOCOL: DatabaseBusy,
    sqlite3.SQLITE_NOMEM: DatabaseBusy,
    sqlite3.SQLITE_INTERRUPT: DatabaseBusy,
    sqlite3.SQLITE_CANTOPEN: DatabaseUnreachable,
    sqlite3.SQLITE_FULL: DatabaseFull,
    sqlite3.SQLITE_READONLY: DatabaseReadOnly,
    sqlite3.SQLITE_PERM: DatabaseReadOnly,
    sqlite3.SQLITE_IOERR: DatabaseDamaged,
    sqlite3.SQLITE_CORRUPT: DatabaseDamaged,
    sqlite3.SQLITE_NOTADB: DatabaseDamaged,
}
_PERHAPS_FULL = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""What SQLite says, too, where there is no room for its write-ahead log or the index of that."""
_OF_POSTGRESQL: dict[str, type[DatabaseTrouble]] = {
    "53100": DatabaseFull,
    "53": DatabaseBusy,  # too many connections, no memory
    "40001": DatabaseBusy,  # serialization failure
    "40P01": DatabaseBusy,  # deadlock
    "55P03": DatabaseBusy,  # lock timeout
    "55006": DatabaseBusy,
    "57014": DatabaseBusy,  # statement timeout
    "25P03": DatabaseBusy,  # idle in a transaction for too long
    "25006": DatabaseReadOnly,
    "57P": DatabaseUnreachable,  # stopping, starting, crashed
    "08": DatabaseUnreachable,
    "28": DatabaseUnreachable,  # it knows neither us nor our password
    "3D": DatabaseUnreachable,
    "58": DatabaseDamaged,
    "XX001": DatabaseDamaged,
    "XX002": DatabaseDamaged,
}
"""By the longest beginning of its code (SQLSTATE)."""


def trouble_of(error: Exception, file: Path | None) -> DatabaseTrouble | None:
    """The trouble that an error of SQLAlchemy or of a driver is; None if it is a fault of what was asked.

    ``file`` is that of a SQLite database.
    """
    said = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    kind: type[DatabaseTrouble] | None = None
    if isinstance(error, NoConnectionFree):
        kind = DatabaseBusy
    elif isinstance(said, sqlite3.Error):
        kind = _of_sqlite(getattr(said, "sqlite_errorcode", None), file)
    elif isinstance(said, psycopg.Error):
        kind = _of_postgresql(said)
    return None if kind is None else kind(next(iter(str(said).splitlines()), type(said).__name__))


def _of_sqlite(code: int | None, file: Path | None) -> type[DatabaseTrouble] | None:
    if code is None:
        return None
    primary = code & 0xFF
    if primary in _PERHAPS_FULL and file is not None and not _has_room(file.parent):
        return DatabaseFull
    return _OF_SQLITE.get(primary)


def _has_room(folder: Path) -> bool:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= _ROOM and (disk.f_files == 0 or disk.f_favail > 0)


def _of_postgresql(error: psycopg.Error) -> type[DatabaseTrouble] | None:
    if error.sqlstate is None:  # said by the client: nothing came, or the connection is gone
        return DatabaseUnreachable if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) else None
    for length in (5, 3, 2):
        if kind := _OF_POSTGRESQL.get(error.sqlstate[:length]):
            return kind
    return None


class Alarm:
    """Tells the log when trouble with a database begins and when it is over, once each."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._now: type[DatabaseTrouble] | None = None
        self._last = 0.0

    def raised(self, trouble: DatabaseTrouble) -> None:
        """There is trouble."""
        with self._lock:
            new, self._now = self._now is not type(trouble), type(trouble)
            self._last = monotonic()
        if new:
            log.error("%s", trouble)

    def well(self, *, written: bool) -> None:
        """A transaction went well. A database that answers may be full all the same, until something was written."""
        if self._now is None:
            return
        with self._lock:
            over = (written or self._now is DatabaseUnreachable) and monotonic() - self._last > _QUIET
            if over:
                self._now = None
        if over:
            log.warning("the database can be used again")
