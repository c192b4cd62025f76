"""§7 what each may see, and the positions it could be looking at."""

from __future__ import annotations

import msgspec
import pytest

from engine.chance import Chance
from engine.game import Seat, decode_state, encode_state, told
from engine.games.restaurant import GAME, Options, events
from engine.games.restaurant.components import BOX, CardNo
from engine.games.restaurant.moves import Serve, Take
from engine.games.restaurant.view import View
from tests.games.restaurant.positions import ANN, BOB, CHANCE, CY, hand, ordering, play, serving, snake

HANDS = (("M600", "PLAT"), ("M100", "R300", "JUMP"), ("DOUBLE",))


def worlds(view: View, count: int = 30) -> list[list[str]]:
    """Bob's hand in so many positions that look like this."""
    return [hand(GAME.imagine(view, Chance(b"worlds", number)), BOB) for number in range(count)]


@pytest.mark.cites("§7")
def test_a_seat_sees_its_own_hand_and_of_others_only_the_number() -> None:
    state = ordering(["A1"], hands=HANDS)

    assert GAME.view(state, ANN).hand == ("M600", "PLAT")
    assert GAME.view(state, None).hand == ()
    for seat in (ANN, BOB, CY, None):
        assert GAME.view(state, seat).hand_sizes == (2, 3, 1)
        assert GAME.view(state, seat).left is None


@pytest.mark.cites("§7")
def test_nobody_sees_the_cards_on_the_tables() -> None:
    one = ordering(["A1"], cards={"B1": "M600"})
    other = ordering(["A1"], cards={"B1": "PLAT"})

    assert one != other
    for seat in (ANN, BOB, CY, None):
        assert GAME.view(one, seat) == GAME.view(other, seat)


@pytest.mark.cites("§7")
def test_a_menu_taken_is_told_to_others_as_a_menu() -> None:
    step = play(ordering(cards={"A1": "R600"}), Take("A1"))

    assert told(step.events, BOB) == told(step.events, None) == (events.Take(ANN, "A1"),)


@pytest.mark.cites("§7")
def test_no_public_event_ever_names_a_menu_before_it_lies_open() -> None:
    takes = 0
    for seed in range(12):
        chance, mind = CHANCE.at(seed), CHANCE.at(500 + seed)
        state = GAME.deal(3 + seed % 4, Options(stairs=seed % 2 == 0), chance).state
        while waiting := list(GAME.waiting(state)):
            seat = waiting[0]
            step = GAME.play(state, seat, mind.pick(GAME.legal(state, seat), "move"), chance)
            for event in told(step.events, None):
                assert not isinstance(event, events.Menu | events.Drawn)
                if isinstance(event, events.Take):
                    takes += 1
                    assert event.card in (None, "PLAT", "DOUBLE", "JUMP")
            state = step.state
    assert takes


@pytest.mark.cites("§7")
def test_a_shown_function_card_is_kept_in_no_view() -> None:
    after = play(ordering(["A1"], hands=((), (), ("M100",)), cards={"B1": "JUMP"}, turn=1), Take("B1")).state
    other = msgspec.structs.replace(after, hands=((), (BOX.card_no["M200"],), after.hands[CY]))

    assert GAME.view(after, ANN) == GAME.view(other, ANN)


@pytest.mark.cites("§7")
def test_hands_are_laid_open_when_the_game_ends() -> None:
    state = serving({"A1": 0, "A2": 1}, hands=(("M100",), ("R300", "JUMP"), ("DOUBLE",)))

    step = play(state, Serve("A1", "M100"))

    assert GAME.view(step.state, None).left == ((), ("R300", "JUMP"), ("DOUBLE",))
    assert events.Left(((), ("JUMP", "R300"), ("DOUBLE",))) in step.events


@pytest.mark.cites("§7")
def test_the_prompt_of_a_decision_depends_on_public_things_only() -> None:
    for stage in ("order", "dish", "again", "close"):
        prompts = {
            str(GAME.waiting(ordering(["A1"], hands=((), held, ()), stage=stage)))
            for held in (("R100", "PLAT"), ("M100", "PLAT"), ("DOUBLE", "JUMP"))
        }
        assert len(prompts) == 1


