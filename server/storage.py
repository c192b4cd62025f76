"""The database, SQLite or PostgreSQL: connections that read, and short transactions that write.

On SQLite all writing of a process goes through one connection: whoever waits for it waits on a lock that is handed
over at once, not on SQLite's own sleeping retries.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from server.settings import SettingsRefused

MIGRATING = 0x706F737465
"""The advisory lock under which PostgreSQL is migrated."""
PATIENCE = 10
"""Seconds to wait for another process that is writing, or for a free connection."""


class Storage:
    """One database."""

    def __init__(self, url: str, readers: int = 32) -> None:
        """Name the database of this URL; raises SettingsRefused if it can be none. Nothing is opened yet."""
        try:
            self.url = make_url(url)
            backend = self.url.get_backend_name()
            if backend not in ("sqlite", "postgresql"):
                raise SettingsRefused("the database must be SQLite or PostgreSQL")
            self.sqlite = backend == "sqlite"
            if self.sqlite:
                if self.url.database:
                    Path(self.url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._reader = _sqlite(url, "BEGIN", readers)
                self._writer = _sqlite(url, "BEGIN IMMEDIATE", 1)
            else:
                self._reader = _postgresql(url, "REPEATABLE READ", readers)
                self._writer = _postgresql(url, "READ COMMITTED", readers)
        except (SQLAlchemyError, OSError) as error:
            raise _unusable(error) from None

    @classmethod
    def is_founded(cls, url: str) -> bool:
        """Whether there is a database at this URL with our tables in it; makes none. Raises SettingsRefused."""
        try:
            named = make_url(url)
            if named.get_backend_name() == "sqlite" and not Path(named.database or "").is_file():
                return False
            storage = cls(url, 1)
            try:
                with storage.reading() as connection:
                    return inspect(connection).has_table("alembic_version")
            finally:
                storage.close()
        except SQLAlchemyError as error:
            raise _unusable(error) from None

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the database throughout."""
        return self._reader.connect()

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction that is on disk when this ends, or has not happened."""
        return self._writer.begin()

    @contextmanager
    def jotting(self) -> Iterator[Connection]:
        """A transaction that survives a crash of the server, but perhaps not a power cut."""
        with self._writer.connect() as connection:
            if self.sqlite:
                driver = _driver(connection)
                driver.execute("PRAGMA synchronous = NORMAL")
                try:
                    with connection.begin():
                        yield connection
                finally:
                    driver.execute("PRAGMA synchronous = FULL")
            else:
                with connection.begin():
                    connection.execute(text("SET LOCAL synchronous_commit = off"))
                    yield connection

    def migrate(self) -> None:
        """Bring the schema up to date; raises SettingsRefused if the database cannot be used."""
        try:
            with as_file(files("server") / "migrations") as folder, self.writing() as connection:
                if not self.sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATING})
                config = Config()
                config.set_main_option("script_location", str(folder).replace("%", "%%"))
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except SQLAlchemyError as error:
            raise _unusable(error) from None

    def close(self) -> None:
        """Let go of every connection."""
        self._reader.dispose()
        self._writer.dispose()


def _sqlite(url: str, begin: str, connections: int) -> Engine:
    engine = create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=PATIENCE,
        pool_reset_on_return=None,  # every transaction of ours has ended by then
        hide_parameters=True,  # an error that is logged must not tell reply addresses, letters or secrets
        connect_args={"timeout": PATIENCE, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin as we say, not as the driver guesses
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        _driver(connection).execute(begin)

    return engine


def _driver(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - for the type
    return driver


def _postgresql(url: str, isolation: str, connections: int) -> Engine:
    engine = create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=PATIENCE,
        pool_recycle=600,
        pool_reset_on_return=None,  # as above
        hide_parameters=True,
        isolation_level=isolation,
    )

    @event.listens_for(engine, "handle_error")
    def failed(context: ExceptionContext) -> None:
        """PostgreSQL tells, in the lines after the first, the row or the key that was in the way."""
        for error in (context.original_exception, context.sqlalchemy_exception):
            if error is not None and error.args:
                error.args = (str(error.args[0]).partition("\n")[0], *error.args[1:])

    return engine


def _unusable(error: Exception) -> SettingsRefused:
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return SettingsRefused(f"the database cannot be used: {lines[0] if lines else type(error).__name__}")
