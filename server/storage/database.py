"""The database, SQLite or PostgreSQL: connections that read, and short transactions that write.

On SQLite all writing of a process goes through one connection: whoever waits for it waits on a lock that is handed
over at once, not on SQLite's own sleeping retries. Which signed requests were served is noted in a file beside it, so
that nobody who only reads writes to the database.

Whatever a driver says of trouble with the database leaves here as DatabaseTrouble.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from math import inf
from pathlib import Path
from typing import Any

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event, inspect, make_url, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from server import owner_only_files
from server.settings import SettingsRefused
from server.storage import postgresql_connection
from server.storage.database_trouble import Alarm, DatabaseTrouble, trouble_of
from server.storage.models import NONCES
from server.storage.postgresql_connection import PATIENCE, Acquaintance, PatientConnection

MIGRATING = 0x706F737465
"""The advisory lock under which PostgreSQL is migrated."""
_BESIDE = ("-nonces", "-wal", "-shm", "-nonces-wal", "-nonces-shm")
"""What else a SQLite database has files for."""


class Storage:
    """One database."""

    def __init__(self, url: str, readers: int = 32) -> None:
        """Name the database of this URL; raises SettingsRefused if it can be none, or if others may read it.

        Of a SQLite database that is not there yet this makes the files, for their owner alone.
        """
        self._alarm = Alarm()
        self._ready = False  # until then trouble is a reason not to start, and said once as that
        self._acquaintance = Acquaintance()
        self._file: Path | None = None
        try:
            self.url = make_url(url)
            backend = self.url.get_backend_name()
            if backend not in ("sqlite", "postgresql"):
                raise SettingsRefused("the database must be SQLite or PostgreSQL")
            self.sqlite = backend == "sqlite"
            if self.sqlite:
                self._file = file = _owned(self.url.database or "")
                self._reader = _sqlite(url, "BEGIN", readers)
                self._writer = _sqlite(url, "BEGIN IMMEDIATE", 1)
                self._noter = _notes(file.with_name(f"{file.name}-nonces"))
            else:
                self._reader = _postgresql(url, "REPEATABLE READ", readers, self._acquaintance)
                self._writer = _postgresql(url, "READ COMMITTED", readers, self._acquaintance)
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
                return storage._revision() is not None
            finally:
                storage.close()
        except (SQLAlchemyError, DatabaseTrouble) as error:
            raise _unusable(error) from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the database throughout. Raises DatabaseTrouble, as all of these do."""
        with self._guarded(written=False), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is on disk when this ends, or has not happened."""
        with self._guarded(written=True), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def jotting(self) -> Iterator[Connection]:
        """A transaction that survives a crash of the server, but perhaps not a power cut."""
        with self._jotting(written=True) as connection:
            yield connection

    @contextmanager
    def noting(self) -> Iterator[Connection]:
        """As :meth:`jotting`, where it is noted which signed requests were served, and nothing else."""
        if self.sqlite:
            with self._guarded(written=False), self._noter.begin() as connection:
                yield connection
        else:
            with self._jotting(written=False) as connection:
                yield connection

    @contextmanager
    def _jotting(self, *, written: bool) -> Iterator[Connection]:
        with self._guarded(written=written), self._writer.connect() as connection:
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

    @property
    def silent(self) -> bool:
        """Whether the database has stopped answering, as far as one can tell while others wait for it."""
        return not self.sqlite and self._acquaintance.silent

    @contextmanager
    def _guarded(self, *, written: bool) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, psycopg.Error) as error:
            trouble = trouble_of(error, self._file)
            if trouble is None:
                raise
            if self._ready:
                self._alarm.raised(trouble)
            raise trouble from error
        self._alarm.well(written=written)

    def migrate(self) -> None:
        """Bring the schema up to date; raises SettingsRefused if the database cannot be used."""
        try:
            with as_file(files("server") / "migrations") as folder:
                config = Config()
                config.set_main_option("script_location", str(folder).replace("%", "%%"))
                if not self._is_newest(ScriptDirectory.from_config(config)):
                    self._upgrade(config)
            self._ready = True
        except (SQLAlchemyError, DatabaseTrouble, CommandError) as error:
            raise _unusable(error) from None

    def _revision(self) -> str | None:
        """The schema that the database has; None if it has none of ours."""
        with self.reading() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
            return revision

    def _is_newest(self, known: ScriptDirectory) -> bool:
        found, newest = self._revision(), known.get_current_head()
        if found is not None and found not in {script.revision for script in known.walk_revisions()}:
            raise SettingsRefused(
                f"the database has schema {found}, and this poste-server knows none newer than {newest}: a newer one"
                " has used it. Install that one again, or restore the backup that was made before it was installed"
            )
        return found == newest

    def _upgrade(self, config: Config) -> None:
        with self.writing() as connection:
            driver = connection.connection.driver_connection
            if isinstance(driver, PatientConnection):
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATING})
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                driver.longest = inf
            try:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
            finally:
                if isinstance(driver, PatientConnection):
                    driver.longest = postgresql_connection.LONGEST_ANSWER

    def close(self) -> None:
        """Let go of every connection."""
        self._reader.dispose()
        self._writer.dispose()
        if self.sqlite:
            self._noter.dispose()


def _owned(name: str) -> Path:
    """The file of a SQLite database, made if it is missing; raises SettingsRefused if others may read it."""
    if name in ("", ":memory:") or name.startswith("file:"):
        raise SettingsRefused("a SQLite database must be a file, named by its path")
    file = Path(name)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner_only_files.refuse_open("the database", [file, *(file.with_name(file.name + beside) for beside in _BESIDE)])
    owner_only_files.make(file)  # -wal and -shm get the mode of the file they belong to
    return file


_DIALECT = sqlite.dialect()
_NOTES = (
    "PRAGMA synchronous = NORMAL",
    str(CreateTable(NONCES, if_not_exists=True).compile(dialect=_DIALECT)),
    *(str(CreateIndex(index, if_not_exists=True).compile(dialect=_DIALECT)) for index in NONCES.indexes),
)
"""What a connection to the notes begins with: they may have been thrown away."""


def _sqlite(url: str, begin: str, connections: int, *more: str) -> Engine:
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
        for statement in more:
            connection.execute(statement)

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)  # whose errors are SQLAlchemy's, unlike those of the driver itself

    return engine


def _notes(file: Path) -> Engine:
    engine = _sqlite(f"sqlite:///{file}", "BEGIN IMMEDIATE", 1, *_NOTES)

    @event.listens_for(engine, "do_connect")
    def connecting(*_: object) -> None:
        owner_only_files.make(file)

    return engine


def _driver(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - for the type
    return driver


def _postgresql(url: str, isolation: str, connections: int, acquaintance: Acquaintance) -> Engine:
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

    @event.listens_for(engine, "do_connect")
    def connecting(_dialect: object, _record: object, arguments: list[Any], given: dict[str, Any]) -> PatientConnection:
        return postgresql_connection.connect(
            acquaintance, *arguments, **given | postgresql_connection.parameters(given)
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
