"""The scene: who is where, the boards, the sheets, and the account of the last evening."""

from __future__ import annotations

import re

from msgspec.structs import replace

from engine.chance import Chance
from engine.game import Seat
from engine.games.la_bistro import GAME
from engine.games.la_bistro.components import BuildingId
from engine.games.la_bistro.moves import Auction, Choose, Limit
from engine.games.la_bistro.rules.course import Course
from engine.games.la_bistro.rules.earning import earn
from engine.games.la_bistro.state import (
    Account,
    Bidding,
    Diner,
    Hiring,
    House,
    Market,
    Nominating,
    Over,
    Renovating,
    RightLot,
    Round,
    State,
    Takings,
)
from engine.games.la_bistro.state import Auction as Auctioned
from engine.scene import text
from tests.games.la_bistro.positions import ANN, BOB, a_table, asking, choose, play, restaurant

NAMES = ["ann", "bob", "cy"]


def drawn(state: State, seat: int | None = 0, width: int = 100) -> str:
    return text.draw(GAME.scene(GAME.view(state, None if seat is None else Seat(seat)), NAMES), width)


def busy() -> State:
    """A table with something of everything, after an evening."""
    table = a_table(
        [restaurant("B8", "asian", 2, staff=["waitron", "sommelier"], renovations=["stage"]), restaurant("B14")],
        [restaurant("B21", "asian", 5, staff=["maitre-d"], fame=2)],
        [],
        jobs=[(4, 1), (5, 4)],
        time=8,
        inflation=1,
    )
    course = Course(table, Chance(bytes(32)))
    earn(course)
    return asking(replace(course.table, jobs=table.jobs, unused=10, turn=2))


def test_the_town_shows_who_is_where_and_what_is_for_sale() -> None:
    shown = drawn(busy())

    assert "4 Downtown" in shown
    assert "[A0] B8 Market Street" in shown
    assert "[A1] B14 Exchange Street" in shown
    assert "[B0] B21 Summit Drive" in shown
    assert "[  ] B13 Broadway, 17" in shown
    assert "8 seats, Am 2, $$ $$$$" in shown
    assert "no menu, 0/6 seats" in shown


def test_a_sheet_shows_the_three_tiers_and_what_lies_idle() -> None:
    shown = drawn(busy())

    assert "A0  ann: Market Street (B8), 3 Slums" in shown
    assert "Asian at 2 $$; 10 seats (large)" in shown
    assert "Service    2 [slow] attentive  impeccable" in shown
    assert "Staff: Waitron, Sommelier (idle without bar)" in shown
    assert "Ambiance   3  plain [pleasant] elegant" in shown
    assert "No menu yet, prices $$ $$$$" in shown


def test_the_counters_show_what_may_be_had() -> None:
    shown = drawn(busy())

    assert "[*] Maître d'" in shown
    assert "4,1  Maître d'      8  Service +4, Ambiance +1             B0" in shown
    assert "5,4  Bartender      3  Service +3               if bar     listed" in shown
    assert "smoke-pit              4  Quality +4               if Barbecue       8  closed" in shown
    assert "stage                  4  Ambiance +3              if large         10  open    A0" in shown


def test_what_is_sold_in_this_phase_is_shown_as_sold() -> None:
    table = busy().table
    sold = Market("renovations", (ANN,), (next(iter(restaurant(renovations=["artwork"]).renovations)),))

    assert "14  sold" in drawn(asking(table, Renovating(sold, ANN)))
    assert "14  open" in drawn(asking(table, Hiring(Market("jobs", (ANN,)), ANN)))


def test_an_auction_for_the_right_to_choose_keeps_in_sight_what_is_sold() -> None:
    table = busy().table
    artwork = restaurant(renovations=["artwork"]).renovations
    right = RightLot(Market("renovations", (ANN, BOB), artwork))

    assert "14  sold" in drawn(asking(table, Bidding(Auctioned(right, (ANN, BOB), 0))))


def test_a_diner_may_be_split_or_lost() -> None:
    diners = (
        Diner(2, 26, "plain", (), (Round("price", 1, ()),), (House(ANN, 0), House(BOB, 0)), (1, 2), 0),
        Diner(3, 33, "plain", (House(ANN, 0),), (), (), (), 0),
        Diner(4, 58, "gold", (), (), (House(ANN, 1),), (6,), 5),
    )
    shown = drawn(asking(replace(busy().table, account=Account(1, diners, (Takings(House(BOB, 0), 0, 0, 0, 0),)))))

    assert re.search(r"2 +26 +Price = +split A0 B0  1, 2", shown)
    assert re.search(r"3 +33 +full A0 +lost +-", shown)
    assert re.search(r"4 +58  gold  no rival +A1 +6 \+ 5", shown)
    assert re.search(r"B0 +0 +0 +0 +0 +2 +2 +-", shown)


def test_what_everybody_chose_is_shown_while_it_is_carried_out() -> None:
    state = choose(asking(a_table([], [], [])), "banker", "banker", "time").state

    assert "Options of this phase: ann banker, bob banker, cy time." in drawn(state)


def test_the_tracks_show_turn_time_inflation_dice_and_bank() -> None:
    shown = drawn(busy())

    assert "Turn   1 [2] 3  4" in shown
    assert "7 [8] 9" in shown
    assert "10 unused, 2 on the Jobs Board" in shown
    assert "The bank has paid out" in shown


def test_the_last_evening_is_accounted_for_diner_by_diner() -> None:
    state = busy()
    shown = drawn(state)

    account = state.table.account
    assert account is not None
    assert "The diners of turn 1" in shown
    assert "Takings of turn 1" in shown
    for diner in account.diners:
        assert f"  {diner.die}  {diner.box:>3}  " in shown


def test_who_is_asked_what_and_ones_own_sealed_answer() -> None:
    state = play(asking(a_table([], [], [])), (ANN, Choose("time"))).state

    assert "bob, cy: Choose an option for this phase, in secret." in drawn(state)
    assert "Your sealed answer: choose time" in drawn(state, 0)
    assert "Your sealed answer" not in drawn(state, 1)
    assert "Your sealed answer" not in drawn(state, None)
    assert "Answered: ann." in drawn(state, None)


def test_an_auction_shows_its_lot_who_leads_and_who_is_in() -> None:
    b5 = BuildingId("B5")
    shown = drawn(play(asking(a_table([], [], []), Nominating((ANN, BOB))), (ANN, Auction(b5, 8))).state)
    sealed = asking(a_table([], [], [], auctions="sealed-proxy"), Nominating((ANN, BOB)))
    limits = drawn(play(sealed, (ANN, Auction(b5)), (ANN, Limit(9))).state, 1)

    assert "bob: Bid 9 or more for Foundry Road (B5), or pass." in shown
    assert "ann leads with 8; still in: bob, ann." in shown
    assert "No bid yet; taking part: ann, bob." in limits


def test_a_narrow_terminal_gets_the_town_and_the_jobs_in_words() -> None:
    shown = drawn(busy(), width=60)

    assert "3 Slums: B8 [A0] Asian 2," in shown
    assert "4: Maître d'*, Maître d', Waitron/Manager" in shown


def test_at_the_end_the_counters_are_closed_and_the_money_is_final() -> None:
    shown = drawn(asking(busy().table, Over()))

    assert shown.startswith("La Bistro, the end")
    assert "The game is over." in shown
    assert "Jobs Board\n" not in shown
    assert "final" in shown
