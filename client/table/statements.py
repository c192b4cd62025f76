"""What a player says to a table beside moves: days off, being back, a vote; signed and remembered before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from client.connection.http_api import Problem
from client.connection.response_types import Receipt
from client.output import CommandRefused
from client.table.player_desk import Desk
from client.trust.table_memory import Memory, SignedHere
from engine.game import Seat
from engine.keys import Hash
from engine.record.chain import Chain, Phase
from engine.record.entry import Json, Sealed, Timestamp, away_message, back_message, vote_message

ATTEMPTS = 8
"""How often it is said anew while others move, or sit down."""
MOST_TABLES = 10_000
"""At more nobody plays."""
Attempt: TypeAlias = tuple[SignedHere, Callable[[], Receipt]]
"""What is signed, and how it is sent."""


def insist(
    desk: Desk, memory: Memory, attempt: Callable[[Chain], Attempt], again: Collection[str] = ("move/stale",)
) -> Sealed:
    """Say something at the end of a table's log, and once more there if others were faster; gives its entry.

    It is remembered before it is sent. ``again`` are the refusals that mean no more than that others were faster.
    """
    for _ in range(ATTEMPTS):
        signed, send = attempt(desk.sync(memory))
        memory.remember(signed)
        try:
            receipt = send()
        except Problem as problem:
            if problem.code in again:
                continue
            raise
        sealed = desk.take_receipt(memory, receipt, signed)
        desk.sync(memory)
        return sealed
    raise CommandRefused("Others keep being faster at this very moment; try again.")


def my_seat(desk: Desk, chain: Chain) -> Seat | None:
    """The player's seat at a table where the game is on; None if they have none, or have resigned."""
    seat = chain.seat_of(desk.identity.key)
    return seat if chain.phase is Phase.PLAYING and seat not in chain.resigned else None


def live_tables(desk: Desk) -> Iterator[tuple[Memory, Seat]]:
    """Every table where the player sits and the game is on, as its log says: those the server lists, and those it does
    not but that are remembered.
    """
    listed = [summary.table for summary in desk.api().tables("mine", MOST_TABLES)]
    for table in dict.fromkeys([*listed, *desk.remembered()]):
        memory = desk.memory(table)
        if memory.server != desk.server() or memory.chain.phase is Phase.CLOSED:
            continue
        if table not in listed and memory.chain.seat_of(desk.identity.key) is None:
            continue
        seat = my_seat(desk, desk.sync(memory))
        if seat is not None:
            yield memory, seat


def away(desk: Desk, memory: Memory, begins: Timestamp, ends: Timestamp) -> Sealed:
    """Take days off."""

    def message(base: Hash, seat: Seat) -> bytes:
        return away_message(memory.table, base, seat, begins, ends)

    return _said(desk, memory, "away", {"begins": begins, "ends": ends}, message)


def back(desk: Desk, memory: Memory) -> Sealed:
    """Be back: days off end, and a bot makes room."""
    return _said(desk, memory, "back", {}, lambda base, seat: back_message(memory.table, base, seat))


def vote(desk: Desk, memory: Memory, choice: str) -> Sealed:
    """Vote on whether to go on."""
    return _said(
        desk, memory, "vote", {"choice": choice}, lambda base, seat: vote_message(memory.table, base, seat, choice)
    )


def _said(desk: Desk, memory: Memory, kind: str, said: Json, message: Callable[[Hash, Seat], bytes]) -> Sealed:
    def attempt(chain: Chain) -> Attempt:
        seat = my_seat(desk, chain)
        if seat is None:
            raise CommandRefused(_why_not(desk, chain))
        signature = desk.key.sign(message(chain.head, seat))
        body = {"say": kind, "seat": seat, "base": chain.head, **said, "signature": signature}
        signed = SignedHere(kind, signature, seat, chain.head, said=said)
        return signed, lambda: desk.api(memory.server).state(memory.table, body)

    return insist(desk, memory, attempt)


def _why_not(desk: Desk, chain: Chain) -> str:
    if chain.seat_of(desk.identity.key) is None:
        return "You do not sit at this table."
    if chain.phase is Phase.SITTING:
        return "The game has not begun."
    return "You have resigned there." if chain.phase is Phase.PLAYING else "The game is over."
