r"""A signed move as a block of text, to travel by mail or on a stick.

    -----BEGIN POSTE MOVE-----
    eyJiYXNlIjoiMmY0Yy4uLiIsIm1vdmUiOnsiZG8iOiJ0YWtlIiwic3RhdGlvbiI6Imxv
    ...
    -----END POSTE MOVE-----

Between the two lines stands the canonical JSON of the move, what the player signed and the signature, in Base64. What
is around a block does not matter, so a letter may say in words what it carries; a block that is quoted (``> ``) is not
one.
"""

from __future__ import annotations

import base64
import binascii

import msgspec
from msgspec import Struct

from engine.errors import RecordRejected
from engine.keys import Hash, Key, Signature, verify
from engine.record.canonical import canonical, plain
from engine.record.entry import Json, SeatNumber, TableId, move_message
from engine.typed_json import decode

BEGIN = "-----BEGIN POSTE MOVE-----"
END = "-----END POSTE MOVE-----"
LINE = 64
LONGEST_BLOCK = 16_384
LONGEST_TEXT = 262_144
MOST_BLOCKS = 32


class SignedMove(Struct, frozen=True, forbid_unknown_fields=True):
    """A move with its signature: all that a server needs to take it."""

    table: TableId
    base: Hash
    seat: SeatNumber
    move: Json
    signature: Signature

    def signed_by(self, key: Key) -> bool:
        """Whether the player with this key signed it."""
        return verify(key, move_message(self.table, self.base, self.seat, self.move), self.signature)


def write(move: SignedMove) -> str:
    """The block of a move."""
    text = base64.b64encode(canonical(move)).decode()
    lines = [text[start : start + LINE] for start in range(0, len(text), LINE)]
    return "\n".join([BEGIN, *lines, END]) + "\n"


def read(text: str) -> list[SignedMove]:
    """Every block of a text, in order; raises RecordRejected if there is none or one is not as :func:`write` has it.

    Looks at every character a fixed number of times, whatever the text.
    """
    if len(text) > LONGEST_TEXT:
        raise RecordRejected("armour/too-long", f"the text is longer than {LONGEST_TEXT} characters")
    moves: list[SignedMove] = []
    block: list[str] | None = None
    for line in text.splitlines():
        word = line.strip()
        if word == BEGIN:
            if block is not None:
                raise RecordRejected("armour/broken", "a block begins before the one before it has ended")
            if len(moves) == MOST_BLOCKS:
                raise RecordRejected("armour/too-many", f"a text may hold {MOST_BLOCKS} moves")
            block = []
        elif block is not None and word == END:
            moves.append(_read_block("".join(block)))
            block = None
        elif block is not None:
            block.append(word)
    if block is not None:
        raise RecordRejected("armour/broken", f"the block has no end: “{END}” is missing")
    if not moves:
        raise RecordRejected("armour/none", f"there is no signed move in this text; one begins with “{BEGIN}”")
    return moves


def _read_block(text: str) -> SignedMove:
    if len(text) > LONGEST_BLOCK:
        raise RecordRejected("armour/too-long", f"a block is at most {LONGEST_BLOCK} characters long")
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
        move = decode(data, SignedMove)
    except (binascii.Error, UnicodeError, msgspec.DecodeError, RecursionError):
        raise RecordRejected("armour/broken", "the block is damaged: it does not hold a signed move") from None
    plain(move.move, "$.move")
    if canonical(move) != data:
        raise RecordRejected("armour/broken", "the block is not written in its one canonical form")
    return move
