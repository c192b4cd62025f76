"""A log stays short enough to be audited by everybody, and a table whose log is full can still be brought to an end."""

from __future__ import annotations

import pytest

from engine.record.audit import audit
from engine.record.entry import (
    Back,
    Json,
    Timeout,
    back_message,
    resign_message,
)
from server.problems import RequestRefused
from server.service import log_limits, table_actions, table_reads
from server.service.log_limits import MOST_REMARKS, MOST_SITS, MOST_SITS_OF_PLAYER
from server.service.server_context import ServerContext
from tests.server.mail.mail_counter import MailCounter, delegate
from tests.server.server_process import Visitor, company, play_out, refused, seated
from tests.server.test_clockwork import DAY, HOUR, THREE_DAYS, Seated, Watch, mail_context, watch, with_mail

__all__ = ["mail_context", "watch"]


def come_and_go(player: Visitor, table: str, times: int, seat: int = 0) -> None:
    for _ in range(times):
        player.sit(table, seat)
        player.resign(table, seat)


def test_a_player_sits_down_so_often_and_no_more_and_others_play(url: str) -> None:
    ann, bob, cy, dee = company(url, 4)
    table = ann.open(seats=3)
    ann.sit(table, 1)
    come_and_go(bob, table, MOST_SITS_OF_PLAYER)
    problem = refused(bob.ask("POST", f"/tables/{table}/sits", bob.wish(table, 0)), 409, "limit/log")
    assert "sit down at another one" in problem["detail"]
    cy.sit(table, 0)
    dee.sit(table, 2)
    play_out(table, [cy, ann, dee])
    assert audit(ann.ask("GET", f"/tables/{table}/record").content).valid


def test_the_seats_of_a_table_are_taken_so_often_and_whoever_sits_can_leave_and_close_it(url: str) -> None:
    ann, *others = company(url, 1 + MOST_SITS // MOST_SITS_OF_PLAYER)
    table = ann.open(seats=3)
    ann.sit(table, 1)
    for number, other in enumerate(others):
        come_and_go(other, table, MOST_SITS_OF_PLAYER - (number == 0))
    late = company(url, 1)[0]
    problem = refused(late.ask("POST", f"/tables/{table}/sits", late.wish(table, 0)), 409, "limit/log")
    assert "poste new" in problem["detail"]
    ann.resign(table, 1)
    assert ann.get(f"/tables/{table}")["phase"] == "closed"
    assert audit(ann.ask("GET", f"/tables/{table}/record").content).valid


def is_back(player: Visitor, table: str, seat: int, base: str) -> Json:
    signature = player.key.sign(back_message(table, base, seat))
    return {"say": "back", "seat": seat, "base": base, "signature": signature}


def test_a_player_says_so_much_and_no_more_and_the_game_goes_on_and_is_closed(url: str) -> None:
    table, players_there = seated(url, clock={"kind": "per-decision", "seconds": 10**6})
    ann, bob = players_there
    base = ann.get(f"/tables/{table}")["head"]
    for _ in range(MOST_REMARKS):
        answer = ann.ask("POST", f"/tables/{table}/statements", is_back(ann, table, 0, base))
        assert answer.status_code == 201, answer.text
        base = answer.json()["hash"]
    problem = refused(ann.ask("POST", f"/tables/{table}/statements", is_back(ann, table, 0, base)), 409, "limit/log")
    assert f"said {MOST_REMARKS} things" in problem["detail"]
    assert bob.ask("POST", f"/tables/{table}/statements", is_back(bob, table, 1, base)).status_code == 201
    ann.rotate()
    play_out(table, players_there)
    assert audit(ann.ask("GET", f"/tables/{table}/record").content).valid


def test_delegations_count_and_whoever_has_no_more_room_for_one_is_told_by_mail(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_limits, "MOST_REMARKS", 1)
    table, desk = Seated(mail_context, watch, THREE_DAYS), MailCounter(mail_context)
    with_mail(table, 0)
    delegate(mail_context, table.keys[0])
    while table.asked != 0:
        table.play()
    table_actions.introduce(mail_context, table.id, 0)
    watch.pass_by(HOUR)
    delegate(mail_context, table.keys[0])
    said = desk.answered(desk.reply_to("turn"), "resign")
    assert "Not done: resign." in said
    assert "its log takes no more of them" in said


def test_a_table_whose_log_is_full_is_played_for_given_up_and_closed(
    mail_context: ServerContext, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Seated(mail_context, watch, THREE_DAYS, seats=3)
    table.play()
    monkeypatch.setattr(log_limits, "MOST_BYTES", mail_context.folded_tables.recent(table.id).table.chain.size)
    for act in (table.play, lambda: table.say(Back, 0, back_message(table.id, table.head, 0))):
        with pytest.raises(RequestRefused, match="poste resign") as refusal:
            act()
        assert refusal.value.code == "limit/log"
    table.tick(3 * DAY)
    assert isinstance(table.entries()[-1], Timeout)
    for seat in (0, 1):
        head = table.head
        signature = table.keys[seat].sign(resign_message(table.id, head, seat))
        table_actions.resign(mail_context, table.id, seat, head, signature)
    assert table.summary()["phase"] == "closed"
    assert audit(b"".join(line + b"\n" for line in table_reads.log(mail_context, table.id, -1, 0))).valid


def test_the_size_of_a_log_is_known(mail_context: ServerContext, watch: Watch) -> None:
    table = Seated(mail_context, watch, None)
    table.play()
    lines = table_reads.log(mail_context, table.id, -1, 0)
    assert mail_context.folded_tables.recent(table.id).table.chain.size == sum(len(line) + 1 for line in lines)
