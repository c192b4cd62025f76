"""Sealed answers in time: what they cost, how long one that came by mail counts, and who is asked again."""

from __future__ import annotations

from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from engine.game import Seat
from engine.record.audit import audit
from engine.record.entry import (
    Bank,
    Clock,
    PerDecision,
    Play,
    delegate_message,
    mailed,
    move_message,
    revoke_message,
    timestamp,
)
from engine.record.replay import move_json
from server.problems import RequestRefused
from server.service import deadline_rounds, mailboxes, table_actions, table_reads, table_summaries
from server.service.entry_batch import SignedDelegation
from server.service.server_context import ServerContext
from server.service.table_actions import SubmittedMove
from server.storage.models import HELD, TABLES
from tests.server.test_clockwork import DAY, HOUR, Seated, Watch, mail_context, queued, watch, with_mail
from tests.server.test_sealed import SEALED

__all__ = ["mail_context", "watch"]

BANK = Bank(start=24 * 3600, refill=600, most=24 * 3600)
THREE_DAYS = PerDecision(seconds=3 * 86400)


class Delegating(Seated):
    """A table whose players let the mail gateway speak for them."""

    def choice(self, seat: int, which: int = 0) -> SubmittedMove:
        position = self.context.folded_tables.recent(self.id).table.playing
        base = position.asked[Seat(seat)].base
        move = move_json(position.game.legal(position.state, Seat(seat))[which])
        return SubmittedMove(seat, base, move, self.keys[seat].sign(move_message(self.id, base, seat, move)))

    def by_mail(self, seat: int) -> bool:
        own = self.choice(seat)
        signature = self.context.gateway.sign(mailed(move_message(self.id, own.base, seat, own.move)))
        return (
            table_actions.play(self.context, self.id, SubmittedMove(seat, own.base, own.move, signature, "mail"))
            is None
        )

    def delegate(self, seat: int, time: timedelta) -> None:
        key, to = self.keys[seat], self.context.gateway.public
        begins, ends = timestamp(self.watch.moment - timedelta(minutes=5)), timestamp(self.watch.moment + time)
        signature = key.sign(delegate_message(key.public, to, begins, ends))
        mailboxes.delegate(self.context, key.public, SignedDelegation(to, begins, ends, signature))

    @property
    def held(self) -> list[bool]:
        return [asked["held"] for asked in self.summary()["waiting"]]


class Sealed(Delegating):
    """A table that begins with sealed answers."""

    def __init__(self, context: ServerContext, watch: Watch, clock: Clock | None) -> None:
        super().__init__(context, watch, clock, game=SEALED[0])

    def answer(self, seat: int, which: int = 0) -> bool:
        """Whether the answer is held."""
        return table_actions.play(self.context, self.id, self.choice(seat, which)) is None

    @property
    def look(self) -> Any:
        with self.context.storage.reading() as connection:
            return connection.scalar(select(TABLES.c.look).where(TABLES.c.id == self.id))

    def moves(self) -> list[Play]:
        return [entry for entry in self.entries() if isinstance(entry, Play)]

    def banks(self) -> tuple[int, ...]:
        attendance = self.context.folded_tables.recent(self.id).table.playing.attendance
        assert attendance is not None
        return attendance.banks


# What they cost.


def test_whoever_answers_quickly_does_not_pay_for_the_slowest(mail_context: ServerContext, watch: Watch) -> None:
    table = Sealed(mail_context, watch, BANK)
    opened = table.entries()[-1].at
    watch.pass_by(HOUR)
    assert table.answer(0)
    watch.pass_by(20 * HOUR)
    assert not table.answer(1)
    assert [(move.seat, move.given) for move in table.moves()] == [(0, "2026-11-18T10:00:00.000Z"), (1, None)]
    assert opened == "2026-11-18T09:00:00.000Z"
    assert table.banks() == ((23 * 3600 + 600) * 1000, (3 * 3600 + 600) * 1000)
    table.assert_sound()


