"""§3.5 the count: what is noted, what returns to hand, and who serves first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.game import Event, Seat, Step
from engine.games.restaurant import GAME, events
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Serve, Take
from engine.games.restaurant.state import State
from tests.games.restaurant.positions import ANN, BOB, CY, DEE, Hands, asked, hand, legal, ordering, play, snake

LATE = [*snake(40)[3:], *snake(3)[::-1]]


def ended(hands: Hands, packets: Sequence[Hands] | None = None) -> Step[State]:
    """The orders end as ann turns a coup double at the dead end A1, which adds nothing to the count."""
    state = ordering(LATE[:-1], hands=hands, packets=packets, cards={"A1": "DOUBLE"}, stage="again", leap=True, turn=0)
    return play(state, Take("A1"))


def counted(step: Step[State]) -> events.Count:
    found: list[Event] = [event for event in step.events if isinstance(event, events.Count)]
    (event,) = found
    assert isinstance(event, events.Count)
    return event


@pytest.mark.cites("§3.5")
def test_example_4_menus_in_hand_and_in_packets_are_noted_at_face_value() -> None:
    step = ended((("PLAT",), ("M100", "JUMP"), ("M600",)), ((("R300", "M600"),), (), (("R200",),)))

    assert counted(step).noted == step.state.noted == (900, 100, 800)


@pytest.mark.cites("R13")
def test_r13_packets_return_to_hand() -> None:
    after = ended((("PLAT",), ("M100",), ("M600",)), ((("R300", "M600"), ("R100",)), (), ())).state

    assert hand(after, ANN) == ["PLAT", "DOUBLE", "R300", "M600", "R100"]
    assert after.packets == ((), (), ())


@pytest.mark.cites("§3.5", "§4", "R15")
def test_example_6_the_lowest_serves_first_and_the_others_follow_downwards() -> None:
    hands = (("M300", "M600"), ("M100", "M300"), ("M100", "M600"), ("M300", "R300"))
    step = ended(hands)

    assert counted(step).noted == (900, 400, 700, 600)
    assert counted(step).first == BOB
    assert asked(step.state) == {BOB: "serve"}
    seats: list[Seat] = []
    for table, card in (("A1", "M100"), ("B1", "M300"), ("C1", "M300"), ("D1", "M100")):
        seats += GAME.waiting(step.state)
        step = play(step.state, Serve(table, card))
    assert seats == [BOB, ANN, DEE, CY]


@pytest.mark.cites("R14")
def test_r14_among_the_lowest_the_lowest_seat_serves_first() -> None:
    step = ended((("M600",), ("M200",), ("M200",)))

    assert counted(step).first == BOB
    assert asked(step.state) == {BOB: "serve"}


@pytest.mark.cites("R24", "§4.3")
def test_r24_a_first_server_with_only_600s_is_passed_over_and_the_edge_rule_waits() -> None:
    step = ended((("M600", "M100"), ("M600",), ("M600", "M300")))

    assert step.events[-1] == events.Pass(BOB)
    assert asked(step.state) == {ANN: "serve"}
    edge = {BOX.tables[table] for table in BOX.edge}
    assert {move.table for move in legal(step.state) if isinstance(move, Serve)} <= edge


@pytest.mark.cites("§3.5", "§7")
def test_what_is_noted_is_told_to_everybody() -> None:
    assert counted(ended((("M600",), ("M200",), ("M200",)))).to is None
