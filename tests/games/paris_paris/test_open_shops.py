"""§4 the round: laying out, taking a token, opening a shop, evicting another."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove, OutOfTurn
from engine.game import Seat
from engine.games.paris_paris import GAME, events
from engine.games.paris_paris.components import Token
from engine.games.paris_paris.moves import Take
from engine.games.paris_paris.rulebook import EMPTY_SUPPLY, OPEN_SHOPS
from tests.games.paris_paris.positions import BOX, CHANCE, GREEN, GREY, VIOLET, YELLOW, a_game, at, kinds, tokens


@pytest.mark.cites("§4.1")
def test_one_token_more_than_there_are_players_is_laid_out_each_round() -> None:
    state = a_game(3, out=["bourse/teal", "etoile/orange"], to_move=2, piles=2)

    after = GAME.play(state, YELLOW, Take("bourse", "teal"), CHANCE)

    assert len(after.state.out) == 4
    assert after.events[-1] == events.LayOut(tuple(BOX.tokens[token] for token in after.state.out))


@pytest.mark.cites("§4.1")
def test_several_tokens_may_lie_at_one_station() -> None:
    state = a_game(2, out=["odeon/blue", "odeon/blue", "odeon/brown"])

    assert GAME.view(state, GREY).out == (Token("odeon", "blue"), Token("odeon", "blue"), Token("odeon", "brown"))


@pytest.mark.cites("§4.2")
def test_seats_take_one_token_each_clockwise_from_the_first_player() -> None:
    state = a_game(3, out=["bourse/teal", "etoile/orange", "opera/red", "pantheon/brown"], to_move=1)
    seats: list[Seat] = []
    for move in (Take("bourse", "teal"), Take("etoile", "orange")):
        seats += GAME.waiting(state)
        state = GAME.play(state, seats[-1], move, CHANCE).state

    assert [*seats, *GAME.waiting(state)] == [VIOLET, YELLOW, GREY]


@pytest.mark.cites("§4.2")
def test_the_token_taken_leaves_the_game() -> None:
    state = a_game(2, out=["odeon/blue", "odeon/blue", "bourse/teal"])

    after = GAME.play(state, GREY, Take("odeon", "blue"), CHANCE).state

    assert after.out == tuple(sorted(tokens(["odeon/blue", "bourse/teal"])))
    assert after.gone == (*state.gone, *tokens(["odeon/blue"]))


@pytest.mark.cites("§4.2")
def test_a_shop_comes_from_the_supply() -> None:
    state = a_game(2, out=["bourse/teal", "opera/red", "odeon/blue"])

    step = GAME.play(state, GREY, Take("bourse", "teal"), CHANCE)

    assert at(step.state, "bourse") == (GREY,)
    assert step.state.supply == (18, 19)
    assert step.events == (events.Take(GREY, "bourse", "teal"), events.Open(GREY, "bourse"))


@pytest.mark.cites("§4.2")
def test_w6_a_crossing_with_one_shop_has_room() -> None:
    state = a_game(3, shops={"pont-neuf": [1]}, out=["pont-neuf/blue", "etoile/orange", "opera/red"])

    after = GAME.play(state, GREY, Take("pont-neuf", "blue"), CHANCE).state

    assert at(after, "pont-neuf") == (VIOLET, GREY)
    assert after.bag == state.bag


@pytest.mark.cites("§4.2")
def test_w7_the_shop_of_another_goes_into_the_bag() -> None:
    state = a_game(3, shops={"republique": [0]}, out=["republique/blue", "etoile/orange", "opera/red"], to_move=1)

    step = GAME.play(state, VIOLET, Take("republique", "blue", evict=GREY), CHANCE)

    assert at(step.state, "republique") == (VIOLET,)
    assert step.state.bag == (1, 0, 0)
    assert events.Evict(GREY, "republique", "bag") in step.events


@pytest.mark.cites("§4.2", "R5")
def test_w8_at_a_full_crossing_the_mover_chooses_which_shop_goes() -> None:
    out = ["hotel-de-ville/teal", "etoile/orange", "opera/red"]
    state = a_game(3, shops={"hotel-de-ville": [0, 2]}, out=out, to_move=1)

    after = GAME.play(state, VIOLET, Take("hotel-de-ville", "teal", evict=GREY), CHANCE).state

    assert at(after, "hotel-de-ville") == (YELLOW, VIOLET)
    assert after.bag == (1, 0, 0)
    assert Take("hotel-de-ville", "teal", evict=YELLOW) in GAME.legal(state, VIOLET)
    for evict in (None, VIOLET):
        with pytest.raises(IllegalMove, match=r"grey or yellow .*§4\.2") as refused:
            GAME.play(state, VIOLET, Take("hotel-de-ville", "teal", evict), CHANCE)
        assert refused.value.rule is OPEN_SHOPS


@pytest.mark.cites("§4.2", "R5", "R6")
def test_w9_replacing_ones_own_shop_changes_nothing() -> None:
    state = a_game(3, shops={"concorde": [1]}, out=["concorde/orange", "etoile/orange", "opera/red"], to_move=1)

    after = GAME.play(state, VIOLET, Take("concorde", "orange", evict=VIOLET), CHANCE).state

    assert (after.shops, after.bag, after.supply) == (state.shops, state.bag, state.supply)


@pytest.mark.cites("§4.2", "R5")
def test_w10_both_shops_of_a_crossing_may_be_one_seats_and_nobody_is_evicted_while_there_is_room() -> None:
    state = a_game(shops={"odeon": [0]}, out=["odeon/blue", "etoile/orange", "opera/red"])

    assert at(GAME.play(state, GREY, Take("odeon", "blue"), CHANCE).state, "odeon") == (GREY, GREY)
    with pytest.raises(IllegalMove, match="Odéon has room") as refused:
        GAME.play(state, GREY, Take("odeon", "blue", evict=GREY), CHANCE)
    assert refused.value.rule is OPEN_SHOPS


@pytest.mark.cites("§4.2")
def test_w11_with_two_players_an_evicted_shop_returns_to_its_owner() -> None:
    state = a_game(2, shops={"republique": [0]}, out=["republique/blue", "etoile/orange", "opera/red"], to_move=1)

    step = GAME.play(state, VIOLET, Take("republique", "blue", evict=GREY), CHANCE)

    assert step.state.supply == (state.supply[GREY] + 1, state.supply[VIOLET] - 1)
    assert step.state.bag == (0, 0)
    assert events.Evict(GREY, "republique", "supply") in step.events


@pytest.mark.cites("R6")
def test_r6_ones_own_shop_returns_to_the_supply_even_when_another_could_have_gone() -> None:
    state = a_game(3, shops={"louvre": [0, 2]}, out=["louvre/red", "etoile/orange", "opera/red"])

    after = GAME.play(state, GREY, Take("louvre", "red", evict=GREY), CHANCE).state

    assert at(after, "louvre") == (YELLOW, GREY)
    assert (after.bag, after.supply) == ((0, 0, 0), state.supply)


@pytest.mark.cites("R2", "§4.2")
def test_r2_one_station_in_two_colours_is_two_moves_and_two_tokens_alike_are_one() -> None:
    state = a_game(3, out=["odeon/blue", "odeon/blue", "odeon/brown", "bourse/teal"])

    assert GAME.legal(state, GREY) == [Take("bourse", "teal"), Take("odeon", "blue"), Take("odeon", "brown")]


@pytest.mark.cites("§9")
def test_moves_are_listed_by_station_then_line_then_the_seat_evicted() -> None:
    out = ["quartier-latin/brown", "quartier-latin/teal", "montmartre/red", "bourse/teal", "etoile/orange"]
    state = a_game(shops={"quartier-latin": [3, 1], "bourse": [2]}, out=out)

    assert GAME.legal(state, GREY) == [
        Take("montmartre", "red"),
        Take("bourse", "teal", YELLOW),
        Take("etoile", "orange"),
        Take("quartier-latin", "teal", VIOLET),
        Take("quartier-latin", "teal", GREEN),
        Take("quartier-latin", "brown", VIOLET),
        Take("quartier-latin", "brown", GREEN),
    ]


@pytest.mark.cites("R4")
def test_r4_every_move_takes_a_token() -> None:
    state = GAME.deal(4, GAME.options(), CHANCE).state

    assert {type(move) for move in GAME.legal(state, GREY)} == set(GAME.moves) == {Take}


@pytest.mark.cites("R7")
def test_r7_with_an_empty_supply_a_token_is_taken_but_nothing_is_opened_or_removed() -> None:
    out = ["bourse/teal", "opera/red", "odeon/blue"]
    state = a_game(2, shops={"bourse": [1]}, out=out, supply={0: 0})

    step = GAME.play(state, GREY, Take("bourse", "teal"), CHANCE)

    assert (step.state.shops, step.state.supply) == (state.shops, state.supply)
    assert kinds(step.events) == ["Take"]
    assert GAME.legal(state, GREY) == [Take("bourse", "teal"), Take("opera", "red"), Take("odeon", "blue")]
    with pytest.raises(IllegalMove, match="no shop left") as refused:
        GAME.play(state, GREY, Take("bourse", "teal", evict=VIOLET), CHANCE)
    assert refused.value.rule is EMPTY_SUPPLY


@pytest.mark.cites("§4.2")
@pytest.mark.parametrize(
    ("move", "why"),
    [
        (Take("pompidou", "teal"), "no teal token is laid out at Pompidou; there are bourse/teal, opera/red"),
        (Take("bourse", "red"), "no red token is laid out at Bourse"),
        (Take("atlantis", "teal"), "there is no station called 'atlantis'"),
        (Take("bourse", "pink"), "there is no line called 'pink'"),
        (Take("opera", "red", evict=YELLOW), "that seat has no shop at Opéra: evict violet"),
        (Take("opera", "red"), "Opéra is full: say whose shop has to go, violet"),
    ],
)
def test_a_refusal_says_why_in_a_sentence_and_cites_the_rule(move: Take, why: str) -> None:
    state = a_game(3, shops={"opera": [1]}, out=["bourse/teal", "opera/red", "odeon/blue"])

    with pytest.raises(IllegalMove, match=why) as refused:
        GAME.play(state, GREY, move, CHANCE)

    assert refused.value.rule is OPEN_SHOPS


@pytest.mark.cites("§4.2")
def test_only_the_seat_to_move_may_move() -> None:
    state = a_game(3, out=["bourse/teal", "opera/red", "odeon/blue"], to_move=1)

    assert GAME.legal(state, GREY) == ()
    with pytest.raises(OutOfTurn, match="another player's turn"):
        GAME.play(state, GREY, Take("bourse", "teal"), CHANCE)
    with pytest.raises(OutOfTurn):
        GAME.fallback(state, GREY)


@pytest.mark.cites("§9")
@pytest.mark.parametrize(
    ("shops", "move"),
    [
        ({"bourse": [0]}, Take("opera", "red")),
        ({"bourse": [1], "opera": [0]}, Take("opera", "red", evict=GREY)),
        ({"bourse": [1], "opera": [1]}, Take("bourse", "teal", evict=VIOLET)),
    ],
    ids=["room", "own shop", "anything"],
)
def test_the_fallback_evicts_nobody_else_the_movers_own_shop_else_the_first(
    shops: dict[str, list[int]], move: Take
) -> None:
    state = a_game(3, shops=shops, out=["bourse/teal", "opera/red"])

    assert GAME.fallback(state, GREY) == move
