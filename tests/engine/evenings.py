"""Tables played entry by entry through the clerk, with everybody's keys at hand."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engine import games
from engine.chance import Chance
from engine.game import AnyGame, Seat
from engine.keys import SigningKey
from engine.record.entry import Clock, Sealed, move_message, resign_message, sit_message, timestamp
from engine.record.replay import move_json
from engine.record.writer import Clerk, Table

NAMES = ("ann", "bob", "cy", "dee")
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


def odds_and_evens() -> AnyGame:
    """The game on the shelf."""
    with a_shelf_of_games():
        return games.load("odds-and-evens")


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
        self.id = self.draw("table").hex()[:32]
        self.clerk = Clerk(self.server, self.secret)
        self.record: list[Sealed] = []
        self.table = Table()
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

    def _append(self, written: tuple[Sealed, Table]) -> Evening:
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

    def move(self, seat: int, move: Any) -> Evening:
        base, written = self.table.playing.asked[Seat(seat)].base, move_json(move)
        signature = self.keys[seat].sign(move_message(self.id, base, seat, written))
        return self._append(self.clerk.move(self.table, self.now, Seat(seat), base, written, signature))

    def timeout(self, seat: int | None = None) -> Evening:
        seat = min(self.table.playing.asked) if seat is None else seat
        return self._append(self.clerk.timeout(self.table, self.now, Seat(seat)))

    def resign(self, seat: int) -> Evening:
        signature = self.keys[seat].sign(resign_message(self.id, self.head, seat))
        return self._append(self.clerk.resign(self.table, self.now, Seat(seat), self.head, signature))

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
