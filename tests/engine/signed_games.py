"""Tables played entry by entry through the clerk, with everybody's keys at hand."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from engine import games
from engine.chance import Chance
from engine.game import AnyGame, Seat
from engine.keys import Signature, SigningKey
from engine.record.entry import (
    Away,
    Back,
    ByMail,
    Clock,
    Delegate,
    Remark,
    Revoke,
    Sealed,
    Vote,
    away_message,
    back_message,
    delegate_message,
    mailed,
    move_message,
    resign_message,
    revoke_message,
    sit_message,
    succeed_message,
    timestamp,
    vote_message,
)
from engine.record.replay import move_json
from engine.record.writer import Clerk, LoggedTable

NAMES = ("ann", "bob", "cy", "dee", "eve", "fay")
SHELF = Path(__file__).parent / "shelf"


@contextmanager
def a_shelf_of_games(folder: Path = SHELF) -> Iterator[None]:
    """While it lasts, games are also looked for in this folder."""
    path: list[str] = games.__path__  # a list, as of every package that lies in a folder
    path.append(str(folder))
    games.keys.cache_clear()
    try:
        yield
    finally:
        path.remove(str(folder))
        games.keys.cache_clear()


def odds_and_evens(version: int | None = None) -> AnyGame:
    """The game on the shelf."""
    with a_shelf_of_games():
        return games.load("odds-and-evens", version)


@contextmanager
def an_installation(*versions: int) -> Iterator[None]:
    """While it lasts, the game on the shelf is installed in these versions of its rules only."""
    every = [odds_and_evens(version) for version in versions]
    with a_shelf_of_games(), pytest.MonkeyPatch.context() as patch:
        folder = import_module("engine.games.odds_and_evens")
        patch.setattr(folder, "GAME", every[-1])
        patch.setattr(folder, "FORMER", tuple(every[:-1]))
        yield


def data_of(record: Sequence[Sealed]) -> bytes:
    """A record as a file."""
    return b"".join(sealed.line + b"\n" for sealed in record)


class Evening:
    """One table. Everything about it follows from its name; a second passes between entries unless told otherwise."""

    def __init__(
        self, name: str, game: AnyGame, seats: int, *, options: Any = None, clock: Clock | None = None, sit: bool = True
    ) -> None:
        self.name, self.game = name, game
        self.moment = datetime(2026, 11, 18, 6, 40, tzinfo=UTC)
        self.server, self.secret = SigningKey(self.draw("server")), self.draw("secret")
        self.keys = [SigningKey(self.draw(f"player {seat}")) for seat in range(seats)]
        self.former: list[SigningKey] = []
        """The keys that players have given up, in order."""
        self.gateway = SigningKey(self.draw("gateway"))
        self.id = self.draw("table").hex()[:32]
        self.clerk = Clerk(self.server, self.secret)
        self.record: list[Sealed] = []
        self.table = LoggedTable()
        self._append(self.clerk.open(self.id, self.now, game, seats, options, clock))
        if sit:
            for seat in range(seats):
                self.sit(seat)
            self.deal()

    def draw(self, what: str) -> bytes:
        return hmac.digest(self.name.encode(), what.encode(), "sha256")

    @property
    def now(self) -> str:
        return timestamp(self.moment)

    @property
    def data(self) -> bytes:
        return data_of(self.record)

    @property
    def head(self) -> str:
        return self.table.chain.head

    def wait(self, seconds: float) -> Evening:
        self.moment += timedelta(seconds=seconds)
        return self

    def _append(self, written: tuple[Sealed, LoggedTable]) -> Evening:
        sealed, self.table = written
        self.record.append(sealed)
        return self.wait(1)

    def sit(self, seat: int, who: int | None = None) -> Evening:
        who = seat if who is None else who
        key, entropy = self.keys[who], self.draw(f"entropy {len(self.record)}").hex()
        signature = key.sign(sit_message(self.id, self.head, seat, NAMES[who], key.public, entropy))
        return self._append(
            self.clerk.sit(self.table, self.now, Seat(seat), NAMES[who], key.public, entropy, signature)
        )

    def deal(self) -> Evening:
        return self._append(self.clerk.deal(self.table, self.now))

    def later(self, **length: float) -> str:
        """The time so much from now, or (less than nothing) before."""
        return timestamp(self.moment + timedelta(**length))

    def sign(self, seat: int, message: bytes, *, mail: bool = False) -> Signature:
        """The signature of a seat's player, or of the mail gateway in their place."""
        return self.gateway.sign(mailed(message)) if mail else self.keys[seat].sign(message)

    def move(self, seat: int, move: Any, *, mail: bool = False, given: str | None = None) -> Evening:
        base, written = self.table.playing.asked[Seat(seat)].base, move_json(move)
        signature = self.sign(seat, move_message(self.id, base, seat, written), mail=mail)
        by: ByMail = "mail" if mail else None
        return self._append(self.clerk.move(self.table, self.now, Seat(seat), base, written, signature, by, given))

    def timeout(self, seat: int | None = None) -> Evening:
        seat = min(self.table.playing.asked) if seat is None else seat
        return self._append(self.clerk.timeout(self.table, self.now, Seat(seat)))

    def resign(self, seat: int, *, mail: bool = False) -> Evening:
        signature = self.sign(seat, resign_message(self.id, self.head, seat), mail=mail)
        by: ByMail = "mail" if mail else None
        return self._append(self.clerk.resign(self.table, self.now, Seat(seat), self.head, signature, by))

    def _said(self, kind: type[Remark], **members: Any) -> Evening:
        return self._append(self.clerk.say(self.table, self.now, kind, **members))

    def away(self, seat: int, begins: str, ends: str) -> Evening:
        signature = self.sign(seat, away_message(self.id, self.head, seat, begins, ends))
        return self._said(Away, seat=seat, base=self.head, begins=begins, ends=ends, signature=signature)

    def days_off(self, seat: int, days: float) -> Evening:
        """Days off from now on."""
        return self.away(seat, self.now, self.later(days=days))

    def back(self, seat: int, *, mail: bool = False) -> Evening:
        signature = self.sign(seat, back_message(self.id, self.head, seat), mail=mail)
        return self._said(Back, seat=seat, base=self.head, signature=signature, by="mail" if mail else None)

    def vote(self, seat: int, choice: str, *, mail: bool = False) -> Evening:
        signature = self.sign(seat, vote_message(self.id, self.head, seat, choice), mail=mail)
        by: ByMail = "mail" if mail else None
        return self._said(Vote, seat=seat, base=self.head, choice=choice, signature=signature, by=by)

    def delegate(
        self, seat: int, begins: str | None = None, ends: str | None = None, tables: tuple[str, ...] | None = None
    ) -> Evening:
        """Let the mail gateway speak for a seat; for a week from now unless told otherwise."""
        begins, ends = begins or self.now, ends or self.later(days=7)
        key, to = self.keys[seat].public, self.gateway.public
        signature = self.sign(seat, delegate_message(key, to, begins, ends, tables))
        return self._said(Delegate, seat=seat, to=to, begins=begins, ends=ends, signature=signature, tables=tables)

    def revoke(self, seat: int, before: str | None = None) -> Evening:
        before = before or self.now
        signature = self.sign(seat, revoke_message(self.keys[seat].public, before))
        return self._said(Revoke, seat=seat, before=before, signature=signature)

    def succeed(self, seat: int) -> Evening:
        """Let a seat's player go on under another key; the former one is kept for what may be tried with it."""
        former, key = self.keys[seat], SigningKey(self.draw(f"key {len(self.record)} of player {seat}"))
        message = succeed_message(former.public, key.public)
        signed = former.sign(message), key.sign(message)
        self._append(self.clerk.succeed(self.table, self.now, Seat(seat), key.public, *signed))
        self.keys[seat] = key
        self.former.append(former)
        return self

    def correct(self) -> Evening:
        """The server's clock was wrong; what time it is has to be put back before."""
        return self._append(self.clerk.correct(self.table, self.now))

    def abandon(self, why: str) -> Evening:
        return self._append(self.clerk.abandon(self.table, self.now, why))

    def close(self) -> Evening:
        return self._append(self.clerk.close(self.table, self.now))

    def play(self, moves: int | None = None, *, answer: Callable[[Evening, Seat], object] | None = None) -> Evening:
        """So many moves at random, or all there are; ``answer`` may do something else for a seat."""
        while self.table.playing.asked and moves != 0:
            position = self.table.playing
            seat = min(position.asked)
            if answer is None or not answer(self, seat):
                mind = Chance(self.draw("mind"), position.seq)
                self.move(seat, mind.pick(self.game.legal(position.state, seat), "move"))
            moves = None if moves is None else moves - 1
        return self
