"""§6.2 build: where terraces may stand, and what they cost."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove
from engine.games.dinner_in_paris import GAME, events
from engine.games.dinner_in_paris.moves import Place
from engine.games.dinner_in_paris.rulebook import BUILD, CONNECTED, LATER, MONEY, PIGEONS
from tests.games.dinner_in_paris.positions import CHANCE, P, Q, a_game, asked, cells, play, refused, shown, texts, told

CROWD = (
    "0 pizzeria@E1 E2 E3 E4 E5 F3",
    "0 friterie@H1 H2 H3",
    "1 friterie@B1 C2 C3 C4",
)
"""The square of W6 and W7."""


@pytest.mark.cites("§6.2")
def test_w3_building() -> None:
    state = a_game(
        3,
        "0 creperie@F2",
        "0 bar-a-vin@B8",
        "1 friterie@I2 I3 H3",
        gauges={P: 4},
        hands={P: "coin"},
    )

    assert refused(state, "place F2 G3") is BUILD
    first = play(state, "place F2 F3")
    assert first.turn.purse == 2
    after = play(first, "place B8 C8 coins 1", "done")
    assert (shown(after, "F2"), shown(after, "B8")) == (("F3",), ("C8",))
    assert after.players[P].gauge == 4
    assert after.players[P].hand == ()
    assert after.discards == ("coin",)


@pytest.mark.cites("§6.2")
def test_w4_first_terrace() -> None:
    state = a_game(4, "0 pizzeria@E1", gauges={P: 9})

    assert cells(state, "E1") == {"E2", "F2", "G2"}
    for cell in ("D2", "H2", "F3", "H1"):
        assert refused(state, f"place E1 {cell}") is BUILD


@pytest.mark.cites("§6.2", "R9")
def test_w5_new_terrace() -> None:
    state = a_game(4, "0 pizzeria@E1 E2", gauges={P: 9})

    assert cells(state, "E1") == {"D2", "F2", "E3"}
    for cell in ("D3", "F3", "E4"):
        assert refused(state, f"place E1 {cell}") is BUILD
    assert refused(state, "place E1 G2") is CONNECTED


@pytest.mark.cites("§6.2")
def test_w6_blue_terrace() -> None:
    state = a_game(4, *CROWD, gauges={P: 9})

    assert cells(state, "E1") == {"D5", "F2", "F4", "F5"}
    for cell in ("D2", "D3", "D4"):
        assert refused(state, f"place E1 {cell}") is BUILD


@pytest.mark.cites("§6.2")
@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("E6", "not open ground"),
        ("G3", "another restaurant of yours"),
        ("E1", "on the line"),
        ("E7", "does not touch a terrace"),
        ("E2", "of yours stands on E2 already"),
        ("A1", "not open ground"),
    ],
)
def test_w7_forbidden(cell: str, why: str) -> None:
    state = a_game(4, *CROWD, gauges={P: 9})

    with pytest.raises(IllegalMove, match=why) as refusal:
        GAME.play(state, P, Place("pizzeria@E1", cell), CHANCE)
    assert refusal.value.rule is BUILD


@pytest.mark.cites("§6.2")
def test_cells_in_front_of_other_restaurants_are_allowed() -> None:
    state = a_game(4, "0 pizzeria@E1 G2", "1 friterie@H1", gauges={P: 9})

    assert "H2" in cells(state, "E1")


@pytest.mark.cites("§6.2")
def test_only_own_restaurants_are_built_on() -> None:
    state = a_game(4, "0 pizzeria@E1", "1 friterie@H1", gauges={P: 9})

    assert cells(state, "H1") == set()
    assert refused(state, "place H1 H2") is BUILD
    with pytest.raises(IllegalMove, match="there is no grill@H1"):
        GAME.play(state, P, Place("grill@H1", "H2"), CHANCE)
    with pytest.raises(IllegalMove, match="there is no cell 'Z9'"):
        GAME.play(state, P, Place("pizzeria@E1", "Z9"), CHANCE)


@pytest.mark.cites("§6.2")
def test_each_terrace_costs_what_the_next_tile_of_its_track_costs() -> None:
    state = a_game(4, "0 friterie@H1", tracks={P: [7, 0, 0, 0]}, gauges={P: 4})

    after = play(state, "place H1 H2", "place H1 H3")

    assert after.turn.purse == 4 - 1 - 2
    assert after.players[P].tracks == (9, 0, 0, 0)


@pytest.mark.cites("§6.2")
def test_an_empty_track_ends_building() -> None:
    state = a_game(4, "0 friterie@H1", tracks={P: [16, 0, 0, 0]}, gauges={P: 9})

    assert cells(state, "H1") == set()
    assert refused(state, "place H1 H2") is BUILD


@pytest.mark.cites("§6.2")
def test_restaurants_of_one_category_share_a_track() -> None:
    state = a_game(4, "0 friterie@H1", "0 friterie@N1", gauges={P: 9})

    assert play(state, "place H1 H2", "place N1 N2").players[P].tracks == (2, 0, 0, 0)


@pytest.mark.cites("§6.2")
def test_money_that_is_not_spent_is_lost() -> None:
    state = a_game(4, "0 friterie@H1", gauges={P: 4})

    assert told(state, "place H1 H2", "done")[-1] == events.Built(seat=P, lost=3)
    assert play(state, "place H1 H2", "done").turn.purse is None


@pytest.mark.cites("§6.2", "R7")
def test_a_plus_raises_the_gauge_but_not_the_purse_of_this_action() -> None:
    state = a_game(4, "0 brasserie@F1", gauges={P: 5})

    after = play(state, "place F1 F2")

    assert after.players[P].gauge == 6
    assert after.turn.purse == 1
    assert told(state, "place F1 F2")[-1] == events.Income(seat=P, gauge=6)


@pytest.mark.cites("R8")
def test_a_short_purse_is_topped_up_where_it_is_short() -> None:
    state = a_game(4, "0 grill@F1", gauges={P: 1}, hands={P: "coin coin coin"}, kept={P: "two-coins two-coins"})

    ways = {(move.coins, move.two_coins) for move in GAME.legal(state, P) if isinstance(move, Place)}

    assert ways == {(2, 0), (0, 1)}
    assert refused(state, "place F1 F2") is BUILD
    assert refused(state, "place F1 F2 coins 1") is BUILD
    assert refused(state, "place F1 F2 coins 3") is MONEY
    assert refused(state, "place F1 F2 coins 1 two-coins 1") is MONEY
    assert refused(state, "place F1 F2 two-coins 2") is MONEY


@pytest.mark.cites("R8")
def test_change_stays_in_the_purse_until_the_action_ends() -> None:
    state = a_game(4, "0 grill@F1", gauges={P: 2}, kept={P: "two-coins two-coins"})

    after = play(state, "place F1 F2 two-coins 1")

    assert after.turn.purse == 1
    assert (after.players[P].kept, after.players[P].used) == (("two-coins",), ("two-coins",))
    assert play(after, "place F1 F3 two-coins 1").turn.purse == 0


@pytest.mark.cites("R8")
def test_coins_and_two_coins_may_be_mixed() -> None:
    state = a_game(
        4,
        "0 grill@F1 F2 F3 F4 F5",
        tracks={P: [0, 0, 11, 0]},
        gauges={P: 2},
        hands={P: "coin coin coin"},
        kept={P: "two-coins"},
    )

    ways = {(move.coins, move.two_coins) for move in GAME.legal(state, P) if isinstance(move, Place)}

    assert ways == {(3, 1)}


@pytest.mark.cites("R8")
def test_no_money_is_taken_for_what_the_purse_can_pay() -> None:
    state = a_game(4, "0 friterie@H1", hands={P: "coin"})

    assert refused(state, "place H1 H2 coins 1") is MONEY
    assert refused(state, "place H1 H2 coins 2") is MONEY


@pytest.mark.cites("R11")
def test_two_coins_of_this_turn_cannot_be_used_yet() -> None:
    state = a_game(4, "0 grill@F1", kept={P: "two-coins"}, fresh=1)

    assert cells(state, "F1") == set()
    assert refused(state, "place F1 F2 two-coins 1") is LATER
    assert refused(a_game(4, "0 grill@F1"), "place F1 F2 two-coins 1") is PIGEONS


@pytest.mark.cites("§6.2")
def test_placements_are_listed_by_restaurant_row_and_column() -> None:
    state = a_game(4, "0 friterie@H1 H2", "0 pizzeria@E1", gauges={P: 9})

    assert [text for text in texts(state) if text.startswith("place")] == [
        "place friterie@H1 G2",
        "place friterie@H1 I2",
        "place friterie@H1 H3",
        "place pizzeria@E1 E2",
        "place pizzeria@E1 F2",
    ]


@pytest.mark.cites("§6.2")
def test_one_action_may_build_on_several_restaurants() -> None:
    state = a_game(4, "0 friterie@H1", "0 pizzeria@M1", gauges={P: 9})

    after = play(state, "place H1 H2", "place M1 M2", "place H1 H3")

    assert (shown(after, "H1"), shown(after, "M1")) == (("H2", "H3"), ("M2",))
    assert asked(after) == ["building"]
    assert GAME.waiting(play(after, "done", "draw deck")).keys() == {Q}
