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
from server.models import MAILBOXES, OUTBOX
from server.problems import Refused
from server.service import mailboxes, players
from server.service.office import Office
from server.service.pages import Delegation
from server.service.tables import introduce
from tests.server.test_clockwork import DAY, THREE_DAYS, Seated, Watch, post_office, watch, with_mail

__all__ = ["post_office", "watch"]  # the fixtures

MINUTE = timedelta(minutes=1)
MILLISECOND = timedelta(milliseconds=1)


def somebody(office: Office) -> SigningKey:
    key = SigningKey(secrets.token_bytes(32))
    players.register(office, key.public, f"p-{key.public[:12]}")
    return key


def delegated(office: Office, key: SigningKey, begins: str, tables: tuple[str, ...] | None = None) -> Json:
    to, ends = office.gateway.public, timestamp(instant(office.now()) + 365 * DAY)
    signature = key.sign(delegate_message(key.public, to, begins, ends, tables))
    return mailboxes.delegate(office, key.public, Delegation(to, begins, ends, signature, tables))


def revoked(office: Office, key: SigningKey, before: str) -> Json:
    return mailboxes.revoke(office, key.public, before, key.sign(revoke_message(key.public, before)))


def test_a_delegation_that_was_signed_before_a_revocation_is_refused(post_office: Office, watch: Watch) -> None:
    """One machine revokes, another that does not know of it enables with an earlier beginning."""
    key = somebody(post_office)
    told = revoked(post_office, key, watch())
    assert told["revoked"] == watch()
    assert mailboxes.show(post_office, key.public)["revoked"] == watch()
    for earlier in (5 * MINUTE, timedelta()):
        with pytest.raises(Refused, match="begins later") as refused:
            delegated(post_office, key, timestamp(watch.moment - earlier))
        assert refused.value.code == "delegation/revoked"
        assert refused.value.more["revoked"] == watch()
    later = timestamp(watch.moment + MILLISECOND)
    assert delegated(post_office, key, later)["delegation"]["begins"] == later


def test_a_revocation_takes_back_what_is_older_than_it_and_nothing_else(post_office: Office, watch: Watch) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    key = table.keys[0]
    begins = timestamp(watch.moment - 5 * MINUTE)
    delegated(post_office, key, begins)
    introduce(post_office, table.id, 0)
    told = revoked(post_office, key, timestamp(watch.moment - 10 * DAY))
    assert told["delegation"]["begins"] == begins
    assert not any(isinstance(entry, Revoke) for entry in table.entries())
    told = revoked(post_office, key, watch())
    assert told["delegation"] is None
    assert [type(entry) for entry in table.entries()[-2:]] == [Delegate, Revoke]
    told = revoked(post_office, key, timestamp(watch.moment - 20 * DAY))
    assert told["revoked"] == watch(), "an old one does not undo a newer one"
    table.assert_sound()


def test_an_older_delegation_does_not_replace_a_newer_one(post_office: Office, watch: Watch) -> None:
    key = somebody(post_office)
    delegated(post_office, key, watch())
    assert delegated(post_office, key, watch())["delegation"]["begins"] == watch(), "the same again changes nothing"
    with pytest.raises(Refused) as refused:
        delegated(post_office, key, timestamp(watch.moment - MINUTE))
    assert refused.value.code == "delegation/replaced"


def test_nothing_is_delegated_or_taken_back_for_times_to_come(post_office: Office, watch: Watch) -> None:
    """Only what is later replaces it, so that it would be the last word for as long."""
    table = Seated(post_office, watch, THREE_DAYS)
    key = table.keys[0]
    for ahead in (timedelta(hours=1) + MILLISECOND, 400 * DAY):
        for say in (delegated, revoked):
            with pytest.raises(Refused, match="set the clock of your machine right") as refused:
                say(post_office, key, timestamp(watch.moment + ahead))
            assert refused.value.code == "delegation/time"
    with pytest.raises(Refused):
        revoked(post_office, key, "9999-12-31T23:59:59.999Z")
    told = mailboxes.show(post_office, key.public)
    assert (told["delegation"], told["revoked"]) == (None, None)
    delegated(post_office, key, watch())
    introduce(post_office, table.id, 0)
    revoked(post_office, key, timestamp(watch.moment + timedelta(hours=1)))
    assert [type(entry) for entry in table.entries()[-2:]] == [Delegate, Revoke]
    table.assert_sound()


def test_a_moment_that_is_in_no_calendar_is_refused(post_office: Office) -> None:
    key = somebody(post_office)
    for say in (delegated, revoked):
        with pytest.raises(Refused, match="there is no") as refused:
            say(post_office, key, "2026-02-30T00:00:00.000Z")
        assert refused.value.code == "request/malformed"