def test_another_answer_counts_from_when_it_came_and_the_same_from_when_it_came_first(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Sealed(mail_context, watch, BANK)
    for which in (0, 1, 1):
        watch.pass_by(HOUR)
        assert table.answer(0, which)
    watch.pass_by(HOUR)
    table.answer(1)
    assert table.moves()[0].given == "2026-11-18T11:00:00.000Z"


@pytest.mark.parametrize("clock", [None, THREE_DAYS])
def test_without_accounts_the_log_does_not_tell_who_answered_when(
    mail_context: ServerContext, watch: Watch, clock: Clock | None
) -> None:
    table = Sealed(mail_context, watch, clock)
    table.answer(0)
    watch.pass_by(HOUR)
    table.answer(1)
    assert [move.given for move in table.moves()] == [None, None]


def test_answers_of_the_same_moment_and_of_an_older_database_cost_until_they_are_opened(
    mail_context: ServerContext, watch: Watch
) -> None:
    together, older = (Sealed(mail_context, watch, BANK) for _ in range(2))
    together.answer(0)
    together.answer(1)
    assert [move.given for move in together.moves()] == [None, None]
    older.answer(0)
    with mail_context.storage.writing() as connection:
        connection.execute(update(HELD).values(given=None))
    watch.pass_by(HOUR)
    older.answer(1)
    assert [move.given for move in older.moves()] == [None, None]


def test_a_clock_that_is_set_back_does_not_date_an_answer_after_its_entry(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Sealed(mail_context, watch, BANK)
    watch.pass_by(HOUR)
    table.answer(0)
    watch.pass_by(-HOUR / 2)
    table.answer(1)
    assert table.moves()[0].given is None
    table.assert_sound()


def test_an_account_that_runs_out_after_its_answer_was_given_costs_no_timeout(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Sealed(mail_context, watch, BANK)
    table.answer(0)
    table.tick(DAY)
    assert table.timeouts() == [(1, "deadline")]
    assert [move.seat for move in table.moves()] == [0]
    assert table.banks() == (24 * 3600 * 1000, 600_000)


# How long one that came by mail counts.


def test_an_answer_by_mail_that_outlives_its_delegation_is_asked_for_again(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Sealed(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    table.delegate(0, HOUR)
    assert table.by_mail(0)
    table.tick(HOUR)
    assert table.held == [True, False], "it counts to the last moment"
    table.tick(timedelta(milliseconds=1))
    assert table.held == [False, False]
    assert table_reads.view(mail_context, table.id, table.keys[0].public)["held"] is None
    assert [one["table"] for one in table_summaries.waiting(mail_context, table.keys[0].public, None, 0)[0]] == [
        table.id
    ]
    assert queued(mail_context) == [("turn", 0), ("turn", 0)], "she is told that she is asked, and once"
    table.tick(timedelta(minutes=1))
    assert len(queued(mail_context)) == 2
    table.assert_sound()
    assert table.answer(1), "the other answer waits for hers"
    assert not table.answer(0)
    assert len(table.moves()) == 2


def test_a_table_does_not_stop_when_a_delegation_ends(mail_context: ServerContext, watch: Watch) -> None:
    """The other answers after it has ended, before the clock has looked."""
    table = Sealed(mail_context, watch, THREE_DAYS)
    table.delegate(0, HOUR)
    assert table.by_mail(0)
    watch.pass_by(2 * HOUR)
    assert table.answer(1)
    assert table.held == [False, True]
    assert table.look is not None
    while table.look is not None and not table.timeouts():
        watch.moment = max(watch.moment, watch.moment.fromisoformat(table.look))
        deadline_rounds.round_of(mail_context)
    assert table.timeouts() == [(0, "deadline")]
    table.assert_sound()


def test_without_a_clock_an_answer_that_no_longer_counts_is_asked_for_again_too(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Sealed(mail_context, watch, None)
    with_mail(table, 0)
    table.delegate(0, HOUR)
    table.by_mail(0)
    assert table.look is not None
    table.tick(2 * HOUR)
    assert table.held == [False, False]
    assert table.look is None
    assert queued(mail_context) == [("turn", 0), ("turn", 0)]


def test_a_new_delegation_does_not_help_an_answer_that_has_lapsed_but_one_in_time_does(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Sealed(mail_context, watch, THREE_DAYS)
    table.delegate(0, HOUR)
    table.by_mail(0)
    watch.pass_by(HOUR / 2)
    table.delegate(0, DAY)
    assert table.by_mail(0), "the new delegation goes on record with it"
    table.tick(HOUR)
    assert table.held == [True, False]
    assert not table.answer(1)
    assert [move.by for move in table.moves()] == ["mail", None]
    data = b"".join(line + b"\n" for line in table_reads.log(mail_context, table.id, -1, 0))
    assert {fault.code for fault in audit(data).faults} == {"record/unfinished"}


# Taking it back.


@pytest.mark.parametrize("game", ["paris-paris", SEALED[0]])
def test_after_a_revocation_is_acknowledged_nothing_is_put_on_record_by_mail(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """A move by mail is on its way, and has just found the delegation, when its player takes that back."""
    table = Delegating(mail_context, watch, THREE_DAYS, game=game)
    table.delegate(0, DAY)
    watch.pass_by(HOUR)
    find, before = mailboxes.delegation_of, watch()
    signature = table.keys[0].sign(revoke_message(table.keys[0].public, before))
    revoking = Thread(target=mailboxes.revoke, args=(mail_context, table.keys[0].public, before, signature))

    def slowly(connection: Connection, key: str) -> SignedDelegation | None:
        found = find(connection, key)
        revoking.start()
        revoking.join(1)
        return found

    monkeypatch.setattr(mailboxes, "delegation_of", slowly)
    table.by_mail(0)
    monkeypatch.undo()
    revoking.join()
    assert mail_context.folded_tables.recent(table.id).table.chain.delegation(Seat(0), watch()) is None
    assert table.held[0] is False
    with pytest.raises(RequestRefused, match="not let the mail gateway"):
        table_actions.introduce(mail_context, table.id, 0)
    table.assert_sound()
