"""The words letters share: times, clocks, options, moves, results and subjects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine import notation
from engine.chance import Chance
from engine.game import Seat, Standing
from engine.phrases import listed
from engine.record.entry import Json, instant
from engine.record.replay import Position, game_of
from engine.record.writer import LoggedTable
from engine.scene import Columns as Columns
from engine.scene.canvas import clean
from engine.scene.standings import standing_columns as standing_columns
from server.mail.letters.letter_parts import Bullets, Heading, Paragraph, Part, Typed

LONGEST_SUBJECT = 120
LONGEST_CLAUSE = 70
MOST_NEWS = 40
MOST_MOVES = 40
EXAMPLES = 6
_CLAUSE = re.compile(r"[.:;!?] ")
_EXAMPLE = Chance(b"an example in a letter")
# Not the calendar's own names: those change with the server's language, and letters are in English.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def day(at: str) -> str:
    """A timestamp as people write it.

    >>> day("2026-11-18T06:40:00.000Z")
    'Wednesday 18 November 2026, 06:40 UTC'
    """
    moment = instant(at)
    weekday, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{weekday} {moment.day} {month} {moment.year}, {moment:%H:%M} UTC"


def options_in_words(options: Json) -> str:
    """The options of a table, in the order the game names them.

    >>> options_in_words({"stairs": False, "colours": ["grey", "violet"]})
    'stairs: no; colours: grey, violet'
    """
    return "; ".join(f"{name.replace('_', ' ')}: {_option(value)}" for name, value in options.items())


def _option(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def title(table: LoggedTable) -> str:
    """What the game is called."""
    opened = table.chain.opened
    return game_of(opened).rulebook.title if opened else "A table"


def subject(table: LoggedTable, table_id: str, words: str) -> str:
    """A subject line, with the prefix that all mails of a table share."""
    return one_line(f"[{title(table)} {table_id[:8]}] {words}")


def one_line(words: str) -> str:
    r"""Words fit for a subject: one printable line, not too long.

    >>> one_line("Your turn:\r\nBcc: everybody")
    'Your turn: Bcc: everybody'
    """
    line = " ".join(clean(words).split())
    return line if len(line) <= LONGEST_SUBJECT else line[: LONGEST_SUBJECT - 1].rstrip() + "…"


def clause(said: str) -> str:
    """The first clause of what is said, short enough for a subject.

    >>> clause("You have resigned; the game goes on without you."), clause("Waiting for bob.")
    ('You have resigned', 'Waiting for bob')
    >>> clause("Your signed move was taken at " + "a very long table " * 3 + "near the window")
    'Your signed move was taken at a very long table a very long table a…'
    """
    return shortened(_CLAUSE.split(" ".join(clean(said).split()), maxsplit=1)[0].rstrip(".:;!?"))


def shortened(words: str) -> str:
    """Words that a subject has room for, cut where one ends."""
    if len(words) <= LONGEST_CLAUSE:
        return words
    cut = words[: LONGEST_CLAUSE - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(",") + "…"


def asks(prompt: str) -> str:
    """A prompt as it stands in a subject.

    >>> asks("Take a token and open a shop.")
    'take a token and open a shop'
    """
    return prompt[:1].lower() + prompt[1:].rstrip(".")


def news_parts(news: Sequence[str], heading: str) -> Iterator[Part]:
    """What happened; of much only the newest."""
    if not news:
        return
    yield Heading(heading)
    left_out = len(news) - MOST_NEWS
    earlier = (f"... and {left_out} earlier",) if left_out > 0 else ()
    yield Bullets((*earlier, *news[-MOST_NEWS:]))


def moves_parts(position: Position, seat: Seat, *, private: bool) -> Iterator[Part]:
    """What a seat can do. Without a private mailbox nothing is told that follows from what only the seat knows."""
    game, state = position.game, position.state
    if not private:
        yield Heading("How moves are written in this game")
        yield Typed(usages(position))
        return
    forms, legal = game.forms(game.view(state, seat)), game.legal(state, seat)
    if len(legal) <= MOST_MOVES:
        yield Heading("What you can do")
        yield Typed(tuple(notation.write(forms, move) for move in legal))
        return
    yield Heading(f"What you can do ({len(legal)} moves), written like this")
    yield Typed(notation.usage(forms, legal))
    yield Heading("For example")
    # Spread over the list, whose neighbours differ little.
    yield Typed(tuple(notation.write(forms, legal[index * len(legal) // EXAMPLES]) for index in range(EXAMPLES)))
    yield Paragraph("The first letters of every word will do, as long as only one move has them all.")


def example(position: Position, seat: Seat, *, private: bool) -> str:
    """A move to show how one is written: the seat's own, or one that an onlooker could think of."""
    game = position.game
    state = position.state if private else game.imagine(game.view(position.state, None), _EXAMPLE)
    forms = game.forms(game.view(state, seat))
    return notation.write(forms, game.legal(state, seat)[0])


def usages(position: Position) -> tuple[str, ...]:
    """How moves are written in this game, as an onlooker knows it."""
    game = position.game
    return tuple(form.usage for form in game.forms(game.view(position.state, None)))


def unfinished_columns(names: Sequence[str], standing: Standing) -> Columns:
    """Where a game stood that nobody has won: in seat order, without places and tie-breaks."""
    parts = list(standing.scores[0].parts)
    rows = tuple(
        (name, *(str(score.parts[part]) for part in parts), str(score.total))
        for name, score in zip(names, standing.scores, strict=True)
    )
    return Columns("", ("player", *parts, "total"), rows, right=tuple(range(1, len(parts) + 2)))


def why_abandoned(table: LoggedTable, why: str, seat: Seat | None) -> str:
    """Why a table was given up, as the rest of a sentence, told to this seat."""
    if why != "resigned":
        return _WHY[why]
    gone = sorted(table.chain.resigned, key=lambda one: (one != seat, one))
    names = ["you" if one == seat else table.chain.names[one] for one in gone]
    have = "has" if len(gone) == 1 and gone[0] != seat else "have"
    return f"{listed(names)} {have} resigned, and nobody can go on alone"


_WHY = {
    "unfilled": "its seats were never filled",
    "idle": "nobody acted any more",
    "voted": "those who still act have voted for it",
}


def result(names: Sequence[str], standing: Standing) -> str:
    """Who has won."""
    winners = [names[seat] for seat in standing.winners]
    return f"{listed(winners)} {'wins' if len(winners) == 1 else 'share the victory'}."
