"""Every event as a sentence."""

from __future__ import annotations

import pytest

from engine.game import Event, Seat
from engine.games.restaurant import GAME, events
from tests.games.restaurant.positions import ANN, BOB, CY

NAMES = ("ann", "bob", "cy")


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (events.Take(ANN, "D4"), "ann takes a menu from D4."),
        (events.Take(ANN, "D4", "JUMP"), "ann takes a saut from D4."),
        (events.Menu(ANN, "R300", to=(ANN,)), "It is a reserved menu of 300, which only ann has seen."),
        (events.Lapse(ANN), "There is no card for the extra move, which lapses."),
        (events.Swap(ANN, BOB), "ann gives the plat du jour to bob and draws a card for it."),
        (
            events.Drawn(ANN, BOB, "M600", to=(ANN, BOB)),
            "The card drawn is a menu of 600, as only ann and bob know.",
        ),
        (events.Keep(CY), "cy keeps the plat du jour."),
        (events.Stop(CY), "cy declines the extra move."),
        (events.Reserve(BOB, "R100", 0), "bob lays a reserved menu of 100 aside, with nothing face down under it."),
        (events.Reserve(BOB, "R100", 1), "bob lays a reserved menu of 100 aside, with one menu face down under it."),
        (events.Reserve(BOB, "R100", 3), "bob lays a reserved menu of 100 aside, with 3 menus face down under it."),
        (events.DeadEnd("A1", BOB), "A1 is a dead end: bob starts again at the edge."),
        (
            events.Count((900, 400, 700), BOB),
            "A dead end, and the orders are over. Noted: ann 900, bob 400, cy 700. bob serves first.",
        ),
        (events.Serve(ANN, "D4", "M600", ANN), "ann serves a menu of 600 at D4, under an own marker."),
        (events.Serve(ANN, "D4", "PLAT", CY), "ann serves a plat du jour at D4, under cy's marker."),
        (events.Pass(BOB), "bob can place nothing and is passed over."),
        (events.Over(ANN, "empty-hand"), "ann has placed the last card in hand. The game is over."),
        (events.Over(ANN, "dead-end"), "No open table touches the one just served. The game is over."),
        (events.Over(ANN, "declined"), "ann does not leave the dead end. The game is over."),
        (events.Over(ANN, "blocked"), "Nobody can place a card any more. The game is over."),
        (
            events.Left(((), ("PLAT", "PLAT", "R100"), ("M600",))),
            "Left in hand: ann nothing; bob plat x2, r100; cy 600.",
        ),
        (events.End(((ANN,), (BOB, CY))), "ann wins."),
        (events.End(((ANN, CY), (BOB,))), "ann and cy share the victory."),
        (events.End(((ANN, BOB, CY),)), "ann, bob and cy share the victory."),
    ],
)
def test_every_event_is_told_in_a_sentence(event: Event, sentence: str) -> None:
    assert GAME.tell(event, NAMES) == sentence


def test_no_event_is_forgotten() -> None:
    class Applause(Event, frozen=True):
        seat: Seat

    with pytest.raises(TypeError, match="Applause is no event of Restaurant"):
        GAME.tell(Applause(ANN), NAMES)
