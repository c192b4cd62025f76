"""How a letter is answered: by a reply, by a signed block in a mail, or at the terminal; and how to get no more."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from engine.game import Seat
from engine.record.writer import LoggedTable
from server.mail.letters.letter_parts import Bullets, Heading, Paragraph, Part, Typed
from server.mail.letters.letter_phrases import example

LOOKING = (
    "show: the board again",
    "moves: what you can do",
    "log: what happened",
)
HELP = "help: how all this works"
WORDS = (*LOOKING, "resign: give up the seat", HELP)


class Ways(Struct, frozen=True):
    """The ways in which a letter may be answered, besides the terminal."""

    takes_mail: bool = False
    """Whether mail comes in here at all."""
    delegated: bool = False
    """Whether the gateway may speak for the one who gets the letter."""
    in_digest: bool = False
    """Whether the letter goes out in one mail with others, so that no word in a reply can be about it."""

    @property
    def heard(self) -> bool:
        """Whether words in a reply are understood."""
        return self.takes_mail and not self.in_digest

    @property
    def obeyed(self) -> bool:
        """Whether something is done at the table because of words in a reply."""
        return self.heard and self.delegated


def how_to_answer(table: LoggedTable, table_id: str, seat: Seat, ways: Ways, *, private: bool) -> Iterator[Part]:
    """The last part of a letter that asks something."""
    move = example(table.playing, seat, private=private)
    typed = f"poste play {table_id[:8]} {move}"
    only_an_example = "The move is only an example: yours may depend on what only you know."
    if ways.obeyed:
        yield Heading("Reply to this mail with one line, such as")
        yield Typed((f"play {move}",))
    else:
        yield Heading("Answer where you play, such as")
        yield Typed((typed,))
    if not private:
        yield Paragraph(only_an_example)
    if ways.obeyed:
        yield Heading("Or with one of these words")
        yield Bullets(WORDS)
    if ways.takes_mail:
        yield Heading("Or sign the move yourself, and mail the block that this prints")
        yield Typed((f"{typed} --to -",))
    if ways.heard and not ways.obeyed:
        yield Heading("Reply with one of these words to look at the table")
        yield Bullets((*LOOKING, HELP))
        yield Heading("To play by a reply in plain words too, allow it once with")
        yield Typed(("poste mail enable",))
    if ways.takes_mail and ways.in_digest:
        yield Paragraph("Several letters that come in one mail cannot be answered by words in a reply to it.")


def how_to_vote(table_id: str, ways: Ways) -> Iterator[Part]:
    """The last part of a letter about a vote."""
    yield Heading("Vote where you play with one of these")
    yield Typed(tuple(f"poste vote {choice} {table_id[:8]}" for choice in ("continue", "abandon")))
    if ways.obeyed:
        yield Paragraph("Or reply to this mail with one word: continue, or abandon.")


def how_to_stop(ways: Ways) -> Iterator[Part]:
    """The last line of every mail. In a digest it stands once, at its end."""
    if not ways.in_digest:
        reply = "reply with the word stop, or type: " if ways.takes_mail else "type: "
        yield Paragraph(f"To get no more mail, {reply}poste mail when off")
