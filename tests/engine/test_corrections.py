"""A server whose clock was wrong says so on record: the time is put back, and everybody's time begins anew."""

from __future__ import annotations

import pytest

from engine import games
from engine.errors import RecordRejected
from engine.record.audit import audit
from engine.record.chain import Phase
from engine.record.entry import Bank, Clock, PerDecision
from tests.engine.clocked_games import (
    BANK,
    BOT,
    DAY,
    HOUR,
    PLAIN,
    VOTE,
    asked,
    attendance,
    is_proved,
    refusal,
    table,
)
from tests.engine.signed_games import Evening, a_shelf_of_games, odds_and_evens

JUMP = 2 * DAY


def jumped(clock: Clock | None, seats: int = 2) -> Evening:
    """The clock has jumped ahead by two days, and a move is dated by it."""
    return table(clock, seats).play(3).wait(JUMP).play(1).wait(-JUMP)


def test_the_clock_is_put_back_and_the_game_goes_on_under_its_bases() -> None:
    evening = jumped(PLAIN)
    with pytest.raises(RecordRejected, match="before the one it follows"):
        evening.play(1)
    before = evening.table.playing.asked
    since = evening.now
    evening.correct()
    after = evening.table.playing.asked
    assert {seat: one.base for seat, one in after.items()} == {seat: one.base for seat, one in before.items()}
    assert {one.since for one in after.values()} == {since}
    assert (evening.table.chain.at, evening.table.chain.corrected) == (since, since)
    assert is_proved(evening.play().close())


@pytest.mark.parametrize("clock", [None, PLAIN, BANK], ids=["none", "per decision", "bank"])
def test_only_a_clock_that_was_ahead_is_corrected(clock: Clock | None) -> None:
    for ahead in (0, 1):
        evening = table(clock).play(3)
        evening.moment = evening.moment.replace(microsecond=0)
        evening.wait(-1 + ahead)
        assert refusal(evening.correct) == "chain/time"
    evening.wait(-2).correct()
    assert is_proved(evening.play().close())


def test_a_deadline_is_reckoned_from_the_correction() -> None:
    evening = jumped(PLAIN).correct()
    seat = min(evening.table.playing.asked)
    evening.wait(-1 + HOUR - 0.001)
    assert refusal(lambda: evening.timeout(seat)) == "timeout/early"
    evening.wait(0.001).timeout(seat)
    assert is_proved(evening.play().close())


def test_nobody_has_missed_a_deadline_and_a_bot_makes_room() -> None:
    evening = table(BOT).play(3)
    for _ in range(4):
        evening.wait(0 if min(evening.table.playing.asked) in evening.table.playing.bots else HOUR).timeout()
    assert evening.table.playing.bots
    evening.wait(-3 * HOUR).correct()
    assert attendance(evening).missed == (0, 0)
    assert evening.table.playing.bots == frozenset()
    assert is_proved(evening.play().close())


def test_a_vote_about_somebody_who_missed_nothing_lapses() -> None:
    evening = table(VOTE, 3)
    for _ in range(2):
        asked(evening, 0).wait(JUMP).timeout(0)
    evening.vote(1, "abandon").wait(-2 * JUMP).correct()
    assert attendance(evening).votes == frozenset()
    assert refusal(lambda: evening.vote(2, "abandon")) == "vote/none"
    assert is_proved(evening.play().close())


def test_no_account_is_left_with_less_than_it_began_with() -> None:
    evening = table(BANK).wait(JUMP).timeout(0).wait(-JUMP)
    evening.play(0)
    assert attendance(evening).banks == (60_000, 600_000)
    before = attendance(evening).banks[1]
    evening.correct()
    assert attendance(evening).banks == (600_000, before)
    assert is_proved(evening.play().close())


def test_what_was_answered_before_is_charged_from_the_correction_on() -> None:
    """A sealed answer that came before the clock was corrected costs nothing; to say that it came before is false."""
    with a_shelf_of_games():
        evening = Evening("corrected", odds_and_evens(), 3, clock=Bank(start=600, refill=0, most=900))
        while not next(iter(evening.table.playing.asked.values())).decision.sealed:
            evening.play(1)
        given = evening.now
        seat = min(evening.table.playing.asked)
        evening.wait(JUMP).delegate(1).wait(-JUMP + 30)
        evening.correct()
        move = evening.game.legal(evening.table.playing.state, seat)[0]
        assert refusal(lambda: evening.wait(9).move(seat, move, given=given)) == "move/given"
        since = evening.table.playing.asked[seat].since
        evening.move(seat, move, given=since)
        assert attendance(evening).banks[seat] == 600_000
        assert is_proved(evening.play().close())


def test_a_correction_moves_no_chance() -> None:
    """Or the server could correct its clock until the dice fall as it likes."""
    game = games.load("dinner-in-paris")
    plain, corrected = (Evening("chance", game, 2, clock=PLAIN) for _ in range(2))
    corrected.wait(JUMP).delegate(0).wait(-JUMP).correct()
    plain.delegate(0)
    for _ in range(12):
        seat = min(plain.table.playing.asked)
        move = game.legal(plain.table.playing.state, seat)[0]
        plain.move(seat, move)
        corrected.move(seat, move)
    assert plain.table.playing.state == corrected.table.playing.state


def test_before_the_deal_it_carries_no_digest_and_after_the_end_there_is_none() -> None:
    evening = Evening("undealt", games.load("paris-paris"), 2, clock=PLAIN, sit=False).wait(JUMP).sit(0).wait(-JUMP)
    evening.correct().sit(1).deal()
    assert evening.table.chain.phase is Phase.PLAYING
    assert is_proved(evening.play().close())
    evening.wait(-JUMP)
    assert refusal(evening.correct) == "chain/order"


def test_it_says_so_for_ever() -> None:
    """Left out, what follows is dated before what it follows."""
    evening = jumped(PerDecision(seconds=HOUR)).correct().play(3)
    lines = [sealed for sealed in evening.play().close().record if sealed.entry.__struct_config__.tag != "correct"]
    found = audit(b"".join(line.line + b"\n" for line in lines))
    assert (found.faults[0].entry, found.faults[0].code) == (8, "chain/sequence")
    assert "chain/time" in {fault.code for fault in found.faults}


def test_no_correction_before_the_deal_moves_the_deal() -> None:
    """The server knows the seed once all sit: otherwise it could put its clock back until it likes what is dealt."""
    dealt = []
    for corrections in range(3):
        evening = Evening("dealt", games.load("restaurant"), 3, sit=False).sit(0).sit(1).wait(60)
        evening.sit(2)
        for _ in range(corrections):
            evening.wait(-2).correct()
        evening.deal()
        dealt.append(evening.table.playing.state)
        assert is_proved(evening.play().close())
    assert dealt[0] == dealt[1] == dealt[2]
