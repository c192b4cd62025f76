"""Events as sentences."""

from __future__ import annotations

import pytest

from engine.game import Event
from engine.games.paris_paris import GAME, events
from engine.games.paris_paris.components import Token
from tests.games.paris_paris.positions import GREY, VIOLET, YELLOW

NAMES = ("ann", "bob", "cid")
STOPS = (events.Stop("odeon", (4, 0, 1)), events.Stop("louvre", (0, 0, 0)), events.Stop("pompidou", (0, 2, 0)))


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (events.Marker("teal", GREY, to=(GREY,)), "ann secretly gets the teal marker."),
        (events.Marker("teal"), "The teal marker lies face up: its line will be driven at the end."),
        (
            events.LayOut((Token("opera", "red"), Token("hotel-de-ville", "teal"))),
            "Laid out: Opéra (red), Hôtel de Ville (teal).",
        ),
        (events.Take(GREY, "pompidou", "teal"), "ann takes the teal Pompidou token."),
        (events.Evict(VIOLET, "pompidou", "bag"), "bob's shop at Pompidou goes into the bag."),
        (events.Evict(VIOLET, "pompidou", "supply"), "bob's shop at Pompidou goes back to the supply."),
        (events.Open(GREY, "pompidou"), "ann opens a shop at Pompidou."),
        (events.Visit("opera", ("opera",), (1, 0, 0)), "The tourists visit Opéra: ann +1."),
        (
            events.Visit("opera", ("montmartre", "louvre"), (2, 0, 1)),
            "The tourists visit Opéra, and pay at Montmartre and Louvre: ann +2, cid +1.",
        ),
        (events.Visit("opera", (), (0, 0, 0)), "The tourists visit Opéra and find no shop on the way."),
        (events.Park(Token("opera", "red")), "The red Opéra token is parked."),
        (
            events.Excursion("blue", STOPS),
            "Two blue tokens are parked: excursion on the blue line. Odéon: ann +4, cid +1; Pompidou: bob +2.",
        ),
        (events.Bus(VIOLET), "The bus passes to bob."),
        (
            events.FinalExcursion("blue", STOPS[:1], YELLOW),
            "Final excursion for cid's marker, on the blue line. Odéon: ann +4, cid +1.",
        ),
        (
            events.FinalExcursion("blue", STOPS[1:2]),
            "Final excursion for the face-up marker, on the blue line. Nobody scores.",
        ),
        (events.Bag((3, 2, 2), (3, 0, 0)), "In the bag: ann 3, bob 2, cid 2. ann +3."),
        (events.Bag((3, 3, 2), (0, 0, 0)), "In the bag: ann 3, bob 3, cid 2. Nobody scores."),
        (events.End(((VIOLET,), (GREY,), (YELLOW,))), "bob wins."),
        (events.End(((GREY, VIOLET, YELLOW),)), "ann, bob and cid share the victory."),
    ],
)
def test_every_event_is_a_sentence(event: Event, sentence: str) -> None:
    assert GAME.tell(event, NAMES) == sentence


def test_the_event_of_another_game_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="Event is no event of Paris Paris"):
        GAME.tell(Event(), NAMES)
