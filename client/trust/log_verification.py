"""The client trusts nobody: a log is believed only if it goes on from what was seen, sealed and signed before.

A server that is caught is named with what it did; :mod:`client.trust.evidence` keeps the proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from client.output import CommandRefused, ExitCode, say
from client.trust.table_memory import (
    Delegated,
    HeldByServer,
    Own,
    Receipted,
    Revoked,
    SignedHere,
    Succession,
)
from engine.errors import RecordRejected
from engine.game import Seat
from engine.keys import Key
from engine.record.canonical import canonical
from engine.record.chain import Chain, check, follow
from engine.record.clock import CLOCKS_DIFFER
from engine.record.entry import (
    AnyEntry,
    Bank,
    Correct,
    Delegate,
    Open,
    Play,
    Sealed,
    SignedEntry,
    Sit,
    Timestamp,
    instant,
    is_sealed_by,
    read_line,
)

BACKDATED = "time/backdated"


class Unverified(CommandRefused):
    """The server was caught: what it says cannot be true, or contradicts what it said before."""

    exit_code = ExitCode.UNVERIFIED

    def __init__(self, code: str, message: str, entry: int | None = None) -> None:
        told = f"{message[:1].upper()}{message[1:]}" if entry is None else f"Entry {entry}: {message}"
        super().__init__(f"NOT VERIFIED. {told} [{code}]")
        self.code = code
        self.entry = entry
        self.evidence: Path | None = None

    def show(self, file: Any = None) -> None:  # noqa: ARG002 - click's signature
        """Say it on stderr, and where the proof is."""
        say(self.message)
        if self.evidence is not None:
            say(f"Both stories are kept as evidence in {self.evidence}")


class Trust(Struct, frozen=True):
    """What the client knows from itself: the table it asked for, the server's key when first met, its own key."""

    table: str
    server: Key
    me: Key
    own: Sequence[Own] = ()
    since: Timestamp | None = None
    """When this log was last asked for and found true, by this machine's clock: what is new was not there then."""
    now: Timestamp | None = None
    """When it was received this time, by the same clock."""

    @property
    def keys(self) -> frozenset[Key]:
        """The player's key, those they have given up, and the one they may be about to go on under."""
        changes = [each for each in self.own if isinstance(each, Succession)]
        return frozenset({self.me, *(each.former for each in changes), *(each.to for each in changes)})


def extension(chain: Chain, overlap: Sealed | None, lines: Sequence[bytes], trust: Trust) -> list[Sealed]:
    """The new entries of a log, given its lines from the last remembered one (``overlap``) on.

    1. The log still contains the last entry that was seen, unchanged.
    2. Every further line is an entry that follows the one before: chain, seal, signatures.
    3. The table is the one asked for, and sealed with the key this server has always had.
    4. Whatever is signed with a key of the player's was signed here, and so was every change of key; whatever came by
       mail for the player was allowed here, and that was not taken back.
    5. Of several sealed answers the last one that the server acknowledged counts, and costs no more time than until it
       was acknowledged.
    6. What is new is dated after the last look at the log and not in the future, as far as clocks agree; it
       may have been in the future if the server then says on record that its clock was wrong.

    Raises Unverified.
    """
    # 1
    if overlap is not None:
        if not lines:
            raise Unverified(
                "log/shorter", "the server's log ends before it, but it has been here already.", chain.length - 1
            )
        if lines[0] != overlap.line:
            raise Unverified("log/rewritten", "the server now tells it differently than before.", chain.length - 1)
        lines = lines[1:]
    elif not lines:
        raise Unverified("log/empty", "the server's log of this table is empty.")
    new: list[Sealed] = []
    postdated: Unverified | None = None
    for line in lines:
        # 2
        try:
            sealed = read_line(line)
        except RecordRejected as error:
            raise Unverified(error.code, f"{error}.", chain.length) from None
        for fault in check(chain, sealed):
            raise Unverified(fault.code, f"{fault.message}.", fault.entry)
        # 3
        _check_opening(chain.opened or sealed.entry, trust)
        # 4
        if isinstance(sealed.entry, SignedEntry) and _is_mine(chain, sealed.entry, trust.keys):
            _check_allowed(chain, sealed.entry, trust)
            _check_signed(chain, sealed.entry, trust.own, first_meeting=overlap is None)
        # 5
        if isinstance(sealed.entry, Play):
            _check_last_answer(sealed.entry, trust.own)
            _check_given(chain, sealed.entry, trust.own)
        # 6
        _check_not_backdated(sealed.entry, trust)
        postdated = None if isinstance(sealed.entry, Correct) else postdated
        postdated = postdated or _postdated(sealed.entry, trust)
        chain = follow(chain, sealed)
        new.append(sealed)
    if postdated is not None:
        raise postdated
    return new


