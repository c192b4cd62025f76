"""§7 what is hidden from whom, and what is played for the absent."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from engine.game import Seat
from engine.games.la_bistro import GAME
from engine.games.la_bistro.components import BuildingId
from engine.games.la_bistro.moves import Advertise, Auction, Choose, Decline, Limit, Pass
from engine.games.la_bistro.state import Advertising, Hiring, Market, Nominating, Renovating
from tests.games.la_bistro.positions import ANN, BOB, CHANCE, CY, a_table, asking, choose, play, restaurant

EVERYBODY = (None, ANN, BOB, CY)


@pytest.mark.cites("§7")
def test_views_differ_in_ones_own_sealed_move_and_nothing_else() -> None:
    state = play(asking(a_table([restaurant("B8")], [], [])), (ANN, Choose("chef")), (BOB, Choose("time"))).state

    views = [GAME.view(state, seat) for seat in EVERYBODY]

    assert [view.answer for view in views] == [None, Choose("chef"), Choose("time"), None]
    assert all(view.answered == (ANN, BOB) for view in views)
    assert all((view.table, view.stage) == (state.table, state.stage) for view in views)


@pytest.mark.cites("§7")
def test_a_world_imagined_by_one_seat_keeps_its_own_answer_and_invents_the_others() -> None:
    state = play(asking(a_table([restaurant("B8")], [], [])), (ANN, Choose("chef")), (BOB, Choose("time"))).state
    view = GAME.view(state, ANN)

    worlds = [GAME.imagine(view, Chance(bytes(32), entry)) for entry in range(40)]

    assert {world.answers[ANN] for world in worlds} == {Choose("chef")}
    assert len({world.answers[BOB] for world in worlds}) > 1
    assert all(world.answers[CY] is None for world in worlds)
    assert all(GAME.view(world, ANN) == view for world in worlds)


@pytest.mark.cites("§7")
def test_limits_and_ads_are_as_secret_as_options() -> None:
    table = a_table([restaurant("B8")], [restaurant("B9")], [])
    ads = play(asking(table, Advertising((ANN, BOB))), (ANN, Advertise(0, 7))).state
    sealed = a_table([], [], [], auctions="sealed-proxy")
    auction = play(asking(sealed, Nominating((ANN, BOB))), (ANN, Auction(BuildingId("B5"))), (ANN, Limit(25))).state

    for state in (ads, auction):
        assert GAME.view(state, ANN).answer is not None
        assert GAME.view(state, BOB).answer is None
        assert GAME.view(state, None).answer is None


@pytest.mark.cites("§7")
def test_the_fallbacks_of_whoever_is_absent() -> None:
    table = a_table([restaurant("B8")], [restaurant("B9")], [], jobs=[(5, 1)])
    nominating = asking(table, Nominating((ANN, BOB)))
    bidding = play(nominating, (ANN, Auction(BuildingId("B5"), 6))).state

    assert GAME.fallback(asking(table), ANN) == Choose("ads")
    assert GAME.fallback(nominating, ANN) == Decline()
    assert GAME.fallback(bidding, BOB) == Pass()
    assert GAME.fallback(asking(table, Advertising((ANN,))), ANN) == Advertise(0, 0)
    assert GAME.fallback(asking(table, Hiring(Market("jobs", (ANN,)), ANN)), ANN) == Decline()
    assert GAME.fallback(asking(table, Renovating(Market("renovations", (ANN,)), ANN)), ANN) == Decline()


@pytest.mark.cites("§7", "§6.2")
def test_the_fallback_of_a_bound_opener_is_the_list_price_and_of_others_to_pass() -> None:
    sealed = asking(a_table([], [], [], auctions="sealed-proxy"), Nominating((ANN, BOB)))
    limits = play(sealed, (ANN, Auction(BuildingId("B5")))).state

    assert GAME.fallback(limits, ANN) == Limit(6)
    assert GAME.fallback(limits, BOB) == Pass()


@pytest.mark.cites("§7")
def test_prompts_are_public_and_stay_the_same_while_others_answer() -> None:
    state = asking(a_table([restaurant("B8")], [], []))
    before = GAME.waiting(state)

    after = GAME.waiting(GAME.play(state, ANN, Choose("chef"), CHANCE).state)

    assert after == {seat: before[seat] for seat in (BOB, CY)}
    assert len({decision.prompt for decision in before.values()}) == 1


def test_every_choice_is_open_to_look_at_once_it_is_revealed() -> None:
    state = choose(asking(a_table([restaurant("B8")], [], [])), "chef", "banker", "time").state

    assert GAME.view(state, None).table.choices == ("chef", "banker", "time")
    assert GAME.view(state, Seat(2)).answered == ()
