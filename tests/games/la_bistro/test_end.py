"""§5 the end, and how the seats stand before it."""

from __future__ import annotations

import pytest

from engine.errors import OutOfTurn
from engine.game import Score, Tie
from engine.games.la_bistro import GAME, events, scoring
from engine.games.la_bistro.moves import Choose
from engine.games.la_bistro.state import Over
from tests.games.la_bistro.positions import ANN, BOB, CHANCE, CY, a_table, asking, choose, loaded, only, restaurant


@pytest.mark.cites("§5", "§4.3")
@pytest.mark.parametrize(("players", "turns"), [(2, 5), (3, 4), (6, 4)])
def test_after_the_last_turn_the_game_is_over(players: int, turns: int) -> None:
    for turn in (turns - 1, turns):
        state = asking(a_table(*[[]] * players, turn=turn, time=15))

        after = choose(state, *["ads"] * players, chance=loaded(time=[1]))  # type: ignore[arg-type]

        over = turn == turns
        assert isinstance(after.state.stage, Over) == over
        assert GAME.standing(after.state).final == over
        assert bool(GAME.waiting(after.state)) != over
        assert bool(only(after.events, events.End)) == over


@pytest.mark.cites("§5")
def test_when_it_is_over_nobody_is_asked_anything() -> None:
    state = asking(a_table([], []), Over())

    assert (GAME.waiting(state), GAME.legal(state, ANN)) == ({}, ())
    with pytest.raises(OutOfTurn, match="the game is over"):
        GAME.play(state, ANN, Choose("ads"), CHANCE)


@pytest.mark.cites("§5")
def test_most_money_wins_and_before_the_end_loans_are_counted_at_eleven() -> None:
    table = a_table([], [], [], money=[50, 40, 45], loans=[2, 0, 1])

    standing = scoring.standing(table, final=False)

    assert [score.total for score in standing.scores] == [28, 40, 34]
    assert standing.ranking == ((BOB,), (CY,), (ANN,))
    assert not standing.final


@pytest.mark.cites("§5")
def test_the_standing_shows_what_it_is_made_of() -> None:
    table = a_table([restaurant("B8", fame=3), restaurant("B9", fame=5)], [], loans=[1, 0])

    parts = {"money": 30, "loans": 1, "regular": 0, "inflation": 0, "gold": 0, "splits": 0}
    assert scoring.standing(table, final=False).scores[ANN] == Score(
        ANN, 19, parts, (Tie("fame of the best restaurant", 5),)
    )


@pytest.mark.cites("§5", "R25")
def test_r25_equal_money_goes_to_the_most_famous_single_restaurant_and_else_is_shared() -> None:
    two = [restaurant("B8", fame=3), restaurant("B9", fame=3)]
    famous = [restaurant("B10", fame=4)]

    assert scoring.standing(a_table(two, famous, []), final=True).ranking == ((BOB,), (ANN,), (CY,))
    assert scoring.standing(a_table(two, two, []), final=True).winners == (ANN, BOB)


@pytest.mark.cites("R25")
def test_r25_who_ends_below_zero_ranks_by_that_number() -> None:
    table = a_table([], [], [], money=[-9, 0, -3])

    assert scoring.standing(table, final=True).ranking == ((BOB,), (CY,), (ANN,))


@pytest.mark.cites("§5", "R16")
def test_r16_only_the_last_repayment_leads_below_zero() -> None:
    state = asking(a_table([], [], money=[5, 30], loans=[2, 0], turn=5, time=15))

    after = choose(state, "ads", "ads", chance=loaded(time=[1])).state

    assert after.table.money == (-17, 30)
    assert GAME.standing(after).scores[ANN].total == -17
