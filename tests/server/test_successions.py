"""A player changes their key: from the answer on the former one does nothing more, at any table, by any way in."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import select

from engine.errors import RecordRejected
from engine.game import Seat
from engine.keys import SigningKey
from engine.record import armour
from engine.record import audit as auditing
from engine.record.entry import (
    Back,
    PerDecision,
    Play,
    Sit,
    Succeed,
    back_message,
    delegate_message,
    read_line,
    sit_message,
    succeed_message,
)
from server.problems import RequestRefused
from server.service import deadline_rounds, mailboxes, players, table_actions
from server.service.entry_batch import SignedDelegation, Succession
from server.service.log_check import check_all
from server.service.server_context import ServerContext
from server.storage.models import HELD, TABLES
from tests.server.mail.mail_counter import OFFICE, MailCounter, block_of, delegate, sit
from tests.server.server_process import Visitor, company, play_out, refused, seated, to_move
from tests.server.test_clockwork import THREE_DAYS, Seated, Watch, mail_context, queued, watch, with_mail
from tests.server.test_held import Sealed

__all__ = ["mail_context", "watch"]


def kinds(player: Visitor, table: str) -> list[str]:
    return [str(read_line(line).entry.__struct_config__.tag) for line in player.log(table)]


# Over HTTP.


def test_the_new_key_plays_on_at_every_table_and_the_record_is_valid(url: str) -> None:
    table, (ann, bob) = seated(url)
    other = bob.open()
    ann.sit(other, 0)
    thief = ann.rotate()
    assert [kinds(ann, each)[-1] for each in (table, other)] == ["succeed", "succeed"]
    assert ann.get(f"/tables/{table}/view", signed=True)["seat"] == 0
    assert thief.get(f"/tables/{table}/view", signed=True)["seat"] is None
    play_out(table, [ann, bob])
    assert auditing.audit(ann.ask("GET", f"/tables/{table}/record").content).valid
    bob.sit(other, 1)
    assert ann.get(f"/tables/{other}")["phase"] == "playing"


def test_the_former_key_does_nothing_at_a_table(url: str) -> None:
    table, (ann, bob) = seated(url, clock={"kind": "per-decision", "seconds": 86400, "vacation": 9})
    (turn,) = to_move(table, [ann, bob])
    mover = (ann, bob)[turn]
    kept = mover.choice(table)
    thief = mover.rotate()
    before = thief.log(table)
    refused(thief.send(table, kept), 403, "signature/forged")
    refused(thief.ask("POST", f"/tables/{table}/resignations", thief.resignation(table, turn)), 403, "signature/forged")
    assert thief.log(table) == before
    assert mover.send(table, mover.choice(table)).status_code == 201


def test_the_former_key_neither_sits_nor_signs_requests(url: str) -> None:
    (ann, bob) = company(url)
    table, mine = bob.open(), ann.open()
    ann.sit(mine, 0)
    thief = ann.rotate()
    refused(thief.ask("POST", f"/tables/{table}/sits", thief.wish(table, 0)), 403, "seat/not-yours")
    refused(thief.ask("POST", f"/tables/{mine}/resignations", thief.resignation(mine, 0)), 403, "signature/forged")
    for method, path, body in (
        ("POST", "/tables", {"game": "paris-paris", "seats": 2}),
        ("GET", "/mailbox", None),
        ("GET", "/waiting", None),
        ("PUT", f"/players/{ann.name}/key", thief.change_of_key(SigningKey(secrets.token_bytes(32)))),
    ):
        told = refused(thief.ask(method, path, body, signed=True), 403, "seat/not-yours")
        assert "key" in told["detail"]
    refused(thief.ask("POST", "/players", {"name": "thief"}, signed=True), 409, "player/taken")
    ann.resign(mine, 0)
    ann.sit(table, 0)


def test_a_change_of_key_is_signed_by_both(url: str) -> None:
    ann, bob = company(url)
    new, path = SigningKey(secrets.token_bytes(32)), f"/players/{ann.name}/key"
    body = ann.change_of_key(new)
    for member in ("signature", "consent"):
        forged = body | {member: bob.key.sign(succeed_message(ann.key.public, new.public))}
        refused(ann.ask("PUT", path, forged, signed=True), 403, "signature/forged")
    refused(bob.ask("PUT", path, body, signed=True), 403, "seat/not-yours")
    refused(ann.ask("PUT", path, ann.change_of_key(bob.key), signed=True), 409, "player/taken")
    former = ann.key
    ann.rotate()
    refused(ann.ask("PUT", path, ann.change_of_key(former), signed=True), 409, "player/taken")


def test_nobody_changes_keys_for_ever(url: str) -> None:
    """Every change is an entry at each of the player's tables."""
    ann = company(url, 1)[0]
    for _ in range(players.MOST_KEYS - 1):
        ann.rotate()
    one_more = ann.change_of_key(SigningKey(secrets.token_bytes(32)))
    refused(ann.ask("PUT", f"/players/{ann.name}/key", one_more, signed=True), 409, "limit/keys")


