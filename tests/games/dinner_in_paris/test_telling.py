"""Events as sentences."""

from __future__ import annotations

import pytest

from engine.game import Event
from engine.games.dinner_in_paris import GAME, events
from engine.games.dinner_in_paris.components import BOX
from engine.games.dinner_in_paris.telling import objective
from tests.games.dinner_in_paris.positions import P, Q

NAMES = ["ann", "bob"]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (events.Refill(slot=1, card="coin"), "Slot 2 of the river is filled with coin."),
        (
            events.Open(seat=P, kind="creperie", at="F1", pay=("cheese", "flour", "flour"), less=False, gauge=2),
            "ann opens a creperie at F1 for cheese and 2 flour; income 2.",
        ),
        (
            events.Place(
                seat=P,
                restaurant="creperie@F1",
                cell="I3",
                cost=4,
                coins=2,
                two_coins=1,
                neighbours=True,
                over=Q,
            ),
            "ann places a terrace of creperie@F1 on I3 for 4, with 2 coins, 1 two-coins card and a neighbours card, "
            "over a terrace of bob.",
        ),
        (events.Built(seat=Q, lost=0), "bob has built."),
        (events.Built(seat=Q, lost=2), "bob has built and loses the 2 left in the purse."),
        (
            events.PigeonPlayed(seat=P, card="two-resources"),
            "ann meets a pigeon and draws two-resources: Draw 2 resource cards.",
        ),
        (events.Claim(seat=P, objective="north", points=3, bonus=True), "ann claims north with a pigeon card (+3)."),
        (
            events.LastRound(seat=P, trigger="no-room"),
            "ann brings the end: there is no room for another restaurant or terrace. The round is played to its end.",
        ),
        (
            events.Revealed(seat=P, hand=("coin", "coin"), kept=("two-coins",), objectives=()),
            "ann shows 2 coins; pigeon cards two-coins; no objective unclaimed.",
        ),
        (
            events.MajorityScored(majority="around:street-light", counts=(2, 1), points=(10, 4)),
            "Majority, terraces around street lights: ann 2 (+10), bob 1 (+4).",
        ),
        (events.End(totals=(40, 38), ranking=((P,), (Q,))), "ann wins: ann 40, bob 38."),
        (events.End(totals=(40, 40), ranking=((P, Q),)), "ann and bob share the victory: ann 40, bob 40."),
    ],
)
def test_events_are_told_in_words(event: Event, sentence: str) -> None:
    assert GAME.tell(event, NAMES) == sentence


def test_a_foreign_event_is_not_told() -> None:
    with pytest.raises(TypeError, match="no event of Dinner in Paris"):
        GAME.tell(Event(), NAMES)


def test_every_objective_is_described() -> None:
    asked = {card: objective(card) for card in BOX.objectives}

    assert asked["fountain"] == "5 around the fountain"
    assert asked["bands"] == "2 around each band"
    assert asked["shape-7"] == "### / ##. / #.."
    assert len(set(asked.values())) == len(asked)
