"""§9 hidden things: what others and onlookers see of a seat."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.chance import Chance
from engine.games.dinner_in_paris import GAME
from engine.games.dinner_in_paris.components import BOX
from tests.games.dinner_in_paris.positions import P, Q, a_game, play, told

STATE = a_game(
    3,
    "0 friterie@C2 C3",
    hands={P: "coin bread", Q: "meat"},
    kept={P: "two-coins neighbours", Q: "one-less"},
    used={Q: "free-terrace"},
    fresh=1,
    held={P: "north", Q: "south east"},
    claimed={Q: "lights"},
    row="west",
    discards="tomatoes flour",
)


@pytest.mark.cites("§9")
def test_a_seat_sees_its_own_cards() -> None:
    own = GAME.view(STATE, P).players[P]

    assert own.hand == ("coin", "bread")
    assert (own.kept, own.usable) == (("two-coins", "neighbours"), 1)
    assert own.held == ("north",)


@pytest.mark.cites("§9")
@pytest.mark.parametrize("onlooker", [Q, None])
def test_others_see_only_how_many_there_are(onlooker: int | None) -> None:
    seen = GAME.view(STATE, onlooker).players[P]  # type: ignore[arg-type]

    assert (seen.hand, seen.kept, seen.held) == (None, None, None)
    assert (seen.cards, seen.pigeons, seen.usable, seen.secrets) == (2, 2, 1, 1)


@pytest.mark.cites("§9", "R25")
def test_what_lies_open_is_seen_by_all() -> None:
    view = GAME.view(STATE, None)

    assert view.discards == ("tomatoes", "flour")
    assert view.players[Q].used == ("free-terrace",)
    assert view.players[Q].claimed == ("lights",)
    assert (view.row, view.majority, view.river) == (STATE.row, STATE.majority, STATE.river)
    assert [restaurant.terraces for restaurant in view.restaurants] == [("C3",)]


@pytest.mark.cites("§9")
def test_of_decks_only_the_number_is_seen() -> None:
    view = GAME.view(STATE, P)

    assert (view.deck, view.pigeon_deck, view.objective_deck) == (
        len(STATE.deck),
        len(STATE.pigeons),
        len(STATE.objectives),
    )


@pytest.mark.cites("§9")
def test_at_the_end_all_hands_are_shown() -> None:
    seen = GAME.view(replace(STATE, phase="over"), None).players[P]

    assert (seen.hand, seen.kept, seen.held) == (("coin", "bread"), ("two-coins", "neighbours"), ("north",))


@pytest.mark.cites("§9", "R25")
def test_river_draws_payments_and_discards_are_public_as_they_happen() -> None:
    state = a_game(2, phase="first-draw", hands={P: "potatoes potatoes coin coin coin coin coin"})

    happened = told(state, "draw river 1", "discard coin", "open friterie D3 with potatoes potatoes")

    assert all(event.to is None for event in happened)


@pytest.mark.cites("§9")
def test_an_imagined_position_gives_others_only_cards_that_can_be_kept() -> None:
    for seed in range(30):
        imagined = GAME.imagine(GAME.view(STATE, P), Chance(b"imagine", seed))
        assert not any(BOX.pigeons[card].immediate for card in imagined.players[Q].kept)
        assert GAME.pieces(imagined) == GAME.pieces(STATE)


@pytest.mark.cites("§9")
def test_an_imagined_position_differs_in_what_is_hidden() -> None:
    worlds = {GAME.imagine(GAME.view(STATE, P), Chance(b"imagine", seed)).players[Q].hand for seed in range(30)}

    assert len(worlds) > 3


@pytest.mark.cites("§9")
def test_a_build_under_way_is_seen_and_imagined_whole() -> None:
    state = a_game(
        4, "0 creperie@E1 G2 G3", "1 friterie@I1 I2 I3 J2 J3", gauges={P: 6}, kept={P: "neighbours two-coins"}
    )
    state = play(state, "place E1 H3 neighbours", "place E1 I3")

    view = GAME.view(state, P)

    assert (view.purse, view.freed, view.covered) == (2, (("creperie@E1", 1),), (("I3", "friterie@I1"),))
    assert GAME.imagine(view, Chance(bytes(32))).turn == state.turn
