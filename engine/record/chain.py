"""The chain: all that anybody can check of a log without its secret, while the game is still being played.

:func:`check` finds what is wrong with the next entry, :func:`follow` takes it in whatever was wrong, so that an audit
can go on and an honest reader can stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from enum import StrEnum

import msgspec
from msgspec import Struct

from engine.changed_tuples import with_item
from engine.game import Seat
from engine.keys import Hash, Key, verify
from engine.record.entry import (
    FIRST,
    Abandon,
    AnyEntry,
    Away,
    Back,
    Bank,
    Close,
    Correct,
    Deal,
    Delegate,
    Open,
    Play,
    Remark,
    Resign,
    Revoke,
    Sealed,
    Sit,
    Spoken,
    Succeed,
    Timeout,
    Timestamp,
    Vote,
    instant,
    is_sealed_by,
    signed_message,
)
from engine.record.fault import Fault

AHEAD = timedelta(hours=1)
"""By how much the clock of a player may be ahead where they say from when on, or up to when, mail speaks for them."""


class Phase(StrEnum):
    """How far a table has come."""

    NEW = "new"
    SITTING = "sitting"
    PLAYING = "playing"
    ABANDONED = "abandoned"
    CLOSED = "closed"


_KINDS: dict[Phase, tuple[type, ...]] = {
    Phase.NEW: (Open,),
    Phase.SITTING: (Sit, Resign, Succeed, Deal, Correct, Abandon),
    Phase.PLAYING: (Play, Timeout, Resign, Away, Back, Vote, Delegate, Revoke, Succeed, Correct, Abandon, Close),
    Phase.ABANDONED: (Close,),
    Phase.CLOSED: (),
}


_DUEL = 2
"""At a table of so many seats a game is won by the one when the other resigns."""


class Chain(Struct, frozen=True):
    """A table as its public log shows it after its newest entry."""

    phase: Phase = Phase.NEW
    dealt: bool = False
    """Whether the game was dealt; a table that was given up or closed may never have come so far."""
    opened: Open | None = None
    opening: Hash = FIRST
    length: int = 0
    head: Hash = FIRST
    at: str = ""
    players: tuple[Sit | None, ...] = ()
    """Who sits where, each with the key that speaks for the seat now."""
    former: frozenset[Key] = frozenset()
    """The keys that players have given up here: nobody goes back to one, or an old signature could be used again."""
    resigned: frozenset[Seat] = frozenset()
    delegations: tuple[Delegate | Revoke | None, ...] = ()
    """What each seat's player delegated last, or that they took it back."""
    remarks: int = 0
    """How many entries so far the game's chance does not count."""
    corrected: str = ""
    """When the server last said that its clock had been wrong, by its clock put right."""

    size: int = 0
    """How many bytes of a record it fills."""
    said: tuple[int, ...] = ()
    """How often each seat's player has said something beside the game; the end of a delegation does not count."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players in seat order; an empty seat is called by its number."""
        return tuple(sit.name if sit else f"seat {seat}" for seat, sit in enumerate(self.players))

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return None not in self.players

    @property
    def victor(self) -> Seat | None:
        """Who has won a game of two because the other one has resigned."""
        left = {Seat(seat) for seat in range(len(self.players))} - self.resigned
        return left.pop() if len(self.players) == _DUEL and len(left) == 1 else None

    def skip(self) -> Chain:
        """The chain past a line that could not be read."""
        return msgspec.structs.replace(self, length=self.length + 1)

    def delegation(self, seat: Seat, at: str) -> Delegate | None:
        """What lets the mail gateway speak for this seat at this time."""
        last = self.delegations[seat] if seat < len(self.delegations) else None
        return last if isinstance(last, Delegate) and at <= last.ends else None

    def seat_of(self, key: str) -> Seat | None:
        """The seat of the player with this key."""
        return next((Seat(seat) for seat, sit in enumerate(self.players) if sit and sit.key == key), None)


