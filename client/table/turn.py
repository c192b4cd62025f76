"""Taking a turn: what was typed becomes a legal move, is signed, remembered, sent, and found again in the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from client.connection.http_api import Problem
from client.output import CommandRefused
from client.phrases import now
from client.table.player_desk import Desk
from client.table.statements import Attempt, insist
from client.table.verified_view import Seen
from client.trust.possible_views import imagined
from client.trust.table_memory import HeldByServer, Memory, SignedHere
from engine import notation
from engine.chance import Chance
from engine.errors import OutOfTurn
from engine.game import Seat
from engine.keys import Hash, SigningKey, sha256, tagged
from engine.record.armour import SignedMove
from engine.record.chain import Chain, Phase
from engine.record.entry import Sealed, move_message, resign_message, sit_message
from engine.record.replay import move_json


class Sent(Struct, frozen=True):
    """What became of a move: its entry in the log, or None while the server holds it with the other sealed ones."""

    entry: Sealed | None


def chosen(seen: Seen, text: str) -> Any:
    """The move that was typed, known to be legal; raises MoveRefused with the reason, in the words of the rules."""
    asked_now(seen)
    names = seen.chain.names
    move = notation.read(seen.game.forms(seen.view), text, seen.legal, names)
    if move not in seen.legal and seen.seat is not None:
        # The rules say why it cannot be played.
        seen.game.play(imagined(seen.game, seen.view), seen.seat, move, Chance(bytes(32)))
        raise CommandRefused(f"“{written(seen, move)}” cannot be played now.")
    return move


def asked_now(seen: Seen) -> None:
    """Refuse unless the player is being asked something."""
    if seen.seat is None:
        raise CommandRefused("You do not sit at this table; you can only watch.")
    if seen.chain.phase is Phase.SITTING:
        raise CommandRefused("The game has not begun: the table is waiting for players.")
    if seen.chain.phase is not Phase.PLAYING:
        raise CommandRefused("The game is over.")
    if seen.mine is None:
        others = " and ".join(seen.chain.names[seat] for seat in seen.asked)
        raise OutOfTurn(f"it is not your turn, but {others}'s")


def written(seen: Seen, move: Any) -> str:
    """The canonical text of a move."""
    return notation.write(seen.game.forms(seen.view), move)


def sign(desk: Desk, seen: Seen, move: Any) -> SignedMove:
    """Sign a move, and remember that before anybody else sees it."""
    asked_now(seen)
    seat, question = seen.seat, seen.mine
    if seat is None or question is None:
        raise CommandRefused("There is nothing to sign.")
    said, table = move_json(move), seen.memory.table
    signature = desk.key.sign(move_message(table, question.base, seat, said))
    seen.memory.remember(SignedHere("move", signature, seat, question.base, said))
    return SignedMove(table, question.base, seat, said, signature)


def deliver(desk: Desk, memory: Memory, move: SignedMove) -> Sent:
    """Send a signed move and verify what the server says to it; the same move may be sent again safely."""
    body = {"seat": move.seat, "base": move.base, "move": move.move, "signature": move.signature}
    answer = desk.api(memory.server).move(memory.table, body)
    if answer.refused is not None:
        raise Problem(409, answer.refused)
    if answer.held:
        memory.remember(HeldByServer(move.signature, now()))
        return Sent(None)
    if not answer.receipts:
        raise CommandRefused("The server took the move without a receipt; look at the table before you play on.")
    expected = SignedHere("move", move.signature, move.seat, move.base, move.move)
    receipts = [desk.take_receipt(memory, receipt, expected) for receipt in answer.receipts[:1]]
    desk.sync(memory)
    return Sent(receipts[0])


def sit(desk: Desk, memory: Memory, seat: int | None) -> Sealed:
    """Take a seat (None: the first that is free), bringing 32 bytes of chance."""
    name, key = desk.name(), desk.key
    entropy = entropy_for(memory.table, key)

    def attempt(chain: Chain) -> Attempt:
        if chain.seat_of(key.public) is not None:
            raise CommandRefused("You sit at this table already.")
        if chain.phase is not Phase.SITTING:
            begun = chain.phase is Phase.PLAYING
            raise CommandRefused(
                "The game has begun without you; every seat is taken." if begun else "The table is closed."
            )
        place = _free_seat(chain.players, seat)
        signature = key.sign(sit_message(memory.table, chain.head, place, name, key.public, entropy))
        body = {"base": chain.head, "seat": place, "name": name, "key": key.public}
        body |= {"entropy": entropy, "signature": signature}
        signed = SignedHere("sit", signature, place, chain.head)
        return signed, lambda: desk.api(memory.server).sit(memory.table, body)

    return insist(desk, memory, attempt, ("move/stale", "seat/taken") if seat is None else ("move/stale",))


def entropy_for(table: str, key: SigningKey) -> Hash:
    """The chance a player brings to a table: nobody else can foresee it, and it is the same at every attempt.

    With fresh bytes at each attempt, a server that keeps refusing could choose the attempt whose deal it likes best.
    """
    return sha256(bytes.fromhex(key.sign(tagged("entropy", bytes.fromhex(table)))))


def _free_seat(players: Sequence[Any], wanted: int | None) -> Seat:
    free = [Seat(seat) for seat, player in enumerate(players) if player is None]
    if wanted is not None and wanted not in free:
        raise CommandRefused(f"Seat {wanted} is not free; free {'is' if len(free) == 1 else 'are'} {_listed(free)}.")
    return Seat(wanted) if wanted is not None else free[0]


def _listed(seats: Sequence[Seat]) -> str:
    return " and ".join(map(str, seats)) or "none"


def resign(desk: Desk, memory: Memory) -> Sealed:
    """Give up the seat: before the deal it is free again, afterwards the game goes on without you."""

    def attempt(chain: Chain) -> Attempt:
        seat = chain.seat_of(desk.identity.key)
        if seat is None:
            raise CommandRefused("You do not sit at this table.")
        signature = desk.key.sign(resign_message(memory.table, chain.head, seat))
        body = {"seat": seat, "base": chain.head, "signature": signature}
        return SignedHere("resign", signature, seat, chain.head), lambda: desk.api(memory.server).resign(
            memory.table, body
        )

    return insist(desk, memory, attempt)
