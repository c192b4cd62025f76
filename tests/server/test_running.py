"""Starting, stopping, and the operator's commands."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, inspect, text

from engine.keys import SigningKey
from engine.record import audit as auditing
from server import server_key
from server.app import create_app
from server.cli import cli
from server.service.server_context import enter
from server.settings import Settings, SettingsRefused, from_environment
from server.storage.database import Storage
from server.storage.models import METADATA, NONCES
from tests.server.conftest import Databases, Houses
from tests.server.server_process import play_out, seated, to_move


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = server_key.load(tmp_path / "data", sealed_with=None).seal
    file = tmp_path / "data" / server_key.FILE
    assert file.stat().st_mode & 0o777 == 0o600
    assert server_key.load(tmp_path / "data", sealed_with=first.public).seal.public == first.public
    assert [path.name for path in file.parent.iterdir()] == [server_key.FILE]


def test_of_two_servers_that_start_together_both_use_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: server_key.load(tmp_path, sealed_with=None).seal.public, range(32)))
    assert len(found) == 1


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.unlink(), "missing"),
        (lambda file: file.write_text("not a key"), "damaged"),
        (lambda file: file.write_bytes(b"\xff\xfe"), "cannot be read"),
        (lambda file: file.chmod(0o644), "chmod 600"),
        (lambda file: file.write_text("ab" * 32), "not the one the tables"),
    ],
)
def test_a_key_that_is_not_right_stops_the_start(tmp_path: Path, damage: object, said: str) -> None:
    key = server_key.load(tmp_path, sealed_with=None).seal
    damage(tmp_path / server_key.FILE)  # type: ignore[operator]
    with pytest.raises(SettingsRefused, match=said):
        server_key.load(tmp_path, sealed_with=key.public)


def test_a_key_is_32_bytes_in_hexadecimal(tmp_path: Path) -> None:
    key = server_key.load(tmp_path, sealed_with=None).seal
    assert SigningKey(bytes.fromhex((tmp_path / server_key.FILE).read_text().strip())).public == key.public


def test_settings_come_from_the_environment_and_what_is_given_goes_before() -> None:
    settings = from_environment({"POSTE_PORT": "99", "POSTE_RATE": "2.5", "POSTE_DATA": "/x"}, port=7, host=None)
    assert (settings.port, settings.rate, settings.data) == (7, 2.5, Path("/x"))
    assert settings.database == "sqlite:////x/poste.db"
    assert Settings(db="postgres://u@h/d").database == "postgresql+psycopg://u@h/d"
    assert Settings(db="some/file.db").database == "sqlite:///some/file.db"
    assert Settings(threads=4, polls=99).polling == 2


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"POSTE_PORT": "many"}, "POSTE_PORT is “many”; it must be a whole number from 0 to 65535"),
        ({"POSTE_PORT": "70000"}, "from 0 to 65535"),
        ({"POSTE_RATE": "fast"}, "not less than 0"),
        ({"POSTE_RATE": "-1"}, "not less than 0"),
        ({"POSTE_RATE": "nan"}, "not less than 0"),
        ({"POSTE_THREADS": "1"}, "from 2 to 512"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_what_they_can_be(environ: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsRefused, match=said):
        from_environment(environ)


MAIL_IN = {"POSTE_MAIL_LISTEN": "lmtp://127.0.0.1:0"}


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (MAIL_IN, "POSTE_MAIL_LISTEN needs POSTE_MAIL and POSTE_MAIL_FROM,"),
        (MAIL_IN | {"POSTE_MAIL_FROM": "post@example.org"}, "POSTE_MAIL_LISTEN needs POSTE_MAIL,"),
        ({"POSTE_MAIL": "smtp://relay"}, "POSTE_MAIL needs POSTE_MAIL_FROM"),
        ({"POSTE_MAIL": "smtp://relay", "POSTE_MAIL_FROM": "example.org"}, "POSTE_MAIL_FROM is “example.org”"),
        ({"POSTE_MAIL": "maildir:///proc/nope", "POSTE_MAIL_FROM": "post@example.org"}, "/proc/nope, which cannot be"),
    ],
)
def test_mail_that_cannot_work_stops_the_start_with_what_is_missing(
    environ: dict[str, str], said: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsRefused, match=said):
        create_app(from_environment(environ, data=tmp_path))


@pytest.mark.parametrize("command", [["outbox"], ["correct"], ["check"], ["rebuild"], ["export", "abcd"], ["worker"]])
def test_what_looks_after_a_server_makes_none(command: list[str], tmp_path: Path) -> None:
    data = tmp_path / "elsewhere"
    for more in (["--data", str(data)], ["--data", str(data), "--db", str(data / "deep" / "x.db")]):
        with pytest.raises(SettingsRefused, match=r"there is no database of a server at .*poste-server run"):
            CliRunner().invoke(cli, [*command, *more], catch_exceptions=False)
        assert not data.exists()
    (data := tmp_path / "empty").mkdir()
    (data / "poste.db").touch(0o600)
    with pytest.raises(SettingsRefused, match="no database"):
        CliRunner().invoke(cli, [*command, "--data", str(data)], catch_exceptions=False)
    assert CliRunner().invoke(cli, ["migrate", "--data", str(data)]).exit_code == 0
    with pytest.raises(SettingsRefused, match=r"no server\.key"):
        CliRunner().invoke(cli, [*command, "--data", str(data)], catch_exceptions=False)
    assert not (data / server_key.FILE).exists()


def test_a_database_that_nobody_has_used_yet_is_no_server(backend: str, databases: Databases, tmp_path: Path) -> None:
    fresh = databases(backend, tmp_path)
    with pytest.raises(SettingsRefused, match="no database") as refused:
        enter(Settings(data=tmp_path, db=fresh), founding=False)
    assert "@" not in str(refused.value), "a password may stand there"
    enter(Settings(data=tmp_path, db=fresh)).close()
    enter(Settings(data=tmp_path, db=fresh), founding=False).close()


@pytest.mark.parametrize("group", [["server"], ["client", "mail"]])
def test_no_summary_of_a_command_is_cut(group: list[str]) -> None:
    told = subprocess.run(
        [sys.executable, "-m", *group, "--help"],
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "..." not in told.partition("Commands:")[2]


@pytest.mark.parametrize("database", ["mysql://x@y/z", "postgresql://nobody@127.0.0.1:1/none", "not a url://"])
def test_a_database_that_cannot_be_used_is_said_in_one_line(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTE_DATA", str(tmp_path))
    with pytest.raises(SettingsRefused) as refused:
        CliRunner().invoke(cli, ["migrate", "--db", database], catch_exceptions=False)
    assert "\n" not in str(refused.value)


def test_migrations_give_the_schema_of_the_models(backend: str, databases: Databases, tmp_path: Path) -> None:
    url = Settings(db=databases(backend, tmp_path)).database
    storage = Storage(url)
    storage.migrate()
    storage.migrate()
    storage.close()
    engine = create_engine(url)
    found = inspect(engine)
    tables = dict(METADATA.tables)
    if backend == "postgresql":  # where they are not in a file of their own
        tables["nonces"] = NONCES
    assert set(found.get_table_names()) == {*tables, "alembic_version"}
    for name, table in tables.items():
        columns = {column["name"]: column["nullable"] for column in found.get_columns(name)}
        assert columns == {column.name: column.nullable for column in table.columns}
        assert {index["name"] for index in found.get_indexes(name) if not index.get("duplicates_constraint")} == {
            index.name for index in table.indexes
        }
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0006"
    engine.dispose()


def test_the_operators_commands(new_house: Houses, tmp_path: Path) -> None:
    house = new_house()
    finished, players = seated(house.url)
    play_out(finished, players)
    going, others = seated(house.url)
    others[to_move(going, others)[0]].move(going)
    assert house.stop() == 0
    assert house.tool("migrate").returncode == 0
    found = house.tool("check")
    assert (found.returncode, found.stdout) == (0, "")
    assert "2 tables" in found.stderr
    record = tmp_path / "record.poste"
    assert house.tool("export", finished[:12], "-o", str(record)).returncode == 0
    assert auditing.audit(record.read_bytes()).valid
    log = house.tool("export", going).stdout
    assert len(log.splitlines()) == 5
    assert "secret" not in log
    missing = house.tool("export", "f" * 32)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "there is no table" in missing.stderr
    assert house.tool("export").returncode == 2
    (house.data / server_key.FILE).unlink()
    for command in (["run", "--port", "0"], ["check"]):
        refused = house.tool(*command)
        assert refused.returncode == 1
        assert "key" in refused.stderr
        assert "Traceback" not in refused.stderr
    assert not (house.data / server_key.FILE).exists()


def test_check_exits_with_4_when_a_log_was_touched(new_house: Houses) -> None:
    house = new_house()
    seated(house.url)
    house.stop()
    engine = create_engine(Settings(db=house.environment["POSTE_DB"]).database)
    with engine.begin() as connection:
        connection.execute(text("UPDATE entries SET line = (SELECT line FROM entries WHERE seq = 1) WHERE seq = 2"))
    engine.dispose()
    found = house.tool("check")
    assert found.returncode == 4
    assert "[chain/sequence]" in found.stdout


def test_a_port_that_is_taken_is_said_in_one_line(new_house: Houses) -> None:
    house = new_house()
    port = house.url.rpartition(":")[2]
    again = house.tool("run", "--port", port)
    assert again.returncode == 1
    assert "cannot listen" in again.stderr


def test_a_restart_finds_everything_again(new_house: Houses) -> None:
    house = new_house()
    table, players = seated(house.url)
    players[to_move(table, players)[0]].move(table)
    before, key = players[0].get(f"/tables/{table}"), players[0].get("")["key"]
    assert house.stop() == 0
    house.start()
    for player in players:
        player.url = house.url
    assert players[0].get(f"/tables/{table}") == before
    assert players[0].get("")["key"] == key
    play_out(table, players)


def test_the_data_directory_is_the_owners(new_house: Houses) -> None:
    house = new_house()
    assert os.stat(house.data).st_mode & 0o777 == 0o700  # noqa: PTH116
