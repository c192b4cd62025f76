"""``poste-server check`` and ``rebuild``: what is wrong with a log, and what only with what follows from it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import create_engine, delete, event, insert, select, text, update

from server.cli import cli
from server.service import derived_rebuild
from server.service.derived_rebuild import rebuild_all
from server.service.log_check import check_all
from server.service.server_context import ServerContext
from server.settings import Settings
from server.storage.database import Storage
from server.storage.models import ENTRIES, PLAYERS, SEATS, SNAPSHOTS, TABLES
from tests.server.conftest import Databases, Houses
from tests.server.server_process import ServerProcess, play_out, seated, to_move
from tests.server.test_clockwork import HOUR, THREE_DAYS, Seated, Watch, mail_context, watch
from tests.server.test_office import Party, wrong

__all__ = ["mail_context", "watch"]

DOCUMENT = Path(__file__).parents[2] / "docs" / "operating.md"
PUT_RIGHT = "the logs are sound, what is derived from them is not: poste-server rebuild"


def in_other_words(storage: Storage) -> int:
    """As an older version told it: the same events, and every sentence another. Gives how many entries that are."""
    with storage.writing() as connection:
        rows = connection.execute(select(ENTRIES).where(ENTRIES.c.events != b"[]")).all()
        for row in rows:
            told = msgspec.json.decode(row.events)
            older = msgspec.json.encode([one | {"text": f"It came to pass: {one['text']}"} for one in told])
            mine = (ENTRIES.c.table_number == row.table_number, ENTRIES.c.seq == row.seq)
            connection.execute(update(ENTRIES).where(*mine).values(events=older))
    return len(rows)


@pytest.fixture
def stopped(new_house: Houses) -> Iterator[tuple[ServerProcess, Storage]]:
    """A server that has stopped, with a table that is over and one that goes on."""
    house = new_house()
    for finished in (True, False):
        table, players = seated(house.url)
        if finished:
            play_out(table, players)
        else:
            players[to_move(table, players)[0]].move(table)
    assert house.stop() == 0
    storage = Storage(Settings(db=house.environment["POSTE_DB"]).database)
    yield house, storage
    storage.close()


def test_an_upgrade_that_says_things_differently_is_no_fault(stopped: tuple[ServerProcess, Storage]) -> None:
    house, storage = stopped
    entries = in_other_words(storage)
    found = house.tool("check")
    assert (found.returncode, found.stdout) == (0, "")
    assert "all is well" in found.stderr
    assert f"{entries} entries are told in the words of another version" in found.stderr
    mended = house.tool("rebuild")
    assert (mended.returncode, len(mended.stdout.splitlines())) == (0, 2)
    assert "2 tables, 2 of them rebuilt." in mended.stderr
    found = house.tool("check")
    assert (found.returncode, found.stdout) == (0, "")
    assert "words" not in found.stderr
    again = house.tool("rebuild")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "2 tables, 0 of them rebuilt.\n")


DERIVED: dict[str, list[Any]] = {
    "derived/table": [
        update(TABLES).values(asked="[]", turn=","),
        update(TABLES).values(phase="sitting"),
        update(TABLES).values(standing=None),
        update(TABLES).values(at="2020-01-01T00:00:00.000Z"),
    ],
    "derived/seats": [update(SEATS).values(resigned=True), delete(SEATS).where(SEATS.c.seat == 1)],
    "derived/entry": [update(ENTRIES).where(ENTRIES.c.seq == 2).values(hash="x"), update(ENTRIES).values(seat=None)],
    "derived/events": [
        update(ENTRIES).where(ENTRIES.c.seq == 3).values(events=b"[]"),
        update(ENTRIES).where(ENTRIES.c.seq == 4).values(events=b"\x00"),
        update(ENTRIES).where(ENTRIES.c.seq == 5).values(events=b'[{"to":null,"event":{},"text":"..."}]'),
    ],
}


@pytest.fixture
def done(context: ServerContext) -> Callable[[str], Result]:
    """Does an operator's command on the same data."""
    data, db = str(context.settings.data), context.settings.db
    return lambda command: CliRunner().invoke(cli, [command], env={"POSTE_DATA": data, "POSTE_DB": db})


