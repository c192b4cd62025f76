"""§6.3 neighbours: building beside other players' terraces, and over them."""

from __future__ import annotations

import pytest

from engine.games.dinner_in_paris import GAME, events
from engine.games.dinner_in_paris.rulebook import BUILD, LATER, LINK, NEIGHBOURS, PIGEONS
from engine.games.dinner_in_paris.scoring import placed
from engine.games.dinner_in_paris.state import Freed
from tests.games.dinner_in_paris.positions import P, Q, R, a_game, asked, cells, play, refused, shown, told

W9 = ("0 creperie@E1 G2 G3", "1 friterie@I1 I2 I3 J2 J3")


@pytest.mark.cites("§6.3", "R17")
def test_w9_neighbours() -> None:
    state = a_game(4, *W9, gauges={P: 6}, kept={P: "neighbours"})

    after = play(state, "place E1 H3 neighbours", "place E1 I3", "place E1 J3")

    assert shown(after, "E1") == ("G2", "G3", "H3", "I3", "J3")
    assert shown(after, "I1") == ("I2", "J2")
    assert (after.turn.purse, after.players[P].gauge) == (0, 7)
    assert placed(after, Q) == 4
    assert GAME.pieces(after) == GAME.pieces(state)
    assert refused(after, "place E1 I2") is NEIGHBOURS


@pytest.mark.cites("§6.3")
def test_a_cover_is_told_with_its_victim() -> None:
    state = a_game(4, *W9, gauges={P: 6}, kept={P: "neighbours"})

    happened = told(state, "place E1 H3 neighbours", "place E1 I3")

    assert [event.over for event in happened if isinstance(event, events.Place)] == [None, Q]


@pytest.mark.cites("§6.3")
def test_the_card_is_spent_only_on_a_placement_that_needs_it() -> None:
    state = a_game(4, *W9, gauges={P: 6}, kept={P: "neighbours"})

    assert "F2" in cells(state, "E1")
    assert cells(state, "E1", neighbours=True) == {"H2", "H3"}
    assert refused(state, "place E1 F2 neighbours") is NEIGHBOURS
    assert refused(state, "place E1 H3") is BUILD
    after = play(state, "place E1 H3 neighbours")
    assert (after.players[P].kept, after.players[P].used) == ((), ("neighbours",))
    assert cells(after, "E1", neighbours=True) == set()
    assert refused(after, "place E1 I3 neighbours") is NEIGHBOURS


@pytest.mark.cites("R11")
def test_the_card_must_be_there_and_usable() -> None:
    assert refused(a_game(4, *W9, gauges={P: 6}), "place E1 H3 neighbours") is PIGEONS
    fresh = a_game(4, *W9, gauges={P: 6}, kept={P: "neighbours"}, fresh=1)
    assert refused(fresh, "place E1 H3 neighbours") is LATER
    assert cells(fresh, "E1", neighbours=True) == set()


@pytest.mark.cites("§6.3")
def test_it_lasts_to_the_end_of_the_action() -> None:
    state = a_game(4, *W9, gauges={P: 6}, kept={P: "neighbours"})

    building = play(state, "place E1 H3 neighbours")
    assert building.turn.freed == (Freed(0, 2),)
    assert {"H2", "H4", "I3"} <= cells(building, "E1")
    assert play(building, "done").turn.freed == ()


@pytest.mark.cites("§6.3")
def test_own_terraces_of_other_restaurants_stay_out_of_touch_and_uncovered() -> None:
    state = a_game(
        4, "0 creperie@E1 G2 G3", "0 friterie@I1 I2", "1 friterie@C1 D2 E3", gauges={P: 9}, kept={P: "neighbours"}
    )

    assert refused(state, "place E1 H2 neighbours") is BUILD
    assert "F3" in cells(state, "E1", neighbours=True)
    assert refused(state, "place E1 G2 neighbours") is BUILD


@pytest.mark.cites("§6.3")
def test_even_with_the_card_the_terrace_must_be_connected_and_on_open_ground() -> None:
    state = a_game(4, *W9, gauges={P: 9}, kept={P: "neighbours"})

    for cell in ("J3", "I4", "E6"):
        assert refused(state, f"place E1 {cell} neighbours") is BUILD


@pytest.mark.cites("R14")
def test_it_frees_one_restaurant_only() -> None:
    state = a_game(4, *W9, "0 friterie@L1 L2", gauges={P: 9}, kept={P: "neighbours"})

    after = play(state, "place E1 H3 neighbours")

    assert "K2" not in cells(after, "L1")
    assert refused(after, "place L1 K2") is BUILD


@pytest.mark.cites("R14")
def test_another_card_may_free_another_restaurant() -> None:
    state = a_game(4, *W9, "0 friterie@L1 L2", gauges={P: 9}, kept={P: "neighbours neighbours"})

    after = play(state, "place E1 H3 neighbours", "place L1 K2 neighbours")

    assert after.turn.freed == (Freed(0, 2), Freed(2, 2))


