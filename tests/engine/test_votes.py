"""Votes on going on, and tables at which nobody acts any more."""

from __future__ import annotations

import pytest

from engine.record.entry import Clock, PerDecision
from tests.engine.clocked_games import (
    BOT,
    HOUR,
    PLAIN,
    VOTE,
    attendance,
    is_proved,
    only_acts,
    refusal,
    strike,
    table,
    voting,
)


def test_a_table_is_given_up_when_all_who_may_vote_agree() -> None:
    evening = voting()
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"
    evening.vote(1, "abandon")
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"
    evening.vote(2, "abandon")
    assert is_proved(evening.abandon("voted").close())


def test_one_who_wants_to_go_on_ends_the_vote() -> None:
    evening = voting().vote(1, "abandon").vote(2, "continue")
    assert attendance(evening).missed == (0, 0, 0)
    assert attendance(evening).votes == frozenset()
    assert refusal(lambda: evening.vote(1, "abandon")) == "vote/none"
    assert is_proved(evening.play().close())


def test_whoever_comes_back_ends_the_vote_about_them() -> None:
    evening = voting().vote(1, "abandon").back(0)
    assert attendance(evening).votes == frozenset()
    assert refusal(lambda: evening.vote(2, "abandon")) == "vote/none"


def test_a_vote_lasts_over_moves_and_may_be_cast_again() -> None:
    evening = voting().vote(1, "abandon").play(4, answer=only_acts(1, 2)).vote(1, "abandon").vote(2, "abandon")
    assert is_proved(evening.abandon("voted").close())


def test_those_who_are_waited_for_and_those_who_have_resigned_have_no_voice() -> None:
    evening = voting()
    assert refusal(lambda: evening.vote(0, "continue")) == "vote/none"
    evening.resign(2)
    assert refusal(lambda: evening.vote(2, "abandon")) == "seat/resigned"
    assert is_proved(evening.vote(1, "abandon").abandon("voted").close())


def test_nobody_is_left_to_vote_when_all_stay_away() -> None:
    evening = table(VOTE).play(4, answer=only_acts())
    assert attendance(evening).missed == (2, 2)
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"
    assert is_proved(evening.abandon("idle").close())


@pytest.mark.parametrize("clock", [PLAIN, BOT])
def test_under_another_clock_nobody_votes(clock: Clock) -> None:
    evening = strike(table(clock, 3), 0, 3)
    assert refusal(lambda: evening.vote(1, "abandon")) == "vote/none"
    assert refusal(lambda: evening.abandon("voted")) == "abandon/reason"


def test_there_is_no_vote_before_too_many_deadlines_have_passed() -> None:
    evening = strike(table(VOTE, 3), 0, 1)
    assert attendance(evening).missed == (1, 0, 0)
    assert refusal(lambda: evening.vote(1, "abandon")) == "vote/none"


# Idle.


def test_a_table_is_idle_when_every_player_has_missed_two() -> None:
    evening = table(PLAIN, 3)
    for _ in range(6):
        assert refusal(lambda: evening.abandon("idle")) == "abandon/reason"
        evening.wait(HOUR).timeout()
    assert is_proved(evening.abandon("idle").close())


def test_one_who_acts_keeps_a_table_alive_however_often_the_others_are_waited_for() -> None:
    evening = table(PLAIN, 3).play(15, answer=only_acts(2))
    assert attendance(evening).missed == (5, 5, 0)
    assert refusal(lambda: evening.abandon("idle")) == "abandon/reason"


def test_of_a_bot_and_of_one_who_resigned_nobody_expects_anything() -> None:
    with_bot = strike(table(BOT, 3), 0, 2).resign(1)
    assert with_bot.table.playing.bots == {0}
    with_bot.play(5, answer=lambda evening, seat: seat != 2 and bool(evening.timeout(seat)))
    assert refusal(lambda: with_bot.abandon("idle")) == "abandon/reason"
    while attendance(with_bot).missed[2] < 2:
        with_bot.wait(HOUR).timeout()
    assert is_proved(with_bot.abandon("idle").close())


def test_a_table_that_all_have_left_is_idle() -> None:
    """There is nobody who would have to miss anything."""
    assert is_proved(table(VOTE, 3).resign(0).resign(1).resign(2).abandon("idle").close())
    assert refusal(lambda: table(VOTE, 3).resign(0).abandon("idle")) == "abandon/reason"
    assert refusal(lambda: table(None, 3).resign(0).resign(1).resign(2).abandon("idle")) == "abandon/reason"


def test_a_table_of_bots_is_idle() -> None:
    evening = table(PerDecision(seconds=HOUR, strikes=1)).play(2, answer=only_acts())
    assert evening.table.playing.bots == {0, 1}
    assert is_proved(evening.abandon("idle").close())
