"""What a player may see of a table, held against the log before it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from client.connection.response_types import Question, ViewAnswer
from client.output import CommandRefused
from client.table.player_desk import Desk
from client.trust.log_verification import Unverified
from client.trust.possible_views import ImpossibleView, imagined, possible
from client.trust.table_clock import Timing, asked_since, timing
from client.trust.table_memory import Memory, SeenView
from engine.game import AnyGame, Decision, Seat
from engine.record.audit import secret_of
from engine.record.canonical import canonical
from engine.record.chain import Chain, Phase
from engine.record.entry import Deal, Open, Timestamp
from engine.record.replay import Replay, game_of, replay
from engine.typed_json import decode

ATTEMPTS = 20
"""How often the view is asked for until it is of the same moment as the log."""


class Seen(Struct, frozen=True):
    """A table as the player may see it; before the deal there is no view."""

    memory: Memory
    chain: Chain
    game: AnyGame
    seat: Seat | None
    view: Any = None
    asked: Mapping[int, Question] = {}
    held: dict[str, Any] | None = None
    timing: Timing | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The players as they are called now, seats in a bot's hands as such."""
        return tuple(f"{name} (bot)" if seat in self.bots else name for seat, name in enumerate(self.chain.names))

    @property
    def bots(self) -> frozenset[Seat]:
        """The seats that are in a bot's hands."""
        return self.timing.bots if self.timing else frozenset()

    def due(self, seat: int) -> Timestamp | None:
        """When the answer of a seat that is being asked is due, by this machine's own reckoning."""
        return self.timing.due(seat, self.asked[seat].since) if self.timing else None

    @property
    def mine(self) -> Question | None:
        """What the player is being asked."""
        return None if self.seat is None else self.asked.get(self.seat)

    @property
    def legal(self) -> Sequence[Any]:
        """The player's legal moves, worked out here: they depend on nothing but the view."""
        if self.seat is None or self.mine is None:
            return ()
        return self.game.legal(imagined(self.game, self.view), self.seat)


def opening(chain: Chain) -> Open:
    """How the table was opened, which every verified log begins with."""
    if chain.opened is None:
        raise CommandRefused("Nothing is known of this table yet.")
    return chain.opened


def look(desk: Desk, memory: Memory) -> Seen:
    """The table as the player may see it: the log verified, the view consistent with it."""
    chain = desk.sync(memory)
    for _ in range(ATTEMPTS):
        game, seat = game_of(opening(chain)), chain.seat_of(desk.identity.key)
        if chain.phase is Phase.CLOSED and any(isinstance(sealed.entry, Deal) for sealed in memory.log):
            position = replayed(desk, memory).positions[-1]
            return Seen(memory, chain, game, seat, game.view(position.state, seat))
        if chain.phase is not Phase.PLAYING:
            return Seen(memory, chain, game, seat)
        answer = desk.api(memory.server).view(memory.table, signed=seat is not None)
        if answer.seq < chain.length - 1:
            raise _stale(desk, memory, answer)
        if answer.seq > chain.length - 1:
            chain = desk.sync(memory)
            if answer.seq > chain.length - 1:
                raise _stale(desk, memory, answer)
        if answer.seq == chain.length - 1:
            return _playing(desk, memory, game, seat, answer)
    raise CommandRefused("The others move faster than one can look; try again.")


def _stale(desk: Desk, memory: Memory, answer: ViewAnswer) -> Unverified:
    """A view asked for after the log is not older than it, and a log asked for after the view has reached it."""
    found = Unverified(
        "view/stale", "the server shows another moment of the game than its log has reached.", answer.seq
    )
    return desk.caught(found, memory, [msgspec.json.encode(answer)])


def _playing(desk: Desk, memory: Memory, game: AnyGame, seat: Seat | None, answer: ViewAnswer) -> Seen:
    """A view as the server tells it, checked against the log it was made from.

    1. It is of this table, this moment and this seat.
    2. It can be a view of this game (client.trust.possible_views).
    3. It asks whom the game asks there.
    4. Every decision was opened by an entry of the log.
    """
    chain = memory.chain

    def wrong(code: str, why: str) -> Unverified:
        return desk.caught(Unverified(code, why, answer.seq), memory, [msgspec.json.encode(answer)])

    # 1
    if (answer.table, answer.head) != (memory.table, chain.head):
        raise wrong("view/other", "the server shows the view of another game than its log tells.")
    if answer.seat != seat or _seat_inside(answer.view) != seat:
        raise wrong("view/seat", "the server shows the view of another seat than the log gives you.")
    # 2
    try:
        view, waiting = possible(opening(chain), answer.view)
    except ImpossibleView as why:
        raise wrong("view/malformed", f"what the server shows cannot be a view of this game: {why}.") from None
    # 3
    told = {number: Decision(each.kind, each.prompt, each.sealed) for number, each in answer.asked.items()}
    if told != {str(number): decision for number, decision in waiting.items()}:
        raise wrong("view/asked", "the server asks somebody else, or something else, than the game does here.")
    asked = {int(number): question for number, question in answer.asked.items()}
    # 4
    if any(asked_since(memory.log, question.base) != question.since for question in asked.values()):
        raise wrong("view/base", "the server asks for an answer to an entry that is not in the log.")
    memory.remember_view(SeenView(answer.seq, seat, answer.view, msgspec.to_builtins(answer.asked)))
    return Seen(memory, chain, game, seat, view, asked, answer.held, timing(memory.log))


class _Inside(Struct):
    seat: Seat | None


def _seat_inside(view: msgspec.Raw) -> Seat | None:
    """Whose view it says it is; an onlooker's if it is none at all, which is then found out."""
    try:
        return decode(view, _Inside).seat
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def replayed(desk: Desk, memory: Memory) -> Replay:
    """The finished game of a table, recomputed here; what the server showed on the way is held against it."""
    log = list(memory.log)
    secret = secret_of(log)
    if secret is None:
        raise CommandRefused("The game is not over: what was hidden is still hidden. Look at it with: poste show")
    game = replay(log, secret)
    if not game.positions and not game.stopped:
        raise CommandRefused("The table was closed before the game was dealt: there is nothing to replay.")
    found = None
    if game.stopped:
        found = Unverified(game.stopped.code, f"{game.stopped.message}.", game.stopped.entry)
    elif (untrue := _untrue(memory, game)) is not None:
        found = Unverified("view/untrue", "what the server showed you then was not the truth.", untrue)
    if found:
        raise desk.caught(found, memory, [msgspec.json.encode(seen) for seen in memory.views()])
    return game


def _untrue(memory: Memory, game: Replay) -> int | None:
    """The first entry after which the server showed something else than there was."""
    for seen in memory.views():
        position = game.at(seen.seq)
        if position is None:
            continue
        truth = position.game.view(position.state, None if seen.seat is None else Seat(seen.seat))
        if canonical(truth) != canonical(decode(seen.view)):
            return seen.seq
    return None
