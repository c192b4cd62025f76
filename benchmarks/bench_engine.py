"""How fast games replay, play and audit, against python-chess and bare Ed25519 verification in the same run."""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import chess
import msgspec

from engine import games, selfplay
from engine.chance import Chance
from engine.game import AnyGame, Seat, encode_state
from engine.keys import verify
from engine.record.audit import audit, entries
from engine.record.chain import Chain, follow
from engine.record.entry import Play, Sit, seal_message, signed_message
from engine.record.replay import move_json, move_of

SECONDS = 0.6
ROUNDS = 5

BARS = {"paris-paris": (0.5, 1.0), "restaurant": (0.4, 0.7)}
"""The least ratios to python-chess (replay, random play); other games (0.2, 0.2)."""


def rate(work: Callable[[], int]) -> float:
    """Units of work a second over at least :data:`SECONDS`."""
    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < SECONDS:
        done += work()
    return done / spent


def against(work: Callable[[], int], baseline: Callable[[], int]) -> tuple[float, float]:
    """Median ratio of two rates measured in turn, so that a slow moment of the machine slows both; and the rate."""
    pairs = [(rate(work), rate(baseline)) for _ in range(ROUNDS)]
    return statistics.median(ours / theirs for ours, theirs in pairs), statistics.median(ours for ours, _ in pairs)


def chess_game() -> list[str]:
    """A random game of chess, as its moves."""
    board, mind = chess.Board(), random.Random(1)
    while not board.is_game_over(claim_draw=False) and board.ply() < 200:
        board.push(mind.choice(list(board.legal_moves)))
    return [move.uci() for move in board.move_stack]


def chess_replay(moves: list[str]) -> int:
    """Replay with every move checked."""
    board = chess.Board()
    for move in moves:
        board.push(board.parse_uci(move))
    return len(moves)


def chess_random(mind: random.Random) -> int:
    """Random play among all legal moves."""
    board = chess.Board()
    for ply in range(100):
        moves = list(board.legal_moves)
        if not moves:
            return ply
        board.push(mind.choice(moves))
    return 100


def random_game(game: AnyGame, seats: int, seed: bytes) -> tuple[list[tuple[Seat, dict[str, Any]]], list[Any]]:
    """A random game as the moves of its log, and its states."""
    chance, mind = Chance(seed), random.Random(seed)
    state = game.deal(seats, game.options(), chance).state
    moves, states = [], [state]
    while asked := game.waiting(state):
        seat = min(asked)
        move = mind.choice(game.legal(state, seat))
        state = game.play(state, seat, move, chance.at(len(states))).state
        moves.append((seat, move_json(move)))
        states.append(state)
    return moves, states


def replay(game: AnyGame, seats: int, seed: bytes, moves: list[tuple[Seat, dict[str, Any]]]) -> int:
    """Replay a log without its signatures: every move read, checked and played."""
    chance = Chance(seed)
    state = game.deal(seats, game.options(), chance).state
    for number, (seat, written) in enumerate(moves, 1):
        state = game.play(state, seat, move_of(game, written), chance.at(number)).state
    return len(moves)


def play_random(game: AnyGame, seats: int, mind: random.Random) -> int:
    """Random play among all legal moves."""
    chance = Chance(mind.randbytes(32))
    state = game.deal(seats, game.options(), chance).state
    moves = 0
    while asked := game.waiting(state):
        seat = min(asked)
        state = game.play(state, seat, mind.choice(game.legal(state, seat)), chance.at(moves := moves + 1)).state
    return moves


def size_of(value: Any) -> int:
    """Bytes a state takes with everything in it that is not shared."""
    seen: set[int] = set()

    def size(item: Any) -> int:
        if id(item) in seen:
            return 0
        seen.add(id(item))
        inner = (
            [getattr(item, field) for field in item.__struct_fields__]
            if isinstance(item, msgspec.Struct)
            else [*item.keys(), *item.values()]
            if isinstance(item, dict)
            else list(item)
            if isinstance(item, tuple | list | frozenset)
            else []
        )
        return sys.getsizeof(item) + sum(map(size, inner))

    return size(value)


def verifications(data: bytes) -> Callable[[], int]:
    """The bare Ed25519 verifications an audit of this record cannot do without."""
    checks = []
    chain = Chain()
    for sealed in entries(data):
        chain = follow(chain, sealed)
        if chain.opened is None:
            continue
        checks.append((chain.opened.server, seal_message(sealed.hash), sealed.seal))
        entry = sealed.entry
        if isinstance(entry, Sit):
            checks.append((entry.key, signed_message(entry, entry.key), entry.signature))
        elif isinstance(entry, Play):
            player = chain.players[entry.seat]
            assert player is not None
            checks.append((player.key, signed_message(entry, player.key), entry.signature))

    def run() -> int:
        assert all(verify(*check) for check in checks)
        return 1

    return run


def cost(work: Callable[[], Any], times: int = 200) -> float:
    """Seconds that one call takes, the best of three."""

    def once() -> float:
        began = time.perf_counter()
        for _ in range(times):
            work()
        return (time.perf_counter() - began) / times

    return min(once() for _ in range(3))


def line(what: str, ratio: float, bar: str, note: str = "") -> None:
    """One row of the report."""
    print(f"  {what:<52}{ratio:>8.2f}   {bar:<8} {note}")


def report(key: str) -> None:
    """Print every ratio of one game."""
    game = games.load(key)
    seats, seed = max(game.seats), bytes(32)
    moves, states = random_game(game, seats, seed)
    uci = chess_game()
    replay_bar, random_bar = BARS.get(key, (0.2, 0.2))
    print(f"{key}, {seats} seats, {len(moves)} moves")
    ratio, speed = against(lambda: replay(game, seats, seed, moves), lambda: chess_replay(uci))
    line("pure replay / python-chess replay", ratio, f">= {replay_bar}", f"{speed:,.0f} moves/s")
    ours, theirs = random.Random(2), random.Random(2)
    ratio, speed = against(lambda: play_random(game, seats, ours), lambda: chess_random(theirs))
    line("random play / python-chess random play", ratio, f">= {random_bar}", f"{speed:,.0f} moves/s")
    _report_growth(game, moves, states)
    sizes = [size_of(state) for state in states]
    line("largest folded state in KB", max(sizes) / 1024, "< 100", f"{len(encode_state(states[-1]))} bytes encoded")
    played = selfplay.play(game, ["random"] * seats, seed)
    ratio, _ = against(verifications(played.data), lambda: audit(played.data).valid)
    line("audit / its bare Ed25519 verifications", ratio, "<= 1.5", f"{len(played.record)} entries")


def _report_growth(game: AnyGame, moves: list[tuple[Seat, dict[str, Any]]], states: list[Any]) -> None:
    """The cost of a move late in the game against early, and the dearest list of legal moves against the usual one."""
    third = len(moves) // 3
    turns = [(state, seat, move_of(game, written)) for state, (seat, written) in zip(states, moves, strict=False)]
    costs = [cost(partial(_play_once, game, *turn), 20) for turn in turns]
    growth = statistics.median(costs[-third:]) / statistics.median(costs[:third])
    line("a move of the last third / of the first (medians)", growth, "~ 1")
    listing = [cost(partial(game.legal, state, seat), 5) for state, seat, _ in turns]
    line("dearest list of legal moves / median", max(listing) / statistics.median(listing), "<= 10")


def _play_once(game: AnyGame, state: Any, seat: Seat, move: Any) -> None:
    game.play(state, seat, move, Chance(bytes(32), 1))