def check(chain: Chain, sealed: Sealed) -> Iterator[Fault]:
    """Everything wrong with the next entry of this chain that shows without the secret.

    First whether it is sealed with the key the table was opened with, then :func:`check_entry`.
    """
    opened = sealed.entry if isinstance(sealed.entry, Open) and chain.opened is None else chain.opened
    if opened and not is_sealed_by(sealed, opened.server):
        yield Fault(chain.length, "seal/forged", "the seal is not the server's")
    yield from check_entry(chain, sealed.entry)


def check_entry(chain: Chain, entry: AnyEntry) -> Iterator[Fault]:
    """Everything wrong with the next entry apart from its seal.

    1. It belongs to this table.
    2. Its number is the next.
    3. It names the entry before it by its hash.
    4. Its time is not before that entry's; where the server corrects its clock, it is.
    5. Its kind may follow at this point.
    6. Its seat exists and is free, or taken by a player who has not resigned, as its kind demands.
    7. Its player signed it, or the mail gateway under a delegation of theirs.
    8. A move says when it was given only before it was put on record, and where an account of time is charged for it.
    9. It carries a state digest exactly if the game has been dealt.
    """
    number = chain.length

    def fault(code: str, message: str) -> Fault:
        return Fault(number, code, message)

    # 1
    if chain.opened and entry.table != chain.opened.table:
        yield fault("chain/table", f"the entry belongs to table {entry.table[:8]}, not to {chain.opened.table[:8]}")
    # 2
    if entry.seq != number:
        yield fault("chain/sequence", f"the entry says it is number {entry.seq}, but it stands at {number}")
    # 3
    if entry.prev != chain.head:
        yield fault("chain/broken", "the entry does not follow the one before it: the hash it names is another")
    # 4
    if isinstance(entry, Correct):
        if entry.at >= chain.at:
            yield fault("chain/time", f"the clock is corrected to {entry.at}, and was not ahead of it ({chain.at})")
    elif entry.at < chain.at:
        yield fault("chain/time", f"the entry is dated {entry.at}, before the one it follows ({chain.at})")
    # 5
    if not isinstance(entry, _KINDS[chain.phase]):
        yield fault("chain/order", _out_of_order(chain, entry))
    elif isinstance(entry, Deal) and not chain.full:
        yield fault("chain/order", "the game is dealt although a seat is free")
    elif isinstance(entry, Abandon) and not _may_be_given_up(chain, entry.why):
        yield fault("chain/order", f"a table cannot be abandoned as “{entry.why}” at this point")
    elif chain.phase is Phase.PLAYING and chain.victor is not None and not _ends_a_won_game(entry):
        yield fault("chain/order", "one of two players has resigned, and so the game is over")
    # 6 and 7
    if isinstance(entry, Sit):
        yield from _check_sit(chain, entry)
    elif isinstance(entry, Play | Timeout | Spoken | Delegate | Revoke | Succeed):
        yield from _check_seat(chain, entry)
    # 8
    if isinstance(entry, Play) and entry.given is not None:
        if chain.opened is None or not isinstance(chain.opened.clock, Bank):
            yield fault("move/given", "it says when the answer was given, and there are no accounts of time")
        elif entry.given >= entry.at:
            yield fault("move/given", f"the answer was given at {entry.given}, not before {entry.at}")
    # 9
    if isinstance(entry, Resign | Succeed | Correct | Abandon | Close) and (entry.state is not None) != chain.dealt:
        why = "a state digest is missing" if chain.dealt else "a state digest of a game that was never dealt"
        yield fault("state/misplaced", why)


def _may_be_given_up(chain: Chain, why: str) -> bool:
    """A table with a free seat as unfilled, one that was dealt for any other reason, and a full one only dealt."""
    return why != "unfilled" if chain.dealt else why == "unfilled" and not chain.full


def _ends_a_won_game(entry: AnyEntry) -> bool:
    """Whether this may follow when one of two has resigned; servers have written an “abandon” before the “close”."""
    return isinstance(entry, Close) or (isinstance(entry, Abandon) and entry.why == "resigned")


def given_up(entry: Abandon, seats: int) -> str | None:
    """Why a table was given up, so that nobody has won; None if one of two had resigned: then the other has."""
    return None if entry.why == "resigned" and seats == _DUEL else entry.why