def test_a_mailbox_is_made_by_two_requests_at_once(post_office: Office) -> None:
    for _ in range(5):
        key, start = somebody(post_office), Barrier(4)

        def touch(when: str, key: SigningKey = key, start: Barrier = start) -> Json:
            start.wait()
            return mailboxes.change(post_office, key.public, None, when, None)

        with ThreadPoolExecutor(4) as pool:
            told = list(pool.map(touch, ("off", "turns", "hourly", "daily")))
        assert {each["when"] for each in told} == {"off", "turns", "hourly", "daily"}


@pytest.mark.parametrize(
    "address",
    ["nowhere", "=?utf-8?q?x?=@example.org", "a b@example.org", "ann@example.org\r\nBcc: x@y", "a" * 250 + "@b"],
)
def test_an_address_that_no_mail_could_be_sent_to(post_office: Office, address: str) -> None:
    with pytest.raises(Refused) as refused:
        mailboxes.change(post_office, somebody(post_office).public, address, None, None)
    assert refused.value.code == "mail/address"


def ask(office: Office, address: str, key: SigningKey | None = None) -> SigningKey:
    """Somebody wants mail at this address."""
    key = key or somebody(office)
    mailboxes.change(office, key.public, address, None, None)
    return key


def handle_of(office: Office, address: str) -> str:
    with office.storage.reading() as connection:
        return str(connection.scalar(select(MAILBOXES.c.handle).where(MAILBOXES.c.address == address).limit(1)))


def code_of_refusal(office: Office, address: str) -> str:
    with pytest.raises(Refused) as refused:
        ask(office, address)
    return refused.value.code


def test_a_stranger_is_asked_so_often_a_day_however_many_players_want_it(post_office: Office, watch: Watch) -> None:
    for number in range(mailboxes.MOST_QUESTIONS):
        ask(post_office, ("ann@example.org", "Ann@Example.org", "ann+more@example.org")[number % 3])
    assert code_of_refusal(post_office, "ann@example.org") == "limit/mail"
    assert code_of_refusal(post_office, "ANN+yet+more@example.org") == "limit/mail"
    ask(post_office, "bob@example.org")
    watch.pass_by(DAY)
    ask(post_office, "ann@example.org")


def test_a_player_asks_so_often_a_day_however_many_addresses_they_name(post_office: Office) -> None:
    key = somebody(post_office)
    for number in range(mailboxes.MOST_QUESTIONS):
        ask(post_office, f"a{number}@example.org", key)
    with pytest.raises(Refused, match="confirmation mails a day"):
        ask(post_office, "more@example.org", key)


def test_an_address_that_says_stop_is_not_asked_again_by_anybody(post_office: Office, watch: Watch) -> None:
    key = ask(post_office, "ann@example.org")
    other = ask(post_office, "ann@example.org")
    handle = handle_of(post_office, "ann@example.org")
    assert mailboxes.stop(post_office, handle)
    for asker in (key, other):
        told = mailboxes.show(post_office, asker.public)
        assert (told["address"], told["confirmed"], told["when"]) == (None, False, "turns")
    assert code_of_refusal(post_office, "ann@example.org") == "mail/stopped"
    assert code_of_refusal(post_office, "Ann+games@example.org") == "mail/stopped"
    ask(post_office, "bob@example.org", key)
    watch.pass_by(mailboxes.NOT_ASKED_AGAIN + DAY)
    ask(post_office, "ann@example.org")


def test_the_link_in_a_question_holds_when_its_player_names_another_address(post_office: Office) -> None:
    key = ask(post_office, "ann@example.org")
    handle = handle_of(post_office, "ann@example.org")
    ask(post_office, "mallory@example.org", key)
    assert mailboxes.stop(post_office, handle)
    assert mailboxes.show(post_office, key.public)["address"] == "mallory@example.org"
    assert code_of_refusal(post_office, "ann@example.org") == "mail/stopped"


def test_a_handle_that_is_nobodys(post_office: Office) -> None:
    key = ask(post_office, "ann@example.org")
    handle = handle_of(post_office, "ann@example.org")
    for wrong in ("None", "", "0" * 32, "f" * 32, handle[:8] + "0" * 24, "00000000" + handle[8:]):
        assert mailboxes.stop(post_office, wrong) is None
    assert mailboxes.show(post_office, key.public)["address"] == "ann@example.org"


def test_a_confirmed_address_that_says_stop_keeps_its_player(post_office: Office, watch: Watch) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    with_mail(table, 0)
    stranger = ask(post_office, "p0@example.org")
    assert mailboxes.stop(post_office, handle_of(post_office, "p0@example.org"))
    shown = [mailboxes.show(post_office, key.public) for key in (table.keys[0], stranger)]
    assert {each["confirmed"] for each in shown} == {True, False}
    mailboxes.change(post_office, table.keys[0].public, None, "turns", None)


