"""§1 tables and cards, §2 setup, and the options of a table."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from engine.chance import Chance
from engine.errors import OptionsRefused
from engine.games.restaurant import GAME, Options
from engine.games.restaurant.components import BOX
from engine.games.restaurant.moves import Take
from tests.games.restaurant.positions import ANN, CHANCE, asked, ordering, play, snake


def neighbours(table: str, *, stairs: bool = False) -> set[str]:
    return {BOX.tables[other] for other in BOX.neighbours[stairs][BOX.table_no[table]]}


@pytest.mark.cites("§1")
def test_there_are_sixty_tables_of_which_28_are_the_edge() -> None:
    assert (BOX.tables[0], BOX.tables[9], BOX.tables[10], BOX.tables[-1]) == ("A1", "J1", "A2", "J6")
    assert len(BOX.tables) == 60
    assert len(BOX.edge) == 28
    assert {BOX.tables[table][0] for table in BOX.edge if BOX.tables[table][1] in "2345"} == {"A", "J"}


@pytest.mark.cites("§1")
def test_neighbours_share_a_side() -> None:
    assert neighbours("A1") == {"B1", "A2"}
    assert neighbours("J6") == {"I6", "J5"}
    assert neighbours("C3") == {"C2", "B3", "D3", "C4"}


@pytest.mark.cites("§1")
def test_there_are_28_function_cards_and_32_menus() -> None:
    deck = Counter(BOX.cards[card] for card in BOX.deck)

    assert (deck["PLAT"], deck["DOUBLE"], deck["JUMP"]) == (18, 7, 3)
    assert [deck[f"M{value}"] for value in (100, 200, 300, 600)] == [7, 7, 8, 4]
    assert [deck[f"R{value}"] for value in (100, 200, 300, 600)] == [2, 2, 1, 1]
    assert deck.total() == 60
    assert [BOX.values[BOX.card_no[card]] for card in ("PLAT", "DOUBLE", "JUMP", "M100", "R600")] == [0, 0, 0, 100, 600]


@pytest.mark.cites("R1")
def test_r1_the_salon_is_the_central_block_and_has_a_staircase_on_each_side() -> None:
    salon = set(BOX.printed.board.salon.tables)

    assert salon == {f"{column}{row}" for column in "DEFG" for row in "2345"}
    assert {(stairs.outside, stairs.inside) for stairs in BOX.printed.board.stairs} == {
        ("E1", "E2"),
        ("H3", "G3"),
        ("F6", "F5"),
        ("C4", "D4"),
    }


@pytest.mark.cites("§6", "R1")
def test_with_the_stairs_only_four_pairs_cross_the_border_of_the_salon() -> None:
    salon = set(BOX.printed.board.salon.tables)
    crossing = {(table, other) for table in salon for other in neighbours(table, stairs=True) - salon}

    assert crossing == {("E2", "E1"), ("G3", "H3"), ("F5", "F6"), ("D4", "C4")}
    assert neighbours("E1", stairs=True) == {"D1", "F1", "E2"}
    assert neighbours("D1", stairs=True) == {"C1", "E1"}
    assert neighbours("E3", stairs=True) == {"E2", "D3", "F3", "E4"}


@pytest.mark.cites("§2")
def test_the_shuffled_deck_is_laid_out_in_reading_order() -> None:
    state = GAME.deal(3, Options(), Chance(bytes(32))).state

    assert state.tables == Chance(bytes(32)).shuffled(BOX.deck, "tables")


@pytest.mark.cites("§2")
@pytest.mark.parametrize("players", GAME.seats)
def test_seat_0_begins_and_all_hands_are_empty(players: int) -> None:
    state = GAME.deal(players, Options(), CHANCE).state

    assert asked(state) == {ANN: "order"}
    assert state.hands == ((),) * players
    assert [score.total for score in GAME.standing(state).scores] == [0] * players


@pytest.mark.cites("§2")
def test_all_sixty_cards_are_pieces() -> None:
    assert GAME.pieces(GAME.deal(6, Options(), CHANCE).state).total() == 60


@pytest.mark.cites("R21")
def test_r21_nobody_runs_out_of_markers() -> None:
    state = ordering(snake(40), hands=((), ()), turn=0, cards={"A5": "M100"})
    state = msgspec.structs.replace(state, markers=tuple(None if owner is None else ANN for owner in state.markers))

    after = play(state, Take("A5")).state

    assert after.markers.count(ANN) == 41 > BOX.printed.markers.per_colour


def test_three_to_six_can_play() -> None:
    assert list(GAME.seats) == [3, 4, 5, 6]
    for seats in (2, 7):
        with pytest.raises(OptionsRefused, match=f"3 to 6 players, not {seats}"):
            GAME.deal(seats, Options(), CHANCE)


def test_the_base_game_is_the_default() -> None:
    assert GAME.options() == Options(stairs=False, scoring="both")


def test_the_components_of_a_table_are_the_whole_data_file_as_plain_json() -> None:
    facts = GAME.components(Options())

    assert facts["orders"]["minimum"] == 30
    assert msgspec.json.decode(msgspec.json.encode(facts)) == facts
