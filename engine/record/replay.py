"""Replay: the fold that turns a log back into a game.

    state = fold(play, deal(game, options, seed), moves in the log)

A :class:`Position` is the game after some entry; :func:`answer` is one step of the fold. The server takes the same step
before it appends an entry as the auditor when it checks one.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from functools import cache, reduce
from operator import or_
from typing import Any

import msgspec
from msgspec import Struct

from engine import games
from engine.bots.greedy import greedy
from engine.chance import Chance
from engine.errors import EngineError, InvalidMove, OptionsRefused, OutOfTurn, RecordRejected, StaleMove
from engine.game import AnyGame, Decision, Event, Seat, Standing, told
from engine.keys import Hash, sha256, tagged
from engine.record.canonical import canonical
from engine.record.chain import Chain, Phase, extend
from engine.record.entry import (
    Abandon,
    AnyEntry,
    Clock,
    Close,
    Correct,
    Deal,
    Dealt,
    Json,
    Open,
    Play,
    Remark,
    Resign,
    Sealed,
    Spoken,
    Timeout,
    Timestamp,
)
from engine.record.fault import Fault
from engine.record.secret import commitment, digest_key, seed, state_digest
from engine.record.time_fold import check_abandon, check_timeout, kept
from engine.record.timekeeping import Attendance
from engine.typed_json import convert

NOT_COMMITTED_TO = "the secret revealed is not the one committed to at the start"


class Asked(Struct, frozen=True):
    """A decision that a seat is being asked, and the entry that opened it."""

    decision: Decision
    base: Hash
    since: str


class Position(Struct, frozen=True):
    """A game as it stands after entry ``seq``."""

    game: AnyGame
    seed: bytes
    digest_key: bytes
    seq: int
    state: Any
    events: tuple[Event, ...]
    asked: Mapping[Seat, Asked]
    seats: int
    clock: Clock | None = None
    attendance: Attendance | None = None
    """How the seats keep to the clock; None at a table without one."""
    remarks: int = 0
    """How many entries so far its chance does not count."""
    victor: Seat | None = None
    """Who has won because the other one of two has resigned: then nobody is asked anything any more."""

    @property
    def over(self) -> bool:
        """Whether nobody is asked anything any more."""
        return not self.asked

    @property
    def standing(self) -> Standing:
        """How it stands, or how it has ended: whoever wins by resignation is first, whatever the scores."""
        standing = self.game.standing(self.state)
        if self.victor is None:
            return standing
        others = tuple(score.seat for score in standing.scores if score.seat != self.victor)
        return Standing(True, standing.scores, ((self.victor,), others))

    @property
    def bots(self) -> frozenset[Seat]:
        """The seats that are in a bot's hands."""
        return self.attendance.bots(self.clock) if self.attendance and self.clock else frozenset()

    def due(self, seat: Seat) -> Timestamp | None:
        """When the answer of a seat that is being asked is due; None without a clock."""
        if self.clock is None or self.attendance is None:
            return None
        return self.attendance.due(self.clock, seat, self.asked[seat].since)

    def is_overdue(self, seat: Seat, at: Timestamp) -> bool:
        """Whether a seat that is being asked has let its deadline pass."""
        if self.clock is None or self.attendance is None:
            return False
        return self.attendance.is_overdue(self.clock, seat, self.asked[seat].since, at)

    def chance(self, seq: int) -> Chance:
        """The chance of entry ``seq``: nobody can try their luck again by making remarks, or leaving, before it."""
        return Chance(self.seed, max(seq - self.remarks, 0))  # a forged number may be any

    def told(self, seat: Seat | None) -> tuple[Event, ...]:
        """What the newest entry caused, as this seat or an onlooker may know it."""
        return told(self.events, seat)

    @property
    def digest(self) -> Hash:
        """The state digest an entry carries here."""
        return state_digest(self.digest_key, self.seq, self.state)


def game_of(opened: Open) -> AnyGame:
    """The game a table was opened for, in that version of its rules; raises UnknownGame."""
    key, _, version = opened.game.partition("/")
    return games.load(key, int(version))


def options_of(game: AnyGame, options: Json) -> Any:
    """The options as the game's own type; raises OptionsRefused."""
    try:
        return convert(options, game.options)
    except msgspec.ValidationError as error:
        raise OptionsRefused(f"the options do not fit {game.key}: {error}") from None


def components_digest(game: AnyGame, options: Any) -> Hash:
    """The digest of the printed facts that these options play with."""
    return sha256(canonical(game.components(options)))


def move_json(move: Any) -> Json:
    """A move as an entry writes it."""
    written: Json = msgspec.to_builtins(move)
    return written


