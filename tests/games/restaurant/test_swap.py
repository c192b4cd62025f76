"""§3.2 the plat du jour: whom to swap with, what comes back, who knows of it."""

from __future__ import annotations

import pytest

from engine.chance import Chance
from engine.errors import IllegalMove
from engine.game import Seat, told
from engine.games.restaurant import GAME, events
from engine.games.restaurant.moves import Keep, Reserve, Swap, Take
from engine.games.restaurant.rulebook import TURNED
from tests.games.restaurant.positions import ANN, BOB, CY, asked, hand, legal, ordering, play


@pytest.mark.cites("§3.2", "R7")
def test_example_3_a_swap_brings_a_card_for_the_plat_du_jour() -> None:
    state = ordering(["A1"], hands=(("M600",), (), ()), cards={"B1": "PLAT"})

    step = play(state, Take("B1"), Swap(ANN))

    assert hand(step.state, BOB) == ["M600"]
    assert hand(step.state, ANN) == ["PLAT"]
    assert asked(step.state) == {BOB: "close"}


@pytest.mark.cites("§3.2", "R8")
def test_r8_the_card_is_drawn_uniformly_over_the_hand_in_order_of_arrival() -> None:
    held = ["M100", "M200", "M300", "M600", "JUMP"]
    state = ordering(["A1"], hands=(held, ("PLAT",), ()), stage="dish")
    drawn = []
    for entry in range(40):
        chance = Chance(bytes(32), entry)
        after = play(state, Swap(ANN), chance=chance.at(entry)).state
        at = chance.at(entry).pick(range(5), "exchange")
        assert hand(after, BOB) == [held[at]]
        assert hand(after, ANN) == [*held[:at], *held[at + 1 :], "PLAT"]
        drawn.append(held[at])

    assert set(drawn) == set(held)


@pytest.mark.cites("R8")
def test_r8_only_others_with_a_card_in_hand_can_be_swapped_with() -> None:
    packets = ((), (), ((("R100",)),))
    state = ordering(["A1"], hands=(("M600",), ("PLAT",), ()), packets=packets, stage="dish")

    assert legal(state) == [Swap(ANN), Keep()]
    for target, why in ((BOB, "not with yourself"), (CY, "seat 2 has no card in hand"), (Seat(7), "no seat 7")):
        with pytest.raises(IllegalMove, match=why) as refused:
            play(state, Swap(target))
        assert refused.value.rule is TURNED


@pytest.mark.cites("R7")
@pytest.mark.parametrize("drawn", ["PLAT", "DOUBLE", "JUMP"])
def test_r7_a_drawn_function_card_does_nothing(drawn: str) -> None:
    state = ordering(["A1"], hands=((drawn,), ("PLAT",), ("M100",)), stage="dish")

    after = play(state, Swap(ANN)).state

    assert asked(after) == {BOB: "close"}
    assert hand(after, BOB) == [drawn]


@pytest.mark.cites("R12")
def test_r12_a_function_card_stays_in_hand_and_can_be_drawn_later() -> None:
    state = ordering(["A1"], hands=((), (), ()), cards={"B1": "JUMP"})

    assert hand(play(state, Take("B1")).state, BOB) == ["JUMP"]


@pytest.mark.cites("§3.2")
def test_a_plat_du_jour_may_be_kept() -> None:
    state = ordering(["A1"], hands=(("M600",), ("PLAT",), ()), stage="dish")

    step = play(state, Keep())

    assert step.events == (events.Keep(BOB),)
    assert hand(step.state, BOB) == ["PLAT"]
    assert asked(step.state) == {CY: "order"}


@pytest.mark.cites("§3.2", "R9")
def test_it_is_the_plat_du_jour_that_goes_even_after_menus_were_reserved() -> None:
    state = ordering(["A1"], hands=(("M600",), ("R100", "M200", "JUMP", "PLAT"), ()), stage="dish")

    after = play(state, Reserve("R100"), Swap(ANN)).state

    assert hand(after, BOB) == ["JUMP", "M600"]
    assert hand(after, ANN) == ["PLAT"]


@pytest.mark.cites("§7")
def test_only_the_two_concerned_know_the_card_drawn() -> None:
    state = ordering(["A1"], hands=(("M600",), ("PLAT",), ()), stage="dish")

    step = play(state, Swap(ANN))

    public = events.Swap(BOB, ANN)
    secret = events.Drawn(BOB, ANN, "M600", to=(BOB, ANN))
    assert told(step.events, ANN) == told(step.events, BOB) == (public, secret)
    assert told(step.events, CY) == told(step.events, None) == (public,)


@pytest.mark.cites("§7")
def test_close_is_asked_whether_or_not_a_reserved_menu_came() -> None:
    for menu in ("M100", "R100"):
        state = play(ordering(cards={"A1": menu}), Take("A1")).state
        assert asked(state) == {ANN: "close"}
        assert GAME.waiting(state) == GAME.waiting(play(ordering(cards={"A1": "M600"}), Take("A1")).state)
