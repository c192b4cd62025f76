"""Replay: the fold, step by step; and the clerk, who takes the same steps before sealing anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine import games, selfplay
from engine.errors import EngineError, InvalidMove, MoveRefused, OptionsRefused, OutOfTurn, UnknownGame
from engine.game import Seat
from engine.record.audit import audit
from engine.record.chain import Chain, follow
from engine.record.entry import PerDecision, Play, Timeout, move_message
from engine.record.replay import Replay, advance, move_of, replay
from tests.engine.signed_games import Evening, odds_and_evens

PARIS = games.load("paris-paris")
HOUR = PerDecision(seconds=3600)


def replayed(evening: Evening) -> Replay:
    return replay(evening.record, evening.secret)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(EngineError) as refused:
        act()
    return refused.value.code


def test_a_replay_is_the_game_as_it_was_played() -> None:
    played = selfplay.play(PARIS, ["random", "greedy"], b"replay".ljust(32))
    secret = bytes.fromhex(played.record[-1].entry.secret)  # type: ignore[union-attr]
    found = replay(played.record, secret)
    assert found.stopped is None
    assert found.chain == played.table.chain
    assert found.positions[-1].state == played.table.playing.state
    assert [position.seq for position in found.positions] == list(range(3, 45))


def test_step_by_step_is_the_same_as_all_at_once() -> None:
    evening = Evening("steps", PARIS, 3).play().close()
    chain, position, positions = Chain(), None, []
    for sealed in evening.record:
        position = advance(chain, position, sealed, evening.secret)
        chain = follow(chain, sealed)
        if position:
            positions.append(position)
    assert tuple(positions) == replayed(evening).positions
    assert positions[-1] == evening.table.position


def test_a_position_can_be_asked_for_by_entry() -> None:
    found = replayed(Evening("at", PARIS, 2).play().close())
    assert found.at(2) is None
    dealt, later = found.at(3), found.at(20)
    assert dealt is not None
    assert later is not None
    assert (dealt.seq, later.seq) == (3, 20)
    assert found.at(9999) == found.positions[-1]


def test_a_replay_says_how_far_it_got_and_why_it_stopped() -> None:
    evening = Evening("stops", PARIS, 2).play(10)
    evening.record[9] = evening.record[8]
    found = replayed(evening)
    assert found.stopped is not None
    assert (found.stopped.entry, found.stopped.code) == (9, "chain/sequence")
    assert found.chain.length == 9
    assert found.positions[-1].seq == 8


def test_a_replay_with_another_secret_stops_at_the_deal() -> None:
    evening = Evening("other secret", PARIS, 2).play(5)
    found = replay(evening.record, bytes(32))
    assert found.stopped is not None
    assert (found.stopped.entry, found.stopped.code) == (3, "state/differs")
    assert found.positions == ()


def test_an_unfinished_log_replays_to_where_it_is() -> None:
    found = replayed(Evening("unfinished", PARIS, 2).play(5))
    assert found.stopped is None
    assert not found.positions[-1].over


# Decisions and their bases


def test_a_decision_is_named_by_the_entry_that_opened_it() -> None:
    evening = Evening("bases", PARIS, 2)
    assert evening.table.playing.asked[Seat(0)].base == evening.record[3].hash
    evening.play(1)
    assert evening.table.playing.asked[Seat(1)].base == evening.record[4].hash


@pytest.mark.usefixtures("shelf")
class TestDecisionsOfManySeats:
    def test_all_are_asked_at_once_and_by_the_same_entry(self) -> None:
        evening = Evening("all", odds_and_evens(), 3)
        assert {asked.base for asked in evening.table.playing.asked.values()} == {evening.head}
        assert sorted(evening.table.playing.asked) == [0, 1, 2]

    def test_a_decision_stays_open_over_the_answers_of_others(self) -> None:
        evening = Evening("open", odds_and_evens(), 3)
        base = evening.head
        evening.play(1)
        assert evening.table.playing.asked[Seat(1)].base == base

    def test_a_resignation_opens_no_decision_anew(self) -> None:
        evening = Evening("resigned", odds_and_evens(), 3)
        base = evening.head
        evening.resign(2)
        assert {asked.base for asked in evening.table.playing.asked.values()} == {base}

    def test_the_same_question_again_is_another_decision(self) -> None:
        evening = Evening("again", odds_and_evens(), 2)
        first = evening.table.playing.asked[Seat(0)]
        evening.play(4)
        again = evening.table.playing.asked[Seat(0)]
        assert again.decision == first.decision
        assert again.base == evening.head != first.base

    def test_sealed_answers_stand_in_seat_order(self) -> None:
        evening = Evening("sealed", odds_and_evens(), 3)
        show = evening.game.legal(evening.table.playing.state, Seat(1))[2]
        assert refusal(lambda: evening.move(1, show)) == "move/unordered"
        evening.move(0, show).move(1, show)
        assert list(evening.table.playing.asked) == [2]

    def test_answers_that_are_not_sealed_come_in_any_order(self) -> None:
        evening = Evening("any order", odds_and_evens(), 3).play(3)
        for seat in (2, 0, 1):
            evening.move(seat, evening.game.legal(evening.table.playing.state, Seat(seat))[0])
        assert audit(evening.play().close().data).valid

    def test_a_game_with_dice_replays(self) -> None:
        evening = Evening("dice", odds_and_evens(), 4, options=_rounds(6)).play().close()
        found = replayed(evening)
        assert found.stopped is None
        dice = {event.die for position in found.positions for event in position.events if hasattr(event, "die")}
        assert len(dice) > 2
        assert audit(evening.data).valid


def _rounds(rounds: int) -> Any:
    return odds_and_evens().options(rounds=rounds)


# The clock


def test_a_deadline_passes_when_the_clock_has_run_out_and_not_before() -> None:
    evening = Evening("deadline", PARIS, 2, clock=HOUR)
    evening.moment = evening.moment.replace(minute=40, second=3)  # the moment of the deal
    assert evening.record[3].entry.at == evening.now
    evening.wait(3599.999)
    assert refusal(lambda: evening.timeout(0)) == "timeout/early"
    evening.wait(0.001).timeout(0)
    timeout = evening.record[-1].entry
    assert isinstance(timeout, Timeout)
    assert timeout.why == "deadline"


def test_every_decision_has_its_own_time() -> None:
    evening = Evening("own time", PARIS, 2, clock=HOUR).wait(3600).timeout(0)
    assert refusal(lambda: evening.timeout(1)) == "timeout/early"
    evening.wait(3600).timeout(1)


def test_a_move_after_the_deadline_is_in_time_until_the_server_says_otherwise() -> None:
    assert audit(Evening("late", PARIS, 2, clock=HOUR).wait(100_000).play().close().data).valid


def test_without_a_clock_no_deadline_passes() -> None:
    evening = Evening("no clock", PARIS, 2).wait(10**9)
    assert refusal(lambda: evening.timeout(0)) == "timeout/no-clock"


def test_a_seat_that_is_not_asked_does_not_time_out() -> None:
    evening = Evening("not asked", PARIS, 2, clock=HOUR).wait(3600)
    assert refusal(lambda: evening.timeout(1)) == "move/out-of-turn"


def test_a_deadline_beyond_the_end_of_time_has_not_passed() -> None:
    evening = Evening("end of time", PARIS, 2, clock=PerDecision(seconds=10**9), sit=False)
    evening.moment = evening.moment.replace(year=9999, month=12, day=31)
    evening.sit(0).sit(1).deal()
    assert refusal(lambda: evening.timeout(0)) == "timeout/early"


# Resigning, abandoning, closing


def test_the_server_answers_for_whoever_has_resigned_clock_or_not() -> None:
    evening = Evening("resigned", PARIS, 3).resign(0).timeout(0)
    timeout = evening.record[-1].entry
    assert isinstance(timeout, Timeout)
    assert timeout.why == "resigned"
    assert timeout.move == msgspec.to_builtins(PARIS.fallback(_dealt(evening), Seat(0)))


def _dealt(evening: Evening) -> Any:
    position = replayed(evening).at(4)
    assert position is not None
    return position.state


def test_whoever_has_resigned_neither_moves_nor_resigns() -> None:
    evening = Evening("gone", PARIS, 3).resign(0)
    assert refusal(lambda: evening.play(1)) == "seat/resigned"
    assert refusal(lambda: evening.resign(0)) == "seat/resigned"


def test_of_three_all_but_one_must_resign_before_the_table_is_given_up() -> None:
    three = Evening("three", PARIS, 3).resign(1)
    assert refusal(lambda: three.abandon("resigned")) == "abandon/reason"
    assert audit(three.resign(0).abandon("resigned").close().data).valid


def test_a_resignation_does_not_have_to_end_a_game() -> None:
    """The others may play on against the fallbacks of the one who left."""

    def absent(evening: Evening, seat: Seat) -> bool:
        return seat == 1 and bool(evening.timeout(seat))

    evening = Evening("played on", PARIS, 3).play(2).resign(1).play(answer=absent).close()
    found = audit(evening.data)
    assert found.valid
    assert found.standing is not None
    assert found.standing.final


def test_a_table_is_idle_after_two_rounds_of_timeouts() -> None:
    evening = Evening("idle", PARIS, 2, clock=HOUR).play(1)
    for _ in range(4):
        assert refusal(lambda: evening.abandon("idle")) == "abandon/reason"
        evening.wait(3600).timeout()
    assert audit(evening.abandon("idle").close().data).valid


@pytest.mark.parametrize("act", [lambda evening: evening.play(1), lambda evening: evening.back(0)])
def test_any_player_who_acts_makes_a_table_busy_again(act: Callable[[Evening], object]) -> None:
    evening = Evening("busy", PARIS, 2, clock=HOUR)
    for _ in range(3):
        evening.wait(3600).timeout()
    act(evening)
    evening.wait(3600).timeout()
    assert refusal(lambda: evening.abandon("idle")) == "abandon/reason"


def test_a_game_that_is_over_is_closed_and_not_abandoned() -> None:
    evening = Evening("over", PARIS, 2).play()
    assert refusal(lambda: evening.abandon("idle")) == "abandon/over"
    evening.close()
    assert refusal(evening.close) == "chain/order"


def test_a_game_is_not_closed_before_it_is_over() -> None:
    evening = Evening("early", PARIS, 2).play(39)
    assert refusal(evening.close) == "close/early"
    evening.play(1).close()


def test_a_table_that_never_filled_closes_without_a_standing() -> None:
    evening = Evening("unfilled", PARIS, 3, sit=False).sit(1).abandon("unfilled").close()
    found = audit(evening.data)
    assert found.valid
    assert found.standing is None
    assert found.players == ("seat 0", "bob", "seat 2")


# Moves and options


@pytest.mark.parametrize(
    "move",
    [
        {},
        {"do": "take"},
        {"do": "sell", "station": "opera", "line": "red"},
        {"do": "take", "station": "opera", "line": 7},
        {"do": "take", "station": "opera", "line": "red", "evict": True},
        {"do": "take", "station": "opera", "line": "red", "evict": None},
        {"do": "take", "station": "opera", "line": "red", "tip": 5},
    ],
)
def test_a_move_has_one_spelling(move: dict[str, Any]) -> None:
    with pytest.raises(InvalidMove):
        move_of(PARIS, move)


@pytest.mark.parametrize("move", [{"do": "take", "station": "nowhere", "line": "red"}, {"do": "nothing"}])
def test_a_refused_move_leaves_the_table_as_it_was(move: dict[str, Any]) -> None:
    evening = Evening("refused", PARIS, 2)
    before = evening.table
    base = before.playing.asked[Seat(0)].base
    signature = evening.keys[0].sign(move_message(evening.id, base, 0, move))
    with pytest.raises(MoveRefused):
        evening.clerk.move(before, evening.now, Seat(0), base, move, signature)
    assert evening.table == before == Evening("refused", PARIS, 2).table


def test_before_the_deal_there_is_nothing_to_answer() -> None:
    evening = Evening("undealt", PARIS, 2, sit=False)
    with pytest.raises(OutOfTurn):
        evening.timeout(0)


def test_a_table_is_not_opened_for_a_game_that_could_not_be_dealt() -> None:
    for seats, options in ((2, {"colours": ["grey"] * 4}), (2, {"map": "london"}), (5, {}), (1, {})):
        with pytest.raises(OptionsRefused):
            Evening("odd", PARIS, seats, options=msgspec.convert(options, PARIS.options), sit=False)


def test_a_game_is_known_in_its_own_version_only() -> None:
    with pytest.raises(UnknownGame, match="version 1"):
        games.load("paris-paris", 2)
    with pytest.raises(UnknownGame, match="there are"):
        games.load("paris_paris")


def test_players_sign_what_they_see() -> None:
    """A move signed before somebody else's resignation still counts: it does not change what is being asked."""
    evening = Evening("meanwhile", PARIS, 3)
    position = evening.table.playing
    move = msgspec.to_builtins(PARIS.legal(position.state, Seat(0))[0])
    base = position.asked[Seat(0)].base
    signature = evening.keys[0].sign(move_message(evening.id, base, 0, move))
    evening.resign(1)
    sealed, _ = evening.clerk.move(evening.table, evening.now, Seat(0), base, move, signature)
    assert isinstance(sealed.entry, Play)
