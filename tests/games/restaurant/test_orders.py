"""§3 orders: which card may be taken, what a turned card does, and when the orders are over."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove, OutOfTurn
from engine.game import Move
from engine.games.restaurant import GAME, events
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Done, Keep, Reserve, Serve, Stop, Swap, Take
from engine.games.restaurant.rulebook import ORDERS, TAKING
from tests.games.restaurant.positions import ANN, BOB, CHANCE, CY, asked, hand, kinds, legal, ordering, play, snake

DEAD_END = ["B1", "A2", "A1"]
"""A path (as one with sauts may be) whose last table touches no card."""
LATE = [*snake(40)[3:], *snake(3)[::-1]]
"""Forty cards are gone; the newest marker is at A1, where every neighbour is taken."""


def takes(*tables: str) -> list[Move]:
    return [Take(table) for table in tables]


@pytest.mark.cites("§3.1", "§3")
def test_example_1_the_first_card_is_taken_at_the_edge_and_the_next_beside_it() -> None:
    state = ordering(cards={"A1": "M100"})

    assert Take("A1") in legal(state)
    with pytest.raises(IllegalMove, match="first card is taken at the edge, and B2 is not there") as refused:
        play(state, Take("B2"))
    assert refused.value.rule is TAKING
    after = play(state, Take("A1"), Done()).state
    assert asked(after) == {BOB: "order"}
    assert legal(after) == takes("B1", "A2")


@pytest.mark.cites("§3.1", "R2")
def test_example_2_only_the_newest_marker_counts() -> None:
    state = ordering(["A1", "B1"])

    assert asked(state) == {CY: "order"}
    assert legal(state) == takes("C1", "B2")
    with pytest.raises(IllegalMove, match="A2 does not touch B1, where the newest marker stands"):
        play(state, Take("A2"))


@pytest.mark.cites("R2")
def test_r2_corners_do_not_touch() -> None:
    assert Take("B2") not in legal(ordering(["A1"]))


@pytest.mark.cites("§3.1")
def test_the_first_card_may_come_from_any_of_the_28_edge_tables() -> None:
    assert legal(ordering()) == takes(*(BOX.tables[table] for table in BOX.edge))


@pytest.mark.cites("§3.1")
def test_a_taken_card_goes_to_hand_and_a_marker_stays() -> None:
    after = play(ordering(["A1"], cards={"B1": "M200"}), Take("B1")).state

    assert after.tables[BOX.table_no["B1"]] is None
    assert after.markers[BOX.table_no["B1"]] == BOB
    assert hand(after, BOB) == ["M200"]


@pytest.mark.cites("§3.2")
def test_a_menu_is_seen_by_its_taker_alone_who_is_then_asked_to_close() -> None:
    step = play(ordering(cards={"A1": "M600"}), Take("A1"))

    assert step.events == (events.Take(ANN, "A1"), events.Menu(ANN, "M600", to=(ANN,)))
    assert asked(step.state) == {ANN: "close"}
    assert legal(step.state) == [Done()]


@pytest.mark.cites("§3.2")
def test_a_plat_du_jour_is_shown_and_without_anybody_to_swap_with_the_turn_ends() -> None:
    step = play(ordering(cards={"A1": "PLAT"}), Take("A1"))

    assert step.events == (events.Take(ANN, "A1", "PLAT"),)
    assert asked(step.state) == {BOB: "order"}


@pytest.mark.cites("R4", "R12")
def test_example_5_extra_moves_chain() -> None:
    state = ordering(cards={"A1": "DOUBLE", "B1": "DOUBLE", "C1": "M100"})

    step = play(state, Take("A1"), Take("B1"), Take("C1"), Done())

    assert step.state.markers.count(ANN) == 3
    assert hand(step.state, ANN) == ["DOUBLE", "DOUBLE", "M100"]
    assert asked(step.state) == {BOB: "order"}


@pytest.mark.cites("R4")
@pytest.mark.parametrize("card", ["DOUBLE", "JUMP"])
def test_r4_an_extra_move_may_be_declined(card: str) -> None:
    state = play(ordering(cards={"A1": card}), Take("A1")).state

    assert asked(state) == {ANN: "again"}
    step = play(state, Stop())
    assert step.events == (events.Stop(ANN),)
    assert asked(step.state) == {BOB: "order"}


@pytest.mark.cites("R5", "§3.2")
def test_r5_a_coup_double_gives_a_neighbour_and_a_saut_any_table_near_ones_included() -> None:
    double = play(ordering(cards={"A1": "DOUBLE"}), Take("A1")).state
    jump = play(ordering(cards={"A1": "JUMP"}), Take("A1")).state

    assert legal(double) == [*takes("B1", "A2"), Stop()]
    assert legal(jump) == [*takes(*BOX.tables[1:]), Stop()]


@pytest.mark.cites("R5")
def test_r5_a_coup_double_without_a_neighbouring_card_lapses() -> None:
    state = ordering(["B1", "A2"], cards={"A1": "DOUBLE"}, leap=True, stage="again")

    step = play(state, Take("A1"))

    assert kinds(step.events) == ["Take", "Lapse", "DeadEnd"]
    assert asked(step.state) == {ANN: "order"}


@pytest.mark.cites("R3", "§3.1")
def test_r3_after_an_early_dead_end_the_next_seat_starts_again_at_the_edge() -> None:
    state = ordering(DEAD_END, turn=2, stage="close")

    step = play(state, Done())

    assert step.events == (events.DeadEnd("A1", ANN),)
    edge = [BOX.tables[table] for table in BOX.edge]
    assert legal(step.state) == takes(*(table for table in edge if table not in DEAD_END))
    with pytest.raises(IllegalMove, match="A1 is a dead end: the next card is taken at the edge, and E3 is not there"):
        play(step.state, Take("E3"))


@pytest.mark.cites("R3")
def test_r3_a_restart_may_go_anywhere_when_no_edge_card_is_left() -> None:
    edge = [BOX.tables[table] for table in BOX.edge]
    inner = [table for table in BOX.tables if table not in edge]

    assert legal(ordering(edge)) == takes(*inner)


@pytest.mark.cites("R6", "§3.4")
def test_r6_the_dead_end_is_tested_after_the_cards_effect_and_a_saut_leaves_it() -> None:
    state = ordering(LATE[:-1], cards={"A1": "JUMP"}, stage="again", leap=True, turn=0)

    step = play(state, Take("A1"))

    assert asked(step.state) == {ANN: "again"}
    ended = play(step.state, Stop())
    assert kinds(ended.events)[:2] == ["Stop", "Count"]


@pytest.mark.cites("R6")
def test_r6_a_coup_double_does_not_prevent_the_end() -> None:
    state = ordering(LATE[:-1], cards={"A1": "DOUBLE"}, stage="again", leap=True, turn=0)

    assert kinds(play(state, Take("A1")).events)[:3] == ["Take", "Lapse", "Count"]


@pytest.mark.cites("R6", "§3.4")
def test_r6_a_plat_du_jour_is_swapped_or_kept_before_the_orders_end() -> None:
    hands = ((), ("M100",), ("M200",))
    state = ordering(LATE[:-1], hands=hands, cards={"A1": "PLAT"}, stage="again", leap=True, turn=0)

    step = play(state, Take("A1"))

    assert asked(step.state) == {ANN: "dish"}
    assert kinds(play(step.state, Keep()).events)[:2] == ["Keep", "Count"]
    assert kinds(play(step.state, Swap(BOB)).events)[:3] == ["Swap", "Drawn", "Count"]


@pytest.mark.cites("§3.4")
def test_the_orders_end_at_once_with_a_menu_and_nobody_is_asked_to_close() -> None:
    state = ordering(LATE[:-1], cards={"A1": "M100"}, stage="again", leap=True, turn=0)

    step = play(state, Take("A1"))

    assert kinds(step.events)[:3] == ["Take", "Menu", "Count"]
    assert "close" not in asked(step.state).values()


@pytest.mark.cites("§3.4")
@pytest.mark.parametrize(("taken", "over"), [(29, False), (30, True)])
def test_thirty_cards_must_be_taken(taken: int, over: bool) -> None:
    path = [*snake(taken)[3:], *snake(3)[::-1]]
    state = ordering(path[:-1], cards={"A1": "M100"}, stage="again", leap=True, turn=0)

    step = play(state, Take("A1"))

    assert ("Count" in kinds(step.events)) is over


@pytest.mark.cites("§3.4")
def test_with_thirty_taken_and_a_neighbour_free_play_goes_on() -> None:
    state = ordering(snake(34), cards={"F4": "M100"})

    assert asked(play(state, Take("F4"), Done()).state) == {CY: "order"}


@pytest.mark.cites("§3.4", "R6")
def test_when_no_card_is_left_even_a_saut_ends_the_orders() -> None:
    state = ordering(snake(59), cards={"A6": "JUMP"})

    assert kinds(play(state, Take("A6")).events)[:3] == ["Take", "Lapse", "Count"]


@pytest.mark.cites("R15", "§3")
def test_r15_the_orders_go_up_the_seats() -> None:
    state = ordering(cards={"A1": "M100", "B1": "M100", "C1": "M100", "D1": "M100"})
    seats = []
    for table in ("A1", "B1", "C1", "D1"):
        seats += list(GAME.waiting(state))
        state = play(state, Take(table), Done()).state

    assert seats == [ANN, BOB, CY, ANN]


@pytest.mark.cites("§6", "R23")
def test_r23_stairs_bind_the_orders_but_neither_a_saut_nor_a_new_start() -> None:
    assert legal(ordering(["D1"], stairs=True)) == takes("C1", "E1")
    assert legal(ordering(["E1"], stairs=True)) == takes("D1", "F1", "E2")
    jump = ordering(["D1"], stairs=True, stage="again", leap=True)
    assert Take("D2") in legal(jump)
    restart = ordering([BOX.tables[table] for table in BOX.edge], stairs=True)
    assert Take("D2") in legal(restart)


@pytest.mark.cites("§6", "R23")
def test_with_the_stairs_a_table_can_be_a_dead_end_beside_the_salon() -> None:
    state = ordering(["C1", "E1", "D1"], stairs=True, turn=2, stage="close")

    assert kinds(play(state, Done()).events) == ["DeadEnd"]


@pytest.mark.cites("§3.1")
@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("Z9", "there is no table called 'Z9'"),
        ("A1", "the card of A1 is already taken"),
        ("C3", "C3 does not touch B1"),
    ],
)
def test_a_refused_take_says_why(table: str, why: str) -> None:
    with pytest.raises(IllegalMove, match=why) as refused:
        play(ordering(["A1", "B1"]), Take(table))
    assert refused.value.rule is TAKING


@pytest.mark.cites("§3")
@pytest.mark.parametrize("move", [Keep(), Swap(ANN), Done(), Stop(), Serve("A1", "M100")])
def test_a_move_that_answers_another_question_is_refused(move: Move) -> None:
    with pytest.raises(IllegalMove, match="what you are asked now: Take a card from a table") as refused:
        play(ordering(["A1"]), move)
    assert refused.value.rule is ORDERS


@pytest.mark.cites("§3")
def test_only_the_seat_to_move_may_move() -> None:
    state = ordering(["A1"])

    assert GAME.legal(state, ANN) == ()
    with pytest.raises(OutOfTurn, match="another player's turn"):
        GAME.play(state, ANN, Take("B1"), CHANCE)
    with pytest.raises(OutOfTurn):
        GAME.fallback(state, ANN)


@pytest.mark.cites("§7.1")
def test_fallbacks_of_the_orders() -> None:
    hands = (("R100",), ("M100",), ())

    assert GAME.fallback(ordering(["C3"], hands=hands), BOB) == Take("C2")
    assert GAME.fallback(ordering(["C3"], hands=hands, stage="dish"), BOB) == Keep()
    assert GAME.fallback(ordering(["C3"], hands=hands, stage="again"), BOB) == Stop()
    assert GAME.fallback(ordering(["C3"], hands=hands, stage="close", turn=0), ANN) == Done()


@pytest.mark.cites("§3")
def test_moves_are_listed_by_table_and_what_may_be_reserved_comes_last() -> None:
    state = ordering(["C3"], hands=((), ("R300", "R100", "M100", "R100"), ()))

    assert legal(state) == [*takes("C2", "B3", "D3", "C4"), Reserve("R100"), Reserve("R300")]
