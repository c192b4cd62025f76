"""Whatever the engine refuses of what somebody has signed is an answer with a status, and never a fault of ours."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from engine.record.entry import (
    Json,
    away_message,
    back_message,
    move_message,
    resign_message,
    sit_message,
    vote_message,
)
from server.problems import STATUSES
from server.service.server_context import ServerContext
from tests.server.server_process import Visitor, company, refused, seated
from tests.server.test_clockwork import Watch, mail_context, watch
from tests.server.test_presence import Auction, door

__all__ = ["door", "mail_context", "watch"]

ENGINE = Path(__file__).parents[2] / "engine"
CLOCK = {"kind": "per-decision", "seconds": 3600, "vacation": 5}


# A stale move by a higher seat.


def test_a_stale_answer_of_a_higher_seat_is_told_as_stale(mail_context: ServerContext, watch: Watch, door: str) -> None:
    """Two are asked unseen; the second answers something that was asked before."""
    table = Auction(mail_context, watch, door, 2, CLOCK)
    seen: list[str] = []
    while not (seen and len(table.position.asked) == 2):
        (asked,) = table.position.asked.values()
        seen.append(asked.base)
        table.players[min(table.position.asked)].move(table.id)
    for seat in (0, 1):
        own = table.players[seat].choice(table.id)
        stale = table.players[seat].signed_move(table.id, seat, seen[0], own["move"])
        told = refused(table.players[seat].send(table.id, stale), 409, "move/stale")
        assert told["head"] == table.summary()["head"]
        assert told["changed"]
        forged = own | {"base": seen[0]}
        refused(table.players[seat].send(table.id, forged), 403, "signature/forged")
    assert table.held() == set()


# Every code there is.


def codes_of_the_engine() -> set[str]:
    """Every code that an error of the engine may carry."""
    found = set()
    for path in ENGINE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            strings: list[ast.expr] = []
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                strings = node.args[:2] if name in ("RecordRejected", "Fault", "fault") else []
            elif isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == ["code"]:
                strings = [node.value]
            found |= {str(one.value) for one in strings if isinstance(one, ast.Constant) and "/" in str(one.value)}
    return found


class Scene:
    """A table in the middle of a game, one that nobody has sat down to, and one that is over."""

    def __init__(self, url: str) -> None:
        self.table, (self.ann, self.bob) = seated(url, 2, clock=CLOCK)
        self.without_clock, (self.cat, self.dan) = seated(url, 2)
        self.eve, self.host = company(url, 2)
        self.free = self.host.open()
        self.ann.sit(self.free, 0)
        self.over, (self.fay, self.gil) = seated(url, 2)
        self.fay.resign(self.over, 0)

    def head(self, table: str) -> str:
        return str(self.ann.get(f"/tables/{table}")["head"])

    def move(self, **changes: Any) -> Json:
        """A move of the seat that is asked, changed and signed as it then stands."""
        own = self.ann.choice(self.table)
        said: Json = {**own, "by": self.ann, "table": self.table, **changes}
        by = said.pop("by")
        said["signature"] = by.key.sign(move_message(said["table"], said["base"], said["seat"], said["move"]))
        return said

    def say(self, by: Visitor, table: str, say: str, seat: int, message: Callable[..., bytes], **members: str) -> Json:
        base = self.head(table)
        signature = by.key.sign(message(table, base, seat, *members.values()))
        return {"say": say, "table": table, "seat": seat, "base": base, "signature": signature, **members}

    def sit(self, by: Visitor, table: str, seat: int, **changes: Any) -> Json:
        said = {**by.wish(table, seat), **changes}
        signed = (table, said["base"], seat, said["name"], said["key"], said["entropy"])
        return {**said, "table": table, "signature": changes.get("signature", by.key.sign(sit_message(*signed)))}


Recipe: TypeAlias = Callable[[Scene], tuple[str, Json]]
LONG_AGO, LONGER, NEVER = "2020-01-01T00:00:00.000Z", "2027-12-31T00:00:00.000Z", "2027-02-30T00:00:00.000Z"


def away(scene: Scene, ends: str, begins: str = LONG_AGO) -> tuple[str, Json]:
    return "statements", scene.say(scene.ann, scene.table, "away", 0, away_message, begins=begins, ends=ends)


REFUSED: list[tuple[str, Recipe]] = [
    ("move/illegal", lambda s: ("moves", s.move(move={"do": "take", "station": "louvre", "line": "no-line"}))),
    ("move/invalid", lambda s: ("moves", s.move(move={"do": "castle"}))),
    ("move/out-of-turn", lambda s: ("moves", s.move(by=s.bob, seat=1))),
    ("move/stale", lambda s: ("moves", s.move(base="0" * 64))),
    ("seat/unknown", lambda s: ("moves", s.move(seat=7))),
    ("signature/forged", lambda s: ("moves", s.move(by=s.eve))),
    ("entry/malformed", lambda s: ("moves", s.move(move={"do": "take", "station": "louvre", "line": 1.5}))),
    ("entry/malformed", lambda s: away(s, NEVER)),
    ("entry/malformed", lambda s: away(s, "0000-01-01T00:00:00.000Z")),
    ("away/over", lambda s: away(s, LONG_AGO)),
    ("away/too-long", lambda s: away(s, LONGER)),
    (
        "clock/none",
        lambda s: ("statements", s.say(s.cat, s.without_clock, "back", 0, back_message)),
    ),
    ("vote/none", lambda s: ("statements", s.say(s.ann, s.table, "vote", 0, vote_message, choice="abandon"))),
    ("move/stale", lambda s: ("resignations", stale(s.say(s.ann, s.table, "", 0, resign_message)))),
    ("seat/taken", lambda s: ("sits", s.sit(s.eve, s.free, 0))),
    ("seat/unknown", lambda s: ("sits", s.sit(s.eve, s.free, 9))),
    ("seat/twice", lambda s: ("sits", s.sit(s.ann, s.free, 1))),
    ("signature/forged", lambda s: ("sits", s.sit(s.eve, s.free, 1, signature="0" * 128))),
    ("move/stale", lambda s: ("sits", s.sit(s.eve, s.free, 1, base="0" * 64))),
    ("seat/resigned", lambda s: resigned_already(s)),
]


def stale(said: Json) -> Json:
    return said | {"base": "0" * 64}


def resigned_already(scene: Scene) -> tuple[str, Json]:
    table, players = seated(scene.ann.url, 3, clock=CLOCK)
    players[0].resign(table, 0)
    return "resignations", {"table": table, **players[0].resignation(table, 0)}


NOT_FROM_OUTSIDE = {
    "written by the server alone": (
        {"abandon/over", "abandon/reason", "close/early", "secret/other", "standing/differs", "components/differ"}
        | {"chain/broken", "chain/order", "chain/sequence", "chain/table", "chain/time", "state/differs"}
        | {"state/misplaced", "timeout/early", "timeout/no-clock", "timeout/not-fallback", "timeout/reason"}
        | {"move/given", "move/unordered"}
    ),
    "of lines and files that are read": (
        {"entry/duplicate-member", "entry/not-canonical", "entry/not-json", "entry/not-utf8", "entry/unknown-kind"}
        | {"entry/too-long"}
        | {"record/empty", "record/too-large", "record/truncated", "record/unfinished", "seal/forged"}
    ),
    "of mail, where they are told in words": {"armour/broken", "armour/none", "armour/too-long", "armour/too-many"},
    "of keys that were given up, which the server gives to nobody again": {"succession/former"},
    "of typed words": {"move/not-understood", "selfplay/never-ends"},
}
BY_ANOTHER_DOOR = {
    "game/unknown",
    "options/invalid",
    "delegation/none",
    "delegation/replaced",
    "delegation/table",
    "delegation/time",
}
"""Those that come of opening a table or of a mailbox, not of a signed thing; tested there."""


def test_every_code_of_the_engine_is_told_with_a_status_or_cannot_be_reached() -> None:
    reached = {code for code, _ in REFUSED} | BY_ANOTHER_DOOR
    unreachable = {code for codes in NOT_FROM_OUTSIDE.values() for code in codes}
    assert reached | unreachable == codes_of_the_engine()
    assert not reached & unreachable
    assert reached <= STATUSES.keys()


@pytest.fixture
def scene(door: str) -> Scene:
    return Scene(door)


def test_each_code_that_can_be_reached_is_answered_with_its_status(scene: Scene) -> None:
    for code, recipe in REFUSED:
        way, said = recipe(scene)
        table = said.pop("table", scene.table)
        said = {name: value for name, value in said.items() if way == "statements" or name != "say"}
        refused(scene.ann.ask("POST", f"/tables/{table}/{way}", said), STATUSES[code], code)


# Everything at every point.

WAYS = {"resign": "resignations", "move": "moves", "sit": "sits"}


def everything(table: str, by: Visitor, seat: int, base: str) -> Iterator[tuple[str, Json]]:
    """What somebody may sign for a seat at a point of the log, be it theirs or not."""

    def signed(message: Callable[..., bytes], **members: Any) -> Json:
        signature = by.key.sign(message(table, base, seat, *members.values()))
        return {"seat": seat, "base": base, "signature": signature, **members}

    for move in ({"do": "pass"}, {}, {"do": "nominate", "card": "x"}, *SHOWN):
        yield "moves", signed(move_message, move=move)
    yield "sits", signed(sit_message, name=by.name, key=by.key.public, entropy="ab" * 32)
    yield "statements", {"say": "away", **signed(away_message, begins=LONG_AGO, ends="2026-11-20T00:00:00.000Z")}
    yield "statements", {"say": "back", **signed(back_message)}
    for choice in ("continue", "abandon"):
        yield "statements", {"say": "vote", **signed(vote_message, choice=choice)}
    yield "resignations", signed(resign_message)


SHOWN = ({"do": "show", "fingers": 1}, {"do": "choose", "option": "menu"})


def table_at(context: ServerContext, watch: Watch, door: str, point: str) -> tuple[str, list[Visitor], set[str]]:
    """A table at this point, its players, and hashes of entries."""
    if point == "sitting":
        players = company(door, 2)
        table = players[0].open("la-bistro", clock=CLOCK)
        players[0].sit(table, 0)
        return table, players, {players[0].get(f"/tables/{table}")["head"]}
    auction = Auction(context, watch, door, 2, CLOCK)
    bases = {auction.summary()["head"]}
    while point in ("sealed", "held") and len(auction.position.asked) < 2:
        auction.players[min(auction.position.asked)].move(auction.id)
    if point == "held":
        auction.bid(1)
    bases |= {asked.base for asked in auction.position.asked.values()}
    if point == "over":
        auction.players[0].resign(auction.id, 0)
    return auction.id, auction.players, bases | {auction.summary()["head"]}


@pytest.mark.parametrize("point", ["sitting", "playing", "sealed", "held", "over"])
def test_nothing_that_can_be_signed_is_ever_a_fault(
    mail_context: ServerContext, watch: Watch, door: str, point: str
) -> None:
    found = set()
    for seat, whose in product((0, 1, 99), (0, 1, None)):
        table, players, bases = table_at(mail_context, watch, door, point)
        by = Visitor(door) if whose is None else players[whose]
        for base in sorted(bases | {"0" * 64}):
            for way, body in everything(table, by, seat, base):
                answer = by.ask("POST", f"/tables/{table}/{way}", body)
                assert answer.status_code < 500, (way, body, answer.text)
                found.add(answer.json().get("code"))
    assert len(found) >= 3, "it came to different things"
