"""Mailboxes: who may be asked and how often, what is told again, and what a revocation leaves."""

from __future__ import annotations

import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from engine.keys import SigningKey
from engine.record.entry import Delegate, Json, Revoke, delegate_message, instant, revoke_message, timestamp
from server.app import application
from server.problems import RequestRefused
from server.service import mailboxes, players
from server.service.entry_batch import SignedDelegation
from server.service.server_context import ServerContext
from server.service.table_actions import introduce
from server.storage.models import MAILBOXES, OUTBOX
from tests.server.test_clockwork import DAY, THREE_DAYS, Seated, Watch, mail_context, watch, with_mail

__all__ = ["mail_context", "watch"]  # the fixtures

MINUTE = timedelta(minutes=1)
MILLISECOND = timedelta(milliseconds=1)


def somebody(context: ServerContext) -> SigningKey:
    key = SigningKey(secrets.token_bytes(32))
    players.register(context, key.public, f"p-{key.public[:12]}")
    return key


def delegated(context: ServerContext, key: SigningKey, begins: str, tables: tuple[str, ...] | None = None) -> Json:
    to, ends = context.gateway.public, timestamp(instant(context.now()) + 365 * DAY)
    signature = key.sign(delegate_message(key.public, to, begins, ends, tables))
    return mailboxes.delegate(context, key.public, SignedDelegation(to, begins, ends, signature, tables))


def revoked(context: ServerContext, key: SigningKey, before: str) -> Json:
    return mailboxes.revoke(context, key.public, before, key.sign(revoke_message(key.public, before)))


def test_a_delegation_that_was_signed_before_a_revocation_is_refused(mail_context: ServerContext, watch: Watch) -> None:
    """One machine revokes, another that does not know of it enables with an earlier beginning."""
    key = somebody(mail_context)
    told = revoked(mail_context, key, watch())
    assert told["revoked"] == watch()
    assert mailboxes.show(mail_context, key.public)["revoked"] == watch()
    for earlier in (5 * MINUTE, timedelta()):
        with pytest.raises(RequestRefused, match="begins later") as refused:
            delegated(mail_context, key, timestamp(watch.moment - earlier))
        assert refused.value.code == "delegation/revoked"
        assert refused.value.more["revoked"] == watch()
    later = timestamp(watch.moment + MILLISECOND)
    assert delegated(mail_context, key, later)["delegation"]["begins"] == later