def turns(office: Office) -> list[tuple[str, int, str]]:
    with office.storage.reading() as connection:
        rows = connection.execute(select(OUTBOX).where(OUTBOX.c.kind == "turn").order_by(OUTBOX.c.id))
        return [(row.state, row.attempts, row.due) for row in rows]


def settle(office: Office, state: str) -> None:
    with office.storage.writing() as connection:
        changes = update(OUTBOX).where(OUTBOX.c.kind == "turn").values(state=state, attempts=3, error="x")
        connection.execute(changes)


def confirmed(office: Office, key: SigningKey, address: str) -> None:
    ask(office, address, key)
    with office.storage.reading() as connection:
        box = select(MAILBOXES.c.code).where(MAILBOXES.c.address == address)
        code = connection.scalar(box)
    mailboxes.confirm(office, key.public, str(code))


@pytest.mark.parametrize("state", ["sent", "moot", "dead", "queued"])
def test_a_new_address_is_told_of_the_turn_that_the_old_one_was_told_of(
    post_office: Office, watch: Watch, state: str
) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    with_mail(table, 0)
    settle(post_office, state)
    watch.pass_by(DAY)
    confirmed(post_office, table.keys[0], "new@example.org")
    assert turns(post_office) == [("queued", 0, watch())]


def test_who_wants_mail_again_is_told_of_the_turn_that_waits(post_office: Office, watch: Watch) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    with_mail(table, 0)
    key = table.keys[0].public
    settle(post_office, "sent")
    table.play()
    mailboxes.change(post_office, key, None, "off", None)
    while table.asked != 0:
        table.play()
    assert len(turns(post_office)) == 1, "nothing is written for who wants nothing"
    mailboxes.change(post_office, key, None, "turns", None)
    assert [state for state, *_ in turns(post_office)] == ["sent", "queued"]


@pytest.mark.parametrize(("state", "then"), [("moot", "queued"), ("dead", "queued"), ("sent", "sent")])
def test_what_was_dropped_while_no_mail_was_wanted_is_sent_after_all(
    post_office: Office, watch: Watch, state: str, then: str
) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    with_mail(table, 0)
    key = table.keys[0].public
    mailboxes.change(post_office, key, None, "off", None)
    settle(post_office, state)
    mailboxes.change(post_office, key, None, "off", None)
    assert [state for state, *_ in turns(post_office)] == [state]
    mailboxes.change(post_office, key, None, "daily", None)
    assert [state for state, *_ in turns(post_office)] == [then]
    mailboxes.change(post_office, key, None, "turns", None)
    assert [state for state, *_ in turns(post_office)] == [then], "from daily to turns nothing is missed"


def test_nothing_is_told_to_an_address_that_is_not_confirmed(post_office: Office, watch: Watch) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    with_mail(table, 0)
    mailboxes.change(post_office, table.keys[0].public, None, "off", None)
    settle(post_office, "moot")
    mailboxes.change(post_office, table.keys[0].public, "new@example.org", "turns", None)
    assert [state for state, *_ in turns(post_office)] == ["moot"]


def test_an_error_of_the_database_tells_no_reply_address(
    post_office: Office, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    with_mail(table, 0)
    with post_office.storage.reading() as connection:
        row = dict(connection.execute(select(OUTBOX).limit(1)).one()._mapping)
    del row["id"]
    row["body"] = secrets.token_hex(8)
    for change in ({"message_id": "another"}, {"token": "another"}, {"kind": None}):
        with pytest.raises(IntegrityError) as error, post_office.storage.writing() as connection:
            connection.execute(insert(OUTBOX), {**row, **change})
        with caplog.at_level(logging.WARNING):
            logging.getLogger("poste").warning("failed: %s", error.value, exc_info=error.value)
    assert "outbox" in caplog.text, "what went wrong is said"
    for secret in (row["token"], row["message_id"], row["body"]):
        assert secret not in caplog.text


@pytest.fixture
def browser(post_office: Office) -> FlaskClient:
    return application(post_office).test_client()


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize("accept", [None, "text/html", "*/*"])
def test_one_click_stops_mail_in_either_form(
    post_office: Office, watch: Watch, browser: FlaskClient, kind: str, accept: str | None
) -> None:
    table = Seated(post_office, watch, THREE_DAYS)
    with_mail(table, 0)
    link = f"/v1/mail/{handle_of(post_office, 'p0@example.org')}/stop"
    headers: dict[str, Any] = {} if accept is None else {"Accept": accept}

    def when() -> str:
        return str(mailboxes.show(post_office, table.keys[0].public)["when"])

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
