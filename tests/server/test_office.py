"""The service without its door: snapshots, caches, several processes on one database, and the operator's check."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, delete, select, update

from engine import games
from engine.errors import EngineError
from engine.game import Seat
from engine.keys import SigningKey
from engine.record.entry import Json, move_message, sit_message
from engine.record.replay import move_json
from server.app import application
from server.problems import DamagedLog, RequestRefused
from server.service import players, table_actions, table_reads, table_summaries
from server.service.batch_storage import store
from server.service.entry_batch import EntryBatch
from server.service.log_check import check_all
from server.service.server_context import ServerContext, engine_version, enter
from server.service.table_actions import SitRequest, SubmittedMove
from server.storage.group_commit import GroupCommit
from server.storage.models import ENTRIES, HELD, SEATS, SNAPSHOTS, TABLES


class Party:
    """Players of one table who call the service directly."""

    def __init__(self, context: ServerContext, seats: int = 2, game: str = "paris-paris") -> None:
        self.context = context
        self.keys = [SigningKey(secrets.token_bytes(32)) for _ in range(seats)]
        for seat, key in enumerate(self.keys):
            players.register(context, key.public, f"p{seat}-{key.public[:8]}")
        self.table = table_actions.open_table(context, self.keys[0].public, game, seats, {}, None, None)
        for seat, key in enumerate(self.keys):
            self.sit(seat, key)

    def sit(self, seat: int, key: SigningKey) -> None:
        base, entropy = table_summaries.summary(self.context, self.table)["head"], secrets.token_hex(32)
        name = f"p{seat}-{key.public[:8]}"
        said = sit_message(self.table, base, seat, name, key.public, entropy)
        table_actions.sit(self.context, self.table, SitRequest(base, seat, name, key.public, entropy, key.sign(said)))

    def next_move(self, turn: int) -> SubmittedMove | None:
        position = self.context.folded_tables.recent(self.table).table.playing
        if position.over:
            return None
        waiting = table_summaries.summary(self.context, self.table)["waiting"]
        seat = Seat(next(asked["seat"] for asked in waiting if not asked["held"]))
        legal = position.game.legal(position.state, seat)
        return self.signed(seat, position.asked[seat].base, move_json(legal[turn * 7 % len(legal)]))

    def signed(self, seat: Seat, base: str, move: Json) -> SubmittedMove:
        return SubmittedMove(seat, base, move, self.keys[seat].sign(move_message(self.table, base, seat, move)))

    def play(self, turns: int) -> None:
        for turn in range(turns):
            move = self.next_move(turn)
            if move is None:
                return
            table_actions.play(self.context, self.table, move)

    def told(self) -> list[bytes]:
        """Everything that can be read of the table."""
        keys = [None, *(key.public for key in self.keys)]
        told: list[Any] = [table_reads.view(self.context, self.table, key) for key in keys]
        told += [table_reads.events(self.context, self.table, key, -1) for key in keys]
        told += [table_reads.legal(self.context, self.table, key.public) for key in self.keys]
        told += [table_summaries.summary(self.context, self.table), table_reads.log(self.context, self.table, -1, 0)]
        return [msgspec.json.encode(one) for one in told]


def snapshots(context: ServerContext) -> int:
    with context.storage.reading() as connection:
        return len(connection.execute(select(SNAPSHOTS.c.table_number)).all())


@pytest.mark.parametrize("key", games.keys())
def test_without_snapshots_and_without_memory_everything_is_the_same(context: ServerContext, key: str) -> None:
    party = Party(context, min(games.load(key).seats), key)
    for stretch in (3, 11, 17):
        party.play(stretch)
        told = party.told()
        context.folded_tables.forget()
        assert party.told() == told, "from the snapshot"
        with context.storage.writing() as connection:
            connection.execute(delete(SNAPSHOTS))
        context.folded_tables.forget()
        assert party.told() == told, "from the log alone"
    party.play(30)
    assert snapshots(context) == 1
    assert [checked.wrong for checked in check_all(context)] == [()]


@pytest.mark.parametrize("damage", ["garbage", "other engine", "other state", "ahead"])
def test_a_snapshot_that_is_not_right_is_not_used(context: ServerContext, damage: str) -> None:
    party = Party(context)
    party.play(9)
    told = party.told()
    with context.storage.writing() as connection:
        saved = bytes(connection.scalar(select(SNAPSHOTS.c.folded)) or b"")
        changes: dict[str, dict[str, Any]] = {
            "garbage": {"folded": b"\x00garbage"},
            "other engine": {"engine": "0.0.1+other", "folded": b"\x00"},
            "other state": {"folded": saved.replace(b'"first":', b'"first":1')},
            "ahead": {"folded": saved.replace(b'"length":', b'"length":1')},
        }
        assert changes[damage]["folded"] != saved
        connection.execute(update(SNAPSHOTS).values(**changes[damage]))
    context.folded_tables.forget()
    assert party.told() == told


def test_a_page_for_an_older_head_is_not_stored(context: ServerContext) -> None:
    party = Party(context)
    move = party.next_move(0)
    assert move is not None
    folded = context.folded_tables.recent(party.table)

    def stored() -> bool:
        batch = EntryBatch(context.key, folded, {}, context.now())
        batch.add(batch.clerk.move(batch.table, batch.at, Seat(move.seat), move.base, move.move, move.signature))
        with context.storage.writing() as connection:
            return store(context.folded_tables, context.stationery, 16, connection, [batch])

    assert stored()
    assert not stored(), "the head has moved on"


def test_only_the_tail_is_replayed(context: ServerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    party = Party(context)
    party.play(30)
    replayed: list[int] = []
    from server.service import folded_tables

    def counted(folded: folded_tables.FoldedTable, lines: list[bytes]) -> folded_tables.FoldedTable:
        replayed.append(len(lines))
        return REPLAYED(folded, lines)

    REPLAYED = folded_tables.replayed  # noqa: N806
    monkeypatch.setattr(folded_tables, "replayed", counted)
    table_reads.view(context, party.table, None)
    assert replayed == [], "warm: nothing"
    context.folded_tables.forget()
    table_reads.view(context, party.table, None)
    assert len(replayed) == 1
    assert replayed[0] < 8, "cold: less than lies between two snapshots"


def test_the_engine_version_names_its_code() -> None:
    assert engine_version().startswith("0.1.0+")


def test_two_processes_share_one_database(context: ServerContext) -> None:
    party = Party(context)
    other = enter(context.settings)
    try:
        for turn in range(12):
            party.context = (context, other)[turn % 2]
            party.context.folded_tables.recent(party.table)
            with party.context.storage.reading() as connection:
                party.context.folded_tables.newest(connection, party.table)
            move = party.next_move(turn)
            assert move is not None
            party.context = (other, context)[turn % 2]
            assert table_actions.play(party.context, party.table, move) is not None, (
                "written over a memory that is behind"
            )
        assert other.key.public == context.key.public
    finally:
        other.close()
    assert [checked.wrong for checked in check_all(context)] == [()]


@pytest.fixture
def played(context: ServerContext) -> Party:
    party = Party(context)
    party.play(10)
    assert [checked.wrong for checked in check_all(context)] == [()]
    return party


def wrong(context: ServerContext) -> set[str]:
    return {wrong.code for checked in check_all(context) for wrong in checked.wrong}


@pytest.mark.parametrize(
    ("column", "value"),
    [("phase", "closed"), ("head", "0" * 64), ("length", 3), ("asked", "[]"), ("attendance", "{}"), ("at", "2026")],
)
def test_check_finds_a_derived_column_that_is_not(
    context: ServerContext, played: Party, column: str, value: object
) -> None:
    with context.storage.writing() as connection:
        connection.execute(update(TABLES).values(**{column: value}))
    assert wrong(context) == {"derived/table"}


def test_check_finds_what_was_done_to_a_log(context: ServerContext, played: Party) -> None:
    def done(**change: Any) -> set[str]:
        with context.storage.writing() as connection:
            at = ENTRIES.c.seq == 7
            before = connection.execute(select(ENTRIES).where(at)).one()
            connection.execute(update(ENTRIES).where(at).values(**change))
        found = wrong(context)
        with context.storage.writing() as connection:
            restored = {name: getattr(before, name) for name in change}
            connection.execute(update(ENTRIES).where(at).values(**restored))
        return found

    line = table_reads.log(context, played.table, 6, 0)[0]
    assert done(hash="0" * 64) == {"derived/entry"}
    assert done(events=b"[{}]") == {"derived/events"}
    assert "entry/not-json" in done(line=line[:-10])
    assert "seal/forged" in done(line=line.replace(b'"seal":"', b'"seal":"0')[:-3] + b'"}')
    assert "chain/sequence" in done(line=table_reads.log(context, played.table, 4, 0)[0])
    assert wrong(context) == set()
    with context.storage.writing() as connection:
        connection.execute(delete(ENTRIES).where(ENTRIES.c.seq == 7))
    assert "chain/sequence" in wrong(context)


def test_check_finds_seats_secrets_and_answers_that_do_not_belong(context: ServerContext, played: Party) -> None:
    with context.storage.writing() as connection:
        connection.execute(update(SEATS).values(resigned=True))
        row = {"table_number": 1, "seat": 0, "base": "0" * 64, "move": "{}", "signature": "0" * 128}
        connection.execute(HELD.insert(), row)
    assert wrong(context) == {"derived/seats", "held/outdated"}
    with context.storage.writing() as connection:
        connection.execute(update(TABLES).values(secret=bytes(32)))
    assert "state/differs" in wrong(context)


def test_a_log_that_does_not_replay_is_the_operators_business(context: ServerContext, played: Party) -> None:
    with context.storage.writing() as connection:
        connection.execute(update(TABLES).values(secret=bytes(32)))
        connection.execute(delete(SNAPSHOTS))
    context.folded_tables.forget()
    with pytest.raises(DamagedLog):
        table_reads.view(context, played.table, None)


def test_a_refused_move_changes_nothing(context: ServerContext, played: Party) -> None:
    told = played.told()
    move = played.next_move(0)
    assert move is not None
    for bad in (
        msgspec.structs.replace(move, signature="0" * 128),
        msgspec.structs.replace(move, base="0" * 64),
        msgspec.structs.replace(move, seat=1 - move.seat),
    ):
        with pytest.raises((EngineError, RequestRefused)):
            table_actions.play(context, played.table, bad)
    assert played.told() == told


def test_a_fault_is_told_without_detail(context: ServerContext, played: Party) -> None:
    with context.storage.writing() as connection:
        connection.execute(update(TABLES).values(secret=bytes(32)))
        connection.execute(delete(SNAPSHOTS))
    context.folded_tables.forget()
    answer = application(context).test_client().get(f"/v1/tables/{played.table}/view")
    problem = answer.get_json()
    assert (answer.status_code, answer.mimetype, problem["code"]) == (500, "application/problem+json", "server/fault")
    assert set(problem) == {"type", "title", "status", "detail", "code", "request"}
    assert "replay" not in answer.text


def test_one_letter_that_cannot_be_written_does_not_spoil_the_others(context: ServerContext) -> None:
    """Five come while a sixth is writing: they share a transaction unless one of them fails."""
    transactions: list[int] = []
    begun, go_on = Event(), Event()

    def write(connection: Connection, letters: Sequence[str]) -> bool:
        transactions.append(len(letters))
        if letters == ["first"]:
            begun.set()
            go_on.wait(10)
        if "broken" in letters:
            raise ValueError("broken")
        return "outdated" not in letters

    group_commit = GroupCommit(context.storage, write)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(group_commit.send, 0, "first")
        begun.wait(10)
        sent = {
            letter: pool.submit(group_commit.send, to, letter)
            for to, letter in enumerate(["a", "broken", "outdated", "b"], 1)
        }
        sent["too late"] = pool.submit(group_commit.send, 1, "too late")
        while len(group_commit._waiting) < 5:
            sleep(0.01)
        go_on.set()
        assert first.result(10)
        assert (sent["a"].result(10), sent["b"].result(10)) == (True, True)
        assert (sent["outdated"].result(10), sent["too late"].result(10)) == (False, False)
        with pytest.raises(ValueError, match="broken"):
            sent["broken"].result(10)
    assert transactions == [1, 4, 1, 1, 1, 1]