# Behind the door.


def rotated(context: ServerContext, table: Seated, seat: int) -> SigningKey:
    """The player of a seat goes on under another key; gives the former one."""
    former, new = table.keys[seat], SigningKey(secrets.token_bytes(32))
    message = succeed_message(former.public, new.public)
    with context.storage.reading() as connection:
        player = players.registered(connection, former.public)
    succession = Succession(new.public, former.sign(message), new.sign(message))
    table.keys[seat] = new
    players.rotate(context, former.public, player.name, succession)
    return former


class PowerCut(BaseException):
    """Nothing that comes after it happens."""


def cut_off(*_: Any) -> None:
    raise PowerCut


def rotated_and_cut_off(
    context: ServerContext, table: Seated, seat: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[SigningKey, SigningKey]:
    """The process dies after the change is on disk and before any log tells of it; gives the former and the new key."""
    former = table.keys[seat]
    with monkeypatch.context() as patched:
        patched.setattr(players, "append_locked", cut_off)
        with pytest.raises(PowerCut):
            rotated(context, table, seat)
    context.folded_tables.forget()
    assert not any(isinstance(entry, Succeed) for entry in table.entries())
    return former, table.keys[seat]


def test_after_a_power_cut_the_former_key_is_refused_all_the_same(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    seat, kept = table.asked, table.move()
    rotated_and_cut_off(mail_context, table, seat, monkeypatch)
    with pytest.raises(RecordRejected) as refusal:
        table_actions.play(mail_context, table.id, kept)
    assert refusal.value.code == "signature/forged"
    assert len(table.entries()) == 4


def test_after_a_power_cut_the_new_key_plays_at_once(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    rotated_and_cut_off(mail_context, table, table.asked, monkeypatch)
    sealed = table_actions.play(mail_context, table.id, table.move())
    assert sealed is not None
    assert [type(entry) for entry in table.entries()[-2:]] == [Succeed, Play]
    assert isinstance(sealed.entry, Play), "the receipt is for the move, not for the change of key before it"
    table.assert_sound()


def test_after_a_power_cut_and_another_change_both_are_put_on_record(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    rotated_and_cut_off(mail_context, table, 0, monkeypatch)
    rotated(mail_context, table, 0)
    assert [type(entry) for entry in table.entries()[-2:]] == [Succeed, Succeed]
    table.assert_sound()


def test_after_a_power_cut_the_clock_sees_to_it(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Seated(mail_context, watch, None)
    rotated_and_cut_off(mail_context, table, 0, monkeypatch)
    deadline_rounds.round_of(mail_context)
    assert isinstance(table.entries()[-1], Succeed)
    with mail_context.storage.reading() as connection:
        row = connection.execute(select(TABLES.c.succeeding, TABLES.c.look).where(TABLES.c.id == table.id)).one()
    assert (row.succeeding, row.look) == (False, None)
    table.assert_sound()


def test_a_seat_is_not_taken_with_a_key_that_was_given_up(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, None)
    sit = next(entry for entry in table.entries() if isinstance(entry, Sit))
    former = rotated(mail_context, table, 0)
    another = table_actions.open_table(mail_context, table.keys[0].public, "paris-paris", 2, {}, None, None)
    base, entropy = mail_context.folded_tables.recent(another).table.chain.head, "ab" * 32
    signature = former.sign(sit_message(another, base, 0, sit.name, former.public, entropy))
    with pytest.raises(RequestRefused) as refusal:
        table_actions.sit(
            mail_context, another, table_actions.SitRequest(base, 0, sit.name, former.public, entropy, signature)
        )
    assert refusal.value.code == "seat/not-yours"


def asked_by_mail(context: ServerContext) -> list[int | None]:
    return [seat for kind, seat in queued(context) if kind == "turn"]


def test_a_sealed_answer_of_the_former_key_is_dropped_and_asked_for_again(
    mail_context: ServerContext, watch: Watch
) -> None:
    """Whoever gives a key up may have had it stolen."""
    table = Sealed(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    assert table.answer(0)
    assert table.held == [True, False]
    before = asked_by_mail(mail_context)
    rotated(mail_context, table, 0)
    assert table.held == [False, False]
    assert asked_by_mail(mail_context) == [*before, 0], "its player is told once more that they are asked"
    with mail_context.storage.reading() as connection:
        assert connection.execute(select(HELD)).all() == []
    assert table.answer(1)
    assert not table.answer(0, 1)
    assert {entry.seat for entry in table.entries() if isinstance(entry, Play)} == {0, 1}
    table.assert_sound()


def test_a_sealed_answer_of_the_former_key_is_not_opened_after_a_power_cut(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Sealed(mail_context, watch, THREE_DAYS)
    assert table.answer(0)
    rotated_and_cut_off(mail_context, table, 0, monkeypatch)
    assert table.answer(1), "seat 0 has not answered"
    assert isinstance(table.entries()[-1], Succeed)
    table.assert_sound()


def test_what_the_former_key_delegated_has_ended(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    desk = MailCounter(mail_context)
    table_actions.introduce(mail_context, table.id, 0)
    while table.asked != 0:
        table.play()
    former = rotated(mail_context, table, 0)
    assert mailboxes.show(mail_context, table.keys[0].public)["delegation"] is None
    assert "poste mail enable" in desk.answered(desk.reply_to("turn"), "resign")
    assert Seat(0) not in mail_context.folded_tables.recent(table.id).table.chain.resigned
    begins, ends = watch(), "2027-01-01T00:00:00.000Z"
    gateway = mail_context.gateway.public
    signature = former.sign(delegate_message(former.public, gateway, begins, ends))
    with pytest.raises(RequestRefused) as refusal:
        mailboxes.delegate(mail_context, former.public, SignedDelegation(gateway, begins, ends, signature))
    assert refusal.value.code == "seat/not-yours"


def test_a_signed_block_of_the_former_key_is_not_taken_by_mail(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, PerDecision(seconds=3 * 86400))
    seat, block = table.asked, block_of(table)
    with_mail(table, seat)
    rotated(mail_context, table, seat)
    desk, before = MailCounter(mail_context), table.head
    assert desk.post(OFFICE, block).code == 250
    assert (table.head, desk.answers()) == (before, [])
    assert armour.BEGIN in block
    desk.post(OFFICE, block_of(table))
    assert isinstance(table.entries()[-1], Play)


def test_a_change_of_key_is_no_presence_and_takes_no_time(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, THREE_DAYS)
    seat = table.asked
    due = table.summary()["waiting"][0]["due"]
    watch.pass_by(timedelta(days=1))
    rotated(mail_context, table, seat)
    assert table.summary()["waiting"][0]["due"] == due


def test_the_check_finds_nothing_wrong(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, None)
    for _ in range(3):
        rotated(mail_context, table, 1)
        table.play()
    assert [wrong for checked in check_all(mail_context) for wrong in checked.wrong] == []


def test_changes_of_key_while_others_act_at_the_same_tables(mail_context: ServerContext, watch: Watch) -> None:
    """Nobody waits for the other for ever, and every table tells of every change."""
    first = Seated(mail_context, watch, THREE_DAYS)
    with_mail(first, 0)
    ann = first.entries()[1]
    others = [sat_down_beside(mail_context, watch, first.keys[0], ann.name) for _ in range(2)]
    seats = [first, *others]
    failures: list[Exception] = []

    def stubborn(table: Seated) -> None:
        said = 0
        while said < 12:
            try:
                base = table.head
                signature = table.keys[1].sign(back_message(table.id, base, 1))
                table_actions.say(mail_context, table.id, Back, 1, base=base, signature=signature)
                said += 1
            except (RecordRejected, RequestRefused) as error:
                if error.code != "move/stale":
                    raise

    def whoever(act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:
            failures.append(error)

    def changing() -> None:
        for _ in range(5):
            rotated(mail_context, first, 0)

    threads = [Thread(target=whoever, args=(partial(stubborn, table),)) for table in seats]
    threads.append(Thread(target=whoever, args=(changing,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for table in seats:
        assert [entry.seat for entry in table.entries() if isinstance(entry, Succeed)] == [0] * 5
    first.assert_sound()


def sat_down_beside(context: ServerContext, watch: Watch, key: SigningKey, name: str) -> Seated:
    """Another table at which the player of this key has the first seat."""
    table = Seated.__new__(Seated)
    table.context, table.watch = context, watch
    table.keys = [key, SigningKey(secrets.token_bytes(32))]
    other = f"o-{table.keys[1].public[:8]}"
    players.register(context, table.keys[1].public, other)
    table.id = table_actions.open_table(context, key.public, "paris-paris", 2, {}, None, THREE_DAYS)
    for seat, (who, pen) in enumerate(zip((name, other), table.keys, strict=True)):
        sit(context, table.id, seat, who, pen)
    return table
