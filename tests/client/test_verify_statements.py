"""What is said in a player's name beside moves, and what comes by mail, is believed only if it was signed here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from client.connection.response_types import DelegationStatus, MailboxStatus
from client.output import CommandRefused
from client.trust.gateway_delegations import Delegations, allow, checked, take_back
from client.trust.log_verification import Trust, Unverified, check_receipt, extension
from client.trust.table_memory import Damaged, Delegated, HeldByServer, Own, Revoked, SignedHere
from engine import games
from engine.keys import SigningKey
from engine.record.chain import Chain, follow
from engine.record.entry import (
    Away,
    Bank,
    Delegate,
    PerDecision,
    Play,
    Resign,
    Revoke,
    Sealed,
    SignedEntry,
    Sit,
    Vote,
    delegate_message,
    instant,
    timestamp,
)
from tests.client.clocked_tables import DAY, VACATION, asked, clocked, moved_by_mail
from tests.engine.signed_games import Evening, a_shelf_of_games

GATEWAY = SigningKey(b"gateway".ljust(32))
BEGUN = 4
"""Entries of a table for two that has just been dealt."""


def own(evening: Evening, seat: int) -> list[Own]:
    """All that the player of a seat signed, as they remember it."""
    return [remembered(sealed.entry) for sealed in evening.record if is_mine(sealed.entry, seat)]


def is_mine(entry: Any, seat: int) -> bool:
    return isinstance(entry, SignedEntry) and entry.seat == seat and getattr(entry, "by", None) is None


def remembered(entry: Any) -> Own:
    match entry:
        case Delegate():
            return Delegated(entry.signature, entry.to, entry.begins, entry.ends, entry.tables)
        case Revoke():
            return Revoked(entry.signature, entry.before)
        case Sit():
            return SignedHere("sit", entry.signature, entry.seat, entry.prev)
    said = {name: getattr(entry, name) for name in ("begins", "ends", "choice") if hasattr(entry, name)}
    kind = str(entry.__struct_config__.tag)
    return SignedHere(kind, entry.signature, entry.seat, entry.base, getattr(entry, "move", None), said or None)


def verified(
    evening: Evening, seat: int, own: list[Own], seen: int = BEGUN, since: str | None = None, now: str | None = None
) -> str | None:
    """What is found when the client has seen so much and reads on; None if all is well."""
    trust = Trust(evening.id, evening.server.public, evening.keys[seat].public, own, since, now)
    chain = Chain()
    for sealed in evening.record[:seen]:
        chain = follow(chain, sealed)
    overlap = evening.record[seen - 1] if seen else None
    try:
        extension(chain, overlap, [sealed.line for sealed in evening.record[max(seen - 1, 0) :]], trust)
    except Unverified as found:
        return found.code
    return None


def voting() -> Evening:
    evening = clocked("voting", PerDecision(seconds=60, strikes=1, then="vote"))
    seat = asked(evening)
    evening.wait(60).timeout()
    return evening.vote(1 - seat, "abandon")


EVENINGS: dict[str, Evening] = {
    "away": clocked("away", VACATION).days_off(0, 1),
    "back": clocked("back", VACATION).days_off(0, 1).back(0),
    "vote": voting(),
    "delegate": clocked("delegate", None).delegate(0),
    "revoke": clocked("revoke", None).delegate(0).revoke(0),
}
RESIGNED = clocked("resign", None)
RESIGNED.resign(0)
EVENINGS["resign"] = RESIGNED


@pytest.mark.parametrize("kind", EVENINGS)
def test_whatever_is_signed_with_my_key_was_signed_here(kind: str) -> None:
    evening = EVENINGS[kind]
    last: Any = evening.record[-1].entry
    assert last.__struct_config__.tag == kind
    mine = own(evening, last.seat)
    assert verified(evening, last.seat, mine) is None
    assert verified(evening, last.seat, mine[:-1]) == "own/unsigned"
    assert verified(evening, 1 - last.seat, own(evening, 1 - last.seat)) is None, "it is not for others to know"
    elsewhere = SignedHere("elsewhere", last.signature, last.seat, last.prev)
    assert verified(evening, last.seat, [*mine[:-1], elsewhere]) is None, "it may be accepted"
    assert verified(evening, last.seat, [], seen=0) is None, "a machine that meets the table for the first time"


def by_mail() -> tuple[Evening, int]:
    """A table where the first to move has delegated and plays by mail."""
    evening = clocked("by mail", None)
    seat = asked(evening)
    return moved_by_mail(evening.delegate(seat)), seat


def test_a_move_by_mail_counts_under_a_delegation_that_was_signed_here() -> None:
    evening, seat = by_mail()
    mine = own(evening, seat)
    assert isinstance(mine[-1], Delegated)
    assert verified(evening, seat, mine) is None
    assert verified(evening, seat, mine[:-1]) == "own/unsigned", "the delegation is not mine"
    assert verified(evening, seat, mine[:-1], seen=BEGUN + 1) == "own/unsigned", "and so the move is not either"
    assert verified(evening, seat, mine, seen=BEGUN + 1) is None


def test_a_revocation_that_the_server_has_heard_of_counts_whatever_its_log_says() -> None:
    evening, seat = by_mail()
    mine = own(evening, seat)
    evening.play(1)
    evening.wait(DAY)
    revoked = Revoked("ab" * 64, evening.now)
    evening.wait(DAY)
    while asked(evening) != seat:
        evening.play(1)
    moved_by_mail(evening)
    rest = [each for each in own(evening, seat) if each not in mine]
    assert verified(evening, seat, [*mine, *rest, revoked]) is None, "it may never have arrived"
    heard = msgspec.structs.replace(revoked, heard=True)
    assert verified(evening, seat, [*mine, *rest, revoked, heard]) == "own/revoked"
    assert verified(evening, seat, [*mine, *rest, Revoked("ab" * 64, "2020-01-01T00:00:00.000Z", True)]) is None
    at_once = Revoked("ab" * 64, timestamp(evening.moment - timedelta(minutes=1)), True)
    assert verified(evening, seat, [*mine, *rest, at_once]) is None, "clocks may differ by minutes"


def test_what_was_not_in_the_log_when_the_server_had_heard_is_newer_whatever_its_date_says() -> None:
    """A server that goes on for weeks, and dates all of it within minutes of the revocation."""
    evening, seat = by_mail()
    mine = own(evening, seat)
    seen, revoked = len(evening.record), Revoked("ab" * 64, evening.now, True)
    for _ in range(8):
        moved_by_mail(evening) if asked(evening) == seat else evening.play(1)
    rest = [each for each in own(evening, seat) if each not in mine]
    everything = [*mine, *rest, revoked]
    assert verified(evening, seat, everything, seen=seen) is None, "clocks may differ by minutes"
    before, answered, after = (timestamp(instant(revoked.before) + timedelta(seconds=late)) for late in (1, 2, 3))
    everything[-1] = msgspec.structs.replace(revoked, answered=answered)
    assert verified(evening, seat, everything, seen=seen, since=before) is None, "it was not looked at since"
    assert verified(evening, seat, everything, seen=seen, since=after) == "own/revoked"


def test_an_entry_that_is_dated_before_the_last_look_was_not_there_then() -> None:
    evening = clocked("backdated", None).play(4)
    mine, at = own(evening, 0), evening.record[BEGUN].entry.at
    for minutes, code in ((-60, None), (0, None), (9, None), (11, "time/backdated"), (60 * 24 * 365, "time/backdated")):
        since = timestamp(instant(at) + timedelta(minutes=minutes))
        assert verified(evening, 0, mine, since=since) == code, minutes


def test_an_entry_that_is_dated_in_the_future() -> None:
    evening = clocked("postdated", None).play(4)
    mine, at = own(evening, 0), evening.record[-1].entry.at
    for minutes, code in ((60, None), (0, None), (-9, None), (-11, "time/postdated"), (-60 * 24, "time/postdated")):
        now = timestamp(instant(at) + timedelta(minutes=minutes))
        assert verified(evening, 0, mine, now=now) == code, minutes
        assert verified(evening, 0, mine, seen=len(evening.record), now=now) is None, "it was believed before"


def test_a_timeout_dated_years_from_now_is_not_believed() -> None:
    evening = clocked("years", PerDecision(seconds=30 * DAY)).play(2)
    now = evening.now
    evening.wait(70 * 365 * DAY)
    evening.timeout()
    assert verified(evening, 0, own(evening, 0), now=now) == "time/postdated"


def test_what_a_server_dated_in_the_future_is_believed_once_it_has_corrected_its_clock() -> None:
    evening = clocked("corrected", PerDecision(seconds=DAY)).play(3)
    evening.wait(2 * DAY).timeout().wait(-2 * DAY)
    mine, now = own(evening, 0), evening.now
    assert verified(evening, 0, mine, now=now) == "time/postdated"
    evening.correct().play(2)
    mine = own(evening, 0)
    assert verified(evening, 0, mine, now=evening.now, since=now) is None
    hour_ago, in_an_hour = (timestamp(evening.moment + timedelta(hours=hours)) for hours in (-1, 1))
    assert verified(evening, 0, mine, now=hour_ago) == "time/postdated", "it must be right then"
    assert verified(evening, 0, mine, now=in_an_hour, since=in_an_hour) == "time/backdated"
    evening.wait(2 * DAY).timeout()
    assert verified(evening, 0, mine, now=now) == "time/postdated", "what comes after it is held to it"


@pytest.mark.parametrize(("since_corrected", "code"), [(True, None), (False, "own/given")])
def test_an_answer_that_was_there_before_a_correction_costs_no_time_since(
    since_corrected: bool, code: str | None
) -> None:
    with a_shelf_of_games():
        evening = Evening("held", games.load("odds-and-evens"), 3, clock=Bank(start=DAY, refill=0, most=DAY))
        while not (playing := evening.table.playing).asked[min(playing.asked)].decision.sealed:
            evening.play(1)
        seat, heard = min(playing.asked), evening.now
        evening.wait(2 * DAY).back((seat + 1) % 3).wait(-2 * DAY + 3600).correct().wait(3600)
        since = evening.table.playing.asked[seat].since
        move = evening.game.legal(evening.table.playing.state, seat)[0]
        evening.move(seat, move, given=since if since_corrected else None)
    answer = evening.record[-1].entry
    assert isinstance(answer, Play)
    assert (
        verified(evening, seat, [*own(evening, seat), HeldByServer(answer.signature, heard)], now=evening.now) == code
    )


def test_a_delegation_that_was_taken_back_is_put_into_a_log() -> None:
    evening = clocked("replayed", None)
    evening.delegate(0)
    before = Revoked("ab" * 64, timestamp(evening.moment - timedelta(days=2)), True)
    old = evening.record[-1].entry
    assert isinstance(old, Delegate)
    assert verified(evening, 0, [*own(evening, 0), before]) is None, "a newer one holds"
    late = clocked("replayed", None)
    late.wait(DAY)
    signed = {"seat": 0, "to": old.to, "begins": old.begins, "ends": old.ends, "signature": old.signature}
    late._append(late.clerk.say(late.table, late.now, Delegate, **signed))
    taken_back = Revoked("ab" * 64, timestamp(evening.moment + timedelta(hours=1)), True)
    mine = [*own(late, 0), taken_back]
    assert verified(late, 0, mine) == "own/revoked"


RECEIPTS: dict[str, dict[str, Any]] = {
    "another kind": {"kind": "back"},
    "other days": {"said": {"begins": "2026-01-01T00:00:00.000Z", "ends": "2026-01-02T00:00:00.000Z"}},
    "another signature": {"signature": "cd" * 64},
    "another seat": {"seat": 1},
}


@pytest.mark.parametrize("what", RECEIPTS)
def test_a_receipt_is_for_exactly_what_was_said(what: str) -> None:
    evening = EVENINGS["away"]
    receipt: Sealed = evening.record[-1]
    expected = remembered(receipt.entry)
    assert isinstance(expected, SignedHere)
    assert isinstance(receipt.entry, Away)
    check_receipt(receipt, evening.server.public, expected, evening.id)
    other = msgspec.structs.replace(expected, **RECEIPTS[what])
    with pytest.raises(Unverified, match="receipt/other"):
        check_receipt(receipt, evening.server.public, other, evening.id)
    with pytest.raises(Unverified, match="seal/forged"):
        check_receipt(receipt, GATEWAY.public, expected, evening.id)


@pytest.mark.parametrize("kind", ["back", "vote", "resign"])
def test_every_statement_is_receipted(kind: str) -> None:
    evening = EVENINGS[kind]
    receipt = evening.record[-1]
    assert not isinstance(receipt.entry, Play)
    expected = remembered(receipt.entry)
    assert isinstance(expected, SignedHere)
    check_receipt(receipt, evening.server.public, expected, evening.id)
    if isinstance(receipt.entry, Vote | Resign):
        assert expected.kind in ("vote", "resign")


class Office:
    """A server that keeps a mailbox, honest unless it is told what to answer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.answer: MailboxStatus | None = None
        self.kept: DelegationStatus | None = None
        self.revoked: str | None = None
        self.lines: list[int] = []
        self.heard: list[str] = []

    def delegate(self, body: dict[str, Any]) -> MailboxStatus:
        self.lines.append(len(self.path.read_bytes().splitlines()))
        self.heard.append("delegate")
        self.kept = msgspec.convert(body, DelegationStatus)
        assert self.revoked is None or self.kept.begins > self.revoked
        return self.mailbox()

    def revoke(self, body: dict[str, Any]) -> MailboxStatus:
        self.lines.append(len(self.path.read_bytes().splitlines()))
        self.heard.append("revoke")
        self.revoked = max(body["before"], self.revoked or "")
        self.kept = None if self.kept and self.kept.begins < body["before"] else self.kept
        return self.mailbox()

    def mailbox(self) -> MailboxStatus:
        return self.answer or MailboxStatus("me@example.org", True, "turns", True, self.kept, self.revoked)


