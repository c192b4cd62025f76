"""§6.3 pigeons: cards that interrupt a build, and cards for later."""

from __future__ import annotations

import pytest

from engine.games.dinner_in_paris import GAME, events
from engine.games.dinner_in_paris.rulebook import FREE_TERRACE, LATER, PIGEONS
from tests.games.dinner_in_paris.positions import P, Q, a_game, asked, cells, play, refused, shown, texts, told

NEAR = ("0 friterie@H1 H2 H3",)
"""H4 is a pigeon."""


@pytest.mark.cites("§6.3", "R11")
def test_a_kept_card_is_for_a_later_turn() -> None:
    state = a_game(4, *NEAR, gauges={P: 5}, pigeons="objective")

    after = play(state, "place H1 H4")

    assert after.players[P].kept == ("objective",)
    assert after.usable(P) == ()
    assert asked(after) == ["building"]
    assert refused(play(after, "done"), "play objective") is LATER
    later = play(after, "done", *["draw deck"] * 10)
    assert GAME.waiting(later).keys() == {P}
    assert "play objective" in texts(play(later, "draw deck"))


@pytest.mark.cites("§6.3", "§9")
def test_which_card_was_kept_is_told_to_its_owner_alone() -> None:
    state = a_game(4, *NEAR, gauges={P: 5}, pigeons="objective")

    assert told(state, "place H1 H4")[-2:] == [
        events.PigeonKept(seat=P),
        events.PigeonDrawn(seat=P, card="objective", to=(P,)),
    ]


@pytest.mark.cites("§6.3")
def test_pigeon_cards_are_not_actions() -> None:
    state = a_game(4, *NEAR, gauges={P: 5}, pigeons="two-resources", actions=2)

    after = play(state, "place H1 H4", "draw deck", "draw deck", "done")

    assert asked(after) == ["action"]
    assert after.turn.actions == 1


@pytest.mark.cites("§6.3", "R12")
def test_two_resources_gives_two_cards_and_then_the_build_goes_on() -> None:
    state = a_game(4, *NEAR, gauges={P: 5}, pigeons="two-resources", deck="seafood coin")

    drawing = play(state, "place H1 H4")
    assert (asked(drawing), drawing.players[P].used) == (["pigeon-draw"], ("two-resources",))
    after = play(drawing, "draw deck", "draw river 1")
    assert after.players[P].hand == ("seafood", "bread")
    assert after.river[0] == "coin"
    assert asked(after) == ["building"]


@pytest.mark.cites("R12")
def test_the_hand_is_limited_after_both_cards() -> None:
    state = a_game(4, *NEAR, gauges={P: 5}, pigeons="two-resources", hands={P: "coin coin coin bread bread coin meat"})

    after = play(state, "place H1 H4", "draw deck")
    assert asked(after) == ["pigeon-draw"]
    after = play(after, "draw deck")
    assert (asked(after), len(after.players[P].hand)) == (["discard"], 9)
    after = play(after, "discard coin", "discard coin")
    assert (asked(after), len(after.players[P].hand)) == (["building"], 7)


@pytest.mark.cites("R12")
def test_coins_drawn_may_be_spent_in_this_build() -> None:
    state = a_game(4, *NEAR, pigeons="two-resources", deck="coin coin")

    after = play(state, "place H1 H4", "draw deck", "draw deck", "place H1 H5 coins 1")

    assert shown(after, "H1") == ("H2", "H3", "H4", "H5")


@pytest.mark.cites("§6.3", "R13")
def test_the_free_terrace_goes_to_the_same_restaurant_for_nothing() -> None:
    state = a_game(4, *NEAR, "0 friterie@M1", pigeons="free-terrace", hands={P: "coin"})

    free = play(state, "place H1 H4")
    assert (asked(free), free.turn.purse) == (["free-terrace"], 0)
    assert cells(free, "M1") == set()
    assert refused(free, "place M1 M2") is PIGEONS
    assert refused(free, "skip") is FREE_TERRACE
    assert not any("coins" in text for text in texts(free))

    after = play(free, "place H1 H5")
    assert shown(after, "H1") == ("H2", "H3", "H4", "H5")
    assert (asked(after), after.turn.purse) == (["building"], 0)
    assert after.players[P].tracks[0] == 4
    # The fourth tile of the track was free, and its + counts.
    assert after.players[P].gauge == 2


@pytest.mark.cites("§6.3")
def test_a_free_terrace_may_meet_another_pigeon() -> None:
    state = a_game(
        2, "0 friterie@C13", phase="free-terrace", purse=0, built=True, free=0, pigeons="free-terrace two-coins"
    )

    again = play(state, "place C13 D13")
    assert (asked(again), again.turn.free) == (["free-terrace"], 0)
    assert asked(play(again, "place C13 D14")) == ["building"]


HEMMED_IN = ("0 friterie@D3 D4", "1 friterie@F3 F4 F5 E5")
"""E4 and D5, where the restaurant at D3 could go on, touch terraces of another player."""


@pytest.mark.cites("R13")
def test_a_free_terrace_that_has_no_cell_is_skipped_and_its_card_used_up() -> None:
    state = a_game(2, *HEMMED_IN, phase="free-terrace", purse=3, built=True, free=0, used={P: "free-terrace"})

    assert texts(state) == ["skip"]
    after = play(state, "skip")
    assert (asked(after), after.turn.free) == (["building"], None)
    assert after.players[P].used == ("free-terrace",)


@pytest.mark.cites("R13")
def test_a_neighbours_card_may_but_need_not_be_played_on_a_free_terrace() -> None:
    state = a_game(2, *HEMMED_IN, phase="free-terrace", purse=0, built=True, free=0, kept={P: "neighbours"})

    assert texts(state) == ["place friterie@D3 E4 neighbours", "place friterie@D3 D5 neighbours", "skip"]
    assert shown(play(state, "place D3 D5 neighbours"), "D3") == ("D4", "D5")


@pytest.mark.cites("R13")
def test_a_free_terrace_without_a_tile_is_skipped() -> None:
    state = a_game(4, *NEAR, tracks={P: [15, 0, 0, 0]}, gauges={P: 5}, pigeons="free-terrace")

    assert texts(play(state, "place H1 H4")) == ["skip"]


@pytest.mark.cites("§6.3")
def test_used_cards_stay_face_up() -> None:
    state = a_game(4, "0 grill@F1", kept={P: "two-coins"})

    view = GAME.view(play(state, "place F1 F2 two-coins 1"), Q)

    assert view.players[P].used == ("two-coins",)
    assert view.players[P].pigeons == 0