@pytest.mark.cites("R14")
def test_victims_may_differ() -> None:
    state = a_game(
        4, "0 creperie@E1 F2", "1 friterie@H1 H2 G2", "2 friterie@C1 D2 E2", gauges={P: 9}, kept={P: "neighbours"}
    )

    after = play(state, "place E1 G2 neighbours", "place E1 E2")

    assert [player.tracks[0] for player in after.players[1:3]] == [2, 2]
    assert (shown(after, "H1"), shown(after, "C1")) == (("H2",), ("D2",))


@pytest.mark.cites("R14")
def test_another_card_on_the_same_restaurant_gives_two_more_covers() -> None:
    state = a_game(4, *W9, gauges={P: 9}, kept={P: "neighbours neighbours"})

    twice = play(state, "place E1 H3 neighbours", "place E1 I3", "place E1 J3")
    assert cells(twice, "E1", neighbours=True) == {"I2", "J2"}
    after = play(twice, "place E1 I2 neighbours")
    assert after.turn.freed == (Freed(0, 1),)
    assert after.players[P].used == ("neighbours", "neighbours")


@pytest.mark.cites("R15")
def test_a_cover_may_not_cut_the_link_to_the_restaurant() -> None:
    state = a_game(4, "0 creperie@E1 G2 G3", "1 friterie@I1 I2 I3 H3 I4", gauges={P: 9}, kept={P: "neighbours"})

    assert cells(state, "E1", neighbours=True) >= {"H2", "H3"}
    beside = play(state, "place E1 H2 neighbours")
    assert refused(beside, "place E1 I2") is LINK
    assert "H3" in cells(beside, "E1")


@pytest.mark.cites("R15")
def test_parts_that_each_reach_the_restaurant_may_be_separated() -> None:
    state = a_game(4, "0 friterie@H1 H2 H3 I3 J3 K3", "1 grill@J1 J2 K2 L2", gauges={P: 9}, kept={P: "neighbours"})

    after = play(state, "place H1 K2 neighbours")

    assert shown(after, "J1") == ("J2", "L2")


@pytest.mark.cites("R15")
def test_a_terrace_that_another_hangs_on_is_safe() -> None:
    state = a_game(4, "0 friterie@H1 H2", "1 grill@J1 J2 K2 L2 K3", gauges={P: 9}, kept={P: "neighbours"})

    after = play(state, "place H1 I2 neighbours", "place H1 J2")

    assert shown(after, "J1") == ("K2", "L2", "K3")
    assert refused(after, "place H1 K2") is LINK


@pytest.mark.cites("R15")
def test_the_last_terrace_may_be_covered_and_the_restaurant_begins_again_in_front() -> None:
    state = a_game(4, "0 creperie@E1 G2 G3", "1 friterie@I1 I2", gauges={P: 9}, kept={P: "neighbours"})

    after = play(state, "place E1 H2 neighbours", "place E1 I2", "done", "draw deck", "draw deck")

    assert shown(after, "I1") == ()
    assert after.turn.seat == Q
    again = a_game(4, "0 friterie@L1 L2", "1 friterie@I1", to_move=1, gauges={Q: 9}, tracks={Q: [3, 0, 0, 0]})
    assert cells(again, "I1") == {"I2", "J2"}


@pytest.mark.cites("R16")
def test_covering_a_terrace_on_a_pigeon_draws_no_card() -> None:
    state = a_game(4, "0 friterie@F1 F2 G2 G3 G4", "1 friterie@H1 H2 H3 H4", gauges={P: 9}, kept={P: "neighbours"})

    after = play(state, "place F1 H4 neighbours")

    assert shown(after, "H1") == ("H2", "H3")
    assert asked(after) == ["building"]
    assert after.pigeons == state.pigeons


@pytest.mark.cites("R17")
def test_a_covered_terrace_counts_as_placed_but_is_not_seen() -> None:
    state = a_game(4, *W9, gauges={P: 6}, kept={P: "neighbours"})

    after = play(state, "place E1 H3 neighbours", "place E1 I3")

    assert placed(after, Q) == 4
    assert after.seen(Q).bit_count() == 3
    assert after.covered == (("I3", 1),)
    assert GAME.view(after, R).covered == (("I3", "friterie@I1"),)


@pytest.mark.cites("§6.3")
def test_a_terrace_over_another_may_be_covered_in_turn() -> None:
    state = a_game(4, *W9, gauges={P: 6, Q: 6}, kept={P: "neighbours", Q: "neighbours"})
    state = play(state, "place E1 H3 neighbours", "place E1 I3", "done", "draw deck", "draw deck")

    after = play(state, "place I1 I3 neighbours")

    assert shown(after, "I1") == ("I2", "J2", "I3", "J3")
    assert after.covered == (("I3", 1), ("I3", 0))
    assert GAME.pieces(after) == GAME.pieces(state)