def move_of(game: AnyGame, move: Json) -> Any:
    """The move an entry writes; raises InvalidMove unless it is written in the one canonical way."""
    try:
        value = convert(move, _any_of(game.moves))
    except msgspec.ValidationError as error:
        raise InvalidMove(f"this is not a move of {game.key}: {error}") from None
    if canonical(value) != canonical(move):
        raise InvalidMove(f"this move of {game.key} is not written in its canonical form")
    return value


@cache
def _any_of(moves: tuple[type[Any], ...]) -> Any:
    return reduce(or_, moves)


def deal(chain: Chain, secret: bytes) -> Position:
    """The position of a game just dealt to a full table, its decisions not yet opened (:func:`settled`)."""
    opened = chain.opened
    if opened is None or not chain.full:
        raise RecordRejected("chain/order", "a game is dealt when every seat is taken")
    game = game_of(opened)
    options = options_of(game, opened.options)
    entropy = [player.entropy for player in chain.players if player]
    table_seed = seed(secret, chain.opening, entropy)
    # The server can choose whether a change of key comes before the deal: it must not choose the deal by that.
    step = game.deal(opened.seats, options, Chance(table_seed, chain.length - chain.remarks))
    clock = opened.clock
    return Position(
        game,
        table_seed,
        digest_key(secret),
        chain.length,
        step.state,
        step.events,
        {},
        opened.seats,
        clock,
        Attendance.at_first(clock, opened.seats) if clock else None,
        chain.remarks,
    )


def answer(position: Position, entry: Play | Timeout) -> Position:
    """The position after a move or a timeout, its new decisions not yet opened (:func:`settled`).

    1. The seat is being asked; sealed answers stand in seat order, and no others were given before they stand here.
    2. The move answers this very decision.
    3. A timeout is due, and plays the fallback; for a bot's seat, what the bot chooses.
    4. The move is legal.

    Raises MoveRefused or RecordRejected.
    """
    game, seat = position.game, Seat(entry.seat)
    # 1
    asked = position.asked.get(seat)
    if asked is None:
        raise OutOfTurn(f"seat {seat} is not being asked anything now")
    if asked.decision.sealed and seat != min(position.asked):
        raise RecordRejected("move/unordered", f"seat {min(position.asked)} answers before seat {seat}", entry.seq)
    if isinstance(entry, Play) and entry.given is not None and not asked.decision.sealed:
        raise RecordRejected("move/given", "only a sealed answer is given before it is put on record", entry.seq)
    # 2
    if entry.base != asked.base:
        raise StaleMove(f"seat {seat} answered another decision than the one that is open")
    move = move_of(game, entry.move)
    # 3
    if isinstance(entry, Timeout):
        check_timeout(position.clock, position.attendance, entry, asked.since)
        if move != played_for(position, seat, entry.seq, entry.why):
            what = "what the bot chooses" if entry.why == "bot" else "the fallback"
            raise RecordRejected("timeout/not-fallback", f"a timeout plays {what} and nothing else", entry.seq)
    # 4
    step = game.play(position.state, seat, move, position.chance(entry.seq))
    return msgspec.structs.replace(
        position,
        seq=entry.seq,
        state=step.state,
        events=step.events,
        asked={other: asked for other, asked in position.asked.items() if other != seat},
        attendance=kept(position.clock, position.attendance, entry, asked.since, frozenset()),
    )


def played_for(position: Position, seat: Seat, seq: int, why: str) -> Any:
    """The move that entry ``seq`` plays for a seat whose player does not: the game's fallback, or the bot's choice.

    The bot sees what the player would see. Its luck follows from the seed, so that nobody can choose for it.
    """
    game, state = position.game, position.state
    if why != "bot":
        return game.fallback(state, seat)
    luck = Chance(bots_seed(position.seed, seat), position.chance(seq).entry)
    return greedy(game, game.view(state, seat), game.legal(state, seat), luck)


def bots_seed(seed: bytes, seat: Seat) -> bytes:
    """The seed of all luck of the bot in this seat."""
    return hmac.digest(seed, tagged("bot", bytes([seat])), "sha256")


def settled(position: Position, sealed: Sealed) -> Position:
    """The position with the decisions that this entry opened.

    A decision stays open over other seats' entries for as long as it stays the same; its own seat's answer ends it.
    """
    asked: dict[Seat, Asked] = {}
    waiting = position.game.waiting(position.state) if position.victor is None else {}
    for seat, decision in waiting.items():
        before = position.asked.get(seat)
        same = before is not None and before.decision == decision
        asked[seat] = before if before and same else Asked(decision, sealed.hash, sealed.entry.at)
    return msgspec.structs.replace(position, asked=asked)


