"""Valid records of several kinds, and what a forger can do to them.

An outsider can change bytes, and cannot seal. The server can seal whatever it likes, knows the secret, and can link
everything after its change anew; what it cannot do is sign for a player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, TypeVar

import msgspec
import pytest

from engine import games
from engine.game import Seat
from engine.keys import SigningKey, sha256
from engine.record.audit import audit
from engine.record.canonical import canonical
from engine.record.chain import Chain, follow
from engine.record.entry import (
    Abandon,
    AnyEntry,
    Bank,
    PerDecision,
    Play,
    Sealed,
    SignedEntry,
    Spoken,
    Timeout,
    seal,
    signed_message,
)
from engine.record.replay import Position, deal, replay
from engine.record.secret import digest_key, state_digest
from tests.engine.signed_games import Evening, a_shelf_of_games, data_of

E = TypeVar("E", bound=AnyEntry)
HOUR = 3600
STRANGER = SigningKey(b"somebody who was never at table.")


def flipped(digits: str) -> str:
    """Hexadecimal digits with the first one changed."""
    return ("1" if digits[0] == "0" else "0") + digits[1:]


def absent(evening: Evening, seat: Seat) -> bool:
    """The server answers for a player who has resigned."""
    if seat in evening.table.chain.resigned:
        evening.timeout(seat)
        return True
    return False


def _two() -> Evening:
    return Evening("two", games.load("paris-paris"), 2).play().close()


def _three() -> Evening:
    return Evening("three", games.load("paris-paris"), 3).play().close()


def _four() -> Evening:
    game = games.load("paris-paris")
    options = msgspec.convert({"colours": ["green", "grey", "violet", "yellow"]}, game.options)
    return Evening("four", game, 4, options=options).play().close()


def _clocked() -> Evening:
    """Two players let a deadline pass."""
    evening = Evening("clocked", games.load("paris-paris"), 3, clock=PerDecision(seconds=HOUR))
    return evening.play(4).wait(HOUR).timeout().play(5).wait(HOUR).timeout().play().close()


def _given_up() -> Evening:
    """One player resigns and the server answers for them; when another does too, the table is abandoned."""
    evening = Evening("given up", games.load("paris-paris"), 3).play(4).resign(1)
    return evening.play(6, answer=absent).resign(2).abandon("resigned").close()


def _won() -> Evening:
    """One of two resigns, and so the other has won."""
    return Evening("won", games.load("paris-paris"), 2).play(4).resign(0).close()


def _idle() -> Evening:
    """Nobody comes back."""
    evening = Evening("idle", games.load("paris-paris"), 2, clock=PerDecision(seconds=HOUR)).play(2)
    for _ in range(4):
        evening.wait(HOUR).timeout()
    return evening.abandon("idle").close()


def _unfilled() -> Evening:
    """One comes, one goes, and the game is never dealt."""
    evening = Evening("unfilled", games.load("paris-paris"), 3, sit=False)
    return evening.sit(0).sit(1).resign(0).sit(2).abandon("unfilled").close()


def _sealed() -> Evening:
    """A game of sealed and of simultaneous decisions, three seats at a time."""
    with a_shelf_of_games():
        return Evening("sealed", games.load("odds-and-evens"), 3).play().close()


def _mailed() -> Evening:
    """One player lets the mail gateway move for them, and after a while no longer."""

    def by_mail(evening: Evening, seat: Seat) -> bool:
        return seat == 0 and bool(evening.move(0, evening.game.legal(evening.table.playing.state, seat)[0], mail=True))

    evening = Evening("mailed", games.load("paris-paris"), 2).play(2).delegate(0)
    return evening.play(6, answer=by_mail).revoke(0).play().close()


def _succeeded() -> Evening:
    """One changes their key before the deal, and once more in the middle of the game; another does it once."""
    evening = Evening("succeeded", games.load("paris-paris"), 3, sit=False)
    evening.sit(0).succeed(0).sit(1).sit(2).deal().play(3).delegate(0).succeed(0).play(3).succeed(1)
    return evening.play().close()


def _away() -> Evening:
    """A day off and a weekend, each with a deadline after it."""
    clock = PerDecision(seconds=HOUR, weekends_off=True, vacation=5)
    evening = Evening("away", games.load("paris-paris"), 2, clock=clock).play(2)
    seat = min(evening.table.playing.asked)
    evening.days_off(seat, 1).wait(24 * HOUR + HOUR).timeout()
    evening.moment = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    evening.play(1).moment = datetime(2026, 11, 23, 0, 30, tzinfo=UTC)
    return evening.timeout().back(seat).play().close()


def _bot() -> Evening:
    """A bot takes the seat of one who misses two deadlines, until they are back."""

    def absent(evening: Evening, seat: Seat) -> bool:
        wait = 0 if seat in evening.table.playing.bots else HOUR
        return seat == 0 and bool(evening.wait(wait).timeout(0))

    evening = Evening("bot", games.load("paris-paris"), 3, clock=PerDecision(seconds=HOUR, strikes=2))
    return evening.play(18, answer=absent).back(0).play().close()


def _voted() -> Evening:
    """The others vote to give up a table where one misses two deadlines."""

    def absent(evening: Evening, seat: Seat) -> bool:
        return seat == 0 and bool(evening.wait(HOUR).timeout(0))

    clock = PerDecision(seconds=HOUR, strikes=2, then="vote")
    evening = Evening("voted", games.load("paris-paris"), 3, clock=clock).play(9, answer=absent)
    return evening.vote(1, "abandon").play(1, answer=absent).vote(2, "abandon").abandon("voted").close()


def _banked() -> Evening:
    """One empties the account."""
    evening = Evening("banked", games.load("paris-paris"), 2, clock=Bank(start=600, refill=60, most=900)).play(6)
    return evening.wait(900).timeout().play().close()


def _held() -> Evening:
    """Sealed answers wait for one another, and cost until they were given."""

    def given_before(evening: Evening, seat: Seat) -> bool:
        position = evening.table.playing
        if not position.asked[seat].decision.sealed or seat == 2:
            return False
        move = evening.game.legal(position.state, seat)[seat]
        return bool(evening.move(seat, move, given=evening.later(seconds=-5 - seat)))

    with a_shelf_of_games():
        evening = Evening("held", games.load("odds-and-evens"), 3, clock=Bank(start=600, refill=60, most=900))
        for _ in range(2):
            evening.wait(60).play(6, answer=given_before)
        return evening.close()


def _words() -> Evening:
    """All that may be said between two moves, and the game goes on."""
    evening = Evening("words", games.load("paris-paris"), 2, clock=PerDecision(seconds=HOUR, vacation=5)).play(10)
    return evening.days_off(1, 1).delegate(0).revoke(0).play().close()


def _last_words() -> Evening:
    """The same before the last move, which answers a decision that was open before."""
    evening = Evening("last words", games.load("paris-paris"), 2, clock=PerDecision(seconds=HOUR, vacation=5)).play(39)
    return evening.days_off(1, 1).delegate(0).revoke(0).play(1).close()


def _corrected() -> Evening:
    """The clock jumps two days ahead, a deadline passes by it, and the server says so."""
    evening = Evening("corrected", games.load("paris-paris"), 2, clock=PerDecision(seconds=HOUR)).play(5)
    return evening.wait(48 * HOUR).timeout().wait(-48 * HOUR).correct().play(2).wait(HOUR).timeout().play().close()


def _game(key: str) -> Evening:
    game = games.load(key)
    return Evening(key, game, min(game.seats)).play().close()


_EVENINGS: dict[str, Callable[[], Evening]] = {
    **{key: partial(_game, key) for key in games.keys()},
    "two": _two,
    "three": _three,
    "four": _four,
    "clocked": _clocked,
    "given up": _given_up,
    "won": _won,
    "idle": _idle,
    "unfilled": _unfilled,
    "sealed": _sealed,
    "mailed": _mailed,
    "succeeded": _succeeded,
    "away": _away,
    "bot": _bot,
    "voted": _voted,
    "banked": _banked,
    "held": _held,
    "words": _words,
    "last words": _last_words,
    "corrected": _corrected,
}
BASES = tuple(_EVENINGS)


@cache
def evening(base: str) -> Evening:
    """A valid record and everybody's keys."""
    return _EVENINGS[base]()


