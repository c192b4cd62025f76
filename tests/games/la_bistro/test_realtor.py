"""§3.3.0 the realtor: buildings are put up one after the other."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove
from engine.games.la_bistro import GAME, Options, events
from engine.games.la_bistro.components import BuildingId
from engine.games.la_bistro.moves import Auction, Bid, Choose, Decline, Limit, Pass
from engine.games.la_bistro.rulebook import AFFORD, REALTOR
from engine.games.la_bistro.state import House, Nominating, State
from tests.games.la_bistro.positions import (
    ANN,
    BOB,
    BOX,
    CHANCE,
    CY,
    DEE,
    a_table,
    asked,
    asking,
    choose,
    loaded,
    only,
    play,
    restaurant,
)

B5, B10, B12, B14 = map(BuildingId, ("B5", "B10", "B12", "B14"))


def first_phase(players: int = 3) -> State:
    return GAME.deal(players, Options(), CHANCE).state


@pytest.mark.cites("§3.3.0")
def test_the_winner_pays_the_bank_and_gets_the_building() -> None:
    step = play(first_phase(), (ANN, Auction(B14, 18)), (BOB, Bid(20)), (CY, Pass()), (ANN, Pass()))

    assert step.state.table.restaurants[BOB] == (restaurant("B14", novelty=12),)
    assert step.state.table.money == (30, 10, 30)
    assert step.state.table.bank == 20
    assert events.Bought(House(BOB, 0), "B14", "Exchange Street", 20) in step.events


@pytest.mark.cites("§3.3.0")
def test_a_nominator_who_lost_puts_up_another() -> None:
    step = play(first_phase(), (ANN, Auction(B14, 18)), (BOB, Bid(20)), (CY, Pass()), (ANN, Pass()))

    assert step.state.stage == Nominating((ANN, CY))


@pytest.mark.cites("§3.3.0")
def test_a_nominator_who_won_is_finished_and_the_next_in_order_is_active() -> None:
    step = play(first_phase(), (ANN, Auction(B14, 18)), (BOB, Pass()), (CY, Pass()))

    assert step.state.stage == Nominating((BOB, CY))


@pytest.mark.cites("§3.3.0", "R8")
def test_r8_who_declines_bids_for_nothing_more_in_this_phase() -> None:
    state = play(first_phase(), (ANN, Decline()), (BOB, Auction(B14, 18))).state

    assert asked(state) == {CY: "bid"}
    after = play(state, (CY, Pass())).state
    assert after.table.restaurants[BOB]
    assert asked(after) == {CY: "nominate"}


@pytest.mark.cites("§3.3.0")
def test_alone_a_nominator_pays_exactly_the_list_price() -> None:
    state = play(first_phase(), (ANN, Decline()), (BOB, Decline())).state

    assert {move.bid for move in GAME.legal(state, CY) if isinstance(move, Auction) and move.building == B14} == {18}
    with pytest.raises(IllegalMove, match="nobody bids against you: you pay the list price of 18") as refused:
        GAME.play(state, CY, Auction(B14, 19), CHANCE)
    assert refused.value.rule is REALTOR
    assert play(state, (CY, Auction(B14, 18))).state.table.money == (30, 30, 12)


@pytest.mark.cites("§3.3.0")
def test_who_can_afford_no_building_declines_by_itself() -> None:
    state = asking(a_table([], [], [], money=[3, 30, 4]))

    step = choose(state, "realtor", "realtor", "time")
    after = play(step.state, (BOB, Decline()), chance=loaded(time=[1, 1]))

    assert asked(step.state) == {BOB: "nominate"}
    assert events.Declined(ANN, "realtor", broke=True) in after.events


@pytest.mark.cites("§3.3.0", "R6")
def test_r6_the_order_is_fixed_when_the_realtor_begins() -> None:
    state = choose(
        asking(a_table([], [], [], [], money=[10, 40, 20, 30])), "realtor", "realtor", "realtor", "realtor"
    ).state
    assert state.stage == Nominating((BOB, DEE, CY, ANN))

    after = play(state, (BOB, Auction(B12, 19)), (CY, Bid(20)), (DEE, Pass()), (BOB, Pass())).state

    assert after.stage == Nominating((BOB, DEE, ANN))


@pytest.mark.cites("§3.3.0")
def test_bidding_goes_clockwise_from_the_nominator_not_by_wealth() -> None:
    state = choose(
        asking(a_table([], [], [], [], money=[10, 40, 20, 30])), "realtor", "realtor", "realtor", "realtor"
    ).state

    after = play(state, (BOB, Auction(B10, 5))).state

    assert after.stage.asked == (CY,)
    assert play(after, (CY, Pass())).state.stage.asked == (DEE,)
    assert play(after, (CY, Pass()), (DEE, Pass())).state.stage.asked == (ANN,)


@pytest.mark.cites("§3.3.0")
def test_a_second_restaurant_goes_into_slot_1_and_a_third_is_not_allowed() -> None:
    state = choose(asking(a_table([restaurant("B8")], [])), "realtor", "time").state

    after = play(state, (ANN, Auction(B5, 6))).state

    assert [each.building for each in after.table.restaurants[ANN]] == ["B8", "B5"]
    assert "realtor" not in {move.option for move in GAME.legal(after, ANN) if isinstance(move, Choose)}


@pytest.mark.cites("§3.3.0", "R16")
@pytest.mark.parametrize(
    ("move", "why", "rule"),
    [
        (Auction(B14, 17), "the list price of B14 is 18", REALTOR),
        (Auction(B14, 31), "you have only 30 money", AFFORD),
        (Auction(B14), "say what you bid for B14, 18 or more", REALTOR),
        (Auction(BuildingId("B99"), 18), "there is no building B99", REALTOR),
        (Auction(BuildingId("B8"), 18), r"Market Street \(B8\) is sold", REALTOR),
        (Bid(18), "not what you are asked now: Put a building up", REALTOR),
    ],
)
def test_a_refusal_says_why_and_cites_the_rule(move: object, why: str, rule: object) -> None:
    state = choose(asking(a_table([], [restaurant("B8")], [])), "realtor", "time", "realtor").state
    seat = min(GAME.waiting(state))

    with pytest.raises(IllegalMove, match=why) as refused:
        GAME.play(state, seat, move, CHANCE)  # type: ignore[arg-type]

    assert refused.value.rule is rule


@pytest.mark.cites("§3.3.0")
def test_every_building_may_be_put_up_for_its_price_or_more() -> None:
    legal = GAME.legal(first_phase(), ANN)

    expected = [Auction(key, bid) for key, each in BOX.buildings.items() for bid in range(each.price, 31)]
    assert legal == [*expected, Decline()]


@pytest.mark.cites("§6.2", "§3.3.0")
def test_by_sealed_proxy_a_nomination_carries_no_bid_and_binds_to_the_list_price() -> None:
    state = GAME.deal(3, Options(auctions="sealed-proxy"), CHANCE).state
    with pytest.raises(IllegalMove, match="name the building only"):
        GAME.play(state, ANN, Auction(B14, 18), CHANCE)

    state = play(state, (ANN, Auction(B14))).state

    assert asked(state) == {ANN: "limit", BOB: "limit", CY: "limit"}
    assert GAME.legal(state, ANN) == [Limit(amount) for amount in range(18, 31)]
    assert GAME.legal(state, BOB) == [*[Limit(amount) for amount in range(18, 31)], Pass()]


@pytest.mark.cites("§6.2", "§3.3.0")
def test_by_sealed_proxy_a_nominator_alone_pays_the_list_price_at_once() -> None:
    state = GAME.deal(2, Options(auctions="sealed-proxy"), CHANCE).state

    after = play(state, (ANN, Decline()), (BOB, Auction(B14)))

    assert after.state.table.money == (45, 27)
    assert not only(after.events, events.Limits)
