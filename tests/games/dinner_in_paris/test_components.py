"""§1 and §2: the board and the box, and what a component file must be like."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import OptionsRefused
from engine.games.dinner_in_paris import GAME, Options
from engine.games.dinner_in_paris.components import BOX, FILE, load
from engine.games.dinner_in_paris.printed import BadBox, cell_name, cell_of
from tests.games.dinner_in_paris.positions import CHANCE, a_game, dealt


@pytest.mark.cites("§1")
@pytest.mark.parametrize(
    ("board", "seats", "line", "terrain"),
    [("square", 4, 72, 300), ("square", 3, 64, 232), ("square", 2, 56, 172), ("duo", 2, 56, 172)],
)
def test_the_line_is_one_ring_and_terraces_stand_inside_it(board: str, seats: int, line: int, terrain: int) -> None:
    ground = BOX.grounds[board, seats]

    assert ground.line.bit_count() == line
    assert ground.terrain.bit_count() == terrain
    assert not ground.line & ground.terrain


@pytest.mark.cites("§1")
@pytest.mark.parametrize(("seats", "north", "west"), [(4, "B1", "A2"), (3, "C2", "B3"), (2, "D3", "C4")])
def test_with_fewer_players_the_line_is_further_in(seats: int, north: str, west: str) -> None:
    sites = BOX.grounds["square", seats].sites[2]

    assert next(iter(sites)) == north
    assert next(at for at in sites if at[0] == west[0]) == west


@pytest.mark.cites("R1")
def test_corners_of_the_line_are_out_of_play_and_no_restaurant_bends_round_one() -> None:
    ground = BOX.grounds["square", 4]

    assert not any(ground.bits[corner] & ground.line for corner in ("A1", "T1", "A20", "T20"))
    for size, sites in ground.sites.items():
        for site in sites.values():
            columns, rows = zip(*map(cell_of, ground.listed(site.cells)), strict=True)
            assert min(len(set(columns)), len(set(rows))) == 1
            assert max(len(set(columns)), len(set(rows))) == size


@pytest.mark.cites("§1")
@pytest.mark.parametrize(
    ("decor", "elements", "around"),
    [("band", 2, 10), ("flower-bed", 2, 12), ("fountain", 1, 20), ("street-light", 2, 8)],
)
def test_cells_around_the_decor(decor: str, elements: int, around: int) -> None:
    for ground in BOX.grounds.values():
        assert [near.bit_count() for near in ground.decor[decor]] == [around] * elements


@pytest.mark.cites("§1")
def test_there_are_twenty_pigeons_and_terraces_may_stand_on_them() -> None:
    for ground in BOX.grounds.values():
        assert ground.pigeons.bit_count() == 20
        assert ground.pigeons & ground.terrain == ground.pigeons


@pytest.mark.cites("§1")
def test_w12_d10_is_in_the_north_and_d11_in_the_south() -> None:
    ground = BOX.grounds["square", 4]

    assert [zone for zone, cells in ground.zones.items() if cells & ground.bits["D10"]] == ["north", "west"]
    assert [zone for zone, cells in ground.zones.items() if cells & ground.bits["D11"]] == ["south", "west"]


@pytest.mark.cites("§1")
def test_a_quarter_is_where_two_zones_meet() -> None:
    for (board, _), ground in BOX.grounds.items():
        size = {"square": 100, "duo": 64}[board]
        assert [quarter.bit_count() for quarter in ground.quarters] == [size] * 4
        assert sum(ground.quarters) == (1 << len(ground.names)) - 1


@pytest.mark.cites("§1")
def test_the_duo_board_is_the_middle_of_the_square() -> None:
    square, duo = BOX.grounds["square", 2], BOX.grounds["duo", 2]

    def moved(names: tuple[str, ...]) -> set[str]:
        return {cell_name((column + 2, row + 2)) for column, row in map(cell_of, names)}

    for part in ("line", "terrain", "pigeons"):
        assert moved(duo.listed(getattr(duo, part))) == set(square.listed(getattr(square, part)))
    for decor, elements in duo.decor.items():
        assert [moved(duo.listed(near)) for near in elements] == [
            set(square.listed(near)) for near in square.decor[decor]
        ]
    for zone, cells in duo.zones.items():
        assert moved(duo.listed(cells & duo.terrain)) == set(square.listed(square.zones[zone] & square.terrain))


@pytest.mark.cites("§1")
def test_the_duo_board_is_for_two() -> None:
    with pytest.raises(OptionsRefused, match="for 2 players"):
        GAME.deal(3, Options("duo"), CHANCE)


def test_an_unknown_board_or_number_of_players_is_refused() -> None:
    with pytest.raises(OptionsRefused, match="no board 'round'"):
        GAME.deal(2, Options("round"), CHANCE)  # type: ignore[arg-type]
    with pytest.raises(OptionsRefused, match="2 to 4 players"):
        GAME.deal(5, Options(), CHANCE)


@pytest.mark.cites("§2", "R26")
def test_the_box_is_complete() -> None:
    counts = GAME.pieces(dealt(4))

    def total(kind: str) -> int:
        return sum(number for piece, number in counts.items() if piece.startswith(f"{kind} "))

    assert total("resource") == 48
    assert total("restaurant") == 18
    assert total("pigeon") == 24
    assert total("objective") == 24
    assert total("majority") == 8
    assert total("terrace") == 4 * 52
    assert (counts["resource potatoes"], counts["resource seafood"], counts["resource coin"]) == (8, 3, 7)


@pytest.mark.cites("§2")
def test_a_position_of_these_tests_has_all_the_pieces_of_a_deal() -> None:
    state = a_game(
        3, "0 creperie@F2 F3 F4", "1 friterie@I2", hands={0: "coin flour"}, kept={1: "neighbours"}, row="north"
    )

    assert GAME.pieces(state) == GAME.pieces(dealt(3))


def test_the_rules_play_by_the_facts_that_a_record_is_signed_for() -> None:
    assert GAME.components(Options()) == tomllib.loads(FILE.read_text())


def broken(change: Callable[[dict[str, Any]], None]) -> str:
    """What loading says about a box with this change."""
    facts = copy.deepcopy(dict(BOX.facts))
    change(facts)
    with pytest.raises(BadBox) as fault:
        load(facts, "some.toml")
    return str(fault.value)


def change(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def apply(facts: dict[str, Any]) -> None:
        place: Any = facts
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (change("game", "hand_limit", to="seven"), "Expected `int`"),
        (change("game", "first_seat", to=2), "seat 2 cannot be first"),
        (change("game", "end", "restaurants", to={"2": 11}), "for 2, 3 and 4 seats"),
        (change("game", "majority_points", "2", to=[4, 10]), "none above the one before"),
        (change("game", "majority_points", "2", to=[10, 3]), "2 tied seats cannot share 13 points"),
        (change("resources", 0, "count", to=5), "49 resource cards, not 48"),
        (change("resources", 0, "shows", to=[]), "must show ingredients or be worth coins"),
        (change("resources", 7, "shows", to=["bread", "meat"]), "must be called by what it shows"),
        (change("resources", 14, "coins", to=2), "worth 1"),
        (change("pigeons", 0, "id", to="three-resources"), "the pigeon cards must be"),
        (change("pigeons", 0, "immediate", to=False), "act at once"),
        (change("pigeons", 0, "coins", to=1), "two-coins is worth 2"),
        (change("restaurants", 0, "count", to=4), "17 restaurants, not 18"),
        (change("restaurants", 1, "id", to="friterie"), "two kinds of restaurants are friterie"),
        (change("restaurants", 0, "cost", to=["caviar"]), "costs caviar, which no card shows"),
        (change("restaurants", 0, "cost", to=[]), "costs nothing"),
        (change("restaurants", 0, "category", to=5), "has no track"),
        (change("restaurants", 0, "size", to=0), "takes no room"),
        (change("tracks", 0, "category", to=2), "categories 1, 2, 3"),
        (change("tracks", 3, "cost", to=[1]), "1 costs but 8 cells"),
        (change("tracks", 3, "cost", 0, to=0), "costs nothing"),
        (change("tracks", 3, "reveals", 1, to=0), "two + signs side by side"),
        (change("game", "totals", "terraces", to=50), "52 terraces for each seat, not 50"),
        (change("game", "totals", "objectives", to=23), "24 objectives, not 23"),
        (change("objectives", 1, "id", to="every-decor"), "two objectives are every-decor"),
        (change("objectives", 0, "each", to=0), "how many there are to be of each"),
        (change("objectives", 7, "total", to=0), "how many there are to be in all"),
        (change("objectives", 1, "decor", to="statue"), "there is no decor 'statue'"),
        (change("objectives", 7, "zone", to="middle"), "there is no zone 'middle'"),
        (change("objectives", 13, "shape", to=["xx"]), "must draw its shape"),
        (change("game", "totals", "majorities", to=9), "8 majority cards, not 9"),
        (change("majorities", 1, "id", to="flower-beds-lights-west"), "two majority cards are"),
        (change("majorities", 0, "majorities", to=["fame"]), "nobody can have most of 'fame'"),
        (change("boards", "duo", "map", 0, to="B"), "must be a square"),
        (change("boards", "duo", "pigeons", to=[]), "the pigeons listed are not those of the map"),
        (change("boards", "duo", "decor", 0, "type", to="statue"), "there is no decor 'statue'"),
        (change("boards", "duo", "decor", 0, "cells", to=["C4"]), "the band cells listed are not those of the map"),
        (change("boards", "duo", "zones", "north", to={}), "by its rows or by its columns"),
        (change("boards", "duo", "line_ring", to={"2": 2}), "is not inside ring 2"),
        (change("boards", "duo", "line_ring", to={"5": 1}), "not for 5"),
    ],
)
def test_a_box_that_cannot_be_played_is_refused_with_its_fault(wrong: Any, says: str) -> None:
    fault = broken(wrong)

    assert fault.startswith("some.toml: ")
    assert says in fault


def test_more_pigeons_than_cards_are_refused() -> None:
    def flock(facts: dict[str, Any]) -> None:
        facts["boards"]["duo"]["pigeons"] += [f"B{row}" for row in range(1, 6)]

    assert "board duo has more pigeons than there are pigeon cards" in broken(flock)


def test_a_cell_around_two_elements_is_refused() -> None:
    def closer(facts: dict[str, Any]) -> None:
        duo = facts["boards"]["duo"]
        duo["decor"].append({"type": "street-light", "cells": ["C6"]})
        duo["map"][5] = ".pL.p......p.Lp."

    assert "is around two elements of the decor" in broken(closer)