def test_what_is_delegated_is_on_the_disk_before_it_is_sent(tmp_path: Path) -> None:
    kept, key = Delegations(tmp_path / "delegations.jsonl"), SigningKey(b"m" * 32)
    context: Any = Office(tmp_path / "delegations.jsonl")
    table = "ab" * 16
    mailbox = allow(context, key, kept, GATEWAY.public, timedelta(days=1), [table])
    assert mailbox.delegation is not None
    assert kept.signed_here(mailbox.delegation)
    (delegated,) = kept.own()
    assert isinstance(delegated, Delegated)
    assert (delegated.to, delegated.tables) == (GATEWAY.public, (table,))
    take_back(context, key, kept)
    allow(context, key, kept, GATEWAY.public, timedelta(days=1), None)
    assert context.lines == [1, 2, 4], "a revocation is written down again when the server has heard of it"
    said = [each.begins if isinstance(each, Delegated) else each.before for each in kept.own()]
    assert said == sorted(said), "each is newer than the one before, or it would not count"
    assert said[-1] > said[-2]
    assert [each.heard for each in kept.own() if isinstance(each, Revoked)] == [False, True]


def test_a_server_that_keeps_another_delegation_than_was_signed(tmp_path: Path) -> None:
    kept, key = Delegations(tmp_path / "delegations.jsonl"), SigningKey(b"m" * 32)
    context: Any = Office(tmp_path / "delegations.jsonl")
    allow(context, key, kept, GATEWAY.public, timedelta(days=1), None)
    old = context.mailbox()
    context.answer = old
    with pytest.raises(Unverified, match="delegation/other"):
        allow(context, key, kept, GATEWAY.public, timedelta(days=1), None)
    with pytest.raises(Unverified, match="own/revoked"):
        take_back(context, key, kept)
    forged = msgspec.structs.replace(old.delegation, ends=timestamp(datetime(2099, 1, 1, tzinfo=UTC)))
    with pytest.raises(Unverified, match="signature/forged"):
        checked(msgspec.structs.replace(old, delegation=forged), key.public)