def _check_opening(opened: AnyEntry, trust: Trust) -> None:
    if opened.table != trust.table:
        raise Unverified("table/other", "the server answers with the log of another table.", 0)
    if isinstance(opened, Open) and opened.server != trust.server:
        raise Unverified("server/key", "the table is sealed with another key than this server's.", 0)


def _is_mine(chain: Chain, entry: SignedEntry, keys: frozenset[Key]) -> bool:
    if isinstance(entry, Sit):
        return entry.key in keys
    return any(chain.seat_of(key) == entry.seat for key in keys)


def is_by_mail(entry: AnyEntry) -> bool:
    """Whether the mail gateway signed this in a player's place."""
    return getattr(entry, "by", None) == "mail"


def _check_signed(chain: Chain, entry: SignedEntry, own: Sequence[Own], *, first_meeting: bool) -> None:
    at_table = {each.signature for each in own if isinstance(each, SignedHere)}
    signed = at_table | {each.signature for each in own if isinstance(each, Delegated | Revoked | Succession)}
    if entry.signature in signed:
        return
    if first_meeting and not at_table:
        return  # This machine has never seen the table: the player sat down from another one.
    if is_by_mail(entry):
        delegation = chain.delegation(Seat(entry.seat), entry.at)
        if delegation is not None and delegation.signature in signed:
            return
        why = "it came by mail in your name, which was never allowed on this machine. If you did that elsewhere, accept"
        raise Unverified("own/unsigned", f"{why} it with: poste log --accept.", entry.seq)
    why = "it is signed with your key, but was never signed on this machine. If you did it elsewhere, accept it with: "
    raise Unverified("own/unsigned", f"{why}poste log --accept. If not, somebody else has your key.", entry.seq)


def _check_allowed(chain: Chain, entry: SignedEntry, trust: Trust) -> None:
    """What was delegated before a revocation that the server has heard of is no longer good for anything.

    What was not in the log when it was looked at after the server had heard is newer, whatever its date says.
    """
    delegation = chain.delegation(Seat(entry.seat), entry.at) if is_by_mail(entry) else entry
    if not isinstance(delegation, Delegate):
        return
    for each in trust.own:
        if isinstance(each, Revoked) and each.heard and delegation.begins < each.before:
            seen_since = trust.since is not None and each.answered is not None and trust.since > each.answered
            if not seen_since and instant(entry.at) <= instant(each.before) + CLOCKS_DIFFER:
                continue
            why = "the server still lets mail speak for you, although it has heard that you took that back."
            raise Unverified("own/revoked", why, entry.seq)


def _check_not_backdated(entry: AnyEntry, trust: Trust) -> None:
    """Every machine's clock may be wrong, this one's too: the finding says what to do then."""
    if trust.since is not None and instant(entry.at) < instant(trust.since) - CLOCKS_DIFFER:
        why = f"it is dated {entry.at}, but was not in the log yet at {trust.since}: the server wrote it later than it"
        clock = "If the clock of this machine was wrong then, set it right and accept it with: poste log --accept."
        raise Unverified(BACKDATED, f"{why} says. {clock}", entry.seq)