class Forger:
    """A record about to be forged: change ``entries``, then :attr:`data` is the forged file."""

    def __init__(self, base: str) -> None:
        self.evening = evening(base)
        self.server, self.keys, self.table = self.evening.server, self.evening.keys, self.evening.id
        self.lines = list(self.evening.record)
        self._renamed: dict[str, str] = {}

    @property
    def data(self) -> bytes:
        return data_of(self.lines)

    @property
    def last(self) -> int:
        return len(self.lines) - 1

    def first(self, kind: type[AnyEntry], **members: Any) -> int:
        """The number of the first entry of this kind with these members."""
        return next(
            number
            for number, line in enumerate(self.lines)
            if isinstance(line.entry, kind) and all(getattr(line.entry, name) == it for name, it in members.items())
        )

    def entry(self, number: int, kind: type[E]) -> E:
        entry = self.lines[number].entry
        assert isinstance(entry, kind)
        return entry

    @cache  # noqa: B019 - a forger lives for one test
    def positions(self) -> Sequence[Position]:
        """The positions of the true game."""
        with a_shelf_of_games():
            return replay(self.evening.record, self.evening.secret).positions

    def position(self, number: int) -> Position:
        """The true position after this entry."""
        return next(position for position in self.positions() if position.seq == number)

    def digest(self, state: Any, seq: int) -> str:
        """What the server, who knows the secret, can always say of a state."""
        return state_digest(digest_key(self.evening.secret), seq, state)

    def common(self, number: int) -> dict[str, Any]:
        """What any entry at this place would have."""
        return {name: getattr(self.lines[number].entry, name) for name in ("table", "seq", "prev", "at")}

    def first_fault(self) -> tuple[int | None, str]:
        """Where the audit finds something wrong first, and what."""
        with a_shelf_of_games():
            found = audit(self.data)
        assert not found.valid
        assert all(fault.message.isprintable() for fault in found.faults)
        return found.faults[0].entry, found.faults[0].code

    # What an outsider can do.

    def edit(self, number: int, **members: Any) -> None:
        """Change an entry and leave its seal."""
        entry = msgspec.structs.replace(self.lines[number].entry, **members)
        data = canonical(entry)
        self._replace(number, Sealed(entry, data, sha256(data), self.lines[number].seal))

    def _replace(self, number: int, line: Sealed) -> None:
        if line.hash != self.lines[number].hash:
            self._renamed[self.lines[number].hash] = line.hash
        self.lines[number] = line

    # What the server can do.

    def reseal(self, start: int, key: SigningKey | None = None, *, rebase: bool = False) -> None:
        """Number, link, digest and seal everything from here on anew; with ``rebase`` rename the bases of moves too."""
        for number in range(start, len(self.lines)):
            entry = self.lines[number].entry
            changes: dict[str, Any] = {"seq": number}
            if number:
                changes["prev"] = self.lines[number - 1].hash
            if rebase and isinstance(entry, Play | Timeout | Spoken):
                changes["base"] = self._new_name(entry.base)
            if number != entry.seq and getattr(entry, "state", None) == self._true_digest(entry.seq):
                changes["state"] = self.digest(self.position(entry.seq).state, number)
            self._replace(number, seal(msgspec.structs.replace(entry, **changes), key or self.server))

    def _new_name(self, old: str) -> str:
        while old in self._renamed:
            old = self._renamed[old]
        return old

    def _true_digest(self, number: int) -> str | None:
        return next((position.digest for position in self.positions() if position.seq == number), "none")

    def dealt_anew(self, number: int) -> str:
        """The digest of what the entries before this one now deal."""
        chain = Chain()
        for line in self.lines[:number]:
            chain = follow(chain, line)
        return deal(chain, self.evening.secret).digest

    def put(self, number: int, entry: AnyEntry) -> None:
        """Insert an entry."""
        self.lines.insert(number, seal(entry, self.server))

    # What a player can do.

    def sign(self, number: int, pen: SigningKey | None = None, /, **members: Any) -> None:
        """Change an entry of a player, who (by mail, the gateway) signs it as it stands here; the server seals it."""
        here = {"seq": number, "prev": self.lines[number - 1].hash}
        entry = msgspec.structs.replace(self.lines[number].entry, **here, **members)
        assert isinstance(entry, SignedEntry)
        if pen is None:
            pen = self.evening.gateway if getattr(entry, "by", None) else self.keys[entry.seat]
        key = self.keys[entry.seat].public if entry.seat < len(self.keys) else pen.public
        signature = pen.sign(signed_message(entry, key))
        self._replace(number, seal(msgspec.structs.replace(entry, signature=signature), self.server))

    def say(self, number: int, kind: type[SignedEntry], pen: SigningKey | None = None, /, **members: Any) -> int:
        """Instead of this entry and all that follow somebody says something, well signed, and the table is closed."""
        common = self.common(number) | {"state": self.digest(self.position(number - 1).state, number)}
        if issubclass(kind, Spoken):
            common["base"] = self.lines[number - 1].hash
        del self.lines[number:-1]
        self.put(number, kind(**{**common, "signature": "00" * 64, **members}))
        self.sign(number, pen)
        if "signature" in members:
            self.edit(number, signature=members["signature"])
            self.reseal(number)
        self.edit(number + 1, at=max(self.lines[number].entry.at, self.lines[number + 1].entry.at))
        self.reseal(number + 1)
        return number


