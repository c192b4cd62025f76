"""§7 next round, §8 end and winner."""

from __future__ import annotations

import pytest

from engine.errors import OutOfTurn
from engine.game import Step
from engine.games.paris_paris import GAME, events, rules
from engine.games.paris_paris.moves import Take
from engine.games.paris_paris.state import State
from tests.games.paris_paris.positions import CHANCE, GREY, VIOLET, YELLOW, a_game, kinds, spread

LAST_TAKE = Take("gare-du-nord", "red")


def the_last_take(
    players: int, shops: dict[str, list[int]] | None = None, markers: tuple[str, ...] = ()
) -> Step[State]:
    """The end of a game, after a take and a token left where they touch nothing else."""
    lines = markers or ("teal", "red", "blue", "orange", "brown")
    state = a_game(players, shops=shops, out=["gare-du-nord/red", "etoile/orange"], to_move=players - 2, markers=lines)
    (seat,) = GAME.waiting(state)
    return GAME.play(state, seat, LAST_TAKE, CHANCE)


def final_excursions(step: Step[State]) -> list[events.FinalExcursion]:
    return [event for event in step.events if isinstance(event, events.FinalExcursion)]


@pytest.mark.cites("§7")
def test_the_bus_passes_clockwise_and_the_next_pile_is_laid_out() -> None:
    state = a_game(3, out=["bourse/teal", "etoile/orange"], to_move=0, piles=1)

    step = GAME.play(state, GREY, Take("bourse", "teal"), CHANCE)

    assert state.first == VIOLET
    assert step.events[-2] == events.Bus(YELLOW)
    assert kinds(step.events)[-1] == "LayOut"
    assert list(GAME.waiting(step.state)) == [YELLOW]


@pytest.mark.cites("§8", "R15")
@pytest.mark.parametrize("players", [3, 4])
def test_at_the_end_every_seats_marker_is_driven_from_the_first_player_on(players: int) -> None:
    markers = ("brown", "red", "teal", "orange", "blue")

    driven = final_excursions(the_last_take(players, markers=markers))

    assert [(event.seat, event.line) for event in driven] == list(enumerate(markers))[:players]


@pytest.mark.cites("R15")
@pytest.mark.parametrize("players", GAME.seats)
def test_r15_after_the_last_round_the_bus_has_come_back_to_seat_0(players: int) -> None:
    state = GAME.deal(players, GAME.options(), CHANCE).state
    while turn := list(GAME.waiting(state)):
        state = GAME.play(state, turn[0], GAME.fallback(state, turn[0]), CHANCE).state

    assert state.first == GREY


@pytest.mark.cites("§8")
def test_final_excursions_score_for_everyone_whoever_has_the_marker() -> None:
    shops = {"odeon": [1, 2], "pantheon": [1]}

    step = the_last_take(3, shops, markers=("brown", "red", "teal", "orange", "blue"))

    assert step.state.final == (0, 1, 1)


@pytest.mark.cites("§8", "R16")
def test_with_two_players_the_face_up_line_is_driven_last_and_the_boxed_ones_never() -> None:
    driven = final_excursions(the_last_take(2, markers=("brown", "red", "teal", "orange", "blue")))

    assert [(event.seat, event.line) for event in driven] == [(0, "brown"), (1, "red"), (None, "teal")]


@pytest.mark.cites("R13")
def test_r13_tokens_still_parked_at_the_end_do_nothing() -> None:
    step = the_last_take(4)

    assert len(step.state.parked) == 1
    assert "Excursion" not in kinds(step.events)


@pytest.mark.cites("§8", "R17")
@pytest.mark.parametrize(
    ("bag", "points"),
    [((3, 2, 2), (3, 0, 0)), ((3, 3, 1), (0, 0, 0)), ((0, 0, 0), (0, 0, 0))],
    ids=["W17 alone with most, though not with half", "W17 a tie for most", "R17 an empty bag"],
)
def test_w17_the_bag_pays_whoever_alone_has_most_in_it(bag: tuple[int, ...], points: tuple[int, ...]) -> None:
    state = a_game(3, bag=bag)

    assert rules.empty_bag(state).events == (events.Bag(bag, points),)
    assert tuple(score.parts["bag"] for score in GAME.standing(state).scores) == points


@pytest.mark.cites("§8")
def test_two_players_have_no_bag() -> None:
    assert "Bag" not in kinds(the_last_take(2).events)


@pytest.mark.cites("§9")
def test_the_bag_is_worth_nothing_before_the_end() -> None:
    state = a_game(3, bag=(3, 2, 2), out=["bourse/teal", "opera/red"])

    assert [score.total for score in GAME.standing(state).scores] == [0, 0, 0]
    assert not GAME.standing(state).final


@pytest.mark.cites("§8", "R18")
def test_w18_among_equals_the_fewest_shops_on_the_board_win() -> None:
    state = a_game(3, visits=(41, 41, 30), shops=spread(9, 8, 12))

    assert GAME.standing(state).ranking == ((VIOLET,), (GREY,), (YELLOW,))
    assert rules.end(state).events == (events.End(((VIOLET,), (GREY,), (YELLOW,))),)


@pytest.mark.cites("§8", "R18")
def test_w18_still_equal_the_victory_is_shared() -> None:
    state = a_game(3, visits=(41, 41, 30), shops=spread(8, 8, 12))

    assert GAME.standing(state).winners == (GREY, VIOLET)


@pytest.mark.cites("R18")
def test_r18_the_tie_break_orders_every_rank_and_does_not_count_the_score_marker() -> None:
    state = a_game(3, visits=(30, 30, 41), shops=spread(9, 8, 12))

    assert GAME.standing(state).ranking == ((YELLOW,), (VIOLET,), (GREY,))
    assert [score.ties[0].value for score in GAME.standing(state).scores] == [9, 8, 12]


@pytest.mark.cites("§8")
def test_when_it_is_over_nobody_is_asked_anything() -> None:
    state = the_last_take(4).state

    assert GAME.waiting(state) == {}
    assert GAME.standing(state).final
    with pytest.raises(OutOfTurn, match="the game is over"):
        GAME.play(state, GREY, LAST_TAKE, CHANCE)


@pytest.mark.cites("§8")
def test_the_total_is_made_of_its_four_parts() -> None:
    score = GAME.standing(the_last_take(4, {"odeon": [3, 3], "pantheon": [2]}).state).scores[3]

    assert list(score.parts) == ["visits", "excursions", "final", "bag"]
    assert score.total == sum(score.parts.values()) > 0
