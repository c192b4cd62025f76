"""§3.3 reserving: what goes into a packet, when, and what others see of it."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove
from engine.games.restaurant import GAME, events
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Done, Keep, Reserve, Stop, Swap, Take
from engine.games.restaurant.rulebook import ORDERS, RESERVING, SERVICES
from engine.games.restaurant.state import Stage, State
from engine.games.restaurant.view import SeenPacket
from tests.games.restaurant.positions import ANN, BOB, CY, asked, hand, legal, ordering, play, serving


def packets(state: State, seat: int) -> list[list[str]]:
    return [[BOX.cards[card] for card in packet] for packet in state.packets[seat]]


@pytest.mark.cites("§3.3", "R10")
def test_example_4_a_packet_is_safe_and_counts() -> None:
    state = ordering(hands=(("R300", "M600", "PLAT"), (), ()))

    step = play(state, Reserve("R300"))

    assert packets(step.state, ANN) == [["R300", "M600"]]
    assert hand(step.state, ANN) == ["PLAT"]
    assert sum(BOX.values[card] for packet in step.state.packets[ANN] for card in packet) == 900


@pytest.mark.cites("§3.3", "R8")
def test_example_4_a_swap_can_only_draw_what_is_left_in_hand() -> None:
    hands, laid = (("PLAT",), ("PLAT",), ()), ((("R300", "M600"),), (), ())
    state = ordering(["A1"], hands=hands, packets=laid, stage="dish")

    after = play(state, Swap(ANN)).state

    assert (hand(after, ANN), hand(after, BOB)) == (["PLAT"], ["PLAT"])
    assert packets(after, ANN) == [["R300", "M600"]]


@pytest.mark.cites("R9", "§3.3")
@pytest.mark.parametrize("stage", ["order", "dish", "again", "close"])
def test_r9_menus_may_be_reserved_at_any_decision_of_ones_turn_which_stays_open(stage: Stage) -> None:
    state = ordering(["C3"], hands=(("M100",), ("R200", "PLAT"), ()), stage=stage)
    before = legal(state)

    step = play(state, Reserve("R200"))

    assert step.events == (events.Reserve(BOB, "R200", 0),)
    assert asked(step.state) == {BOB: stage}
    assert legal(step.state) == [move for move in before if move != Reserve("R200")]


@pytest.mark.cites("R9")
def test_r9_a_saut_still_goes_anywhere_after_a_reserve() -> None:
    state = ordering(["C3"], hands=((), ("R200", "JUMP"), ()), stage="again", leap=True)

    assert Take("J6") in legal(play(state, Reserve("R200")).state)


@pytest.mark.cites("R9")
def test_r9_a_reserved_menu_just_taken_may_be_laid_at_once() -> None:
    after = play(ordering(cards={"A1": "R600"}), Take("A1"), Reserve("R600"), Done()).state

    assert packets(after, ANN) == [["R600"]]


@pytest.mark.cites("R10")
def test_r10_each_reserved_menu_opens_a_packet_of_its_own_and_function_cards_stay() -> None:
    state = ordering(hands=(("R100", "M100", "R100", "DOUBLE", "M600"), (), ()))

    after = play(state, Reserve("R100"), Reserve("R100")).state

    assert packets(after, ANN) == [["R100", "M100", "M600"], ["R100"]]
    assert hand(after, ANN) == ["DOUBLE"]


@pytest.mark.cites("R11", "§7")
def test_r11_the_reserved_menu_lies_face_up_and_the_rest_face_down() -> None:
    laid = ((("R300", "M600", "M100"),), (), ())
    state = ordering(hands=((), (), ()), packets=laid)

    assert GAME.view(state, ANN).packets[ANN] == (SeenPacket("R300", 2, ("M600", "M100")),)
    assert GAME.view(state, BOB).packets[ANN] == (SeenPacket("R300", 2),)
    assert GAME.view(state, None).packets[ANN] == (SeenPacket("R300", 2),)


@pytest.mark.cites("§3.3", "R11")
def test_everybody_is_told_the_reserved_menu_and_how_many_lie_under_it() -> None:
    state = ordering(hands=(("R300", "M600", "M100", "PLAT"), (), ()))

    assert play(state, Reserve("R300")).events == (events.Reserve(ANN, "R300", 2),)


@pytest.mark.cites("§3.3")
@pytest.mark.parametrize(
    ("card", "why"),
    [("M100", "'M100' is no reserved menu"), ("SOUP", "'SOUP' is no"), ("R600", "you have no R600 in hand")],
)
def test_a_refused_reserve_says_why(card: str, why: str) -> None:
    with pytest.raises(IllegalMove, match=why) as refused:
        play(ordering(hands=(("R300", "M100"), (), ())), Reserve(card))
    assert refused.value.rule is RESERVING


@pytest.mark.cites("§3.3", "§4")
def test_nothing_is_reserved_in_the_services() -> None:
    state = serving({"A1": 0, "A2": 1}, hands=(("R100",), ("M100",), ()))

    with pytest.raises(IllegalMove, match="Serve a card at an open table") as refused:
        play(state, Reserve("R100"))
    assert refused.value.rule is SERVICES


@pytest.mark.cites("§3")
def test_nobody_says_done_before_the_card_is_taken() -> None:
    for move in (Done(), Stop(), Keep()):
        with pytest.raises(IllegalMove) as refused:
            play(ordering(hands=(("R100",), (), (), ())), move)
        assert refused.value.rule is ORDERS
    assert CY not in asked(ordering())
