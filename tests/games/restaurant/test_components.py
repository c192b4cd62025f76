"""A data file that cannot be played is refused, and the message says where to look."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from engine.games.restaurant.components import BOX, load
from engine.games.restaurant.printed import BadComponents

Facts = dict[str, Any]
FILE = "components.toml"


def facts() -> Facts:
    """The good file, to be broken."""
    return deepcopy(dict(BOX.facts))


def card(data: Facts, name: str) -> Facts:
    found: Facts = next(each for each in data["cards"] if each["id"] == name)
    return found


def salon(data: Facts) -> Any:
    return data["board"]["salon"]["tables"]


def stairs(data: Facts) -> Any:
    return data["board"]["stairs"]


BREAK: dict[str, Callable[[Facts], Any]] = {
    r"missing required field `minimum` - at `\$.orders`": lambda data: data["orders"].pop("minimum"),
    r"unknown field `terrace`": lambda data: data.update(terrace=1),
    r"Invalid enum value 'cellar' - at `\$.cards\[.*\].where`": lambda data: card(data, "M100").update(where="cellar"),
    "two kinds of card have the id M100": lambda data: card(data, "M200").update(id="M100"),
    "two kinds of card have the text 100": lambda data: card(data, "M200").update(text="100"),
    "one entry for the saut, not 0": lambda data: data["cards"].remove(card(data, "JUMP")),
    "one entry for the coup-double, not 2": lambda data: card(data, "JUMP").update(kind="coup-double"),
    "must be some JUMP, not 0": lambda data: card(data, "JUMP").update(count=0),
    "sign 'pp' of PLAT must be one character": lambda data: card(data, "PLAT").update(sign="pp"),
    "PLAT is worth 50": lambda data: card(data, "PLAT").update(value=50),
    "M100 is worth 0": lambda data: card(data, "M100").update(value=0),
    "PLAT cannot be reserved": lambda data: card(data, "PLAT").update(res=True),
    "PLAT must be placed anywhere": lambda data: card(data, "PLAT").update(where="salon"),
    "6 players need as many marker colours, not 5": lambda data: data["markers"]["colours"].pop(),
    "21 markers in each of 6 colours are not 120": lambda data: data["markers"].update(per_colour=21),
    "limit of markers is not among the rules": lambda data: data["markers"].update(limit=True),
    "code 'aa' must be one letter": lambda data: data["markers"]["colours"][0].update(code="aa"),
    "two seats are red": lambda data: data["markers"]["colours"][1].update(colour="red"),
    "two colours have the code a": lambda data: data["markers"]["colours"][1].update(code="a"),
    "two columns or two rows have the same name": lambda data: data["board"]["columns"].__setitem__(1, "A"),
    "10 columns of 6 are not 61 tables": lambda data: data["board"].update(tables=61),
    "the edge has 28 tables, not 30": lambda data: data["board"].update(edge_tables=30),
    "61 cards do not cover 60 tables": lambda data: card(data, "PLAT").update(count=19),
    "Z9 is in the salon but is not a table": lambda data: salon(data).append("Z9"),
    "A1 is in the salon and at the edge": lambda data: salon(data).append("A1"),
    "D2 is listed twice in the salon": lambda data: salon(data).append("D2"),
    "salon must be one block": lambda data: salon(data).remove("E3"),
    "one staircase on each side": lambda data: stairs(data).pop(),
    "north stairs must lead from the salon, at E1": lambda data: stairs(data)[0].update(outside="E2", inside="E1"),
    "F1 does not lie north of E2": lambda data: stairs(data)[0].update(outside="F1"),
    "from 7 to 6 players is no range": lambda data: data["game"].update(min_players=7),
    "61 orders cannot be taken from 60 tables": lambda data: data["orders"].update(minimum=61),
    "steps must be 1 or -1": lambda data: data["services"].update(step=2),
    "counts at least once": lambda data: data["services"].update(left_res_factor=0),
}


def test_the_box_we_have_is_good() -> None:
    assert load(facts(), FILE) == BOX


@pytest.mark.parametrize("fault", BREAK)
def test_a_broken_file_is_refused_with_its_name_and_the_fault(fault: str) -> None:
    data = facts()
    BREAK[fault](data)

    with pytest.raises(BadComponents, match=rf"^{FILE}: .*{fault}"):
        load(data, FILE)
