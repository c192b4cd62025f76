"""Whoever has answered unseen is present: what was taken from them is opened before their table is given up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from werkzeug.serving import make_server

from engine.record.audit import audit
from engine.record.entry import Abandon, Json, Play, Resign, Timeout, read_line, vote_message
from engine.record.replay import Position
from server.app import application
from server.service import deadline_rounds
from server.service.log_check import check_all
from server.service.server_context import ServerContext
from tests.server.server_process import seated
from tests.server.test_clockwork import Watch, mail_context, watch

__all__ = ["mail_context", "watch"]

HOUR = timedelta(hours=1)
CLOCK = {"kind": "per-decision", "seconds": 3600}
VOTING = CLOCK | {"strikes": 2, "then": "vote"}


@contextmanager
def served(context: ServerContext) -> Iterator[str]:
    """The server behind a door of its own: its time is in our hands, all else is as it is for everybody."""
    http = make_server("127.0.0.1", 0, application(context), threaded=True)
    thread = Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


@pytest.fixture
def door(mail_context: ServerContext) -> Iterator[str]:
    with served(mail_context) as url:
        yield url


class Auction:
    """A table with sealed bids, its players at a distance."""

    def __init__(self, context: ServerContext, watch: Watch, url: str, seats: int, clock: Json) -> None:
        self.context, self.watch = context, watch
        self.id, self.players = seated(url, seats, "la-bistro", clock=clock)

    @property
    def position(self) -> Position:
        with self.context.storage.reading() as connection:
            return self.context.folded_tables.newest(connection, self.id).table.playing

    @property
    def missed(self) -> tuple[int, ...]:
        attendance = self.position.attendance
        assert attendance is not None
        return attendance.missed

    def entries(self) -> list[Any]:
        return [read_line(line).entry for line in self.players[0].log(self.id)]

    def summary(self) -> Json:
        told: Json = self.players[0].get(f"/tables/{self.id}")
        return told

    def let_pass(self, time: timedelta = HOUR) -> None:
        self.watch.pass_by(time)
        deadline_rounds.round_of(self.context)

    def until_sealed(self, ready: Callable[[tuple[int, ...]], bool]) -> None:
        """Play on, seat 0 as a rule and nobody else ever, up to bids of everybody with these deadlines missed."""
        for _ in range(500):
            asked = self.position.asked
            sealed = next(iter(asked.values())).decision.sealed
            if sealed and len(asked) == len(self.players) and ready(self.missed):
                return
            may_miss_one = not sealed and min(self.missed[1:]) >= 2 and self.missed[0] == 0
            if 0 in asked and not may_miss_one:
                self.players[0].move(self.id)
            if self.position.asked.keys() - self.held():
                self.let_pass()
        raise AssertionError("it never came to that")

    def held(self) -> set[int]:
        return {asked["seat"] for asked in self.summary()["waiting"] if asked["held"]}

    def bid(self, seat: int) -> Json:
        """A bid that is taken and held: 202."""
        body = self.players[seat].choice(self.id, -1)
        answer = self.players[seat].send(self.id, body)
        assert (answer.status_code, answer.json()["held"]) == (202, True)
        return body

    def vote(self, seat: int, choice: str = "abandon") -> None:
        base = self.summary()["head"]
        signature = self.players[seat].key.sign(vote_message(self.id, base, seat, choice))
        said = {"say": "vote", "seat": seat, "base": base, "choice": choice, "signature": signature}
        assert self.players[seat].ask("POST", f"/tables/{self.id}/statements", said).status_code == 201

    def on_record(self, body: Json) -> bool:
        return any(isinstance(entry, Play) and entry.signature == body["signature"] for entry in self.entries())

    def abandoned(self) -> str | None:
        return next((entry.why for entry in self.entries() if isinstance(entry, Abandon)), None)

    def assert_sound(self) -> None:
        data = b"".join(line + b"\n" for line in self.players[0].log(self.id))
        assert {fault.code for fault in audit(data).faults} <= {"record/unfinished"}
        assert [wrong for checked in check_all(self.context) for wrong in checked.wrong] == []


def once_more_and_idle(missed: tuple[int, ...]) -> bool:
    """Seat 0 has missed one deadline, everybody else two: with the next one nobody acts any more."""
    return missed[0] == 1 and min(missed[1:]) >= 2


def two_of_three_are_away(missed: tuple[int, ...]) -> bool:
    return missed[0] == 0 and min(missed[1:]) >= 2


@pytest.mark.parametrize(
    ("seats", "present"),
    [(2, (1,)), (3, (1,)), (3, (2,)), (3, (1, 2)), (6, (5,)), (6, (1, 3)), (6, (1, 2, 3, 4, 5))],
)
def test_answers_that_were_taken_are_opened_although_a_lower_seat_stays_away(
    mail_context: ServerContext, watch: Watch, door: str, seats: int, present: tuple[int, ...]
) -> None:
    table = Auction(mail_context, watch, door, seats, CLOCK)
    table.until_sealed(once_more_and_idle)
    bids = [table.bid(seat) for seat in present]
    length = len(table.entries())
    table.let_pass()
    opened = table.entries()[length : length + seats]
    assert [entry.seat for entry in opened] == list(range(seats)), "in seat order, whoever answered"
    assert [isinstance(entry, Play) for entry in opened] == [seat in present for seat in range(seats)]
    assert all(table.on_record(bid) for bid in bids)
    assert table.abandoned() is None, "who has answered is there"
    assert [table.missed[seat] for seat in present] == [0] * len(present)
    table.assert_sound()


def test_without_any_answer_the_table_is_idle_as_before(mail_context: ServerContext, watch: Watch, door: str) -> None:
    table = Auction(mail_context, watch, door, 3, CLOCK)
    table.until_sealed(once_more_and_idle)
    table.let_pass()
    assert table.abandoned() == "idle"
    table.assert_sound()


def test_an_answer_keeps_a_table_going_that_the_last_other_player_leaves(
    mail_context: ServerContext, watch: Watch, door: str
) -> None:
    """The answer cannot be opened yet: somebody else has time left."""
    table = Auction(mail_context, watch, door, 3, CLOCK)
    table.until_sealed(two_of_three_are_away)
    bid = table.bid(1)
    table.players[0].resign(table.id, 0)
    assert table.abandoned() is None
    table.let_pass()
    assert table.on_record(bid)
    assert table.abandoned() is None
    table.assert_sound()


def test_an_answer_is_opened_before_the_resignation_of_all_others_ends_the_game(
    mail_context: ServerContext, watch: Watch, door: str
) -> None:
    table = Auction(mail_context, watch, door, 3, CLOCK)
    table.until_sealed(lambda _: True)
    bid = table.bid(2)
    for seat in (0, 1):
        table.players[seat].resign(table.id, seat)
    kinds = [type(entry) for entry in table.entries()]
    assert kinds[kinds.index(Resign) :][:5] == [Resign, Resign, Timeout, Timeout, Play]
    assert table.on_record(bid)
    assert table.summary()["phase"] == "closed"
    table.assert_sound()


def struck(mail_context: ServerContext, watch: Watch, door: str) -> Auction:
    """Seat 2 stays away, and the others may vote; everybody is asked for a bid."""
    table = Auction(mail_context, watch, door, 3, VOTING)
    for _ in range(500):
        asked = table.position.asked
        sealed = next(iter(asked.values())).decision.sealed
        if sealed and len(asked) == 3 and table.missed[2] >= 2:
            return table
        for seat in sorted(asked):
            if seat != 2:
                table.players[seat].move(table.id)
        if 2 in asked:
            table.let_pass()
    raise AssertionError("it never came to that")


def test_whoever_was_away_and_has_answered_cannot_be_voted_out(
    mail_context: ServerContext, watch: Watch, door: str
) -> None:
    table = struck(mail_context, watch, door)
    bid = table.bid(2)
    for seat in (0, 1):
        table.vote(seat)
    assert table.abandoned() is None
    for seat in (0, 1):
        table.players[seat].move(table.id)
    assert table.on_record(bid)
    assert table.abandoned() is None
    assert table.summary()["voting"] == [], "there is nobody to vote about"
    table.assert_sound()


def test_a_vote_ends_the_table_at_once_although_those_who_voted_had_answered(
    mail_context: ServerContext, watch: Watch, door: str
) -> None:
    """They have given up what they answered themselves."""
    table = struck(mail_context, watch, door)
    table.bid(0)
    for seat in (0, 1):
        table.vote(seat)
    assert table.abandoned() == "voted"
    table.assert_sound()


def test_a_vote_that_comes_when_all_answers_can_be_opened_finds_them_opened(
    mail_context: ServerContext, watch: Watch, door: str
) -> None:
    """The deadline of the one who stays away has passed, and the clock has not looked yet."""
    table = struck(mail_context, watch, door)
    bids = [table.bid(seat) for seat in (0, 1)]
    table.vote(0)
    watch.pass_by(HOUR)
    table.vote(1)
    assert all(table.on_record(bid) for bid in bids)
    assert table.abandoned() == "voted"
    table.assert_sound()
