"""A database of an older version, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import MetaData, create_engine, insert, select, update

from engine.game import Seat
from engine.record.audit import audit
from engine.record.entry import Close, resign_message
from server.service import table_reads, table_summaries
from server.service.entry_batch import EntryBatch
from server.service.log_append import append_locked
from server.service.log_check import check_all
from server.service.server_context import ServerContext, enter
from server.settings import Settings
from server.storage.models import METADATA, TABLES
from tests.server.conftest import Databases
from tests.server.test_clockwork import Seated, Watch


def resigned_as_it_was(table: Seated) -> None:
    """One of two has resigned, and the server has given the table up."""

    def act(batch: EntryBatch, _connection: Any) -> None:
        head = batch.table.chain.head
        signature = table.keys[0].sign(resign_message(table.id, head, 0))
        batch.add(batch.clerk.resign(batch.table, batch.at, Seat(0), head, signature))
        batch.add(batch.clerk.abandon(batch.table, batch.at, "resigned"))
        batch.add(batch.clerk.close(batch.table, batch.at))

    append_locked(table.context, table.id, act)
    closed = table.entries()[-1]
    assert isinstance(closed, Close)
    assert closed.standing is not None
    assert not closed.standing.final


def moved_to(version: str, source: str, target: str) -> None:
    """Everything in a database, as it would be in one of this version."""
    old, new = create_engine(source), create_engine(target)
    with as_file(files("server") / "migrations") as folder, new.begin() as into, old.begin() as out:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.attributes["connection"] = into
        command.upgrade(config, version)
        there = MetaData()
        there.reflect(into)
        for table in METADATA.sorted_tables:
            if table.name not in there.tables:
                continue
            columns = [column for column in table.columns if column.name in there.tables[table.name].columns]
            rows = [dict(row._mapping) for row in out.execute(select(*columns))]
            if rows:
                into.execute(insert(there.tables[table.name]), rows)
    old.dispose()
    new.dispose()
    if new.dialect.name == "sqlite":  # as the changelog asks of operators
        Path(str(new.url.database)).chmod(0o600)


@pytest.fixture
def upgraded(backend: str, databases: Databases, tmp_path: Path) -> Iterator[tuple[ServerContext, str]]:
    """A server whose database was of the version before games of two were won by resignation, and such a table."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    before = Settings(data=tmp_path / "data", db=databases(backend, source))
    context = enter(before, Watch())
    table = Seated(context, Watch(), None)
    resigned_as_it_was(table)
    position = context.folded_tables.recent(table.id).table.playing
    standing = msgspec.json.encode(position.game.standing(position.state)).decode()
    with context.storage.writing() as connection:
        connection.execute(update(TABLES).where(TABLES.c.id == table.id).values(standing=standing))
    context.close()
    after = Settings(data=tmp_path / "data", db=databases(backend, target))
    moved_to("0003", before.database, after.database)
    context = enter(after, Watch())
    yield context, table.id
    context.close()


def test_a_game_of_two_that_one_had_resigned_is_told_as_won_and_its_record_stays_valid(
    upgraded: tuple[ServerContext, str],
) -> None:
    context, table = upgraded
    told = table_summaries.summary(context, table)
    assert (told["standing"]["final"], told["standing"]["ranking"], told["abandoned"]) == (True, [[1], [0]], None)
    record = b"".join(line + b"\n" for line in table_reads.log(context, table, -1, 0))
    found = audit(record)
    assert found.valid
    assert found.victor == 1
    assert [wrong for checked in check_all(context) for wrong in checked.wrong] == []
