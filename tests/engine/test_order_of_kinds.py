"""Which entry may follow at which point of a log: every kind, wherever a table may stand, honestly or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from engine import games
from engine.game import Standing
from engine.keys import SigningKey
from engine.record.chain import Chain, Phase, check, follow
from engine.record.entry import (
    Abandon,
    AnyEntry,
    PerDecision,
    SignedEntry,
    Succeed,
    seal,
    signed_message,
)
from tests.engine.signed_games import Evening

LATER = "2026-11-18T07:00:00.000Z"
EARLIER = "2026-11-18T06:00:00.000Z"
DIGEST = "ab" * 32
NEW_KEY = SigningKey(bytes.fromhex(DIGEST))
CLOCK = PerDecision(seconds=3600, vacation=5, strikes=1, then="vote")


class Stage:
    """A table at some point of its log, and what stands there in its chain."""

    def __init__(self, evening: Evening, *forged: tuple[str, dict[str, Any]]) -> None:
        self.evening = evening
        self.chain = Chain()
        for sealed in evening.record:
            self.chain = follow(self.chain, sealed)
        for kind, members in forged:
            self.chain = follow(self.chain, seal(self.entry(kind, **members), evening.server))

    def entry(self, kind: str, **members: Any) -> AnyEntry:
        """The next entry, right in everything but perhaps its place; a player signs what a player has to."""
        evening, chain = self.evening, self.chain
        common = {"table": evening.id, "seq": chain.length, "prev": chain.head}
        common["at"] = EARLIER if kind == "correct" else LATER
        entry: AnyEntry = msgspec.convert({"kind": kind, **common, **members}, AnyEntry)
        if isinstance(entry, SignedEntry):
            pen = evening.keys[entry.seat]
            message = signed_message(entry, pen.public)
            entry = msgspec.structs.replace(entry, signature=pen.sign(message))
            if isinstance(entry, Succeed):
                entry = msgspec.structs.replace(entry, consent=NEW_KEY.sign(message))
        return entry

    def codes(self, kind: str, **members: Any) -> list[str]:
        """All that is wrong with such an entry here."""
        return [fault.code for fault in check(self.chain, seal(self.entry(kind, **members), self.evening.server))]


def fresh(name: str = "order", *, sit: bool = True) -> Evening:
    return Evening(name, games.load("paris-paris"), 2, clock=CLOCK, sit=sit)


def _new() -> Stage:
    evening = fresh(sit=False)
    evening.record.clear()
    return Stage(evening)


STAGES: dict[str, tuple[Phase, bool, bool, Callable[[], Stage]]] = {
    "before the opening": (Phase.NEW, True, False, _new),
    "nobody sits": (Phase.SITTING, False, False, lambda: Stage(fresh(sit=False))),
    "a seat is free": (Phase.SITTING, False, False, lambda: Stage(fresh(sit=False).sit(0))),
    "every seat is taken": (Phase.SITTING, True, False, lambda: Stage(fresh(sit=False).sit(0).sit(1))),
    "it is played": (Phase.PLAYING, True, True, lambda: Stage(fresh())),
    "one of two has resigned": (Phase.PLAYING, True, True, lambda: Stage(fresh().resign(1))),
    "dealt with a seat free": (
        Phase.PLAYING, False, True, lambda: Stage(fresh(sit=False).sit(0), ("deal", {"state": DIGEST}))),
    "given up with a seat free": (
        Phase.ABANDONED, False, False, lambda: Stage(fresh(sit=False).sit(0).abandon("unfilled"))),
    "given up full": (
        Phase.ABANDONED, True, False, lambda: Stage(fresh(sit=False).sit(0).sit(1), ("abandon", {"why": "resigned"}))),
    "given up after the deal": (Phase.ABANDONED, True, True, lambda: Stage(fresh().resign(1).abandon("resigned"))),
    "closed with a seat free": (
        Phase.CLOSED, False, False, lambda: Stage(fresh(sit=False).sit(0).abandon("unfilled").close())),
    "closed full": (
        Phase.CLOSED, True, False,
        lambda: Stage(fresh(sit=False).sit(0).sit(1), ("abandon", {"why": "idle"}), ("close", {"secret": DIGEST}))),
    "closed after it was given up": (
        Phase.CLOSED, True, True, lambda: Stage(fresh().resign(1).abandon("resigned").close())),
    "closed": (Phase.CLOSED, True, True, lambda: Stage(fresh().play().close())),
}  # fmt: skip
"""Where a table may stand: its phase, whether it is full and whether it was dealt. Some only a forger reaches."""

OPEN = msgspec.to_builtins(fresh(sit=False).record[0].entry)
SEATED = {"seat": 0, "base": None, "signature": "00" * 64}
SAID = {**SEATED, "state": DIGEST}
KINDS: dict[str, Mapping[str, Any]] = {
    "open": {name: OPEN[name] for name in OPEN if name not in ("kind", "table", "seq", "prev", "at")},
    "sit": {
        "seat": 1,
        "name": "bob",
        "key": fresh(sit=False).keys[1].public,
        "entropy": DIGEST,
        "signature": "0" * 128,
    },
    "deal": {"state": DIGEST},
    "move": {**SAID, "move": {}},
    "timeout": {"seat": 0, "base": None, "move": {}, "why": "deadline", "state": DIGEST},
    "away": {**SAID, "begins": LATER, "ends": LATER},
    "back": SAID,
    "vote": {**SAID, "choice": "continue"},
    "delegate": {"seat": 0, "to": DIGEST, "begins": LATER, "ends": LATER, "signature": "0" * 128, "state": DIGEST},
    "revoke": {"seat": 0, "before": LATER, "signature": "0" * 128, "state": DIGEST},
    "succeed": {"seat": 0, "to": NEW_KEY.public, "signature": "0" * 128, "consent": "0" * 128},
    "correct": {},
    "resign": SEATED,
    **{f"abandon {why}": {"why": why} for why in ("unfilled", "resigned", "idle", "voted")},
    "close": {"secret": DIGEST},
    "succeed digested": {
        "seat": 0,
        "to": NEW_KEY.public,
        "signature": "0" * 128,
        "consent": "0" * 128,
        "state": DIGEST,
    },
    "correct digested": {"state": DIGEST},
    "resign digested": SAID,
    **{f"abandon {why} digested": {"why": why, "state": DIGEST} for why in ("unfilled", "resigned", "idle", "voted")},
    "close digested": {"secret": DIGEST, "standing": Standing(False, (), ()), "state": DIGEST},
}
"""Every kind, with every reason it can have, with a digest and without where it can be either."""

AT_PLAY = {"move", "timeout", "away", "back", "vote", "delegate", "revoke", "succeed digested", "correct digested"}
GIVEN_UP = {"abandon resigned digested", "abandon idle digested", "abandon voted digested"}
MAY_FOLLOW: dict[str, set[str]] = {
    "before the opening": {"open"},
    "nobody sits": {"sit", "correct", "abandon unfilled"},
    "a seat is free": {"sit", "resign", "succeed", "correct", "abandon unfilled"},
    "every seat is taken": {"resign", "succeed", "correct", "deal"},
    "it is played": {*AT_PLAY, "resign digested", *GIVEN_UP, "close digested"},
    "one of two has resigned": {"abandon resigned digested", "close digested"},
    "dealt with a seat free": {*AT_PLAY, "resign digested", *GIVEN_UP, "close digested"},
    "given up with a seat free": {"close"},
    "given up full": {"close"},
    "given up after the deal": {"close digested"},
    "closed with a seat free": set(),
    "closed full": set(),
    "closed after it was given up": set(),
    "closed": set(),
}
OTHERWISE = {
    ("nobody sits", "resign"): "seat/unknown",
    ("nobody sits", "resign digested"): "seat/unknown",
    ("nobody sits", "succeed"): "seat/unknown",
    ("nobody sits", "succeed digested"): "seat/unknown",
    ("every seat is taken", "sit"): "seat/taken",
}
"""What may stand there, but not of this seat."""


def test_the_table_is_of_every_kind_and_of_wherever_a_table_may_stand() -> None:
    tags = {kind.__struct_config__.tag for kind in AnyEntry.__args__}
    assert {kind.split()[0] for kind in KINDS} == tags
    whys = set(get_args(get_type_hints(Abandon)["why"]))
    assert {kind.split()[1] for kind in KINDS if kind.startswith("abandon")} == whys
    assert MAY_FOLLOW.keys() == STAGES.keys()
    places = {(phase, full, dealt) for phase, full, dealt, _ in STAGES.values()}
    for phase in (Phase.SITTING, Phase.PLAYING, Phase.ABANDONED, Phase.CLOSED):
        assert {full for other, full, _ in places if other is phase} == {True, False}
    for phase in (Phase.ABANDONED, Phase.CLOSED):
        assert {dealt for other, _, dealt in places if other is phase} == {True, False}


@pytest.mark.parametrize("stage", STAGES)
def test_what_may_follow_there_and_nothing_else(stage: str) -> None:
    phase, full, dealt, reached = STAGES[stage]
    at = reached()
    assert (at.chain.phase, at.chain.full, at.chain.dealt) == (phase, full, dealt)
    may = MAY_FOLLOW[stage]
    for kind, members in KINDS.items():
        based = {**members, "base": at.chain.head} if "base" in members else members
        found = at.codes(kind.split()[0], **based)
        if kind in may:
            assert found == [], f"{stage}: {kind}"
        elif (other := OTHERWISE.get((stage, kind))) is not None:
            assert other in found, f"{stage}: {kind}"
        elif kind.removesuffix(" digested") in may or f"{kind} digested" in may:
            assert found == ["state/misplaced"], f"{stage}: {kind}"
        else:
            assert "chain/order" in found, f"{stage}: {kind}"


def test_that_it_was_dealt_is_remembered_to_the_end() -> None:
    for evening, dealt in ((fresh().play().close(), True), (fresh(sit=False).abandon("unfilled").close(), False)):
        chain = Chain()
        for sealed in evening.record:
            chain = follow(chain, sealed)
            assert chain.dealt == (dealt and chain.length > 3)