def _out_of_order(chain: Chain, entry: AnyEntry) -> str:
    kind = entry.__struct_config__.tag
    match chain.phase:
        case Phase.NEW:
            return f"a record begins with “open”, not with “{kind}”"
        case Phase.SITTING:
            return f"“{kind}” before the game was dealt"
        case Phase.PLAYING:
            return f"“{kind}” after the game was dealt"
        case Phase.ABANDONED:
            return f"“{kind}” after the table was abandoned"
        case Phase.CLOSED:
            return f"“{kind}” after the table was closed"


def _check_sit(chain: Chain, entry: Sit) -> Iterator[Fault]:
    number = chain.length
    if entry.seat >= len(chain.players):
        yield Fault(number, "seat/unknown", f"there is no seat {entry.seat} at this table")
    elif chain.players[entry.seat] is not None:
        yield Fault(number, "seat/taken", f"seat {entry.seat} is taken")
    seated = [sit for sit in chain.players if sit]
    if any(sit.key == entry.key or sit.name.casefold() == entry.name.casefold() for sit in seated):
        yield Fault(number, "seat/twice", f"{entry.name} (or their key) sits at this table already")
    yield from _check_new_key(chain, entry.key)
    if not verify(entry.key, signed_message(entry, entry.key), entry.signature):
        yield Fault(number, "signature/forged", f"{entry.name} did not sign this seat, name and entropy")


def _check_new_key(chain: Chain, key: Key) -> Iterator[Fault]:
    if key in chain.former:
        yield Fault(chain.length, "succession/former", f"the key {key[:8]} was given up at this table for another")


def _check_seat(chain: Chain, entry: Play | Timeout | Spoken | Delegate | Revoke | Succeed) -> Iterator[Fault]:
    number = chain.length
    player = chain.players[entry.seat] if entry.seat < len(chain.players) else None
    if player is None:
        yield Fault(number, "seat/unknown", f"nobody sits at seat {entry.seat}")
        return
    gone = entry.seat in chain.resigned
    if isinstance(entry, Timeout):
        if gone != (entry.why == "resigned"):
            yield Fault(number, "timeout/reason", f"{player.name} has {'' if gone else 'not '}resigned")
        return
    if gone:
        yield Fault(number, "seat/resigned", f"{player.name} has resigned")
    if isinstance(entry, Spoken) and entry.base != chain.head:
        said = "resigned" if isinstance(entry, Resign) else "said this"
        yield Fault(number, "move/stale", f"{player.name} {said} at another point of the log")
    key = player.key
    if isinstance(entry, Succeed):
        yield from _check_succession(chain, entry, player)
    elif isinstance(entry, Delegate | Revoke):
        yield from _check_delegation(chain, entry, player)
    elif isinstance(entry, Play | Resign | Back | Vote) and entry.by is not None:
        delegation = chain.delegation(Seat(entry.seat), entry.at)
        if delegation is None:
            yield Fault(number, "delegation/none", f"{player.name} had not let the mail gateway speak for them")
            return
        key = delegation.to
    message = signed_message(entry, player.key)
    if not verify(key, message, entry.signature):
        who = player.name if key == player.key else f"the mail gateway of {player.name}"
        yield Fault(number, "signature/forged", f"{who} did not sign {_SAID[type(entry)]}")
    elif isinstance(entry, Succeed) and not verify(entry.to, message, entry.consent):
        yield Fault(number, "signature/forged", f"the new key of {player.name} did not sign {_SAID[type(entry)]}")


_SAID: dict[type, str] = {
    Play: "this move at this point of this table",
    Resign: "this resignation",
    Away: "these days off",
    Back: "this return",
    Vote: "this vote",
    Delegate: "this delegation",
    Revoke: "this revocation",
    Succeed: "this change of key",
}


def _check_succession(chain: Chain, entry: Succeed, player: Sit) -> Iterator[Fault]:
    """The new key is nobody's here, nor was it given up."""
    number = chain.length
    if any(sit.key == entry.to for sit in chain.players if sit):
        yield Fault(number, "seat/twice", f"the new key of {player.name} sits at this table already")
    yield from _check_new_key(chain, entry.to)


