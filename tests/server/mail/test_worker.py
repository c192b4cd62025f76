"""The worker with the time in our hands: digests, back-off, what is given up, and whatever else can go wrong."""

from __future__ import annotations

import mailbox
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select, update

from engine.record.entry import PerDecision, Vote, resign_message, vote_message
from server.cli import cli
from server.mail import worker
from server.mail.letters import letter_texts
from server.mail.letters.reply_instructions import Ways
from server.mail.outgoing import outbox
from server.mail.outgoing.outbox_letters import Recipient, recipients
from server.mail.outgoing.transport import Maildir
from server.mail.reply_addresses import counter
from server.mail.worker import Post, keep_at
from server.service import mailboxes, table_actions
from server.service.mail_notices import enqueue
from server.service.server_context import ServerContext, enter
from server.settings import Settings
from server.storage.models import MAILBOXES, OUTBOX, TABLES
from tests.server.mail.mail_counter import MailCounter
from tests.server.mail.mail_processes import free_port
from tests.server.mail.mail_provider import Sink
from tests.server.test_clockwork import DAY, HOUR, Seated, Watch, mail_context, watch, with_mail

__all__ = ["mail_context", "watch"]  # the fixtures
ANN = "p0@example.org"


@contextmanager
def at_work(context: ServerContext) -> Iterator[Post]:
    post = Post(context, counter(context.settings), Event())
    try:
        yield post
    finally:
        post.close()


@contextmanager
def with_relay(context: ServerContext, address: str) -> Iterator[ServerContext]:
    """The same office with another relay."""
    other = enter(replace(context.settings, mail=f"smtp+plain://{address}"), context.now)
    try:
        yield other
    finally:
        other.close()


def drain(post: Post) -> None:
    while post.send_some():
        pass


def mails(folder: Path, address: str = ANN) -> list[mailbox.MaildirMessage]:
    there = folder / "mail" / address
    return sorted(mailbox.Maildir(there, create=False), key=lambda mail: str(mail["Date"])) if there.exists() else []


def subjects(folder: Path) -> list[str]:
    return sorted(str(mail["Subject"]) for mail in mails(folder))


def rows(context: ServerContext, *kinds: str) -> list[Any]:
    query = select(OUTBOX).order_by(OUTBOX.c.id)
    with context.storage.reading() as connection:
        return list(connection.execute(query.where(OUTBOX.c.kind.in_(kinds)) if kinds else query).all())


def states(context: ServerContext, *kinds: str) -> list[str]:
    return [row.state for row in rows(context, *kinds)]


def box(context: ServerContext, player: int) -> Recipient:
    with context.storage.reading() as connection:
        return recipients(connection, {player})[player]


def daily(context: ServerContext, watch: Watch) -> Seated:
    """A table with an hour for every decision, whose first player wants their mail collected."""
    table = Seated(context, watch, PerDecision(seconds=3600))
    with_mail(table, 0)
    mailboxes.change(context, table.keys[0].public, None, "daily", None)
    return table


def two_wait(context: ServerContext, watch: Watch) -> Seated:
    """The same a day later: the first mail went out, and two more wait for the next."""
    table = daily(context, watch)
    with at_work(context) as post:
        drain(post)
        for _ in range(3):
            table.tick(HOUR)
            drain(post)
    watch.pass_by(DAY - 3 * HOUR)
    return table


def test_a_player_hears_of_everything_in_good_time(mail_context: ServerContext, watch: Watch, tmp_path: Path) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3 * 86400))
    with_mail(table, 0)
    ann = f"p0-{table.keys[0].public[:8]}"
    host = table.keys[1].public
    another = table_actions.open_table(mail_context, host, "restaurant", 3, {}, [ann], None)
    with at_work(mail_context) as post:
        for hours in (0, 54, 24):
            table.tick(hours * HOUR)
            drain(post)
        while table.summary()["waiting"]:
            table.tick(3 * DAY)
            drain(post)
    said = [subject.partition("] ")[2] for subject in subjects(tmp_path)]
    assert f"p1-{host[:8]} invites you" in said
    assert "Your turn: take a token and open a shop" in said
    assert "Reminder, 18 hours left: take a token and open a shop" in said
    assert said.count("Your time was up") == 2, "nobody acted any more after two rounds"
    assert "The table was abandoned" in said
    assert another[:8] in " ".join(subjects(tmp_path))