def after(chain: Chain, position: Position | None, entry: AnyEntry, secret: bytes) -> Position | None:
    """The game after the next entry of this chain (None before the deal), its decisions not yet opened.

    Raises MoveRefused or RecordRejected.
    """
    if isinstance(entry, Open):
        check_opening(game_of(entry), entry)
    if isinstance(entry, Deal):
        return deal(chain, secret)
    if isinstance(entry, Close):
        _check_close(chain, position, entry)
    if position is None:
        return None
    if isinstance(entry, Play | Timeout):
        return answer(position, entry)
    if isinstance(entry, Abandon):
        _check_abandon(chain, position, entry)
    asked = position.asked
    if isinstance(entry, Correct):
        asked = {seat: msgspec.structs.replace(one, since=entry.at) for seat, one in asked.items()}
    if isinstance(entry, Spoken) and entry.seat >= position.seats:
        raise RecordRejected("seat/unknown", f"nobody sits at seat {entry.seat}", entry.seq)
    attendance = kept(position.clock, position.attendance, entry, entry.at, chain.resigned)
    remarks = position.remarks + isinstance(entry, Remark | Resign | Correct)
    victor = position.victor
    if isinstance(entry, Resign) and victor is None:
        victor = msgspec.structs.replace(chain, resigned=chain.resigned | {Seat(entry.seat)}).victor
    return msgspec.structs.replace(
        position, seq=entry.seq, events=(), asked=asked, attendance=attendance, remarks=remarks, victor=victor
    )


def advance(chain: Chain, position: Position | None, sealed: Sealed, secret: bytes) -> Position | None:
    """The game after the next entry of this chain (None before the deal), which must be the one that was played."""
    position = after(chain, position, sealed.entry, secret)
    if position is None:
        return None
    if isinstance(sealed.entry, Dealt) and sealed.entry.state != position.digest:
        raise RecordRejected("state/differs", "the game replayed to here is not the game that was played", position.seq)
    return settled(position, sealed)


def check_opening(game: AnyGame, opened: Open) -> None:
    """Raise unless the game can be played as it was opened: its seats, its options, its printed facts.

    It is dealt once for a try, so that nobody sits down to a game that cannot be dealt.
    """
    options = options_of(game, opened.options)
    if opened.seats not in game.seats:
        raise OptionsRefused(f"{game.key} is for {game.seats.start} to {game.seats.stop - 1} players")
    if canonical(options) != canonical(opened.options):
        raise OptionsRefused("the options are not written out in full")
    if opened.components != components_digest(game, options):
        raise RecordRejected("components/differ", f"{game.key} was played with other component data than here", 0)
    game.deal(opened.seats, options, Chance(b"for a try"))


def _check_abandon(chain: Chain, position: Position, entry: Abandon) -> None:
    if position.over and not (entry.why == "resigned" and position.victor is not None):
        raise RecordRejected("abandon/over", "the game was over, not abandoned", entry.seq)
    if entry.why == "resigned" and len(chain.resigned) < position.seats - 1:
        raise RecordRejected("abandon/reason", "more than one player has not resigned", entry.seq)
    check_abandon(position.clock, position.attendance, entry, chain.resigned)


def _check_close(chain: Chain, position: Position | None, entry: Close) -> None:
    opened = chain.opened
    if opened is None or commitment(bytes.fromhex(entry.secret)) != opened.commitment:
        raise RecordRejected("secret/other", NOT_COMMITTED_TO, entry.seq)
    if position is None:
        if entry.standing is not None:
            raise RecordRejected("standing/differs", "a standing of a game that was never dealt", entry.seq)
        return
    if chain.phase is not Phase.ABANDONED and not position.over:
        raise RecordRejected("close/early", "the game was not over yet", entry.seq)
    given_up = chain.phase is Phase.ABANDONED
    if entry.standing != (position.game.standing(position.state) if given_up else position.standing):
        raise RecordRejected("standing/differs", "the standing is not the one the game ended with", entry.seq)


class Replay(Struct, frozen=True):
    """How far a replay got: the chain, every position from the deal on, and why it stopped (None: at the end)."""

    chain: Chain
    positions: tuple[Position, ...]
    stopped: Fault | None

    def at(self, entry: int) -> Position | None:
        """The position after this entry, or None where there is none yet."""
        return next((position for position in reversed(self.positions) if position.seq <= entry), None)


def replay(entries: Iterable[Sealed], secret: bytes) -> Replay:
    """Fold a log into its positions, as far as it goes."""
    chain, position = Chain(), None
    positions: list[Position] = []
    for sealed in entries:
        try:
            extended = extend(chain, sealed)
            position = advance(chain, position, sealed, secret)
        except EngineError as error:
            return Replay(chain, tuple(positions), Fault.of(error, chain.length))
        chain = extended
        if position is not None:
            positions.append(position)
    return Replay(chain, tuple(positions), None)