def test_a_revocation_is_newer_than_what_was_delegated_elsewhere(tmp_path: Path) -> None:
    kept, key = Delegations(tmp_path / "delegations.jsonl"), SigningKey(b"m" * 32)
    context: Any = Office(tmp_path / "delegations.jsonl")
    ahead = DelegationStatus(GATEWAY.public, "2099-01-01T00:00:00.000Z", "2099-02-01T00:00:00.000Z", "ab" * 64)
    take_back(context, key, kept, MailboxStatus("me@example.org", True, "turns", True, ahead))
    revoked = kept.own()[-1]
    assert isinstance(revoked, Revoked)
    assert revoked.before == "2099-01-01T00:00:00.001Z"


TABLES = ("ab" * 16, "cd" * 16)


@pytest.mark.parametrize(
    ("first", "then", "heard"),
    [
        ((2, None), (2, None), ["delegate"]),
        ((2, TABLES[:1]), (2, TABLES), ["delegate"]),
        ((2, TABLES), (3, None), ["delegate"]),
        ((2, None), (3, TABLES), ["revoke", "delegate"]),
        ((2, TABLES), (3, TABLES[:1]), ["revoke", "delegate"]),
        ((2, None), (1, None), ["revoke", "delegate"]),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_whoever_allows_less_than_before_takes_back_the_rest_first(
    tmp_path: Path, first: tuple[int, Any], then: tuple[int, Any], heard: list[str], elsewhere: bool
) -> None:
    path, key = tmp_path / "delegations.jsonl", SigningKey(b"m" * 32)
    context: Any = Office(path)
    allow(context, key, Delegations(path), GATEWAY.public, timedelta(days=first[0]), first[1])
    if elsewhere:
        path.unlink()  # another machine, which only the server tells of it
    context.heard.clear()
    mailbox = allow(context, key, Delegations(path), GATEWAY.public, timedelta(days=then[0]), then[1])
    assert context.heard == heard
    assert mailbox.delegation is not None
    assert mailbox.delegation.tables == then[1]


def test_a_server_that_hides_what_was_allowed_before_is_told_all_the_same(tmp_path: Path) -> None:
    path, key = tmp_path / "delegations.jsonl", SigningKey(b"m" * 32)
    kept, context = Delegations(path), Office(path)
    api: Any = context
    allow(api, key, kept, GATEWAY.public, timedelta(days=2), None)
    context.kept = None
    allow(api, key, kept, GATEWAY.public, timedelta(days=3), TABLES)
    assert context.heard == ["delegate", "revoke", "delegate"]
    allow(api, key, kept, GATEWAY.public, timedelta(days=4), TABLES)
    assert context.heard[3:] == ["delegate"], "what was taken back is not taken back again"


def test_what_is_allowed_begins_after_a_revocation_on_another_machine(tmp_path: Path) -> None:
    path, key = tmp_path / "delegations.jsonl", SigningKey(b"m" * 32)
    context: Any = Office(path)
    context.revoked = timestamp(datetime.now(UTC) - timedelta(minutes=1))
    mailbox = allow(context, key, Delegations(path), GATEWAY.public, timedelta(days=1), None)
    assert mailbox.begins == timestamp(instant(context.revoked) + timedelta(milliseconds=1))


def test_nobody_is_accused_of_what_another_machine_has_allowed_since(tmp_path: Path) -> None:
    path, key = tmp_path / "delegations.jsonl", SigningKey(b"m" * 32)
    context: Any = Office(path)
    begins, ends = (timestamp(datetime.now(UTC) + timedelta(minutes=minutes)) for minutes in (1, 60))
    signature = key.sign(delegate_message(key.public, GATEWAY.public, begins, ends, None))
    context.kept = DelegationStatus(GATEWAY.public, begins, ends, signature)
    nothing = MailboxStatus("me@example.org", True, "turns", True)
    assert take_back(context, key, Delegations(path), nothing).delegation == context.kept


def test_nothing_is_signed_for_a_moment_that_is_far_away(tmp_path: Path) -> None:
    path, key = tmp_path / "delegations.jsonl", SigningKey(b"m" * 32)
    context: Any = Office(path)
    for context.revoked in ("9999-12-31T23:59:59.999Z", timestamp(datetime.now(UTC) + timedelta(minutes=11))):
        with pytest.raises(CommandRefused, match="clock"):
            allow(context, key, Delegations(path), GATEWAY.public, timedelta(days=1), None)
    assert not path.exists()
    take_back(context, key, Delegations(path))
    context.revoked = "2026-02-30T00:00:00.000Z"
    with pytest.raises(Unverified, match="mailbox/malformed"):
        checked(context.mailbox(), key.public)


def test_damage_is_said(tmp_path: Path) -> None:
    (tmp_path / "delegations.jsonl").write_bytes(b"nonsense\n")
    with pytest.raises(Damaged, match="damaged"):
        Delegations(tmp_path / "delegations.jsonl").own()
