"""§6 auctions by mail: open, and by sealed proxy."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove
from engine.game import Seat, Step
from engine.games.la_bistro import GAME, Options, events
from engine.games.la_bistro.components import BuildingId
from engine.games.la_bistro.moves import AnyMove, Auction, Bid, Choose, Decline, Limit, Pass
from engine.games.la_bistro.rulebook import AFFORD, OPEN_AUCTION, SEALED_PROXY
from engine.games.la_bistro.state import House, Nominating, State
from tests.games.la_bistro.positions import ANN, BOB, CHANCE, CY, DEE, a_table, asked, asking, choose, only, play

B10, B14 = BuildingId("B10"), BuildingId("B14")


def an_auction(*money: int, auctions: str = "open") -> State:
    """The first seat has the realtor with everybody else, and puts up B10 for its list price of 5."""
    table = a_table(*[[]] * len(money), money=money, auctions=auctions)  # type: ignore[arg-type]
    state = asking(table, Nominating(tuple(map(Seat, range(len(money))))))
    return play(state, (ANN, Auction(B10, 5 if auctions == "open" else None))).state


def limits(state: State, *answers: int | None) -> Step[State]:
    moves: list[tuple[Seat, AnyMove]] = [
        (Seat(seat), Pass() if limit is None else Limit(limit)) for seat, limit in enumerate(answers)
    ]
    return play(state, *moves)


@pytest.mark.cites("§6", "§6.1")
def test_auctions_are_open_unless_the_table_says_otherwise() -> None:
    assert Options() == Options(auctions="open")
    assert asked(an_auction(30, 30)) == {BOB: "bid"}
    assert asked(an_auction(30, 30, auctions="sealed-proxy")) == {ANN: "limit", BOB: "limit"}


@pytest.mark.cites("§6.1")
def test_a_bid_is_more_than_the_last_one_and_no_more_than_ones_money() -> None:
    state = an_auction(30, 8, 30)

    assert GAME.legal(state, BOB) == [Bid(6), Bid(7), Bid(8), Pass()]
    for bid, rule in ((5, OPEN_AUCTION), (9, AFFORD)):
        with pytest.raises(IllegalMove) as refused:
            GAME.play(state, BOB, Bid(bid), CHANCE)
        assert refused.value.rule is rule


@pytest.mark.cites("§6.1")
def test_who_has_passed_is_out_and_who_leads_is_not_asked() -> None:
    state = play(an_auction(30, 30, 30), (BOB, Bid(7)), (CY, Pass())).state
    assert asked(state) == {ANN: "bid"}

    state = play(state, (ANN, Bid(8))).state

    assert asked(state) == {BOB: "bid"}


@pytest.mark.cites("§6.1")
def test_who_cannot_afford_the_next_bid_passes_by_itself() -> None:
    step = play(an_auction(30, 30, 7, 30), (BOB, Bid(7)))

    assert events.Passed(CY, broke=True) in step.events
    assert asked(step.state) == {DEE: "bid"}


@pytest.mark.cites("§6.1")
def test_the_last_one_left_pays_the_highest_bid() -> None:
    step = play(an_auction(30, 30, 30), (BOB, Bid(9)), (CY, Pass()), (ANN, Pass()))

    assert events.Bought(House(BOB, 0), "B10", "Railroad Alley", 9) in step.events
    assert step.state.table.money == (30, 21, 30)


@pytest.mark.cites("§6.1")
def test_an_auction_ends_at_once_when_nobody_can_follow() -> None:
    assert an_auction(30, 5, 4).table.restaurants[ANN]


@pytest.mark.cites("§6.2")
def test_example_13_the_other_wins_at_10_when_both_go_to_10() -> None:
    step = limits(an_auction(30, 30, auctions="sealed-proxy"), 10, 10)

    assert events.Bought(House(BOB, 0), "B10", "Railroad Alley", 10) in step.events


@pytest.mark.cites("§6.2")
def test_example_13_the_opener_wins_at_11_when_both_go_to_11() -> None:
    step = limits(an_auction(30, 30, auctions="sealed-proxy"), 11, 11)

    assert events.Bought(House(ANN, 0), "B10", "Railroad Alley", 11) in step.events


@pytest.mark.cites("§6.2")
@pytest.mark.parametrize(
    ("answers", "winner", "price"),
    [
        ((5, None, None), 0, 5),
        ((30, None, None), 0, 5),
        ((5, 5, None), 0, 5),
        ((5, 6, None), 1, 6),
        ((5, 30, 30), 1, 30),
        ((30, 20, 10), 0, 21),
        ((8, 8, 20), 2, 9),
        ((8, 20, 9), 1, 9),
    ],
)
def test_everybody_bids_the_least_there_is_within_the_limit(
    answers: tuple[int | None, ...], winner: int, price: int
) -> None:
    step = limits(an_auction(30, 30, 30, auctions="sealed-proxy"), *answers)

    assert events.Bought(House(Seat(winner), 0), "B10", "Railroad Alley", price) in step.events


@pytest.mark.cites("R26")
def test_r26_all_limits_are_shown_together_after_the_last_answer() -> None:
    state = an_auction(30, 30, 30, auctions="sealed-proxy")

    two = play(state, (ANN, Limit(12)), (BOB, Limit(7)))
    three = play(two.state, (CY, Pass()))

    assert two.events == ()
    assert three.events[0] == events.Limits((ANN, BOB, CY), (12, 7, None))


@pytest.mark.cites("§6.2")
def test_the_bound_opener_cannot_pass_and_nobody_names_less_than_the_list_price() -> None:
    state = an_auction(30, 30, auctions="sealed-proxy")

    for seat, move, rule in ((ANN, Pass(), SEALED_PROXY), (BOB, Limit(4), SEALED_PROXY), (BOB, Limit(31), AFFORD)):
        with pytest.raises(IllegalMove) as refused:
            GAME.play(state, seat, move, CHANCE)
        assert refused.value.rule is rule


@pytest.mark.cites("§6.2")
def test_who_cannot_afford_the_minimum_is_not_asked_for_a_limit() -> None:
    state = an_auction(30, 4, 30, auctions="sealed-proxy")

    assert asked(state) == {ANN: "limit", CY: "limit"}
    assert an_auction(30, 4, 3, auctions="sealed-proxy").table.money == (25, 4, 3)


@pytest.mark.cites("§6.2")
def test_sealed_decisions_stay_the_same_while_others_answer() -> None:
    state = an_auction(30, 30, 30, auctions="sealed-proxy")
    before = GAME.waiting(state)

    after = GAME.waiting(play(state, (ANN, Limit(9))).state)

    assert after == {seat: before[seat] for seat in (BOB, CY)}


@pytest.mark.cites("§6.1", "§6.2")
@pytest.mark.parametrize("caps", [(9, 6, 14), (5, 5, 5), (12, 12, 11), (7, 20, 20), (30, 29, 28)])
def test_a_sealed_auction_ends_like_an_open_one_in_which_everybody_bids_that_way(caps: tuple[int, ...]) -> None:
    state = an_auction(30, 30, 30)
    while asked(state) and "bid" in asked(state).values():
        (seat,) = GAME.waiting(state)
        least, cap = GAME.legal(state, seat)[0], caps[seat]
        state = play(state, (seat, least if isinstance(least, Bid) and least.amount <= cap else Pass())).state

    sealed = limits(an_auction(30, 30, 30, auctions="sealed-proxy"), *caps).state

    assert sealed.table.restaurants == state.table.restaurants
    assert sealed.table.money == state.table.money


def test_a_wrong_kind_of_answer_is_illegal_in_both() -> None:
    for kind, move in (("open", Limit(9)), ("sealed-proxy", Bid(9)), ("open", Choose("ads")), ("open", Decline())):
        with pytest.raises(IllegalMove, match="not what you are asked"):
            GAME.play(an_auction(30, 30, auctions=kind), BOB, move, CHANCE)


def test_the_prompt_names_the_lot_and_the_least_bid() -> None:
    assert GAME.waiting(an_auction(30, 30))[BOB].prompt == "Bid 6 or more for Railroad Alley (B10), or pass."
    contested = choose(asking(a_table([], [])), "realtor", "realtor").state
    (seat,) = GAME.waiting(contested)
    told = play(contested, (seat, Auction(B14, 18))).events
    assert only(told, events.PutUp) == [events.PutUp(seat, "B14", "Exchange Street", 18)]
