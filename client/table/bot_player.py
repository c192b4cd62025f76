"""A bot at a real table: an ordinary player that waits, looks, chooses, signs and sends."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from client.connection.http_api import Problem
from client.table.long_polling import await_news, patiently
from client.table.player_desk import Desk
from client.table.turn import deliver, sign, sit, written
from client.table.verified_view import Seen, look
from client.trust.table_memory import Memory
from engine.bots import Policy
from engine.chance import Chance
from engine.record.chain import Phase


def play_to_the_end(
    desk: Desk, memory: Memory, policy: Policy, heard: Callable[[str], None] | None = None
) -> tuple[int, Seen]:
    """Play every turn until the game is over or given up; gives the number of moves and the table at the end."""
    chain = desk.sync(memory)
    if chain.phase is Phase.SITTING and chain.seat_of(desk.identity.key) is None:
        sit(desk, memory, None)
    mind, moves = Chance(secrets.token_bytes(32)), 0
    while True:
        seen = patiently(lambda: look(desk, memory))
        if seen.chain.phase not in (Phase.SITTING, Phase.PLAYING) or seen.seat in seen.chain.resigned:
            return moves, seen
        if seen.mine is None or seen.held is not None:
            await_news(desk, memory)
            continue
        if play_once(desk, seen, policy, mind, heard):
            moves += 1


def play_once(desk: Desk, seen: Seen, policy: Policy, mind: Chance, heard: Callable[[str], None] | None = None) -> bool:
    """Answer the decision that is open; False if it was no longer open when the answer arrived."""
    move = policy(seen.game, seen.view, seen.legal, mind.at(seen.chain.length))
    signed = sign(desk, seen, move)
    try:
        patiently(lambda: deliver(desk, seen.memory, signed))
    except Problem as problem:
        if problem.code in ("move/stale", "move/out-of-turn", "table/over"):
            return False
        raise
    if heard:
        heard(f"{seen.chain.names[signed.seat]}: {written(seen, move)}")
    return True
