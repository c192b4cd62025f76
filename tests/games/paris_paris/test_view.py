"""§9 what each may see, and the positions it could be looking at."""

from __future__ import annotations

from collections import Counter
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis.strategies import binary, randoms, sampled_from

from engine.chance import Chance
from engine.game import Seat, decode_state, encode_state
from engine.games.paris_paris import GAME
from engine.games.paris_paris.view import View
from tests.games.paris_paris.positions import BOX, CHANCE, GREY, VIOLET, a_game

SEEDS = binary(min_size=32, max_size=32)


@pytest.mark.cites("§9")
def test_a_seat_sees_its_own_marker_and_an_onlooker_none() -> None:
    state = a_game(3, out=["bourse/teal", "opera/red"], markers=("brown", "red", "teal", "orange", "blue"))

    assert GAME.view(state, VIOLET).markers == (None, "red", None)
    assert GAME.view(state, None).markers == (None, None, None)


@pytest.mark.cites("§9", "R16")
def test_from_the_end_on_everybodys_marker_is_public_but_the_boxed_ones_are_not_shown() -> None:
    state = a_game(3, markers=("brown", "red", "teal", "orange", "blue"))

    assert GAME.view(state, None).markers == ("brown", "red", "teal")


@pytest.mark.cites("R19")
def test_r19_the_view_shows_how_many_are_in_the_bag_and_only_at_the_end_whose() -> None:
    playing = a_game(3, bag=(3, 2, 2), out=["bourse/teal", "opera/red"])
    over = a_game(3, bag=(3, 2, 2))

    assert (GAME.view(playing, GREY).bag, GAME.view(playing, GREY).bag_counts) == (7, None)
    assert (GAME.view(over, GREY).bag, GAME.view(over, GREY).bag_counts) == (7, (3, 2, 2))


@pytest.mark.cites("R20")
def test_r20_the_view_lists_the_tokens_not_yet_seen_in_an_order_that_tells_nothing() -> None:
    state = GAME.deal(4, GAME.options(), CHANCE).state
    view = GAME.view(state, GREY)

    assert [BOX.token_no[token] for token in view.unseen] == sorted(state.piles)
    seen = view.out + view.parked + view.gone
    assert Counter(view.unseen + seen) == Counter(BOX.tokens[token] for token in BOX.deck)


@pytest.mark.cites("§9", "R1")
@given(seed=SEEDS, other=SEEDS, choice=randoms(use_true_random=False), players=sampled_from(GAME.seats))
def test_what_a_seat_may_see_does_not_depend_on_what_it_may_not(
    seed: bytes, other: bytes, choice: Random, players: int
) -> None:
    chance = Chance(seed)
    state = GAME.deal(players, GAME.options(), chance).state
    box = GAME.pieces(state)
    while turn := list(GAME.waiting(state)):
        state = GAME.play(state, turn[0], choice.choice(GAME.legal(state, turn[0])), chance).state
        seat = choice.choice([None, *map(Seat, range(players))])
        view = GAME.view(state, seat)
        imagined = GAME.imagine(view, Chance(other))
        assert GAME.view(imagined, seat) == view
        assert GAME.imagine(view, Chance(other)) == imagined
        assert GAME.pieces(imagined) == GAME.pieces(state) == box
        assert imagined.bag == state.bag
    assert GAME.standing(state).final


def test_imagining_draws_the_markers_and_piles_that_are_not_seen() -> None:
    state = GAME.deal(2, GAME.options(), CHANCE).state
    view = GAME.view(state, GREY)

    worlds = [GAME.imagine(view, Chance(bytes([number] * 32))) for number in range(40)]

    assert len({world.piles for world in worlds}) == 40
    assert {world.markers[0] for world in worlds} == {state.markers[0]}
    assert {world.markers[2] for world in worlds} == {state.markers[2]}
    assert len({world.markers[1] for world in worlds}) == 3


def test_states_and_views_survive_being_written_down() -> None:
    state = a_game(3, shops={"odeon": [0, 2]}, out=["bourse/teal", "opera/red"], piles=3, parked=["etoile/orange"])
    view = GAME.view(state, GREY)

    assert decode_state(GAME, encode_state(state)) == state
    assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view