def test_a_revocation_takes_back_what_is_older_than_it_and_nothing_else(
    mail_context: ServerContext, watch: Watch
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    key = table.keys[0]
    begins = timestamp(watch.moment - 5 * MINUTE)
    delegated(mail_context, key, begins)
    introduce(mail_context, table.id, 0)
    told = revoked(mail_context, key, timestamp(watch.moment - 10 * DAY))
    assert told["delegation"]["begins"] == begins
    assert not any(isinstance(entry, Revoke) for entry in table.entries())
    told = revoked(mail_context, key, watch())
    assert told["delegation"] is None
    assert [type(entry) for entry in table.entries()[-2:]] == [Delegate, Revoke]
    told = revoked(mail_context, key, timestamp(watch.moment - 20 * DAY))
    assert told["revoked"] == watch(), "an old one does not undo a newer one"
    table.assert_sound()


def test_an_older_delegation_does_not_replace_a_newer_one(mail_context: ServerContext, watch: Watch) -> None:
    key = somebody(mail_context)
    delegated(mail_context, key, watch())
    assert delegated(mail_context, key, watch())["delegation"]["begins"] == watch(), "the same again changes nothing"
    with pytest.raises(RequestRefused) as refused:
        delegated(mail_context, key, timestamp(watch.moment - MINUTE))
    assert refused.value.code == "delegation/replaced"


def test_nothing_is_delegated_or_taken_back_for_times_to_come(mail_context: ServerContext, watch: Watch) -> None:
    """Only what is later replaces it, so that it would be the last word for as long."""
    table = Seated(mail_context, watch, THREE_DAYS)
    key = table.keys[0]
    for ahead in (timedelta(hours=1) + MILLISECOND, 400 * DAY):
        for say in (delegated, revoked):
            with pytest.raises(RequestRefused, match="set the clock of your machine right") as refused:
                say(mail_context, key, timestamp(watch.moment + ahead))
            assert refused.value.code == "delegation/time"
    with pytest.raises(RequestRefused):
        revoked(mail_context, key, "9999-12-31T23:59:59.999Z")
    told = mailboxes.show(mail_context, key.public)
    assert (told["delegation"], told["revoked"]) == (None, None)
    delegated(mail_context, key, watch())
    introduce(mail_context, table.id, 0)
    revoked(mail_context, key, timestamp(watch.moment + timedelta(hours=1)))
    assert [type(entry) for entry in table.entries()[-2:]] == [Delegate, Revoke]
    table.assert_sound()


def test_a_moment_that_is_in_no_calendar_is_refused(mail_context: ServerContext) -> None:
    key = somebody(mail_context)
    for say in (delegated, revoked):
        with pytest.raises(RequestRefused, match="there is no") as refused:
            say(mail_context, key, "2026-02-30T00:00:00.000Z")
        assert refused.value.code == "request/malformed"


def test_a_mailbox_is_made_by_two_requests_at_once(mail_context: ServerContext) -> None:
    for _ in range(5):
        key, start = somebody(mail_context), Barrier(4)

        def touch(when: str, key: SigningKey = key, start: Barrier = start) -> Json:
            start.wait()
            return mailboxes.change(mail_context, key.public, None, when, None)

        with ThreadPoolExecutor(4) as pool:
            told = list(pool.map(touch, ("off", "turns", "hourly", "daily")))
        assert {each["when"] for each in told} == {"off", "turns", "hourly", "daily"}


@pytest.mark.parametrize(
    "address",
    ["nowhere", "=?utf-8?q?x?=@example.org", "a b@example.org", "ann@example.org\r\nBcc: x@y", "a" * 250 + "@b"],
)
def test_an_address_that_no_mail_could_be_sent_to(mail_context: ServerContext, address: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        mailboxes.change(mail_context, somebody(mail_context).public, address, None, None)
    assert refused.value.code == "mail/address"


def ask(context: ServerContext, address: str, key: SigningKey | None = None) -> SigningKey:
    """Somebody wants mail at this address."""
    key = key or somebody(context)
    mailboxes.change(context, key.public, address, None, None)
    return key


def handle_of(context: ServerContext, address: str) -> str:
    with context.storage.reading() as connection:
        return str(connection.scalar(select(MAILBOXES.c.handle).where(MAILBOXES.c.address == address).limit(1)))


def code_of_refusal(context: ServerContext, address: str) -> str:
    with pytest.raises(RequestRefused) as refused:
        ask(context, address)
    return refused.value.code


def test_a_stranger_is_asked_so_often_a_day_however_many_players_want_it(
    mail_context: ServerContext, watch: Watch
) -> None:
    for number in range(mailboxes.MOST_QUESTIONS):
        ask(mail_context, ("ann@example.org", "Ann@Example.org", "ann+more@example.org")[number % 3])
    assert code_of_refusal(mail_context, "ann@example.org") == "limit/mail"
    assert code_of_refusal(mail_context, "ANN+yet+more@example.org") == "limit/mail"
    ask(mail_context, "bob@example.org")
    watch.pass_by(DAY)
    ask(mail_context, "ann@example.org")


def test_a_player_asks_so_often_a_day_however_many_addresses_they_name(mail_context: ServerContext) -> None:
    key = somebody(mail_context)
    for number in range(mailboxes.MOST_QUESTIONS):
        ask(mail_context, f"a{number}@example.org", key)
    with pytest.raises(RequestRefused, match="confirmation mails a day"):
        ask(mail_context, "more@example.org", key)


def test_an_address_that_says_stop_is_not_asked_again_by_anybody(mail_context: ServerContext, watch: Watch) -> None:
    key = ask(mail_context, "ann@example.org")
    other = ask(mail_context, "ann@example.org")
    handle = handle_of(mail_context, "ann@example.org")
    assert mailboxes.stop(mail_context, handle)
    for asker in (key, other):
        told = mailboxes.show(mail_context, asker.public)
        assert (told["address"], told["confirmed"], told["when"]) == (None, False, "turns")
    assert code_of_refusal(mail_context, "ann@example.org") == "mail/stopped"
    assert code_of_refusal(mail_context, "Ann+games@example.org") == "mail/stopped"
    ask(mail_context, "bob@example.org", key)
    watch.pass_by(mailboxes.NOT_ASKED_AGAIN + DAY)
    ask(mail_context, "ann@example.org")


def test_the_link_in_a_question_holds_when_its_player_names_another_address(mail_context: ServerContext) -> None:
    key = ask(mail_context, "ann@example.org")
    handle = handle_of(mail_context, "ann@example.org")
    ask(mail_context, "mallory@example.org", key)
    assert mailboxes.stop(mail_context, handle)
    assert mailboxes.show(mail_context, key.public)["address"] == "mallory@example.org"
    assert code_of_refusal(mail_context, "ann@example.org") == "mail/stopped"


def test_a_handle_that_is_nobodys(mail_context: ServerContext) -> None:
    key = ask(mail_context, "ann@example.org")
    handle = handle_of(mail_context, "ann@example.org")
    for wrong in ("None", "", "0" * 32, "f" * 32, handle[:8] + "0" * 24, "00000000" + handle[8:]):
        assert mailboxes.stop(mail_context, wrong) is None
    assert mailboxes.show(mail_context, key.public)["address"] == "ann@example.org"


def test_a_confirmed_address_that_says_stop_keeps_its_player(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    stranger = ask(mail_context, "p0@example.org")
    assert mailboxes.stop(mail_context, handle_of(mail_context, "p0@example.org"))
    shown = [mailboxes.show(mail_context, key.public) for key in (table.keys[0], stranger)]
    assert {each["confirmed"] for each in shown} == {True, False}
    mailboxes.change(mail_context, table.keys[0].public, None, "turns", None)


def turns(context: ServerContext) -> list[tuple[str, int, str]]:
    with context.storage.reading() as connection:
        rows = connection.execute(select(OUTBOX).where(OUTBOX.c.kind == "turn").order_by(OUTBOX.c.id))
        return [(row.state, row.attempts, row.due) for row in rows]


def settle(context: ServerContext, state: str) -> None:
    with context.storage.writing() as connection:
        changes = update(OUTBOX).where(OUTBOX.c.kind == "turn").values(state=state, attempts=3, error="x")
        connection.execute(changes)


def confirmed(context: ServerContext, key: SigningKey, address: str) -> None:
    ask(context, address, key)
    with context.storage.reading() as connection:
        box = select(MAILBOXES.c.code).where(MAILBOXES.c.address == address)
        code = connection.scalar(box)
    mailboxes.confirm(context, key.public, str(code))


@pytest.mark.parametrize("state", ["sent", "moot", "dead", "queued"])
def test_a_new_address_is_told_of_the_turn_that_the_old_one_was_told_of(
    mail_context: ServerContext, watch: Watch, state: str
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    settle(mail_context, state)
    watch.pass_by(DAY)
    confirmed(mail_context, table.keys[0], "new@example.org")
    assert turns(mail_context) == [("queued", 0, watch())]


def test_who_wants_mail_again_is_told_of_the_turn_that_waits(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    key = table.keys[0].public
    settle(mail_context, "sent")
    table.play()
    mailboxes.change(mail_context, key, None, "off", None)
    while table.asked != 0:
        table.play()
    assert len(turns(mail_context)) == 1, "nothing is written for who wants nothing"
    mailboxes.change(mail_context, key, None, "turns", None)
    assert [state for state, *_ in turns(mail_context)] == ["sent", "queued"]


@pytest.mark.parametrize(("state", "then"), [("moot", "queued"), ("dead", "queued"), ("sent", "sent")])
def test_what_was_dropped_while_no_mail_was_wanted_is_sent_after_all(
    mail_context: ServerContext, watch: Watch, state: str, then: str
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    key = table.keys[0].public
    mailboxes.change(mail_context, key, None, "off", None)
    settle(mail_context, state)
    mailboxes.change(mail_context, key, None, "off", None)
    assert [state for state, *_ in turns(mail_context)] == [state]
    mailboxes.change(mail_context, key, None, "daily", None)
    assert [state for state, *_ in turns(mail_context)] == [then]
    mailboxes.change(mail_context, key, None, "turns", None)
    assert [state for state, *_ in turns(mail_context)] == [then], "from daily to turns nothing is missed"


def test_nothing_is_told_to_an_address_that_is_not_confirmed(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    mailboxes.change(mail_context, table.keys[0].public, None, "off", None)
    settle(mail_context, "moot")
    mailboxes.change(mail_context, table.keys[0].public, "new@example.org", "turns", None)
    assert [state for state, *_ in turns(mail_context)] == ["moot"]


def test_an_error_of_the_database_tells_no_reply_address(
    mail_context: ServerContext, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    with mail_context.storage.reading() as connection:
        row = dict(connection.execute(select(OUTBOX).limit(1)).one()._mapping)
    del row["id"]
    row["body"] = secrets.token_hex(8)
    for change in ({"message_id": "another"}, {"token": "another"}, {"kind": None}):
        with pytest.raises(IntegrityError) as error, mail_context.storage.writing() as connection:
            connection.execute(insert(OUTBOX), {**row, **change})
        with caplog.at_level(logging.WARNING):
            logging.getLogger("poste").warning("failed: %s", error.value, exc_info=error.value)
    assert "outbox" in caplog.text, "what went wrong is said"
    for secret in (row["token"], row["message_id"], row["body"]):
        assert secret not in caplog.text


@pytest.fixture
def browser(mail_context: ServerContext) -> FlaskClient:
    return application(mail_context).test_client()


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize("accept", [None, "text/html", "*/*"])
def test_one_click_stops_mail_in_either_form(
    mail_context: ServerContext, watch: Watch, browser: FlaskClient, kind: str, accept: str | None
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    link = f"/v1/mail/{handle_of(mail_context, 'p0@example.org')}/stop"
    headers: dict[str, Any] = {} if accept is None else {"Accept": accept}

    def when() -> str:
        return str(mailboxes.show(mail_context, table.keys[0].public)["when"])

    looked = browser.get(link, headers=headers)
    assert (looked.status_code, looked.mimetype, when()) == (200, "text/html", "turns"), "looking stops nothing"
    assert looked.text.endswith("</button></form>"), "and nothing empty follows the button"
    empty = browser.post(link, data={"x": "y"}, content_type=kind, headers=headers)
    assert (empty.status_code, when()) == (400, "turns")
    done = browser.post(link, data={"List-Unsubscribe": "One-Click"}, content_type=kind, headers=headers)
    assert (done.status_code, when()) == (200, "off")


def test_forms_and_pages_are_for_nothing_else(browser: FlaskClient) -> None:
    assert browser.post("/v1/players", data={"name": "x"}, content_type="multipart/form-data").status_code == 415
    assert browser.get("/v1", headers={"Accept": "text/html"}).status_code == 406