def _check_delegation(chain: Chain, entry: Delegate | Revoke, player: Sit) -> Iterator[Fault]:
    """A delegation is of now and of this table, its end not of times to come, or nothing could ever be delegated again;
    either is newer than whatever was said of the kind before.
    """
    number, before = chain.length, chain.delegations[entry.seat] if chain.delegations else None
    if isinstance(entry, Delegate):
        if not entry.begins <= entry.at <= entry.ends:
            yield Fault(number, "delegation/time", f"the delegation of {player.name} does not hold at this time")
        if entry.tables is not None and entry.table not in entry.tables:
            yield Fault(number, "delegation/table", f"the delegation of {player.name} is for other tables")
    elif is_ahead(entry.before, entry.at):
        why = f"{player.name} takes back what they delegate before {entry.before}, which is not yet"
        yield Fault(number, "delegation/time", why)
    if before is not None and _said_at(entry) <= _said_at(before):
        yield Fault(number, "delegation/replaced", f"{player.name} has replaced this delegation or taken it back")


def is_ahead(said: Timestamp, at: Timestamp) -> bool:
    """Whether a player dated this later than clocks differ."""
    return instant(said) - instant(at) > AHEAD


def _said_at(entry: Delegate | Revoke) -> str:
    return entry.begins if isinstance(entry, Delegate) else entry.before


def follow(chain: Chain, sealed: Sealed) -> Chain:
    """The chain with this entry at its end, whether or not it should have been there."""
    entry = sealed.entry
    changes: dict[str, object] = {}
    match entry:
        case Open() if chain.opened is None:
            changes = {
                "opened": entry,
                "opening": sealed.hash,
                "players": (None,) * entry.seats,
                "phase": Phase.SITTING,
            }
        case Sit() if entry.seat < len(chain.players):
            changes = {"players": with_item(chain.players, entry.seat, entry)}
        case Resign() if chain.phase is Phase.SITTING and entry.seat < len(chain.players):
            changes = {"players": with_item(chain.players, entry.seat, None)}
        case Resign():
            changes = {"resigned": chain.resigned | {Seat(entry.seat)}}
        case Delegate() | Revoke() if entry.seat < len(chain.players):
            delegations = chain.delegations or (None,) * len(chain.players)
            changes = {"delegations": with_item(delegations, entry.seat, entry)}
        case Succeed():
            changes = _succeeded(chain, entry)
        case Deal():
            changes = {"phase": Phase.PLAYING, "dealt": True}
        case Correct():
            changes = {"corrected": entry.at}
        case Abandon():
            changes = {"phase": Phase.ABANDONED}
        case Close():
            changes = {"phase": Phase.CLOSED}
    counts_not = isinstance(entry, Succeed | Correct) or (
        chain.phase is Phase.PLAYING and isinstance(entry, Remark | Resign)
    )
    remarks = chain.remarks + counts_not
    if isinstance(entry, Away | Back | Vote | Delegate) and entry.seat < len(chain.players):
        said = chain.said or (0,) * len(chain.players)
        changes["said"] = with_item(said, entry.seat, said[entry.seat] + 1)
    size = chain.size + len(sealed.line) + 1
    return msgspec.structs.replace(
        chain, length=chain.length + 1, head=sealed.hash, at=entry.at, remarks=remarks, size=size, **changes
    )


def _succeeded(chain: Chain, entry: Succeed) -> dict[str, object]:
    """What a succession changes; with the key end the delegations that it signed."""
    player = chain.players[entry.seat] if entry.seat < len(chain.players) else None
    if player is None:
        return {}
    return {
        "players": with_item(chain.players, entry.seat, msgspec.structs.replace(player, key=entry.to)),
        "former": chain.former | {player.key},
        "delegations": with_item(chain.delegations, entry.seat, None) if chain.delegations else (),
    }


def extend(chain: Chain, sealed: Sealed) -> Chain:
    """The chain with this entry at its end; raises RecordRejected at the first thing wrong with it."""
    for fault in check(chain, sealed):
        raise fault.raised()
    return follow(chain, sealed)
