"""The guard over the clock: what it refuses, what it lets pass, and how it cries."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.record.entry import Back, Bank, PerDecision, Play, Timeout, back_message, timestamp
from server import clock_guard
from server.cli import cli
from server.clock_guard import AGAIN, JUMP, ClockDoubted, ClockGuard, since_boot
from server.problems import RequestRefused
from server.service import deadline_rounds, table_actions
from server.service.log_check import check_all
from server.service.server_context import ServerContext, enter
from server.settings import Settings
from tests.engine.signed_games import a_shelf_of_games
from tests.server.conftest import Databases
from tests.server.test_clockwork import DAY, HOUR, THREE_DAYS, Seated, Watch

SECOND = timedelta(seconds=1)
HOURLY = PerDecision(seconds=3600)


class Boot:
    """Seconds since the machine was started, by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Times:
    """A clock on the wall and one that nobody can set."""

    def __init__(self) -> None:
        self.wall, self.steady = Watch(), Boot()

    def pass_by(self, time: timedelta) -> None:
        self.wall.pass_by(time)
        self.steady.seconds += time.total_seconds()


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
def offices(backend: str, databases: Databases, tmp_path: Path, times: Times) -> Iterator[Callable[[], ServerContext]]:
    """Offices on the same data, each with the guard of a process that has just been started."""
    settings = Settings(data=tmp_path / "data", db=databases(backend, tmp_path))
    opened: list[ServerContext] = []

    def start() -> ServerContext:
        opened.append(enter(settings, times.wall, times.steady))
        return opened[-1]

    yield start
    for context in opened:
        context.close()


def playing(table: Seated) -> Any:
    return table.context.folded_tables.recent(table.id).table.playing


def alarms(log: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in log.records if record.levelno == logging.CRITICAL]


def test_a_jump_ahead_is_not_believed_until_it_is_taken_back(times: Times, caplog: pytest.LogCaptureFixture) -> None:
    guard = ClockGuard(times.wall, times.steady)
    times.wall.pass_by(2 * DAY)
    for _ in range(3):
        times.pass_by(SECOND)
        with pytest.raises(ClockDoubted):
            guard.believed()
    assert len(alarms(caplog)) == 1
    assert "2 days AHEAD" in alarms(caplog)[0]
    times.pass_by(timedelta(seconds=AGAIN))
    with pytest.raises(ClockDoubted):
        guard.believed()
    assert len(alarms(caplog)) == 2, "it cries again, and not at every look"
    times.wall.pass_by(-2 * DAY)
    assert guard.believed() == times.wall()
    assert "the clock is right again" in caplog.messages[-1]
    times.wall.pass_by(2 * DAY)
    with pytest.raises(ClockDoubted):
        guard.believed()
    assert len(alarms(caplog)) == 3, "and the next time at once"


@pytest.mark.parametrize(("ahead", "believed"), [(JUMP, True), (JUMP + timedelta(milliseconds=1), False)])
def test_so_much_a_clock_may_be_put_forward(times: Times, ahead: timedelta, *, believed: bool) -> None:
    guard = ClockGuard(times.wall, times.steady)
    for _ in range(5 if believed else 1):
        times.pass_by(HOUR)
        times.wall.pass_by(ahead)
        if believed:
            assert guard.believed() == times.wall()
        else:
            with pytest.raises(ClockDoubted):
                guard.believed()


def test_a_clock_that_is_put_back_may_come_forward_again_as_far(times: Times) -> None:
    guard = ClockGuard(times.wall, times.steady)
    times.wall.pass_by(-2 * DAY)
    assert guard.believed() == times.wall()
    times.wall.pass_by(2 * DAY)
    assert guard.believed() == times.wall()
    times.wall.pass_by(HOUR)
    with pytest.raises(ClockDoubted):
        guard.believed()


def test_a_machine_that_was_asleep_has_not_jumped() -> None:
    """What the clock is held against counts the time it was asleep, which ``time.monotonic`` does not."""
    uptime = Path("/proc/uptime")
    if not uptime.exists():
        pytest.skip("no /proc here")
    before = float(uptime.read_text().split()[0])
    now = since_boot()
    assert before - 1 <= now <= float(uptime.read_text().split()[0]) + 1
    assert time.CLOCK_BOOTTIME == clock_guard._COUNTS_SLEEP