def test_a_digest_collects_what_waits_and_comes_once_a_day(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    daily_table = daily(mail_context, watch)
    with at_work(mail_context) as post:
        drain(post)
        assert len(mails(tmp_path)) == 1, "the first goes at once"
        for _ in range(3):
            daily_table.tick(HOUR)
            drain(post)
        assert len(mails(tmp_path)) == 1
        watch.pass_by(DAY - 3 * HOUR)
        drain(post)
    assert "[Poste Restante] 2 letters" in subjects(tmp_path)
    assert len(mails(tmp_path)) == 2
    assert set(states(mail_context, "turn", "missed")) == {"collected"}
    assert states(mail_context, "digest") == ["sent", "sent"]


def test_who_wants_every_mail_at_once_again_gets_what_was_kept_for_a_digest(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    table = daily(mail_context, watch)
    with at_work(mail_context) as post:
        drain(post)
        table.tick(HOUR)
        drain(post)
        assert len(mails(tmp_path)) == 1
        mailboxes.change(mail_context, table.keys[0].public, None, "turns", None)
        drain(post)
    assert len(mails(tmp_path)) > 1
    assert outbox.listed(mail_context, "queued") == []


def test_a_digest_of_one_letter_can_be_answered_like_it_and_one_of_several_cannot(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    two_wait(mail_context, watch)
    with at_work(mail_context) as post:
        drain(post)
    one, several = rows(mail_context, "digest")
    (turn, *_) = rows(mail_context, "turn")
    assert (one.table_number, one.seat, one.base) == (turn.table_number, 0, turn.base)
    assert (several.table_number, several.seat, several.base) == (None, None, None)
    assert {one.token, several.token}.isdisjoint(row.token for row in rows(mail_context, "turn", "missed"))


def test_a_digest_is_the_same_mail_at_every_attempt(mail_context: ServerContext, watch: Watch, tmp_path: Path) -> None:
    table = two_wait(mail_context, watch)
    with at_work(mail_context) as post:
        post.send_some()  # it is made; the worker may die before it is sent, or after and before that is written down
        drain(post)
        with mail_context.storage.writing() as connection:
            connection.execute(update(OUTBOX).where(OUTBOX.c.kind == "digest").values(state="queued"))
        table.tick(HOUR)
        drain(post)
    again = [mail for mail in mails(tmp_path) if "2 letters" in str(mail["Subject"])]
    assert len(again) == 2
    assert len({str(mail["Message-ID"]) for mail in again}) == 1
    assert len({mail.get_payload(0).get_payload() for mail in again}) == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["answer", "digest"])
def test_a_mail_that_waits_for_the_relay_is_left_out_once_its_reader_wants_no_private_views(
    mail_context: ServerContext, watch: Watch, tmp_path: Path, kind: str
) -> None:
    """Their hand is in it already."""
    table = daily(mail_context, watch) if kind == "digest" else Seated(mail_context, watch, PerDecision(seconds=3600))
    if kind == "answer":
        with_mail(table, 0)
        desk = MailCounter(mail_context)
        assert "secretly gets" in desk.answered(desk.reply_to("turn"), "log")
    with with_relay(mail_context, "127.0.0.1:1") as cut_off, at_work(cut_off) as post:
        drain(post)
    assert states(mail_context, kind) == ["queued"]
    assert "secretly gets" in rows(mail_context, kind)[0].body
    mailboxes.change(mail_context, table.keys[0].public, None, None, False)
    watch.pass_by(HOUR / 4)
    with at_work(mail_context) as post:
        drain(post)
    assert "[Poste Restante] A mail that is left out" in subjects(tmp_path)
    assert all("secretly" not in str(mail) for mail in mails(tmp_path))
    assert states(mail_context, kind) == ["sent"]


def test_a_vote_is_told_unless_it_is_over_or_the_player_has_voted(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3600, strikes=1, then="vote"), seats=4)
    for seat in (1, 2, 3):
        with_mail(table, seat)
    table.tick(HOUR)
    table.say(Vote, 1, vote_message(table.id, table.head, 1, "abandon"), choice="abandon")
    with at_work(mail_context) as post:
        drain(post)
        assert states(mail_context, "vote") == ["moot", "sent", "sent"]
        (told,) = (mail for mail in mails(tmp_path, "p2@example.org") if "You may vote" in str(mail["Subject"]))
        assert f"poste vote abandon {table.id[:8]}" in str(told)
        while table.asked == 0:
            table.tick(HOUR)
        table.tick(HOUR)
        assert "queued" in states(mail_context, "vote")
        voter = table.summary()["voting"][0]
        table.say(Vote, voter, vote_message(table.id, table.head, voter, "continue"), choice="continue")
        drain(post)
    assert set(states(mail_context, "vote")[3:]) == {"moot"}


def test_a_server_that_takes_no_mail_says_nothing_of_replies(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    two_wait(mail_context, watch)
    with at_work(mail_context) as post:
        drain(post)
    (several,) = (mail for mail in mails(tmp_path) if "2 letters" in str(mail["Subject"]))
    for mail in mails(tmp_path):
        assert "reply" not in str(mail).lower().replace("in-reply-to: ", "")
        assert "poste mail enable" not in str(mail)
    assert str(several).count("To get no more mail, type: poste mail when off") == 2, "once as text, once as a page"


def test_whoever_is_left_of_two_hears_that_they_have_won(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    table = Seated(mail_context, watch, None)
    with_mail(table, 0)
    head, other = table.head, table.keys[1]
    table_actions.resign(mail_context, table.id, 1, head, other.sign(resign_message(table.id, head, 1)))
    with at_work(mail_context) as post:
        drain(post)
    (over,) = (mail for mail in mails(tmp_path) if "You have won" in str(mail["Subject"]))
    words = " ".join(str(over).split())
    assert f"You have won: p1-{other.public[:8]} resigned." in words
    assert "Nobody has won" not in words


def test_two_workers_make_one_digest(mail_context: ServerContext, watch: Watch, tmp_path: Path) -> None:
    two_wait(mail_context, watch)
    waiting = [row for row in rows(mail_context, "turn", "missed") if row.state == "queued"]
    before = box(mail_context, waiting[0].player)
    with at_work(mail_context) as first:
        drain(first)
    letter = letter_texts.digest([], Ways())
    assert outbox.collect(mail_context, before, waiting, letter, None) is False
    assert len(mails(tmp_path)) == 2


def test_a_digest_that_was_put_off_is_tried_again_soon(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    daily(mail_context, watch)
    with (
        Sink(tmp_path / "sink", "--fail-first", "1") as sink,
        with_relay(mail_context, sink.address) as context,
        at_work(context) as post,
    ):
        drain(post)
        assert sink.count() == 0
        watch.pass_by(timedelta(minutes=1))
        drain(post)
        assert sink.count() == 1
        assert [row.attempts for row in rows(context, "digest")] == [2]


def test_a_mail_in_the_hands_of_another_worker_is_in_no_digest(mail_context: ServerContext, watch: Watch) -> None:
    daily(mail_context, watch)
    turn = next(row for row in outbox.claim(mail_context, 10) if row.kind == "turn")
    assert outbox.claim(mail_context, 10, turn.player) == []


def test_a_relay_that_is_down_is_tried_later_and_later_and_then_given_up(
    mail_context: ServerContext, watch: Watch
) -> None:
    with_mail(Seated(mail_context, watch, None), 0)
    with with_relay(mail_context, f"127.0.0.1:{free_port()}") as context, at_work(context) as post:
        began, waits = watch.moment, []
        while outbox.listed(context, "queued"):
            assert post.send_some()
            for row in outbox.listed(context, "queued"):
                waits.append(row.due)
                assert row.error
            assert post.send_some() == 0, "not before its time"
            watch.pass_by(timedelta(hours=6))
        assert len(set(waits)) == outbox.ATTEMPTS - 1
        assert watch.moment - began < 11 * timedelta(hours=6)
        assert [row.kind for row in outbox.listed(context, "dead")] == ["turn"]


def test_an_operator_sees_what_was_given_up_and_tries_again(tmp_path: Path, watch: Watch) -> None:
    def operator(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["outbox", *arguments, "--data", str(tmp_path / "data")])
        return done.exit_code, done.output

    where = f"maildir://{tmp_path / 'mail'}"
    context = enter(Settings(data=tmp_path / "data", mail=where, mail_from="post@example.org"), watch)
    try:
        table = Seated(context, watch, None)
        with_mail(table, 0)
        assert operator() == (0, "No mail is dead.\n")
        (turn,) = (row for row in rows(context, "turn"))
        outbox.fail(context, turn, "550 nobody of that name", permanent=True)
        code, listed = operator()
        assert code == 0
        for fact in (str(turn.id), "turn", table.id[:8], ANN, "550 nobody of that name"):
            assert fact in listed
        assert operator("--retry", str(turn.id))[0] == 0
        assert states(context, "turn") == ["queued"]
        assert operator("--retry", str(turn.id)) == (
            1,
            "0 queued again.\nThe others were not given up; `poste-server outbox` lists those that were.\n",
        )
    finally:
        context.close()


def test_a_letter_that_nobody_foresaw_keeps_no_other_waiting(
    mail_context: ServerContext, watch: Watch, tmp_path: Path
) -> None:
    table = Seated(mail_context, watch, None)
    with_mail(table, 0)
    with mail_context.storage.writing() as connection:
        player = rows(mail_context, "turn")[0].player
        enqueue(connection, mail_context.stationery, "answer.1", player, "answer", watch(), body='{"letter": 7}')
    with at_work(mail_context) as post:
        drain(post)
    assert ["Your turn" in subject for subject in subjects(tmp_path)].count(True) == 1
    (answer,) = rows(mail_context, "answer")
    assert (answer.state, answer.attempts) == ("queued", 1)
    assert "cannot be put into words" in answer.error


def test_an_address_that_cannot_be_one_is_given_up_at_once(mail_context: ServerContext, watch: Watch) -> None:
    with_mail(Seated(mail_context, watch, None), 0)
    with mail_context.storage.writing() as connection:
        connection.execute(update(MAILBOXES).values(address="ann@example.org, bob@example.org"))
    with at_work(mail_context) as post:
        drain(post)
    (row,) = outbox.listed(mail_context, "dead")
    assert (row.kind, "is not an address" in row.error) == ("turn", True)


def test_a_relay_that_fails_as_nobody_foresaw_is_tried_again(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_self: Maildir, _mail: bytes, _to: str) -> None:
        raise ValueError("nobody foresaw this")

    monkeypatch.setattr(Maildir, "send", fails)
    with_mail(Seated(mail_context, watch, None), 0)
    with at_work(mail_context) as post:
        drain(post)
    (row,) = rows(mail_context, "turn")
    assert (row.state, row.attempts, row.error) == ("queued", 1, "could not be sent: nobody foresaw this")


def test_a_worker_survives_whatever_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_TROUBLED", 0.01)
    stop = Event()
    rounds: list[int] = []

    def work() -> int:
        rounds.append(len(rounds))
        if len(rounds) == 3:
            stop.set()
        if len(rounds) == 1:
            raise ValueError("nobody foresaw this")
        return 0

    keep_at(work, stop)
    assert rounds == [0, 1, 2]


@pytest.fixture
def behind_a_slow_relay(
    mail_context: ServerContext, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ServerContext]:
    """A server with three mails to send and one line to a relay that thinks about each."""
    monkeypatch.setattr(worker, "_SLOW", 0.1)
    monkeypatch.setattr(worker, "SENDERS", 1)
    for _ in range(3):
        with_mail(Seated(mail_context, watch, None), 0)
    with Sink(tmp_path / "sink", "--slow", "0.6") as sink, with_relay(mail_context, sink.address) as context:
        yield context


def test_mails_of_a_slow_relay_stay_in_hand_and_are_settled_as_they_go(
    behind_a_slow_relay: ServerContext, watch: Watch
) -> None:
    context = behind_a_slow_relay
    with at_work(context) as post:
        sending = Thread(target=post.send_some)
        sending.start()
        until(lambda: states(context, "turn").count("sent") == 1)
        watch.pass_by(timedelta(seconds=context.settings.mail_lease + 1))
        until(lambda: rows(context, "turn")[-1].due > watch())
        assert outbox.claim(context, 10) == [], "they are still in hand"
        sending.join()
    assert states(context, "turn") == ["sent"] * 3
    assert [row.attempts for row in rows(context, "turn")] == [1] * 3


def test_a_worker_that_is_told_to_stop_gives_back_what_it_has_not_begun(behind_a_slow_relay: ServerContext) -> None:
    context, stop = behind_a_slow_relay, Event()
    post = Post(context, counter(context.settings), stop)
    stop.set()
    post.send_some()
    post.close()
    assert states(context, "turn") == ["sent", "queued", "queued"]
    assert [row.attempts for row in rows(context, "turn")] == [1, 0, 0]
    assert len(outbox.claim(context, 10)) == 2, "they are due at once"


def test_what_was_sent_stays_sent_whatever_a_slower_worker_says(mail_context: ServerContext, watch: Watch) -> None:
    with_mail(Seated(mail_context, watch, None), 0)
    row = next(row for row in outbox.claim(mail_context, 10) if row.kind == "turn")
    outbox.sent(mail_context, [row.id])
    outbox.fail(mail_context, row, "550 mailbox unavailable", permanent=True)
    outbox.moot(mail_context, [row.id])
    assert states(mail_context, "turn") == ["sent"]


def test_old_mails_go_when_nothing_can_come_of_them(mail_context: ServerContext, watch: Watch) -> None:
    table_actions = [Seated(mail_context, watch, None) for _ in range(2)]
    for table in table_actions:
        with_mail(table, 0)
    with at_work(mail_context) as post:
        drain(post)
        closed = TABLES.c.id == table_actions[0].id
        with mail_context.storage.writing() as connection:
            connection.execute(update(TABLES).where(closed).values(phase="closed"))
        there = len(rows(mail_context))
        watch.pass_by(outbox.KEPT - DAY)
        post.work()
        assert len(rows(mail_context)) == there
        watch.pass_by(2 * DAY)
        post.work()
    assert [row.table_number for row in rows(mail_context)] == [rows(mail_context, "turn")[0].table_number]
    with mail_context.storage.reading() as connection:
        (left,) = connection.scalars(select(TABLES.c.id).join(OUTBOX, OUTBOX.c.table_number == TABLES.c.number))
    assert left == table_actions[1].id


def until(so: Any) -> None:
    end = time.monotonic() + 10
    while not so():
        assert time.monotonic() < end
        time.sleep(0.02)