@pytest.mark.parametrize("code", DERIVED)
def test_what_is_derived_can_be_rebuilt_and_is_said_so(
    context: ServerContext, done: Callable[[str], Result], code: str
) -> None:
    finished = Party(context)
    finished.play(1000)
    Party(context).play(5)
    before = everything(context.storage)
    for damage in DERIVED[code]:
        with context.storage.writing() as connection:
            connection.execute(damage)
        found = done("check")
        assert found.exit_code == 1, found.stdout
        assert {line.rpartition("[")[2] for line in found.stdout.splitlines()} == {f"{code}]"}
        assert PUT_RIGHT in found.stderr
        assert done("rebuild").exit_code == 0
        assert done("check").exit_code == 0
        assert everything(context.storage) == before


def everything(storage: Storage) -> list[Any]:
    """All that is derived, but for what is only a shortcut."""
    columns = [column for column in TABLES.c if column.name != "look"]
    with storage.reading() as connection:
        return [
            list(map(tuple, connection.execute(select(*chosen).order_by(*keys))))
            for chosen, keys in (
                (columns, [TABLES.c.number]),
                (SEATS.c, [SEATS.c.table_number, SEATS.c.seat]),
                (ENTRIES.c, [ENTRIES.c.table_number, ENTRIES.c.seq]),
            )
        ]


def test_a_damaged_log_is_another_matter(stopped: tuple[ServerProcess, Storage]) -> None:
    """It ends with another exit code, is not touched, and keeps no other table from being rebuilt."""
    house, storage = stopped
    with storage.writing() as connection:
        at = (ENTRIES.c.table_number == 1, ENTRIES.c.seq == 6)
        line = bytes(connection.scalar(select(ENTRIES.c.line).where(*at)) or b"")
        connection.execute(update(ENTRIES).where(*at).values(line=line[:-9] + b"00000000}"[-9:]))
        connection.execute(update(SEATS).values(resigned=True))
    before = everything(storage)
    found = house.tool("check")
    assert found.returncode == 4
    assert "see above" in found.stderr
    mended = house.tool("rebuild")
    assert mended.returncode == 4
    [damaged, whole] = mended.stdout.splitlines()
    assert "entry/" in damaged
    assert whole.endswith(": seats")
    after = everything(storage)
    assert [row for row in after[1] if row[0] == 1] == [row for row in before[1] if row[0] == 1]
    assert after[2] == before[2]
    assert all(not row[3] for row in after[1] if row[0] == 2)


def test_a_running_server_goes_on_while_it_is_rebuilt(new_house: Houses) -> None:
    house = new_house()
    table, players = seated(house.url)
    storage = Storage(Settings(db=house.environment["POSTE_DB"]).database)
    for _ in range(2):
        in_other_words(storage)
        for _ in range(2):
            players[to_move(table, players)[0]].move(table)
        assert house.tool("rebuild").returncode == 0
        told = players[0].get(f"/tables/{table}/events", signed=True)
        assert "It came to pass" not in str(told)
    play_out(table, players)
    assert house.stop() == 0
    found = house.tool("check")
    assert (found.returncode, found.stdout) == (0, "")
    storage.close()


