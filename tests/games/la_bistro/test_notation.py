"""§8 how moves are written."""

from __future__ import annotations

import pytest

from engine import notation
from engine.errors import NotUnderstood
from engine.games.la_bistro import GAME
from engine.games.la_bistro.components import BuildingId, CuisineId, RenovationId
from engine.games.la_bistro.moves import (
    OPTIONS,
    Advertise,
    AnyMove,
    Auction,
    Bid,
    Borrow,
    Choose,
    Decline,
    Hire,
    Limit,
    Pass,
    Renovate,
    Repay,
    Set,
)
from engine.games.la_bistro.state import Hiring, Nominating, Renovating
from engine.games.la_bistro.state import Market as Counter
from tests.games.la_bistro.positions import ANN, BOB, a_table, asking, restaurant

STATE = asking(a_table([restaurant("B8")], []))
FORMS = GAME.forms(GAME.view(STATE, ANN))


@pytest.mark.cites("§8")
@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("choose realtor", Choose("realtor")),
        ("auction B14 18", Auction(BuildingId("B14"), 18)),
        ("auction B14", Auction(BuildingId("B14"))),
        ("bid 19", Bid(19)),
        ("pass", Pass()),
        ("limit 22", Limit(22)),
        ("decline", Decline()),
        ("set 0 italian 6", Set(0, CuisineId("italian"), 6)),
        ("borrow", Borrow()),
        ("repay 2", Repay(2)),
        ("advertise 1 5", Advertise(1, 5)),
        ("hire 5,1 0", Hire(5, 1, 0)),
        ("hire 1,2 0 9", Hire(1, 2, 0, 9)),
        ("renovate patio 1", Renovate(RenovationId("patio"), 1)),
    ],
)
def test_each_kind_of_move_has_its_line(text: str, move: AnyMove) -> None:
    assert notation.write(FORMS, move) == text
    assert notation.read(FORMS, text, []) == move


@pytest.mark.cites("§8")
def test_options_may_be_called_by_their_number_and_the_realtor_a_cube() -> None:
    legal = GAME.legal(STATE, ANN)

    assert [notation.read(FORMS, f"choose {n}", legal) for n in range(7)] == [Choose(option) for option in OPTIONS]
    assert notation.read(FORMS, "choose cube", legal) == Choose("realtor")
    assert notation.read(FORMS, "choose reno", legal) == Choose("renovations")


@pytest.mark.cites("§8")
def test_what_can_only_mean_one_move_may_be_left_out() -> None:
    counter = Counter("renovations", (ANN,))
    legal = GAME.legal(asking(STATE.table, Renovating(counter, ANN)), ANN)

    assert notation.read(FORMS, "renovate patio", legal) == Renovate(RenovationId("patio"), 0)
    assert notation.read(FORMS, "renovate Theme Décor", legal) == Renovate(RenovationId("theme-decor"), 0)
    assert notation.read(FORMS, "renovate computer ordering system", legal) == Renovate(
        RenovationId("computer-ordering"), 0
    )


@pytest.mark.cites("§8")
def test_a_building_is_not_mistaken_for_one_whose_number_begins_alike() -> None:
    state = asking(a_table([], [], money=[60, 60]), Nominating((ANN, BOB)))
    legal = GAME.legal(state, ANN)

    assert notation.read(FORMS, "auction b1 14", legal) == Auction(BuildingId("B1"), 14)
    assert notation.read(FORMS, "auction b14 18", legal) == Auction(BuildingId("B14"), 18)
    with pytest.raises(NotUnderstood, match="several moves"):
        notation.read(FORMS, "auction b1", legal)


@pytest.mark.cites("§8")
def test_the_comma_of_a_box_separates_no_moves_and_no_other_box_is_taken_for_it() -> None:
    table = a_table([restaurant("B8")], [restaurant("B9")], money=[30, 30], jobs=[(5, 1)])
    legal = GAME.legal(asking(table, Hiring(Counter("jobs", (ANN,)), ANN)), ANN)
    assert Hire(5, 1, 0) in legal

    assert notation.separated("hire 5,3 0") == ["hire 5,3 0"]
    assert notation.read(FORMS, "hire 5,3 0", legal) == Hire(5, 3, 0), "the rules say why it cannot be played"
    assert notation.read(FORMS, "hire 5,1", legal) == Hire(5, 1, 0)
    for other in ("hire 5,3", "hire 1 0", "hire 5 0", "hire 51 0", "hire 5,1 0, pass"):
        with pytest.raises(NotUnderstood) as refused:
            notation.read(FORMS, other, legal)
        assert "hire 5,1 0" in refused.value.nearest