def _postdated(entry: AnyEntry, trust: Trust) -> Unverified | None:
    if trust.now is None or instant(entry.at) <= instant(trust.now) + CLOCKS_DIFFER:
        return None
    why = f"it is dated {entry.at}, and here it is {trust.now}: the server writes what has not happened yet."
    clock = "If the clock of this machine is wrong, set it right and look again."
    return Unverified("time/postdated", f"{why} {clock}", entry.seq)


def _check_last_answer(entry: Play, own: Sequence[Own]) -> None:
    """Answers to this decision that were signed before the last one the server acknowledged are replaced for good."""
    standing: set[str] = set()
    replaced: set[str] = set()
    for each in own:
        if isinstance(each, SignedHere) and each.base == entry.base:
            standing.add(each.signature)
        elif isinstance(each, HeldByServer) and each.signature in standing:
            replaced |= standing - {each.signature}
            standing = {each.signature}
    if entry.signature in replaced - standing:
        raise Unverified("own/superseded", "the server took an answer that you had replaced.", entry.seq)


def _check_given(chain: Chain, entry: Play, own: Sequence[Own]) -> None:
    """An account of time is charged up to when a sealed answer was given, and it had been by the time it was held."""
    if chain.opened is None or not isinstance(chain.opened.clock, Bank):
        return
    held = [each.at for each in own if isinstance(each, HeldByServer) and each.signature == entry.signature and each.at]
    charged = entry.given or entry.at
    if held and instant(charged) > instant(max(*held, chain.corrected)) + CLOCKS_DIFFER:
        why = f"it costs you time until {charged}, but the server had your answer at {max(held)} by your clock."
        raise Unverified("own/given", why, entry.seq)


def check_receipts(log: Sequence[Sealed], own: Sequence[Own]) -> None:
    """Raise Unverified unless the log contains every entry the player holds a receipt for."""
    for each in own:
        if not isinstance(each, Receipted):
            continue
        receipt = read_line(each.line.encode())
        number = receipt.entry.seq
        if number >= len(log):
            raise Unverified("receipt/withheld", "the server gave a receipt for it and now leaves it out.", number)
        if log[number].hash != receipt.hash:
            raise Unverified("receipt/contradicted", "the server gave a receipt for another entry.", number)


def check_receipt(receipt: Sealed, server: Key, expected: SignedHere, table: str) -> None:
    """Raise Unverified unless this is the server's seal on exactly what was signed."""
    entry = receipt.entry
    if not is_sealed_by(receipt, server):
        raise Unverified("seal/forged", "the receipt is not sealed with the server's key.", entry.seq)
    same = (
        isinstance(entry, SignedEntry)
        and entry.__struct_config__.tag == expected.kind
        and entry.table == table
        and entry.seat == expected.seat
        and entry.signature == expected.signature
        and (not isinstance(entry, Play) or canonical(entry.move) == canonical(expected.move))
        and all(getattr(entry, member, None) == value for member, value in (expected.said or {}).items())
    )
    if not same:
        raise Unverified("receipt/other", "the receipt is for something else than what was sent.", entry.seq)


def difference(remembered: Sequence[Sealed], lines: Sequence[bytes], server: Key) -> Unverified | None:
    """Where and how the server's whole log departs from the one that is remembered; None if it does not."""
    for number, sealed in enumerate(remembered):
        if number >= len(lines):
            return Unverified(
                "log/shorter",
                f"the server's log ends before it; on this machine it goes on to entry {len(remembered) - 1}.",
                number,
            )
        if lines[number] == sealed.line:
            continue
        if _is_sealed(lines[number], server, number):
            why = (
                "the server has sealed two different entries of this number: it tells two stories, and this proves it."
            )
            return Unverified("log/forked", why, number)
        return Unverified("log/rewritten", "the server now tells it differently than before.", number)
    return None


def _is_sealed(line: bytes, server: Key, number: int) -> bool:
    try:
        sealed = read_line(line)
    except RecordRejected:
        return False
    return sealed.entry.seq == number and is_sealed_by(sealed, server)
