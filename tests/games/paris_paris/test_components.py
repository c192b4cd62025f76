"""A map file that cannot be played is refused, and the message says where to look."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from engine.games.paris_paris.components import MAPS, load
from engine.games.paris_paris.printed import BadMap

Facts = dict[str, Any]
FILE = "reconstruction-1.toml"


def facts() -> Facts:
    """The good file, to be broken."""
    return deepcopy(dict(MAPS["reconstruction-1"].facts))


def station(data: Facts, name: str) -> Facts:
    found: Facts = next(each for each in data["stations"] if each["id"] == name)
    return found


def stations(line: int) -> Callable[[Facts], Any]:
    return lambda data: data["lines"][line]["stations"]


BREAK: dict[str, Callable[[Facts], Any]] = {
    r"missing required field `width` - at `\$.map`": lambda data: data["map"].pop("width"),
    r"unknown field `monorail`": lambda data: data.update(monorail=1),
    r"Expected `int`, got `str` - at `\$.setup.supply`": lambda data: data["setup"].update(supply="19"),
    "not the 20 shops of a seat": lambda data: data["setup"].update(supply=20),
    "capacity of a plain station must be 1": lambda data: data["setup"].update(capacity_plain=2),
    "4 P spaces are too few": lambda data: data["setup"].update(p_spaces=4),
    "seat 3 cannot be first": lambda data: data["setup"].update(first_seat=3),
    "for 2, 3 and 4 players": lambda data: data["setup"]["players"].pop(),
    "2 players: a pile has one token more": lambda data: data["setup"]["players"][0].update(pile_size=4),
    "3 players: 14 piles of 4 are not 60": lambda data: data["setup"]["players"][1].update(piles=14),
    "4 players: 5 secret markers": lambda data: data["setup"]["players"][2].update(markers_secret=5),
    "2 players: secret, open and boxed": lambda data: data["setup"]["players"][0].update(markers_boxed=1),
    "must be 4 seat colours, not 3": lambda data: data["seats"].pop(),
    "two seats are grey": lambda data: data["seats"][1].update(colour="grey"),
    "two seats have the code G": lambda data: data["seats"][1].update(code="G"),
    "code 'GR' must be one letter": lambda data: data["seats"][0].update(code="GR"),
    "must be 5 lines, not 4": lambda data: data["lines"].pop(),
    "two lines are teal": lambda data: data["lines"][1].update(id="teal"),
    "two lines have the code T": lambda data: data["lines"][1].update(code="T"),
    "station bourse is listed twice": lambda data: station(data, "opera").update(id="bourse"),
    "line teal must have 7 stations, not 6": lambda data: stations(0)(data).pop(),
    "line teal stops twice at bourse": lambda data: stations(0)(data).__setitem__(2, "bourse"),
    "line teal stops at atlantis, which is not": lambda data: stations(0)(data).__setitem__(1, "atlantis"),
    "station bourse must lie on one line or two": lambda data: stations(0)(data).__setitem__(1, "etoile"),
    "line teal must have 4 crossings, not 5": lambda data: (
        stations(0)(data).__setitem__(1, "etoile"),
        data["stations"].remove(station(data, "bourse")),
    ),
    "markers must be one for each line": lambda data: data["markers"]["lines"].reverse(),
    "tokens must be given for each line": lambda data: data["tokens"].pop("teal"),
    "the teal tokens must be given for each station": lambda data: data["tokens"]["teal"].pop("bourse"),
    "1 teal tokens for bourse, which has 2": lambda data: data["tokens"]["teal"].update(bourse=1),
    "2 teal tokens for montmartre, which has 1": lambda data: data["tokens"]["teal"].update(montmartre=2),
    "there are 60 tokens, not 120": lambda data: (
        data["setup"].update(tokens_total=120),
        [each.update(piles=2 * each["piles"]) for each in data["setup"]["players"]],
    ),
    r"place of bastille leaves the drawing at \[100, 16\]": lambda data: station(data, "bastille").update(at=[98, 16]),
    "place of montparnasse leaves the drawing": lambda data: station(data, "montparnasse").update(at=[18, 32]),
    "name of panth.on leaves the drawing": lambda data: station(data, "pantheon").update(label=[95, 25]),
    "name of st-germain covers louvre": lambda data: station(data, "louvre").update(label=[38, 23]),
    "no stretch of line red": lambda data: data["bends"][0].update(to="louvre"),
    "line red bends twice from montmartre to opera": lambda data: data["bends"].append(data["bends"][0]),
    "line red leaves the drawing from montmartre": lambda data: data["bends"][0].update(points=[[36, -1]]),
    "line red must run along a row or a column": lambda data: data["bends"][0].update(points=[[37, 1]]),
    "line brown must run along a row or a column": lambda data: data["bends"].pop(),
    "calls itself atlantis": lambda data: data["map"].update(id="atlantis"),
}


def test_the_map_we_have_is_good() -> None:
    assert load(facts(), FILE) == MAPS["reconstruction-1"]


@pytest.mark.parametrize("fault", BREAK)
def test_a_broken_map_is_refused_with_the_file_and_the_fault(fault: str) -> None:
    data = facts()
    BREAK[fault](data)

    with pytest.raises(BadMap, match=rf"^{FILE}: .*{fault}"):
        load(data, FILE)
