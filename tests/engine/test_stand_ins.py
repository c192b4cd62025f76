"""Deadlines missed in a row, and the bot that stands in."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from engine import games
from engine.game import AnyGame, Seat
from engine.record.entry import Clock, PerDecision, Timeout, seal
from engine.record.replay import deal, move_json, replay
from tests.engine.clocked_games import (
    BOT,
    EVERY_GAME,
    HOUR,
    PARIS,
    PLAIN,
    VACATION,
    VOTE,
    asked,
    attendance,
    is_proved,
    only_acts,
    refusal,
    strike,
    table,
)
from tests.engine.signed_games import Evening


def test_whatever_a_player_does_ends_the_row() -> None:
    acts: list[Callable[[Evening], object]] = [
        lambda evening: asked(evening, 0).play(1),
        lambda evening: evening.away(0, evening.now, evening.later(days=1)),
        lambda evening: evening.back(0),
        lambda evening: evening.resign(0),
    ]
    for act in acts:
        evening = table(msgspec.structs.replace(VACATION, strikes=3)).play(2, answer=only_acts(1))
        assert attendance(evening).missed == (1, 0)
        act(evening)
        assert attendance(evening).missed == (0, 0)


def test_a_delegation_says_nothing_about_being_there() -> None:
    evening = strike(table(BOT), 0, 1).delegate(0)
    assert attendance(evening.revoke(0)).missed == (1, 0)


def test_a_bot_stands_in_after_so_many_deadlines_in_a_row() -> None:
    assert not strike(table(BOT), 0, 1).table.playing.bots
    evening = strike(table(BOT), 0, 2)
    assert evening.table.playing.bots == {0}
    asked(evening, 0).timeout(0)
    assert isinstance(evening.record[-1].entry, Timeout)
    assert evening.record[-1].entry.why == "bot"
    assert attendance(evening).missed == (2, 0)


def test_not_in_a_row_no_bot_stands_in() -> None:
    evening = strike(asked(strike(table(BOT), 0, 1), 0).play(1), 0, 1)
    assert attendance(evening).missed == (1, 0)
    assert not evening.table.playing.bots


@pytest.mark.parametrize("clock", [PLAIN, VOTE])
def test_under_another_clock_no_bot_ever_stands_in(clock: Clock) -> None:
    evening = strike(table(clock), 0, 5)
    assert attendance(evening).missed[0] == 5
    assert not evening.table.playing.bots


@pytest.mark.parametrize("act", [lambda evening: evening.back(0), lambda evening: evening.play(1)])
def test_who_is_back_takes_the_seat_from_the_bot(act: Callable[[Evening], object]) -> None:
    evening = asked(strike(table(BOT), 0, 2), 0)
    assert evening.table.playing.bots == {0}
    act(evening)
    assert not evening.table.playing.bots
    assert is_proved(evening.play().close())


def test_a_bot_is_not_asked_to_wait() -> None:
    """The server may play for it at once; a player who comes first may still move."""
    evening = asked(strike(table(BOT), 0, 2), 0)
    since = evening.table.playing.asked[Seat(0)].since
    evening.moment = evening.moment.fromisoformat(since)
    assert evening.timeout(0).record[-1].entry.at == since


def test_who_has_resigned_is_no_bots() -> None:
    evening = strike(table(BOT, 3), 0, 2)
    assert evening.table.playing.bots == {0}
    evening.resign(0)
    assert not evening.table.playing.bots
    assert isinstance(asked(evening, 0).timeout(0).record[-1].entry, Timeout)
    assert evening.record[-1].entry.why == "resigned"  # type: ignore[union-attr]
    assert refusal(lambda: evening.back(0)) == "seat/resigned"


@EVERY_GAME
def test_a_game_with_a_bot_in_a_seat_ends_and_is_proved(game: AnyGame) -> None:
    evening = Evening(f"stand-in {game.key}", game, min(game.seats), clock=PerDecision(seconds=HOUR, strikes=1))
    evening.play(answer=only_acts(*range(1, min(game.seats)))).close()
    timeouts = [line.entry for line in evening.record if isinstance(line.entry, Timeout)]
    assert [entry.why for entry in timeouts] == ["deadline", *["bot"] * (len(timeouts) - 1)]
    assert len(timeouts) > 3
    assert is_proved(evening)


@EVERY_GAME
def test_a_bot_plays_nothing_but_what_it_chooses(game: AnyGame) -> None:
    evening = Evening(f"stand-in {game.key}", game, min(game.seats), clock=PerDecision(seconds=HOUR, strikes=1))
    answer = only_acts(*range(1, min(game.seats)))
    while not (bots := evening.table.playing.bots & evening.table.playing.asked.keys()) or (
        len(game.legal(evening.table.playing.state, min(bots))) < 2 or min(bots) != min(evening.table.playing.asked)
    ):
        evening.play(1, answer=answer)
    position = evening.table.playing
    chosen = evening.timeout(0).record.pop().entry
    assert isinstance(chosen, Timeout)
    other = next(move for move in map(move_json, game.legal(position.state, Seat(0))) if move != chosen.move)
    evening.record.append(seal(msgspec.structs.replace(chosen, move=other), evening.server))
    stopped = replay(evening.record, evening.secret).stopped
    assert stopped is not None
    assert (stopped.entry, stopped.code) == (chosen.seq, "timeout/not-fallback")


def test_what_is_said_between_moves_does_not_change_the_luck_of_the_next() -> None:
    """Or whoever knows the seed could have a friend talk until the bot, or a die, does as they like."""
    silent, chatty = (Evening("luck", games.load("restaurant"), 3, clock=BOT) for _ in range(2))
    for evening in (silent, chatty):
        strike(evening, 0, 2)
        assert evening.table.playing.bots == {0}
    chatty.back(1).delegate(1).revoke(1).back(1)
    for evening in (silent, chatty):
        while evening.table.playing.asked:
            evening.play(1, answer=lambda evening, seat: _first(evening, seat))
        assert is_proved(evening.close())
    assert silent.table.playing.state == chatty.table.playing.state
    assert silent.table.playing.remarks == 0
    assert chatty.table.chain.remarks == chatty.table.playing.remarks == 4


def test_that_somebody_resigns_does_not_change_the_luck_of_the_next() -> None:
    """Or a player who can choose the moment to leave could choose a friend's dice."""

    def fallback_of_two(evening: Evening, seat: Seat) -> bool:
        if seat in evening.table.chain.resigned:
            return bool(evening.timeout(seat))
        state = evening.table.playing.state
        return seat == 2 and bool(evening.move(seat, evening.game.fallback(state, seat)))

    stayed, left = (Evening("luck", games.load("la-bistro"), 3).play(6, answer=fallback_of_two) for _ in range(2))
    left.resign(2)
    assert left.table.chain.remarks == left.table.playing.remarks == 1
    while stayed.table.playing.asked:
        for evening in (stayed, left):
            evening.play(1, answer=lambda evening, seat: fallback_of_two(evening, seat) or _first(evening, seat))
    assert stayed.table.playing.state == left.table.playing.state
    assert is_proved(left.close())


def test_a_seat_given_up_before_the_deal_is_no_remark() -> None:
    evening = Evening("luck", PARIS, 2, sit=False).sit(0).resign(0).sit(0).sit(1).deal()
    assert evening.table.chain.remarks == evening.table.playing.remarks == 0
    assert is_proved(evening.play().close())


def _first(evening: Evening, seat: Seat) -> bool:
    """A bot does what it does, a player whatever is first."""
    if seat in evening.table.playing.bots:
        evening.timeout(seat)
    else:
        evening.move(seat, evening.game.legal(evening.table.playing.state, seat)[0])
    return True


def test_a_table_taken_up_again_in_the_middle_has_the_luck_it_had() -> None:
    """The server keeps a chain and a state, and deals the rest anew."""
    evening = table(None).play(2).delegate(0)
    assert deal(evening.table.chain, evening.secret).remarks == 1 == evening.table.playing.remarks
