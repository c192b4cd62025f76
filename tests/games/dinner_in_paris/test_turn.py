"""§4 the turn: a draw and two actions, and what happens when a deadline passes."""

from __future__ import annotations

import pytest

from engine.errors import OutOfTurn
from engine.game import Seat
from engine.games.dinner_in_paris import GAME
from engine.games.dinner_in_paris.moves import Discard, Done, Draw, Keep, Place, Share, Skip
from engine.games.dinner_in_paris.rulebook import TURN
from tests.games.dinner_in_paris.positions import CHANCE, P, Q, a_game, asked, dealt, play, refused, texts


@pytest.mark.cites("§4")
def test_w1_three_cards_are_a_full_turn() -> None:
    state = a_game(2, phase="first-draw")

    after = play(state, "draw deck", "draw river 1", "draw deck")

    assert len(after.players[P].hand) == 3
    assert GAME.waiting(after).keys() == {Q}
    assert asked(after) == ["first-draw"]


@pytest.mark.cites("§4")
def test_a_turn_is_a_draw_and_then_exactly_two_actions() -> None:
    state = a_game(2, phase="first-draw", hands={P: "potatoes potatoes potatoes potatoes"})

    after = play(state, "draw deck")
    assert (asked(after), after.turn.actions) == (["action"], 2)
    after = play(after, "open friterie D3 with potatoes potatoes")
    assert (asked(after), after.turn.actions) == (["action"], 1)
    after = play(after, "open friterie F3 with potatoes potatoes")
    assert after.turn.seat == Q


@pytest.mark.cites("§4")
def test_building_is_possible_once_a_turn() -> None:
    state = a_game(2, "0 friterie@D3", gauges={P: 5})

    after = play(state, "place D3 E4", "done")

    assert asked(after) == ["action"]
    assert not any(text.startswith("place") for text in texts(after))
    assert refused(after, "place D3 E5") is TURN


@pytest.mark.cites("R3")
def test_there_is_no_passing_and_always_a_card_to_draw() -> None:
    state = a_game(2)

    assert texts(state) == ["draw river 1", "draw river 2", "draw river 3", "draw river 4", "draw deck"]
    assert refused(state, "done") is TURN


@pytest.mark.cites("R10")
def test_a_build_action_begins_with_a_placement() -> None:
    state = a_game(2, "0 friterie@D3")

    assert "done" not in texts(state)
    assert texts(play(state, "place D3 E4"))[-1] == "done"


@pytest.mark.cites("§4")
def test_the_next_seat_begins_afresh() -> None:
    state = a_game(3, "0 friterie@C2", actions=1, kept={P: "neighbours"}, fresh=1)

    after = play(state, "place C2 C3", "done")

    assert after.turn == type(after.turn)(Q, 2)
    assert after.usable(P) == ("neighbours",)


@pytest.mark.cites("§4")
def test_moves_of_others_and_at_the_wrong_moment_are_refused() -> None:
    state = a_game(2, phase="first-draw")

    with pytest.raises(OutOfTurn):
        GAME.play(state, Q, Draw("deck"), CHANCE)
    for typed in ("share", "keep", "skip", "done", "discard coin", "claim north", "play objective"):
        assert refused(state, typed) is TURN


@pytest.mark.cites("§4")
def test_fallbacks() -> None:
    assert GAME.fallback(dealt(2), Q) == Keep(0)
    assert GAME.fallback(a_game(2, phase="first-draw"), P) == Draw("deck")
    assert GAME.fallback(a_game(2), P) == Draw("deck")
    assert GAME.fallback(a_game(2, phase="pigeon-draw", owed=2, purse=0), P) == Draw("deck")
    assert GAME.fallback(play(a_game(2, "0 friterie@D3"), "place D3 E4"), P) == Done()
    assert GAME.fallback(
        a_game(2, phase="discard", hands={P: "coin coin coin bread coin coin coin meat"}), P
    ) == Discard("meat")
    assert GAME.fallback(a_game(2, phase="drawn-objective", drawn="north", held={P: "south"}), P) == Share()
    assert GAME.fallback(a_game(2, phase="second-claim", claims=1, kept={P: "two-coins"}), P) == Done()
    with pytest.raises(OutOfTurn):
        GAME.fallback(a_game(2), Q)


@pytest.mark.cites("R13", "R27")
def test_a_missed_free_terrace_goes_to_the_first_cell_that_costs_no_card() -> None:
    state = a_game(
        2,
        "0 friterie@D3 D4 D5",
        "1 friterie@G3 G4 F4",
        phase="free-terrace",
        purse=0,
        built=True,
        free=0,
        kept={P: "neighbours"},
    )

    assert "place friterie@D3 E4 neighbours" in texts(state)
    assert GAME.fallback(state, P) == Place("friterie@D3", "E5")


@pytest.mark.cites("R13")
def test_a_missed_free_terrace_without_a_cell_is_skipped() -> None:
    state = a_game(2, "0 friterie@D3", tracks={P: [16, 0, 0, 0]}, phase="free-terrace", purse=0, free=0)

    assert GAME.fallback(state, Seat(0)) == Skip()
