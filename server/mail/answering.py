"""How a turn that came by mail is answered: by a reply, by a signed block in a mail, or at the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.game import Seat
from engine.record.writer import Table
from server.mail.parts import Bullets, Heading, Paragraph, Part, Typed
from server.mail.wording import example

WORDS = (
    "show: the board again",
    "moves: what you can do",
    "log: what happened",
    "resign: give up the seat",
    "help: how all this works",
    "stop: no more mail",
)


def how_to_answer(
    table: Table, table_id: str, seat: Seat, *, private: bool, can_reply: bool, in_digest: bool
) -> Iterator[Part]:
    """The last part of a letter that asks something."""
    short, move = table_id[:8], example(table.playing, seat, private=private)
    only_an_example = () if private else (Paragraph("The move is only an example: yours depend on your hand."),)
    if can_reply and not in_digest:
        yield Heading("Reply to this mail with one line, such as")
        yield Typed((f"play {move}",))
        yield from only_an_example
        yield Heading("Or with one of these words")
        yield Bullets(WORDS)
        yield Heading("Or sign the move yourself, and mail the block that this prints")
        yield Typed((f"poste play {short} {move} --to -",))
        return
    yield Heading("Answer where you play, such as")
    yield Typed((f"poste play {short} {move}",))
    yield from only_an_example
    if in_digest:
        yield Paragraph("Several turns that come in one mail cannot be answered by a reply to it.")
    else:
        yield Paragraph("To answer by a reply to mails like this one, allow it once with:")
        yield Typed(("poste mail enable",))
