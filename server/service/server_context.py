"""The post office itself: its database, its key, and what it keeps in memory (all of it derived)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

from sqlalchemy import select

from engine.keys import SigningKey
from engine.record.entry import Open, instant, read_line
from server import server_key
from server.clock_guard import ClockGuard, Clockwork, Steady, alarm_if_ahead, since_boot
from server.service.batch_storage import store
from server.service.entry_batch import EntryBatch, now
from server.service.folded_tables import FoldedTables
from server.service.mail_notices import Stationery
from server.service.news_signal import NewsSignal
from server.settings import Settings, SettingsRefused
from server.storage.database import Storage
from server.storage.group_commit import GroupCommit
from server.storage.models import ENTRIES, TABLES


@dataclass(frozen=True)
class ServerContext:
    """Everything a service function needs."""

    settings: Settings
    storage: Storage
    key: SigningKey
    gateway: SigningKey
    """Speaks for players who have delegated to it, when they write by mail."""
    stationery: Stationery
    now: Clockwork
    guard: ClockGuard
    """What is put on record is dated by this clock, and by no other."""
    folded_tables: FoldedTables
    news: NewsSignal
    group_commit: GroupCommit[EntryBatch]

    def close(self) -> None:
        """Stop what runs in the background and let go of the database."""
        self.news.close()
        self.storage.close()


def enter(
    settings: Settings, now: Clockwork = now, steady: Steady | None = None, *, founding: bool = True
) -> ServerContext:
    """Open the server: migrate the database, load (or on the very first start make) the key.

    ``now`` is where it takes the time from, and ``steady`` what that is held against (None: the machine's own, or for
    a clock that is set by hand that clock itself). Without ``founding`` there must be a server already: nothing is
    made where there is none. Raises SettingsRefused.
    """
    if not founding and not Storage.is_founded(settings.database):
        raise _not_founded(f"there is no database of a server at {settings.shown_database}")
    storage = Storage(settings.database, settings.threads + 4)
    storage.migrate()
    sealed_with = _sealed_with(storage)
    if not founding and sealed_with is None and not (settings.data / server_key.FILE).exists():
        raise _not_founded(f"there is no {server_key.FILE} in {settings.data}")
    held = server_key.load(settings.data, sealed_with=sealed_with)
    stationery = Stationery(held.stationery, timedelta(seconds=settings.reminder), bool(settings.mail))
    folded_tables = FoldedTables(storage, engine_version(), settings.cache)
    group_commit = GroupCommit(storage, partial(store, folded_tables, stationery, settings.snapshot_every))
    news = NewsSignal(storage, settings.polling)
    guard = ClockGuard(now, steady or _steady_beside(now))
    alarm_if_ahead(storage, now())
    return ServerContext(
        settings, storage, held.seal, held.gateway, stationery, now, guard, folded_tables, news, group_commit
    )


def _steady_beside(clock: Clockwork) -> Steady:
    return since_boot if clock is now else lambda: instant(clock()).timestamp()


def _not_founded(missing: str) -> SettingsRefused:
    where = "POSTE_DATA (--data) and POSTE_DB (--db) say where they are"
    return SettingsRefused(f"{missing}. {where}; if there is no server yet, `poste-server run` makes one")


def _sealed_with(storage: Storage) -> str | None:
    """The key that the newest table was opened under, if there is one."""
    newest = select(TABLES.c.number).order_by(TABLES.c.number.desc()).limit(1).scalar_subquery()
    with storage.reading() as connection:
        line = connection.scalar(select(ENTRIES.c.line).where(ENTRIES.c.table_number == newest, ENTRIES.c.seq == 0))
    if line is None:
        return None
    opened = read_line(line).entry
    return opened.server if isinstance(opened, Open) else None


def software_version() -> str:
    """The version that is installed."""
    return version("poste-restante")


@cache
def engine_version() -> str:
    """The version of the engine, down to the last byte of its code: snapshots of another are not used."""
    digest = hashlib.sha256()
    for name, data in _code(files("engine"), "engine"):
        digest.update(b"%d %b %d\n" % (len(name), name.encode(), len(data)))
        digest.update(data)
    return f"{software_version()}+{digest.hexdigest()[:12]}"


def _code(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        name = f"{path}/{item.name}"
        if item.is_dir():
            found += [] if item.name == "__pycache__" else _code(item, name)
        else:
            found.append((name, item.read_bytes()))
    return found