def test_a_table_that_is_played_at_meanwhile_is_worked_out_once_more(
    context: ServerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = Party(context)
    party.play(3)
    in_other_words(context.storage)
    work_out, moves = derived_rebuild._changes, iter([2, 1, 0])

    def overtaken(*given: Any) -> Any:
        found = work_out(*given)
        party.play(next(moves))
        return found

    monkeypatch.setattr(derived_rebuild, "_changes", overtaken)
    [rebuilt] = rebuild_all(context)
    assert rebuilt.entries > 0
    assert next(moves, None) is None, "twice it was overtaken"
    monkeypatch.undo()
    assert (wrong(context), reworded(context)) == (set(), 0)


def reworded(context: ServerContext) -> int:
    return sum(checked.reworded for checked in check_all(context))


def test_a_run_that_was_broken_off_is_begun_again(context: ServerContext) -> None:
    for _ in range(3):
        Party(context).play(5)
    in_other_words(context.storage)
    assert next(iter(rebuild_all(context))).changed
    assert reworded(context) > 0
    assert [rebuilt.changed for rebuilt in rebuild_all(context)] == [False, True, True]
    assert (wrong(context), reworded(context)) == (set(), 0)


def test_snapshots_of_another_version_and_of_what_is_rebuilt_are_dropped(context: ServerContext) -> None:
    older, damaged, whole = (Party(context) for _ in range(3))
    for party in (older, damaged, whole):
        party.play(9)
    with context.storage.writing() as connection:
        connection.execute(update(SNAPSHOTS).where(SNAPSHOTS.c.table_number == 1).values(engine="another"))
        connection.execute(update(TABLES).where(TABLES.c.number == 2).values(turn=","))
    assert [rebuilt.changed for rebuilt in rebuild_all(context)] == [False, True, False]
    with context.storage.reading() as connection:
        assert list(connection.scalars(select(SNAPSHOTS.c.table_number))) == [3]


def test_the_clock_looks_again_at_a_table_whose_deadlines_were_rebuilt(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with mail_context.storage.writing() as connection:
        connection.execute(update(TABLES).values(asked="[]", turn=",", look=None))
    assert [rebuilt.columns for rebuilt in rebuild_all(mail_context)] == [("asked", "turn")]
    table.tick(72 * HOUR)
    assert table.timeouts() == [(0, "deadline")]
    table.assert_sound()


def test_whoever_sits_with_a_key_of_nobody_is_not_made_up(context: ServerContext) -> None:
    Party(context).play(2)
    with context.storage.writing() as connection:
        connection.execute(text("UPDATE player_keys SET key = 'another' WHERE player = 1"))
    assert wrong(context) == {"seat/nobody"}
    [rebuilt] = rebuild_all(context)
    assert "seat/nobody" in str(rebuilt.damaged)


# How long it takes.


@pytest.mark.parametrize("work", [check_all, rebuild_all])
def test_no_table_costs_more_for_how_many_others_there_are(
    context: ServerContext, work: Callable[[ServerContext], Iterator[object]]
) -> None:
    """Whatever is fetched belongs to the table that is looked at."""
    fetched: list[str] = []

    def executed(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        fetched.append(statement)

    def statements() -> int:
        fetched.clear()
        assert len(list(work(context))) == count
        assert all("WHERE" in statement for statement in fetched if statement.startswith("SELECT")), fetched
        return len(fetched)

    for engine in (context.storage._reader, context.storage._writer):
        event.listen(engine, "before_cursor_execute", executed)
    count = 3
    for _ in range(count):
        Party(context).play(2)
    few = statements()
    with context.storage.writing() as connection:
        rows = [{"name": f"x{one}", "folded": f"x{one}", "key": f"{one}", "since": "x"} for one in range(500)]
        connection.execute(insert(PLAYERS), rows)
    for _ in range(count):
        Party(context).play(2)
    count *= 2
    assert statements() <= 2 * few


# The document.


def test_the_commands_of_the_document_do_what_it_says(databases: Databases, tmp_path: Path) -> None:
    """Every command in “Check” and “Upgrade”, as it is printed there, on a server with a table."""
    told = DOCUMENT.read_text()
    chapters = [told.partition(f"\n## {title}\n")[2].partition("\n## ")[0] for title in ("Check", "Upgrade")]
    commands = [line for chapter in chapters for line in re.findall(r"^    poste-server (.+)$", chapter, re.MULTILINE)]
    assert {command.split()[0] for command in commands} == {"check", "rebuild", "export", "migrate"}
    house = ServerProcess(tmp_path / "data", databases("sqlite", tmp_path))
    table, _ = seated(house.url)
    assert house.stop() == 0
    engine = create_engine(Settings(db=house.environment["POSTE_DB"]).database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE tables SET turn = ','"))
    engine.dispose()
    assert house.tool("check").returncode == 1
    for command in commands:
        words = [
            word.replace("TABLE", table[:8]).replace("game.poste", str(tmp_path / "x")) for word in shlex.split(command)
        ]
        done = house.tool(*words)
        assert done.returncode == (1 if words[0] == "check" and not _rebuilt(house) else 0), (command, done.stderr)


def _rebuilt(house: ServerProcess) -> bool:
    storage = Storage(Settings(db=house.environment["POSTE_DB"]).database)
    with storage.reading() as connection:
        turn = connection.scalar(select(TABLES.c.turn))
    storage.close()
    return turn != ","
