"""Every member of every entry changed, by an outsider and by the server itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.game import Score, Standing
from engine.record.audit import audit
from engine.record.entry import (
    Abandon,
    AnyEntry,
    Away,
    Back,
    Close,
    Correct,
    Deal,
    Delegate,
    Open,
    PerDecision,
    Play,
    Resign,
    Revoke,
    Sit,
    Succeed,
    Timeout,
    Vote,
    seal_message,
)
from tests.attacks.forger import BASES, STRANGER, Forger, evening, flipped
from tests.engine.signed_games import a_shelf_of_games


@pytest.mark.parametrize("base", BASES)
def test_untouched_it_is_valid(base: str) -> None:
    with a_shelf_of_games():
        found = audit(evening(base).data)
    assert found.faults == ()
    assert found.valid


def other_colours(options: Any) -> Any:
    return {**options, "colours": [*options["colours"][1:], options["colours"][0]]}


def other_score(standing: Standing) -> Standing:
    first, *others = standing.scores
    parts = {**first.parts, "visits": first.parts["visits"] + 1}
    return Standing.of([Score(first.seat, first.total + 1, parts, first.ties), *others], final=standing.final)


SIGNED_NEXT = "signature/forged"
"""The next player signed the history as it was: the change shows where their signature no longer fits."""

# base, kind of entry, member, its new value, then what the audit says if the server did it and seals it and all that
# follows anew, and how many entries later.
MEMBERS: list[tuple[str, type[AnyEntry], str, Callable[[Any], Any], str, int]] = [
    ("two", Open, "table", flipped, "chain/table", 1),
    ("two", Open, "prev", flipped, "chain/broken", 0),
    ("two", Open, "seq", lambda _: 1, "chain/sequence", 0),
    ("two", Open, "at", lambda _: "2001-01-01T00:00:00.000Z", SIGNED_NEXT, 1),
    ("two", Open, "game", lambda _: "paris-paris/2", "game/unknown", 0),
    ("three", Open, "game", lambda _: "london-london/1", "game/unknown", 0),
    ("two", Open, "components", flipped, "components/differ", 0),
    ("two", Open, "options", other_colours, SIGNED_NEXT, 1),
    ("three", Open, "options", lambda _: {}, "options/invalid", 0),
    ("four", Open, "options", lambda options: {**options, "cheat": True}, "options/invalid", 0),
    ("clocked", Open, "options", lambda options: {**options, "colours": ["grey"] * 4}, "options/invalid", 0),
    ("three", Open, "seats", lambda _: 2, SIGNED_NEXT, 1),
    ("three", Open, "seats", lambda _: 9, "options/invalid", 0),
    ("two", Open, "server", lambda _: STRANGER.public, "seal/forged", 0),
    ("two", Open, "commitment", flipped, SIGNED_NEXT, 1),
    ("two", Open, "clock", lambda _: PerDecision(seconds=1), SIGNED_NEXT, 1),
    ("clocked", Open, "clock", lambda _: None, SIGNED_NEXT, 1),
    ("two", Sit, "seat", lambda seat: 1 - seat, "signature/forged", 0),
    ("two", Sit, "name", lambda _: "mallory", "signature/forged", 0),
    ("two", Sit, "key", lambda _: STRANGER.public, "signature/forged", 0),
    ("two", Sit, "entropy", flipped, "signature/forged", 0),
    ("two", Sit, "signature", flipped, "signature/forged", 0),
    ("unfilled", Sit, "entropy", flipped, "signature/forged", 0),
    ("two", Sit, "at", lambda _: "2001-01-01T00:00:00.000Z", "chain/time", 0),
    ("two", Deal, "state", flipped, "state/differs", 0),
    ("four", Deal, "table", flipped, "chain/table", 0),
    ("two", Deal, "seq", lambda _: 4, "chain/sequence", 0),
    ("two", Deal, "at", lambda _: "2026-11-18T06:40:03.999Z", "move/stale", 1),
    ("two", Play, "move", lambda move: {**move, "station": "opera"}, "signature/forged", 0),
    ("four", Play, "move", lambda move: {**move, "evict": 1}, "signature/forged", 0),
    ("two", Play, "seat", lambda seat: 1 - seat, "signature/forged", 0),
    ("three", Play, "seat", lambda _: 7, "seat/unknown", 0),
    ("two", Play, "base", flipped, "signature/forged", 0),
    ("two", Play, "signature", flipped, "signature/forged", 0),
    ("two", Play, "state", flipped, "state/differs", 0),
    ("two", Play, "table", flipped, "chain/table", 0),
    ("two", Play, "prev", flipped, "chain/broken", 0),
    ("two", Play, "seq", lambda seq: seq + 1, "chain/sequence", 0),
    ("two", Play, "at", lambda _: "1999-12-31T23:59:59.999Z", "chain/time", 0),
    ("sealed", Play, "move", lambda _: {"do": "show", "fingers": 5}, "signature/forged", 0),
    ("clocked", Timeout, "seat", lambda seat: (seat + 1) % 3, "move/out-of-turn", 0),
    ("clocked", Timeout, "seat", lambda _: 3, "seat/unknown", 0),
    ("clocked", Timeout, "base", flipped, "move/stale", 0),
    ("clocked", Timeout, "move", lambda _: {"do": "take", "station": "opera"}, "move/invalid", 0),
    ("clocked", Timeout, "why", lambda _: "resigned", "timeout/reason", 0),
    ("clocked", Timeout, "state", flipped, "state/differs", 0),
    ("given up", Timeout, "why", lambda _: "deadline", "timeout/reason", 0),
    ("given up", Resign, "seat", lambda _: 2, "signature/forged", 0),
    ("given up", Resign, "base", flipped, "move/stale", 0),
    ("given up", Resign, "signature", flipped, "signature/forged", 0),
    ("given up", Resign, "state", flipped, "state/differs", 0),
    ("given up", Resign, "state", lambda _: None, "state/misplaced", 0),
    ("unfilled", Resign, "state", lambda _: "ab" * 32, "state/misplaced", 0),
    ("banked", Open, "clock", lambda _: PerDecision(seconds=1), SIGNED_NEXT, 1),
    ("banked", Open, "clock", lambda clock: msgspec.structs.replace(clock, refill=0), SIGNED_NEXT, 1),
    ("away", Open, "clock", lambda clock: msgspec.structs.replace(clock, vacation=0), SIGNED_NEXT, 1),
    ("two", Play, "by", lambda _: "mail", "delegation/none", 0),
    ("mailed", Play, "by", lambda _: "mail", "delegation/none", 0),
    ("two", Play, "given", lambda _: "2026-11-18T06:40:03.500Z", "move/given", 0),
    ("held", Play, "given", lambda _: "2001-01-01T00:00:00.000Z", "move/given", 0),
    ("held", Play, "given", lambda _: "2099-01-01T00:00:00.000Z", "move/given", 0),
    ("held", Play, "given", lambda _: None, "move/stale", 3),
    ("bot", Timeout, "why", lambda _: "bot", "timeout/reason", 0),
    ("given up", Timeout, "why", lambda _: "bot", "timeout/reason", 0),
    ("given up", Resign, "by", lambda _: "mail", "delegation/none", 0),
    ("away", Away, "seat", lambda seat: 1 - seat, "signature/forged", 0),
    ("away", Away, "seat", lambda _: 98, "seat/unknown", 0),
    ("away", Away, "base", flipped, "move/stale", 0),
    ("away", Away, "begins", lambda _: "2026-11-18T07:00:00.000Z", "signature/forged", 0),
    ("away", Away, "ends", lambda _: "2026-11-18T07:00:00.000Z", "signature/forged", 0),
    ("away", Away, "signature", flipped, "signature/forged", 0),
    ("away", Away, "state", flipped, "state/differs", 0),
    ("away", Back, "seat", lambda seat: 1 - seat, "signature/forged", 0),
    ("away", Back, "seat", lambda _: 98, "seat/unknown", 0),
    ("away", Back, "base", flipped, "move/stale", 0),
    ("away", Back, "signature", flipped, "signature/forged", 0),
    ("away", Back, "state", flipped, "state/differs", 0),
    ("away", Back, "by", lambda _: "mail", "delegation/none", 0),
    ("voted", Vote, "seat", lambda _: 2, "signature/forged", 0),
    ("voted", Vote, "seat", lambda _: 98, "seat/unknown", 0),
    ("voted", Vote, "base", flipped, "move/stale", 0),
    ("voted", Vote, "choice", lambda _: "continue", "signature/forged", 0),
    ("voted", Vote, "signature", flipped, "signature/forged", 0),
    ("voted", Vote, "state", flipped, "state/differs", 0),
    ("voted", Vote, "by", lambda _: "mail", "delegation/none", 0),
    ("mailed", Delegate, "seat", lambda _: 1, "signature/forged", 0),
    ("mailed", Delegate, "seat", lambda _: 98, "seat/unknown", 0),
    ("mailed", Delegate, "to", lambda _: STRANGER.public, "signature/forged", 0),
    ("mailed", Delegate, "begins", lambda _: "2001-01-01T00:00:00.000Z", "signature/forged", 0),
    ("mailed", Delegate, "ends", lambda _: "2099-01-01T00:00:00.000Z", "signature/forged", 0),
    ("mailed", Delegate, "tables", lambda _: ("ab" * 16,), "delegation/table", 0),
    ("mailed", Delegate, "signature", flipped, "signature/forged", 0),
    ("mailed", Delegate, "state", flipped, "state/differs", 0),
    ("mailed", Revoke, "seat", lambda _: 1, "signature/forged", 0),
    ("mailed", Revoke, "before", lambda _: "2026-11-18T07:00:00.000Z", "signature/forged", 0),
    ("mailed", Revoke, "before", lambda _: "2099-01-01T00:00:00.000Z", "delegation/time", 0),
    ("mailed", Revoke, "before", lambda _: "2001-01-01T00:00:00.000Z", "delegation/replaced", 0),
    ("mailed", Revoke, "signature", flipped, "signature/forged", 0),
    ("mailed", Revoke, "state", flipped, "state/differs", 0),
    ("succeeded", Succeed, "seat", lambda _: 1, "seat/unknown", 0),
    ("succeeded", Succeed, "to", lambda _: STRANGER.public, "signature/forged", 0),
    ("succeeded", Succeed, "signature", flipped, "signature/forged", 0),
    ("succeeded", Succeed, "consent", flipped, "signature/forged", 0),
    ("succeeded", Succeed, "state", lambda _: "ab" * 32, "state/misplaced", 0),
    ("corrected", Correct, "at", lambda _: "2099-01-01T00:00:00.000Z", "chain/time", 0),
    ("corrected", Correct, "at", lambda _: "2026-11-18T07:00:00.000Z", "chain/time", 1),
    ("corrected", Correct, "state", flipped, "state/differs", 0),
    ("corrected", Correct, "state", lambda _: None, "state/misplaced", 0),
    ("voted", Abandon, "why", lambda _: "idle", "abandon/reason", 0),
    ("idle", Abandon, "why", lambda _: "voted", "abandon/reason", 0),
    ("given up", Abandon, "why", lambda _: "idle", "abandon/reason", 0),
    ("given up", Abandon, "why", lambda _: "unfilled", "chain/order", 0),
    ("given up", Abandon, "state", flipped, "state/differs", 0),
    ("given up", Abandon, "state", lambda _: None, "state/misplaced", 0),
    ("idle", Abandon, "why", lambda _: "resigned", "abandon/reason", 0),
    ("unfilled", Abandon, "why", lambda _: "idle", "chain/order", 0),
    ("two", Close, "secret", flipped, "secret/other", 0),
    ("unfilled", Close, "secret", flipped, "secret/other", 0),
    ("two", Close, "standing", other_score, "standing/differs", 0),
    ("three", Close, "standing", lambda it: Standing(it.final, it.scores, it.ranking[::-1]), "standing/differs", 0),
    ("three", Close, "standing", lambda it: Standing(False, it.scores, it.ranking), "standing/differs", 0),
    ("four", Close, "standing", lambda it: Standing(True, it.scores[:-1], it.ranking), "standing/differs", 0),
    ("given up", Close, "standing", lambda it: Standing(True, it.scores, it.ranking), "standing/differs", 0),
    ("two", Close, "standing", lambda _: None, "standing/differs", 0),
    ("unfilled", Close, "standing", lambda _: Standing(True, (), ()), "standing/differs", 0),
    ("two", Close, "state", flipped, "state/differs", 0),
    ("two", Close, "state", lambda _: None, "state/misplaced", 0),
    ("two", Close, "at", lambda _: "2001-01-01T00:00:00.000Z", "chain/time", 0),
]
EVERY_MEMBER = pytest.mark.parametrize(
    ("base", "kind", "member", "change", "code", "later"),
    [pytest.param(*row, id=f"{row[1].__name__.lower()}.{row[2]} of {row[0]} {at}") for at, row in enumerate(MEMBERS)],
)


def change_member(forger: Forger, kind: type[AnyEntry], member: str, change: Callable[[Any], Any]) -> int:
    number = forger.first(kind)
    before = getattr(forger.lines[number].entry, member)
    forger.edit(number, **{member: change(before)})
    assert getattr(forger.lines[number].entry, member) != before
    return number


@EVERY_MEMBER
def test_an_outsider_changes_a_member(
    base: str, kind: type[AnyEntry], member: str, change: Callable[[Any], Any], code: str, later: int
) -> None:
    """Whatever it is: the seal no longer fits."""
    forger = Forger(base)
    number = change_member(forger, kind, member, change)
    assert forger.first_fault() == (number, "seal/forged")


@EVERY_MEMBER
def test_the_server_changes_a_member(
    base: str, kind: type[AnyEntry], member: str, change: Callable[[Any], Any], code: str, later: int
) -> None:
    """It seals the entry and links and seals all that follow."""
    forger = Forger(base)
    number = change_member(forger, kind, member, change)
    kept = forger.lines[number].entry
    forger.reseal(number)
    if member in ("seq", "prev"):  # reseal has just put that right
        forger.edit(number, **{member: getattr(kept, member)})
        line = forger.lines[number]
        forger.lines[number] = msgspec.structs.replace(line, seal=forger.server.sign(seal_message(line.hash)))
        forger.reseal(number + 1)
    assert forger.first_fault() == (number + later, code)


def test_every_member_of_every_entry_is_tampered_with() -> None:
    everything = {
        (kind.__name__, member)
        for kind in AnyEntry.__args__
        for member in kind.__struct_fields__
        if member not in ("table", "seq", "prev", "at", "format")  # of these one kind stands for all
    }
    assert everything - {(kind.__name__, member) for _, kind, member, *_ in MEMBERS} == set()