@pytest.mark.cites("§7")
def test_an_imagined_seat_holds_the_card_it_has_just_shown() -> None:
    path = ["C1", "B1", "A1"]
    dish = GAME.view(ordering(path, hands=(("M100",), ("M200", "PLAT"), ()), turn=1, stage="dish"), ANN)
    double = GAME.view(ordering(path, hands=(("M100",), ("M200", "DOUBLE"), ()), turn=1, stage="again"), None)
    jump = GAME.view(ordering(path, hands=(("M100",), ("M200", "JUMP"), ()), turn=1, stage="again", leap=True), CY)

    for view, card in ((dish, "PLAT"), (double, "DOUBLE"), (jump, "JUMP")):
        imagined = worlds(view)
        assert {held[-1] for held in imagined} == {card}
        assert len({held[0] for held in imagined}) > 3


@pytest.mark.cites("§7", "R16")
def test_an_imagined_server_can_serve() -> None:
    markers = {"A1": 0, "B1": 1, "C1": 2, "D1": 0}
    state = serving(markers, served={"A1": "PLAT"}, last="A1", hands=(("PLAT",), ("M100",), ("PLAT",)), turn=1)

    assert not {"M600", "R600"} & {held[0] for held in worlds(GAME.view(state, ANN), 60)}


@pytest.mark.cites("R11", "§7")
def test_an_imagined_packet_hides_plain_menus_only() -> None:
    laid = ((), (("R300", "M600", "M100", "M100"), ("R100",)), ())
    view = GAME.view(ordering(snake(6), hands=(("PLAT",), (), ()), packets=laid), ANN)
    seen = set()
    for number in range(20):
        first, second = GAME.imagine(view, Chance(b"packets", number)).packets[BOB]
        assert (first[0], second) == (BOX.card_no["R300"], (BOX.card_no["R100"],))
        assert set(first[1:]) <= BOX.plain
        seen |= set[CardNo](first[1:])

    assert seen == BOX.plain


@pytest.mark.cites("§7")
def test_legal_and_waiting_are_the_same_in_every_imagined_position() -> None:
    state = serving(
        {"A1": 0, "B1": 1, "C1": 2, "D1": 0},
        hands=(("JUMP", "M100"), ("M100",), ("PLAT",)),
        stage="serve-again",
        leap=True,
    )

    for number in range(10):
        world = GAME.imagine(GAME.view(state, ANN), Chance(b"legal", number))
        assert GAME.legal(world, ANN) == GAME.legal(state, ANN)
        assert GAME.waiting(world) == GAME.waiting(state)


@pytest.mark.cites("§7")
@pytest.mark.parametrize("seats", GAME.seats)
def test_a_game_can_be_played_on_from_any_imagined_position(seats: int) -> None:
    """Whoever is asked there has a legal move, so a bot may think as far ahead as it likes."""
    chance, mind = Chance(b"real"), Chance(b"mind")
    state = GAME.deal(seats, Options(), chance).state
    entry = 0
    while waiting := list(GAME.waiting(state)):
        entry += 1
        if entry % 6 == 0:
            world = GAME.imagine(GAME.view(state, None), chance.at(entry))
            while thinking := list(GAME.waiting(world)):
                moves = GAME.legal(world, thinking[0])
                assert moves
                world = GAME.play(world, thinking[0], mind.pick(moves, "world"), chance.at(entry)).state
            assert GAME.pieces(world) == GAME.pieces(state)
        seat = waiting[0]
        state = GAME.play(state, seat, mind.pick(GAME.legal(state, seat), "move"), chance.at(entry)).state


def test_states_and_views_survive_being_written_down() -> None:
    laid = ((("R300", "M600"),), (), ())
    state = ordering(["A1", "B1"], hands=(("PLAT",), ("JUMP",), ()), packets=laid, stage="again", leap=True)
    view = GAME.view(state, Seat(0))

    assert decode_state(GAME, encode_state(state)) == state
    assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view
