"""§4 services: where a card may go, what follows it, who is passed over, and how the game ends."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove, OutOfTurn
from engine.game import Move, Step
from engine.games.restaurant import GAME, events
from engine.games.restaurant.moves import Serve, Stop
from engine.games.restaurant.rulebook import SERVING
from engine.games.restaurant.state import State
from tests.games.restaurant.positions import ANN, BOB, CHANCE, CY, asked, hand, kinds, legal, play, serving

AROUND_C3 = {"C3": 0, "C2": 1, "D3": 2}
ROW = {"A1": 0, "B1": 1, "C1": 2, "D1": 0, "E1": 1, "F1": 2}
FULL = ("PLAT", "M100", "M300")


def serves(table: str, *cards: str) -> list[Move]:
    return [Serve(table, card) for card in cards]


def ending(step: Step[State]) -> str:
    (why,) = [event.why for event in step.events if isinstance(event, events.Over)]
    return why


@pytest.mark.cites("§4.1")
def test_example_7_the_salon_takes_600_and_the_tables_outside_100_and_200() -> None:
    held = ("M100", "R200", "M300", "R600", "PLAT", "DOUBLE", "JUMP")
    state = serving(AROUND_C3, served={"C3": "PLAT"}, last="C3", hands=(held, FULL, FULL))

    anywhere = ("PLAT", "DOUBLE", "JUMP")
    assert legal(state) == [
        *serves("C2", *anywhere, "M100", "R200", "M300"),
        *serves("D3", *anywhere, "M300", "R600"),
    ]
    with pytest.raises(IllegalMove, match="a reserved menu of 600 is served only in the salon, and not at C2"):
        play(state, Serve("C2", "R600"))
    with pytest.raises(IllegalMove, match="a menu of 100 is served only outside the salon, and not at D3"):
        play(state, Serve("D3", "M100"))


@pytest.mark.cites("§4.1")
def test_the_first_card_is_served_at_the_edge() -> None:
    state = serving({"A1": 0, "B2": 1, "C3": 2}, hands=(("PLAT", "M100"), FULL, FULL))

    assert legal(state) == serves("A1", "PLAT", "M100")
    with pytest.raises(IllegalMove, match="first card is served at the edge, and B2 is not there"):
        play(state, Serve("B2", "PLAT"))


@pytest.mark.cites("§4", "§4.1")
def test_a_card_lies_under_anybodys_marker_for_all_to_see() -> None:
    state = serving(ROW, hands=(FULL, FULL, FULL), served={"A1": "PLAT"}, last="A1")

    step = play(state, Serve("B1", "M100"))

    assert step.events == (events.Serve(ANN, "B1", "M100", BOB),)
    assert GAME.view(step.state, None).served == {"A1": "PLAT", "B1": "M100"}
    assert hand(step.state, ANN) == ["PLAT", "M300"]


@pytest.mark.cites("R15", "§4")
def test_r15_the_services_go_down_the_seats() -> None:
    state = serving(ROW, hands=(FULL, FULL, FULL), turn=1)
    seats = []
    for table in ("A1", "B1", "C1", "D1"):
        seats += list(GAME.waiting(state))
        state = play(state, Serve(table, "M300" if table == "D1" else "PLAT")).state

    assert seats == [BOB, ANN, CY, BOB]


@pytest.mark.cites("R18", "§4.2")
@pytest.mark.parametrize("card", ["M100", "DOUBLE", "JUMP"])
def test_r18_an_empty_hand_ends_the_game_at_once(card: str) -> None:
    state = serving(ROW, hands=((card,), FULL, FULL))

    step = play(state, Serve("A1", card))

    assert ending(step) == "empty-hand"
    assert asked(step.state) == {}


@pytest.mark.cites("§4.2")
def test_a_dead_end_ends_the_game_even_after_a_coup_double() -> None:
    for card in ("M100", "DOUBLE"):
        state = serving({"A1": 0, "C1": 1}, hands=((card, "PLAT"), FULL, FULL))
        assert ending(play(state, Serve("A1", card))) == "dead-end"


@pytest.mark.cites("§4.2")
def test_a_coup_double_gives_another_card_next_to_it() -> None:
    state = serving(ROW, hands=(("DOUBLE", "M100"), FULL, FULL))

    after = play(state, Serve("A1", "DOUBLE")).state

    assert asked(after) == {ANN: "serve-again"}
    assert legal(after) == [*serves("B1", "M100"), Stop()]


@pytest.mark.cites("§4.2", "R19")
def test_a_saut_gives_another_card_at_any_open_table_and_leaves_a_dead_end() -> None:
    state = serving({"A1": 0, "C1": 1, "D3": 2, "J6": 0}, hands=(("JUMP", "M100", "M600"), FULL, FULL))

    after = play(state, Serve("A1", "JUMP")).state

    assert asked(after) == {ANN: "serve-again"}
    assert legal(after) == [*serves("C1", "M100"), *serves("D3", "M600"), *serves("J6", "M100"), Stop()]


@pytest.mark.cites("§4.2")
def test_extra_services_chain_and_the_next_one_has_to_be_near_again() -> None:
    state = serving({**ROW, "J6": 0, "J5": 1}, hands=(("JUMP", "DOUBLE", "M100", "PLAT"), FULL, FULL))

    after = play(state, Serve("A1", "JUMP"), Serve("J6", "DOUBLE")).state

    assert legal(after) == [*serves("J5", "PLAT", "M100"), Stop()]


@pytest.mark.cites("R19")
def test_r19_declining_a_saut_at_a_dead_end_ends_the_game() -> None:
    state = serving({"A1": 0, "C1": 1, "D3": 2}, hands=(("JUMP", "M100"), FULL, FULL))

    assert ending(play(state, Serve("A1", "JUMP"), Stop())) == "declined"


@pytest.mark.cites("R19", "R4")
@pytest.mark.parametrize("card", ["DOUBLE", "JUMP"])
def test_declining_where_the_path_goes_on_passes_the_turn(card: str) -> None:
    state = serving(ROW, hands=((card, "M100"), FULL, FULL))

    step = play(state, Serve("A1", card), Stop())

    assert step.events == (events.Stop(ANN),)
    assert asked(step.state) == {CY: "serve"}
    assert legal(step.state) == serves("B1", *FULL)


@pytest.mark.cites("§4.2", "§7")
def test_an_extra_service_is_asked_even_if_nothing_in_hand_fits() -> None:
    state = serving(ROW, hands=(("DOUBLE", "M600"), FULL, FULL))

    after = play(state, Serve("A1", "DOUBLE")).state

    assert asked(after) == {ANN: "serve-again"}
    assert legal(after) == [Stop()]


@pytest.mark.cites("R16", "§4.3")
def test_r16_who_cannot_place_a_card_is_passed_over_for_all_to_see() -> None:
    state = serving(ROW, hands=(FULL, FULL, ("M600",)))

    step = play(state, Serve("A1", "M100"))

    assert step.events == (events.Serve(ANN, "A1", "M100", ANN), events.Pass(CY))
    assert asked(step.state) == {BOB: "serve"}


@pytest.mark.cites("R16")
def test_r16_who_can_place_a_card_has_no_way_to_pass() -> None:
    state = serving(ROW, hands=(FULL, FULL, FULL))

    assert {type(move) for move in legal(state)} == {Serve}
    with pytest.raises(IllegalMove):
        play(state, Stop())


@pytest.mark.cites("R16", "§4.3")
def test_a_seat_serves_again_when_all_others_are_passed_over() -> None:
    state = serving(ROW, hands=(FULL, ("M600",), ("R600",)))

    step = play(state, Serve("A1", "M100"))

    assert kinds(step.events) == ["Serve", "Pass", "Pass"]
    assert asked(step.state) == {ANN: "serve"}


@pytest.mark.cites("R17", "§4.3")
def test_r17_when_everybody_is_passed_over_the_game_is_over() -> None:
    state = serving(ROW, hands=(("M100", "M600"), ("M600",), ("M600",)))

    step = play(state, Serve("A1", "M100"))

    assert kinds(step.events) == ["Serve", "Pass", "Pass", "Pass", "Over", "Left", "End"]
    assert ending(step) == "blocked"


@pytest.mark.cites("§6", "R23")
def test_r23_stairs_bind_the_services_but_not_a_saut() -> None:
    markers = {"D1": 0, "D2": 1, "E1": 2}
    lying = {"D1": "PLAT"}
    state = serving(markers, served=lying, last="D1", hands=(("JUMP", "M300"), FULL, FULL), stairs=True)

    assert legal(state) == serves("E1", "JUMP", "M300")
    assert Serve("D2", "M300") in legal(play(state, Serve("E1", "JUMP")).state)


@pytest.mark.cites("R25")
def test_r25_there_are_always_as_many_open_tables_as_cards_in_hand() -> None:
    saw_services = 0
    for seed in range(8):
        chance, mind = CHANCE.at(seed), CHANCE.at(1000 + seed)
        state = GAME.deal(3 + seed % 4, GAME.options(), chance).state
        while waiting := list(GAME.waiting(state)):
            state = GAME.play(state, waiting[0], mind.pick(GAME.legal(state, waiting[0]), "move"), chance).state
            if state.noted:
                saw_services += 1
                marked, lying = (60 - each.count(None) for each in (state.markers, state.served))
                assert marked - lying == sum(map(len, state.hands))
    assert saw_services


@pytest.mark.cites("§4.1")
@pytest.mark.parametrize(
    ("move", "why"),
    [
        (Serve("Z9", "PLAT"), "there is no table called 'Z9'"),
        (Serve("B1", "SOUP"), "there is no card called 'SOUP'"),
        (Serve("B1", "JUMP"), "you have no saut in hand"),
        (Serve("J6", "PLAT"), "nobody ordered at J6"),
        (Serve("A1", "PLAT"), "A1 is already served"),
        (Serve("C1", "PLAT"), "C1 does not touch A1, which was served last"),
    ],
)
def test_a_refused_service_says_why(move: Serve, why: str) -> None:
    state = serving(ROW, hands=(FULL, FULL, FULL), served={"A1": "PLAT"}, last="A1")

    with pytest.raises(IllegalMove, match=why) as refused:
        play(state, move)
    assert refused.value.rule is SERVING


@pytest.mark.cites("§4.2")
def test_after_the_end_nobody_may_do_anything() -> None:
    over = play(serving(ROW, hands=(("M100",), FULL, FULL)), Serve("A1", "M100")).state

    assert GAME.legal(over, ANN) == ()
    with pytest.raises(OutOfTurn, match="the game is over"):
        GAME.play(over, ANN, Stop(), CHANCE)
    with pytest.raises(OutOfTurn, match="the game is over"):
        GAME.fallback(over, ANN)


@pytest.mark.cites("§7.1")
@pytest.mark.parametrize(
    ("held", "move"),
    [
        (("M300", "PLAT", "DOUBLE"), Serve("C2", "PLAT")),
        (("M300", "M600", "M200"), Serve("B3", "M200")),
        (("M300", "R600"), Serve("B3", "M300")),
        (("R600", "M600"), Serve("D3", "M600")),
    ],
    ids=["function card under another's marker", "menu under one's own", "lowest card", "only where it fits"],
)
def test_the_fallback_serves_the_lowest_card(held: tuple[str, ...], move: Serve) -> None:
    markers = {"C3": 1, "B3": 0, "C2": 1, "D3": 2, "C4": 0}
    state = serving(markers, served={"C3": "PLAT"}, last="C3", hands=(held, FULL, FULL))

    assert GAME.fallback(state, ANN) == move


@pytest.mark.cites("§7.1")
def test_the_fallback_declines_an_extra_service() -> None:
    state = serving(ROW, hands=(FULL, FULL, FULL), served={"A1": "DOUBLE"}, last="A1", stage="serve-again")

    assert GAME.fallback(state, ANN) == Stop()
