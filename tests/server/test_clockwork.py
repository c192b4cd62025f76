"""The clock, with the time in our hands: reminders, timeouts, bots, votes, days off, and who wins a race."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import select, update

from engine.errors import EngineError, RecordRejected
from engine.game import Seat
from engine.keys import SigningKey
from engine.record.audit import audit
from engine.record.entry import (
    Away,
    Back,
    Bank,
    Clock,
    Json,
    PerDecision,
    Timeout,
    Vote,
    away_message,
    back_message,
    move_message,
    read_line,
    sit_message,
    timestamp,
    vote_message,
)
from engine.record.replay import move_json
from server.problems import RequestRefused
from server.service import (
    deadline_rounds,
    mailboxes,
    players,
    table_actions,
    table_reads,
    table_summaries,
)
from server.service.log_check import check_all
from server.service.server_context import ServerContext, enter
from server.service.table_actions import SitRequest, SubmittedMove
from server.settings import Settings
from server.storage.models import ENTRIES, OUTBOX, TABLES
from tests.server.conftest import Databases

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
THREE_DAYS = PerDecision(seconds=3 * 86400)


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)  # a Wednesday

    def __call__(self) -> str:
        return timestamp(self.moment)

    def pass_by(self, time: timedelta) -> None:
        self.moment += time


class Seated:
    """A table of players who call the service directly."""

    def __init__(
        self, context: ServerContext, watch: Watch, clock: Clock | None, seats: int = 2, game: str = "paris-paris"
    ) -> None:
        self.context, self.watch = context, watch
        self.keys = [SigningKey(secrets.token_bytes(32)) for _ in range(seats)]
        names = [f"p{seat}-{key.public[:8]}" for seat, key in enumerate(self.keys)]
        for name, key in zip(names, self.keys, strict=True):
            players.register(context, key.public, name)
        self.id = table_actions.open_table(context, self.keys[0].public, game, seats, {}, None, clock)
        for seat, (name, key) in enumerate(zip(names, self.keys, strict=True)):
            base, entropy = self.head, secrets.token_hex(32)
            said = sit_message(self.id, base, seat, name, key.public, entropy)
            table_actions.sit(context, self.id, SitRequest(base, seat, name, key.public, entropy, key.sign(said)))

    @property
    def head(self) -> str:
        return str(table_summaries.summary(self.context, self.id)["head"])

    @property
    def asked(self) -> Seat:
        return Seat(table_summaries.summary(self.context, self.id)["waiting"][0]["seat"])

    def move(self, seat: Seat | None = None) -> SubmittedMove:
        seat = self.asked if seat is None else seat
        position = self.context.folded_tables.recent(self.id).table.playing
        return self.signed(seat, position.asked[seat].base, move_json(position.game.legal(position.state, seat)[0]))

    def signed(self, seat: Seat, base: str, move: Json) -> SubmittedMove:
        return SubmittedMove(seat, base, move, self.keys[seat].sign(move_message(self.id, base, seat, move)))

    def play(self) -> None:
        table_actions.play(self.context, self.id, self.move())

    def say(self, kind: Any, seat: int, message: bytes, **members: Any) -> None:
        signature = self.keys[seat].sign(message)
        table_actions.say(self.context, self.id, kind, seat, base=self.head, signature=signature, **members)

    def away(self, seat: int, ends: datetime) -> None:
        begins, until = self.watch(), timestamp(ends)
        message = away_message(self.id, self.head, seat, begins, until)
        self.say(Away, seat, message, begins=begins, ends=until)

    def entries(self) -> list[Any]:
        return [read_line(line).entry for line in table_reads.log(self.context, self.id, -1, 0)]

    def timeouts(self) -> list[tuple[int, str]]:
        return [(entry.seat, entry.why) for entry in self.entries() if isinstance(entry, Timeout)]

    def tick(self, time: timedelta) -> None:
        self.watch.pass_by(time)
        deadline_rounds.round_of(self.context)

    def summary(self) -> Any:
        return table_summaries.summary(self.context, self.id)

    def assert_sound(self) -> None:
        assert [wrong for checked in check_all(self.context) for wrong in checked.wrong] == []


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def mail_context(backend: str, databases: Databases, tmp_path: Path, watch: Watch) -> Iterator[ServerContext]:
    settings = Settings(
        data=tmp_path / "data",
        db=databases(backend, tmp_path),
        mail=f"maildir://{tmp_path / 'mail'}",
        mail_from="post@example.org",
    )
    context = enter(settings, watch)
    yield context
    context.close()


def with_mail(table: Seated, seat: int, address: str | None = None) -> None:
    key = table.keys[seat].public
    mailboxes.change(table.context, key, address or f"p{seat}@example.org", None, None)
    with table.context.storage.reading() as connection:
        code = connection.scalar(
            select(OUTBOX.c.body).where(OUTBOX.c.kind == "confirmation").order_by(OUTBOX.c.id.desc()).limit(1)
        )
    mailboxes.confirm(table.context, key, str(code))


def queued(context: ServerContext) -> list[tuple[str, int | None]]:
    with context.storage.reading() as connection:
        rows = connection.execute(select(OUTBOX.c.kind, OUTBOX.c.seat).order_by(OUTBOX.c.id))
        return [(row.kind, row.seat) for row in rows if row.kind != "confirmation"]


def test_a_deadline_that_passes_is_played_by_the_fallback(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    assert table.summary()["waiting"][0]["due"] == "2026-11-21T09:00:00.000Z"
    table.tick(3 * DAY - timedelta(milliseconds=1))
    assert table.timeouts() == []
    table.tick(timedelta(milliseconds=1))
    assert table.timeouts() == [(0, "deadline")]
    assert table.asked == 1
    table.assert_sound()


def test_a_table_without_a_clock_waits_for_ever(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, None)
    table.tick(10_000 * DAY)
    assert table.timeouts() == []


def test_a_table_that_cannot_be_looked_at_stops_no_other_clock(mail_context: ServerContext, watch: Watch) -> None:
    broken, sound = (Seated(mail_context, watch, THREE_DAYS) for _ in range(2))
    with mail_context.storage.writing() as connection:
        number = connection.scalar(select(TABLES.c.number).where(TABLES.c.id == broken.id))
        connection.execute(update(ENTRIES).where(ENTRIES.c.table_number == number).values(line=b"{}"))
    mail_context.folded_tables.forget()
    watch.pass_by(4 * DAY)
    assert deadline_rounds.round_of(mail_context) == 2
    assert len(sound.timeouts()) == 1
    assert deadline_rounds.round_of(mail_context) == 0, "it is left alone for an hour"
    watch.pass_by(HOUR)
    assert deadline_rounds.round_of(mail_context) == 1


def test_reminder_then_timeout_and_both_are_told_by_mail_once(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    assert queued(mail_context) == [("turn", 0)], "whoever confirms an address hears of the turn that waits"
    table.tick(3 * DAY - 18 * HOUR - timedelta(minutes=1))
    assert queued(mail_context) == [("turn", 0)], "a reminder comes when a quarter of the time is left, not sooner"
    for _ in range(3):
        table.tick(timedelta(minutes=1))
    assert queued(mail_context) == [("turn", 0), ("reminder", 0)]
    for _ in range(3):
        table.tick(18 * HOUR)
    assert queued(mail_context) == [("turn", 0), ("reminder", 0), ("missed", 0)]
    assert table.timeouts() == [(0, "deadline")]


def test_a_late_move_counts_until_the_clock_has_looked(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    watch.pass_by(4 * DAY)
    table.play()
    deadline_rounds.round_of(mail_context)
    assert table.timeouts() == []


def test_whoever_loses_against_the_clock_is_told(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    late = table.move()
    table.tick(3 * DAY)
    with pytest.raises(RequestRefused, match="the deadline had passed, and entry 4 played for you") as refused:
        table_actions.play(mail_context, table.id, late)
    assert refused.value.code == "move/stale"


def test_of_a_late_move_and_the_clock_exactly_one_wins(mail_context: ServerContext, watch: Watch) -> None:
    for _ in range(6):
        table = Seated(mail_context, watch, THREE_DAYS)  # a new one: after two timeouts of each it would be given up
        before, late = len(table.entries()), table.move()
        watch.pass_by(3 * DAY)
        start = Barrier(2)
        refusals: list[str] = []

        def send(
            table: str = table.id, late: SubmittedMove = late, start: Barrier = start, refusals: list[str] = refusals
        ) -> None:
            start.wait()
            try:
                table_actions.play(mail_context, table, late)
            except (RequestRefused, EngineError) as refusal:
                refusals.append(refusal.code)

        thread = Thread(target=send)
        thread.start()
        start.wait()
        deadline_rounds.round_of(mail_context)
        thread.join()
        new = table.entries()[before:]
        answers = [entry for entry in new if entry.seat == late.seat and entry.base == late.base]
        assert len(answers) == 1
        assert bool(refusals) == isinstance(answers[0], Timeout)
        table.assert_sound()


def test_after_so_many_timeouts_a_bot_plays_until_the_player_is_back(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3600, strikes=2))
    while len(table.timeouts()) < 2:
        if table.asked == 0:
            table.tick(HOUR)
        else:
            table.play()
    assert table.summary()["bots"] == [0]
    while ("bot" not in [why for _, why in table.timeouts()]) or table.asked == 0:
        table.play()
    assert table.asked == 1, "the bot answers at once"
    table.say(Back, 0, back_message(table.id, table.head, 0))
    assert table.summary()["bots"] == []
    for _ in range(4):
        table.play()
    assert table.timeouts().count((0, "bot")) == [why for _, why in table.timeouts()].count("bot")
    table.assert_sound()


def test_a_table_of_absent_players_is_closed_and_audits(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS, seats=3)
    for _ in range(40):
        table.tick(3 * DAY)
    assert table.summary()["phase"] == "closed"
    assert [(entry.__struct_config__.tag) for entry in table.entries()][-2:] == ["abandon", "close"]
    assert table.summary()["abandoned"] == "idle"
    assert audit(b"".join(line + b"\n" for line in table_reads.log(mail_context, table.id, -1, 0))).valid
    table.assert_sound()


def test_the_others_vote_a_table_out_only_together(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3600, strikes=1, then="vote"), seats=3)
    table.tick(HOUR)
    assert table.summary()["voting"] == [1, 2]
    with pytest.raises(RecordRejected, match="no vote"):
        table.say(Vote, 0, vote_message(table.id, table.head, 0, "abandon"), choice="abandon")
    table.say(Vote, 1, vote_message(table.id, table.head, 1, "abandon"), choice="abandon")
    assert (table.summary()["phase"], table.summary()["abandoned"]) == ("playing", None)
    head = table.head
    with pytest.raises(RequestRefused, match="voted to abandon this table already"):
        table.say(Vote, 1, vote_message(table.id, table.head, 1, "abandon"), choice="abandon")
    assert table.head == head, "the same vote twice makes one entry"
    table.say(Vote, 2, vote_message(table.id, table.head, 2, "abandon"), choice="abandon")
    assert table.summary()["phase"] == "closed"
    assert table.entries()[-2].why == table.summary()["abandoned"] == "voted"
    table.assert_sound()


def test_one_vote_to_continue_is_enough(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3600, strikes=1, then="vote"), seats=3)
    table.tick(HOUR)
    table.say(Vote, 1, vote_message(table.id, table.head, 1, "continue"), choice="continue")
    assert table.summary()["voting"] == []
    assert table.summary()["phase"] == "playing"


def test_a_vote_is_told_to_everybody_who_has_a_voice_once(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3600, strikes=1, then="vote"), seats=4)
    for seat in range(4):
        with_mail(table, seat)

    def told() -> list[int | None]:
        return [seat for kind, seat in queued(mail_context) if kind == "vote"]

    assert told() == []
    table.tick(HOUR)
    assert told() == [1, 2, 3]
    deadline_rounds.look(mail_context, table.id)
    table.play()
    table.play()
    assert told() == [1, 2, 3], "it is the same vote"
    while table.asked == 0:
        table.tick(HOUR)
    late = int(table.asked)
    table.tick(HOUR)
    assert told() == [1, 2, 3, *sorted({1, 2, 3} - {late})], "now it is about somebody else as well"
    voter = min({1, 2, 3} - {late})
    table.say(Vote, voter, vote_message(table.id, table.head, voter, "continue"), choice="continue")
    assert table.summary()["voting"] == []
    assert len(told()) == 5


def test_days_off_stop_the_clock(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3 * 86400, vacation=14))
    table.away(0, watch.moment + 7 * DAY)
    assert table.summary()["waiting"][0]["due"] == timestamp(watch.moment + 10 * DAY)
    table.tick(9 * DAY)
    assert table.timeouts() == []
    with pytest.raises(RecordRejected, match="14 days off"):
        table.away(0, watch.moment + 8 * DAY)
    table.tick(1 * DAY)
    assert table.timeouts() == [(0, "deadline")]
    table.assert_sound()


def test_weekends_do_not_count_if_the_table_says_so(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3 * 86400, weekends_off=True))
    assert table.summary()["waiting"][0]["due"] == "2026-11-23T09:00:00.000Z"  # Wednesday to Monday


def test_the_same_move_again_is_the_same_entry_whatever_its_player_has_said_since(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3 * 86400, vacation=14))
    move = table.move()
    for _ in range(3):
        table.away(0, watch.moment + DAY)
        table.say(Back, 0, back_message(table.id, table.head, 0))
    first = table_actions.play(mail_context, table.id, move)
    table.away(0, watch.moment + DAY)
    assert first is not None
    assert table_actions.play(mail_context, table.id, move) == first


def test_a_time_bank_is_used_up_and_refilled(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, Bank(start=4 * 3600, refill=3600, most=4 * 3600))
    watch.pass_by(3 * HOUR)
    table.play()
    while table.asked != 0:
        table.play()
    assert table.summary()["waiting"][0]["due"] == timestamp(watch.moment + 2 * HOUR)
    table.tick(2 * HOUR)
    assert table.timeouts() == [(0, "deadline")]


def test_an_empty_account_is_not_called_on_days_off_or_weekends(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, Bank(start=3600, refill=0, most=3600, weekends_off=True, vacation=30))
    table.tick(HOUR)
    assert table.timeouts() == [(0, "deadline")]
    table.away(0, watch.moment + DAY)
    while table.asked == 1:
        table.play()
    table.tick(DAY)
    assert table.timeouts() == [(0, "deadline")], "until Thursday 10:00 nothing counted"
    while table.asked == 0:
        table.play()
    watch.moment = datetime(2026, 11, 21, 12, tzinfo=UTC)  # a Saturday
    while table.asked == 1:
        table.play()
    table.tick(1.5 * DAY)
    assert table.timeouts() == [(0, "deadline")]
    table.tick(timedelta(minutes=1))
    assert table.timeouts() == [(0, "deadline")] * 2
    table.assert_sound()


def test_the_clock_looks_at_tables_whose_time_has_come_and_at_no_others(
    mail_context: ServerContext, watch: Watch
) -> None:
    tables_there = [Seated(mail_context, watch, PerDecision(seconds=3600 * hours)) for hours in (1, 2, 3)]
    assert deadline_rounds.round_of(mail_context) == 0
    watch.pass_by(HOUR)
    deadline_rounds.round_of(mail_context)
    assert [bool(table.timeouts()) for table in tables_there] == [True, False, False]
    with mail_context.storage.reading() as connection:
        looks = list(connection.scalars(select(TABLES.c.look).order_by(TABLES.c.number)))
    assert all(look is not None and look > watch() for look in looks)


def test_another_process_that_is_behind_still_lets_deadlines_pass(mail_context: ServerContext, watch: Watch) -> None:
    """A worker has folded the table before; the server has appended since."""
    table = Seated(mail_context, watch, THREE_DAYS)
    other = enter(mail_context.settings, watch)
    try:
        other.folded_tables.recent(table.id)
        table.play()
        watch.pass_by(3 * DAY)
        deadline_rounds.round_of(other)
        assert len(table.timeouts()) == 1
    finally:
        other.close()