def stop(forger: Forger, number: int) -> None:
    """Nothing after this entry but the close, true in all but its moment."""
    position = forger.position(number)
    del forger.lines[number + 1 : -1]
    standing = position.game.standing(position.state)
    forger.edit(forger.last, standing=standing, state=forger.digest(position.state, number + 1))
    forger.reseal(number + 1)


def abandon(forger: Forger, number: int, why: str) -> int:
    """The table is abandoned after this entry, and then closed as it stood."""
    position = forger.position(number)
    stop(forger, number)
    common = forger.common(number + 1)
    digest = forger.digest(position.state, number + 1)
    forger.put(number + 1, msgspec.convert({**common, "kind": "abandon", "why": why, "state": digest}, Abandon))
    forger.edit(number + 2, state=forger.digest(position.state, number + 2))
    forger.reseal(number + 1)
    return number + 1


Forge = Callable[[Forger], int]
"""Forges a record and says at which entry that should show first."""


class Forgery:
    """A decorator that collects forgeries: of which record, and the code that they should be found by."""

    def __init__(self) -> None:
        self.all: list[Any] = []

    def __call__(self, base: str, code: str) -> Callable[[Forge], Forge]:
        def register(forge: Forge) -> Forge:
            self.all.append(pytest.param(base, code, forge, id=f"{forge.__name__.replace('_', ' ')} ({base})"))
            return forge

        return register
