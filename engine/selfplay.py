"""A whole game among bots, as a complete record: a function of its seed and nothing else.

The keys are thrown away afterwards. There is no clock in here, so entries are dated from a fixed evening on, a second
apart.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct

from engine.bots import POLICIES, Policy
from engine.chance import Chance
from engine.errors import EngineError
from engine.game import AnyGame, Seat, Standing
from engine.keys import SigningKey, tagged
from engine.record.entry import Sealed, move_message, sit_message, timestamp
from engine.record.replay import move_json
from engine.record.writer import Clerk, LoggedTable

EVENING = datetime(2003, 10, 23, 20, 0, tzinfo=UTC)
MOST_MOVES = 20_000
"""A game that bots have not ended by then is given up as a defect of its rules."""


class NeverEnds(EngineError):
    """The bots did not bring the game to an end."""

    code = "selfplay/never-ends"


class Selfplay(Struct, frozen=True):
    """A finished game among bots."""

    record: tuple[Sealed, ...]
    table: LoggedTable
    moves: int
    standing: Standing

    @property
    def data(self) -> bytes:
        """The record as a file."""
        return b"".join(sealed.line + b"\n" for sealed in self.record)


class _Evening:
    """One evening at a table: writes the log entry by entry."""

    def __init__(self, seed: bytes, bots: Sequence[str]) -> None:
        self._seed = seed
        self.bots = bots
        self.record: list[Sealed] = []
        self.table = LoggedTable()
        self.clerk = Clerk(SigningKey(self.draw("server")), self.draw("secret"))
        self.keys = [SigningKey(self.draw(f"player {seat}")) for seat in range(len(bots))]

    def draw(self, what: str) -> bytes:
        """32 bytes for one purpose."""
        return hmac.digest(self._seed, tagged("selfplay", what.encode()), "sha256")

    def now(self) -> str:
        return timestamp(EVENING + timedelta(seconds=len(self.record)))

    def append(self, written: tuple[Sealed, LoggedTable]) -> None:
        sealed, self.table = written
        self.record.append(sealed)

    def sit(self, seat: Seat) -> None:
        chain, key, entropy = self.table.chain, self.keys[seat], self.draw(f"entropy {seat}").hex()
        name = f"{self.bots[seat]}-{seat + 1}"
        said = sit_message(self.record[0].entry.table, chain.head, seat, name, key.public, entropy)
        self.append(self.clerk.sit(self.table, self.now(), seat, name, key.public, entropy, key.sign(said)))

    def move(self, seat: Seat, move: Any) -> None:
        base, written = self.table.playing.asked[seat].base, move_json(move)
        signature = self.keys[seat].sign(move_message(self.record[0].entry.table, base, seat, written))
        self.append(self.clerk.move(self.table, self.now(), seat, base, written, signature))


def play(
    game: AnyGame,
    bots: Sequence[str],
    seed: bytes,
    options: Any = None,
    policies: Mapping[str, Policy] = POLICIES,
) -> Selfplay:
    """Play one game with a bot of the named policy on each seat."""
    evening = _Evening(seed, bots)
    table_id = evening.draw("table")[:16].hex()
    evening.append(evening.clerk.open(table_id, evening.now(), game, len(bots), options))
    for seat in range(len(bots)):
        evening.sit(Seat(seat))
    evening.append(evening.clerk.deal(evening.table, evening.now()))
    minds = [Chance(evening.draw(f"mind {seat}")) for seat in range(len(bots))]
    moves = 0
    while not (position := evening.table.playing).over:
        if moves == MOST_MOVES:
            raise NeverEnds(f"{game.key} was not over after {MOST_MOVES} moves")
        seat = min(position.asked)
        view, legal = game.view(position.state, seat), game.legal(position.state, seat)
        evening.move(seat, policies[bots[seat]](game, view, legal, minds[seat].at(position.seq)))
        moves += 1
    evening.append(evening.clerk.close(evening.table, evening.now()))
    return Selfplay(tuple(evening.record), evening.table, moves, game.standing(position.state))
