"""Of two players one resigns: the other has won, whatever the scores say."""

from __future__ import annotations

import pytest

from engine import games
from engine.game import AnyGame, Seat, Standing
from engine.record.audit import audit
from engine.record.entry import Close
from tests.engine.clocked_games import BOT, PLAIN, is_proved, refusal, strike
from tests.engine.signed_games import Evening

PARIS = games.load("paris-paris")
EVERY_GAME = [games.load(key) for key in games.keys()]
FOR_TWO = pytest.mark.parametrize("game", [pytest.param(game, id=game.key) for game in EVERY_GAME if 2 in game.seats])


def resigned(seat: int = 0, moves: int = 6) -> Evening:
    return Evening("resigned", PARIS, 2).play(moves).resign(seat)


def closing(evening: Evening) -> Standing:
    entry = evening.record[-1].entry
    assert isinstance(entry, Close)
    assert entry.standing is not None
    return entry.standing


@FOR_TWO
@pytest.mark.parametrize("seat", [0, 1])
def test_the_other_one_has_won(game: AnyGame, seat: int) -> None:
    evening = Evening("given up", game, 2).play(3).resign(seat).close()
    standing = closing(evening)
    assert (standing.final, standing.ranking) == (True, ((1 - seat,), (seat,)))
    assert standing.scores == evening.game.standing(evening.table.playing.state).scores
    assert audit(evening.data).standing == standing
    assert is_proved(evening)


def test_nothing_goes_on_after_it() -> None:
    evening = resigned(0)
    assert evening.table.playing.over
    assert refusal(lambda: evening.timeout(0)) == "move/out-of-turn"
    for said in (lambda: evening.resign(1), lambda: evening.delegate(1), lambda: evening.succeed(1)):
        assert refusal(said) == "chain/order"


def test_servers_have_given_such_a_table_up_and_their_records_stay_valid() -> None:
    """The entry then says “not final”, and the record is told and audited as won all the same."""
    evening = resigned(0).abandon("resigned").close()
    assert not closing(evening).final
    found = audit(evening.data)
    assert found.valid
    assert found.standing is not None
    assert (found.standing.final, found.standing.winners) == (True, (1,))


def test_a_server_cannot_give_it_up_for_any_other_reason() -> None:
    evening = strike(Evening("late", PARIS, 2, clock=PLAIN), 1, 2).resign(0)
    assert refusal(lambda: evening.abandon("idle")) == "chain/order"
    assert is_proved(evening.close())


def test_a_seat_in_a_bots_hands_wins_too() -> None:
    evening = strike(Evening("bot", PARIS, 2, clock=BOT), 1, 2)
    assert evening.table.playing.bots == {1}
    assert closing(evening.resign(0).close()).winners == (1,)


def test_the_player_of_a_seat_in_a_bots_hands_resigns_like_any_other() -> None:
    evening = strike(Evening("bot", PARIS, 2, clock=BOT), 1, 2)
    assert closing(evening.resign(1).close()).winners == (0,)


def test_of_three_the_rest_play_on_and_the_last_one_has_not_won() -> None:
    evening = Evening("three", PARIS, 3).play(4).resign(0)
    assert evening.table.playing.victor is None
    assert refusal(evening.close) == "close/early"
    standing = closing(evening.resign(2).abandon("resigned").close())
    assert not standing.final
    assert evening.table.chain.victor is None
    assert Seat(1) not in evening.table.chain.resigned
