"""Events as sentences."""

from __future__ import annotations

import pytest

from engine.game import Event, Seat
from engine.games.la_bistro import GAME, events
from engine.games.la_bistro.state import Diner, House, Out, Round

NAMES = ["ann", "bob", "cy"]
ANN0, BOB0, BOB1, CY0 = House(Seat(0), 0), House(Seat(1), 0), House(Seat(1), 1), House(Seat(2), 0)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (events.Phase(2, 3), "Turn 2, preparation phase 3."),
        (events.Applicant(6, 5, "Expediter", True), "For hire at 6,5: an Expediter."),
        (
            events.Applicant(5, 1, "Waitron", False),
            "At 5,1 (Waitron) there is a die already, so nobody new appears.",
        ),
        (events.Reveal(("jobs", "time", "ads")), "Chosen: ann the Jobs Board, bob passing time, cy the ad agency."),
        (events.Order("chef", (Seat(2), Seat(0))), "At the chef the order is cy, ann."),
        (events.PutUp(Seat(0), "B14", "Exchange Street", 18), "ann puts up Exchange Street (B14), list price 18."),
        (events.Bid(Seat(1), 19), "bob bids 19."),
        (events.Passed(Seat(1)), "bob passes."),
        (events.Passed(Seat(1), broke=True), "bob cannot bid any more."),
        (events.Limits((Seat(0), Seat(2)), (12, None)), "The limits were: ann 12, cy passed."),
        (
            events.Bought(BOB1, "B14", "Exchange Street", 18),
            "bob buys Exchange Street (B14) for 18; it is restaurant 1.",
        ),
        (events.Declined(Seat(0), "realtor"), "ann buys nothing at the realtor."),
        (events.Declined(Seat(0), "realtor", broke=True), "ann can afford nothing at the realtor."),
        (events.Menu(ANN0, "Italian", 7, 1), "ann/0 cooks Italian at 7; the chef costs 1."),
        (events.Borrowed(Seat(0), 10), "ann borrows 10."),
        (events.Repaid(Seat(0), 2, 20), "ann repays 2 loans, 20."),
        (events.Advertised(BOB1, 1, 2), "bob advertises bob/1: 1 point for 2."),
        (events.Advertised(BOB0, 0, 0), "bob does not advertise."),
        (
            events.Contest("jobs", (Seat(1), Seat(2))),
            "Several want to choose first at the Jobs Board: bob, cy bid for the right.",
        ),
        (events.Right(Seat(1), "jobs", 3), "bob may choose at the Jobs Board, for 3."),
        (events.Hired(ANN0, "Waitron", 3), "ann/0 hires a Waitron for 3."),
        (events.Challenge("Maître d'", ANN0, BOB1), "ann wants the Maître d' of bob/1."),
        (
            events.HiredAway("Maître d'", ANN0, BOB1, 6, 7),
            "The Maître d' goes to ann/0 for 13: 6 to the bank, 7 to bob.",
        ),
        (events.Kept("Maître d'", BOB1, 12), "The Maître d' stays with bob/1, which costs 12."),
        (events.Renovated(ANN0, "Patio", 4), "ann/0 is renovated: Patio, for 4."),
        (events.TimePasses((3, 4), 9), "Time passes, 3 4: the cube moves to 9."),
        (events.TimePasses((6,), None), "Time passes, 6: the cube leaves the track and the diners come."),
        (events.DinersCome(1, (1, 2), 3), "The diners of turn 1 come: 1 2 make 3; the first is on box 3."),
        (
            events.Took(ANN0, 3, 6, 15, 2, 9),
            "ann/0 is paid 15 and 6 by Inflation for 3 diners, Fame +2, Novelty 9.",
        ),
        (events.Took(ANN0, 1, 0, 5, 0, 0), "ann/0 is paid 5 for 1 diner, Novelty 0."),
        (events.Took(ANN0, 0, 0, 0, 0, 12), "ann/0 served nobody."),
        (events.Interest(Seat(0), 2, 2), "ann pays 2 interest on 2 loans."),
        (events.Settled(Seat(0), 1, 11), "ann settles 1 loan for 11."),
        (events.Inflation(5, 2), "Inflation: 5 is rolled, and from now on it is 2."),
        (events.End(((Seat(0),), (Seat(1), Seat(2)))), "ann wins."),
        (events.End(((Seat(0), Seat(1), Seat(2)),)), "ann, bob and cy share the victory."),
    ],
)
def test_an_event_is_a_sentence(event: Event, sentence: str) -> None:
    assert GAME.tell(event, NAMES) == sentence


@pytest.mark.cites("§4.2")
@pytest.mark.parametrize(
    ("diner", "sentence"),
    [
        (
            Diner(
                4, 22, "plain", (), (Round("proximity", 0, (Out(BOB0, 2),)), Round("price", 2, ())), (ANN0,), (6,), 0
            ),
            "A 4 on box 22: Proximity: 0 away stays, out bob/0 (2 away). Price: all level 2. ann/0 gets it for 6.",
        ),
        (
            Diner(1, 1, "mauve", (CY0,), (Round("service", 8, (Out(BOB0, 7),)),), (ANN0,), (6,), 0),
            "A 1 on box 1 (mauve): cy/0 is full. Service: 8 stays, out bob/0 (7). ann/0 gets it for 6.",
        ),
        (
            Diner(5, 5, "gold", (), (Round("cuisine:italian", 1, (Out(BOB0, 0),)),), (ANN0,), (6,), 5),
            "A 5 on box 5 (gold): Italian cuisine: out bob/0. ann/0 gets it for 6 and 5 in gold.",
        ),
        (
            Diner(2, 20, "plain", (), (Round("cuisine:french", 0, ()), Round("fame", 1, ())), (ANN0, BOB0), (3, 2), 0),
            "A 2 on box 20: French cuisine: nobody. Fame: all tier 1. Split: ann/0 3, bob/0 2.",
        ),
        (
            Diner(2, 20, "plain", (), (Round("cuisine:french", 1, ()),), (ANN0, BOB0), (3, 2), 0),
            "A 2 on box 20: French cuisine: all. Split: ann/0 3, bob/0 2.",
        ),
        (
            Diner(6, 6, "plain", (ANN0, BOB0), (), (), (), 0),
            "A 6 on box 6: ann/0 and bob/0 are full. The diner goes home hungry.",
        ),
    ],
)
def test_a_diner_is_explained(diner: Diner, sentence: str) -> None:
    assert GAME.tell(events.Served(diner), NAMES) == sentence


def test_an_event_of_another_game_is_not_told() -> None:
    with pytest.raises(TypeError, match="Event is no event of La Bistro"):
        GAME.tell(Event(), NAMES)