def test_while_the_clock_is_in_doubt_nothing_is_sealed_and_no_look_is_put_off(
    offices: Callable[[], ServerContext], times: Times
) -> None:
    context = offices()
    table = Seated(context, times.wall, THREE_DAYS)
    before, move = table.summary(), table.move()
    times.wall.pass_by(4 * DAY)
    with pytest.raises(ClockDoubted):
        deadline_rounds.round_of(context)
    with pytest.raises(ClockDoubted):
        table_actions.play(context, table.id, move)
    with pytest.raises(ClockDoubted):
        Seated(context, times.wall, None)
    times.wall.pass_by(-4 * DAY)
    assert table.summary() == before
    table_actions.play(context, table.id, move)
    times.pass_by(3 * DAY)
    deadline_rounds.round_of(context)
    assert len(table.timeouts()) == 1, "its own deadline passes when it is due"
    table.assert_sound()


def test_a_start_cannot_tell_but_says_what_is_dated_ahead(
    offices: Callable[[], ServerContext], times: Times, caplog: pytest.LogCaptureFixture
) -> None:
    context = offices()
    touched, untouched = (Seated(context, times.wall, HOURLY) for _ in range(2))
    times.wall.pass_by(2 * DAY)
    wrong = offices()
    deadline_rounds.look(wrong, touched.id)
    assert [line for line in alarms(caplog) if "DATED AHEAD" in line] == []
    times.wall.pass_by(-2 * DAY)
    right = offices()
    assert alarms(caplog)[-1].startswith("1 TABLES ARE DATED AHEAD OF THIS CLOCK, up to 2026-11-20T09:00")
    touched.context = untouched.context = right
    with pytest.raises(RequestRefused, match="dated ahead of the server's clock") as refused:
        table_actions.play(right, touched.id, touched.move())
    assert refused.value.code == "server/clock"
    untouched.play()
    deadline_rounds.round_of(right)
    assert len(touched.timeouts()) == 1, "the clock does not go on there either"

    deadline_rounds.correct_clock(right, touched.id)
    touched.play()
    times.pass_by(HOUR)
    deadline_rounds.round_of(right)
    assert [type(entry) for entry in touched.entries()][-1] is Timeout
    touched.assert_sound()
    for reference, why in ((touched.id, "nothing to correct"), ("f" * 32, "there is no table")):
        with pytest.raises(RequestRefused, match=why):
            deadline_rounds.correct_clock(right, reference)


def test_two_clocks_may_differ_by_ten_minutes(offices: Callable[[], ServerContext], times: Times) -> None:
    """A table dated ahead by less goes on as ever: no entry is dated before its predecessor."""
    table = Seated(offices(), times.wall, HOURLY)
    table.play()
    dated = table.summary()["at"]
    times.wall.pass_by(timedelta(minutes=-10))
    table.context = offices()
    table.play()
    assert table.summary()["at"] == dated
    times.wall.pass_by(timedelta(milliseconds=-1))
    with pytest.raises(RequestRefused, match="dated ahead"):
        table.play()


def test_an_answer_that_was_held_over_the_correction_counts_and_costs_nothing(
    offices: Callable[[], ServerContext], times: Times
) -> None:
    week = 7 * 86400
    with a_shelf_of_games():
        table = Seated(offices(), times.wall, Bank(start=week, refill=0, most=week), 3, "odds-and-evens")
        while not (asked := playing(table).asked)[min(asked)].decision.sealed:
            table.play()
        first, *others = sorted(asked)
        table_actions.play(table.context, table.id, table.move(first))
        times.wall.pass_by(2 * DAY)
        table.context = offices()
        table.say(Back, others[0], back_message(table.id, table.head, others[0]))
        times.wall.pass_by(-2 * DAY)
        times.pass_by(HOUR)
        table.context = offices()
        deadline_rounds.correct_clock(table.context, table.id)
        times.pass_by(HOUR)
        for seat in others:
            table_actions.play(table.context, table.id, table.move(seat))
        answers = [entry for entry in table.entries() if isinstance(entry, Play)][-len(asked) :]
        assert [entry.given for entry in answers] == [
            timestamp(times.wall.moment - HOUR),
            *[None for _ in others],
        ], "as if it had been given at the correction"
        assert playing(table).attendance.banks[first] == week * 1000
        table.assert_sound()


def test_the_command_says_what_it_cannot_do(offices: Callable[[], ServerContext], times: Times) -> None:
    settings = offices().settings
    done = CliRunner().invoke(cli, ["correct", "abcd", "--data", str(settings.data), "--db", settings.db])
    assert (done.exit_code, "there is no table abcd" in done.output) == (1, True)
    done = CliRunner().invoke(cli, ["correct", "--data", str(settings.data), "--db", settings.db])
    assert (done.exit_code, "0 tables are dated ahead" in done.output) == (0, True)
    assert [wrong for checked in check_all(offices()) for wrong in checked.wrong] == []
