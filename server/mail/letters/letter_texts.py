"""What the mails say: pure functions from a table to a letter.

``private`` says whether the mailbox may be told what only its player may know. Without it a letter is a function of
what an onlooker sees: not a word of it depends on a hand. What is passed in as ``news`` is told as it is, so it must
have been told to the same eyes (:func:`server.service.derived_columns.told_to`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, TypeAlias

from engine.game import Seat
from engine.phrases import clock_in_words, counted, listed, span, won_by_resignation
from engine.record.writer import LoggedTable
from engine.scene import Scene
from server.mail.letters import letter_as_html, letter_as_text
from server.mail.letters.letter_parts import Bullets, Drawing, Heading, Letter, Paragraph, Part, Typed
from server.mail.letters.letter_phrases import (
    asks,
    clause,
    day,
    moves_parts,
    news_parts,
    one_line,
    options_in_words,
    result,
    standing_columns,
    subject,
    title,
    unfinished_columns,
    why_abandoned,
)
from server.mail.letters.reply_instructions import Ways, how_to_answer, how_to_stop, how_to_vote
from server.service.derived_columns import absent

ABOUT = "Poste Restante is board games by post: take your turn when it suits you, and every move is signed."
SINCE = "Since you were last at the table"
Shown: TypeAlias = Literal["board", "moves"]


def invitation(opener: str, table: LoggedTable, table_id: str, ways: Ways, note: str = "") -> Letter:
    """Somebody asks you to a table. Sitting down takes your own key, so no reply does it."""
    chain, game = table.chain, title(table)
    opened, short = chain.opened, table_id[:8]
    seated = [player.name for player in chain.players if player]
    free = len(chain.players) - len(seated)
    parts: list[Part] = [Paragraph(f"{opener} invites you to a game of {game}.", strong=True)]
    parts += [Paragraph(f"{opener} says: {note}")] if note else []
    facts = [f"The table has {counted(len(chain.players), 'seat')}, {free or 'none'} of them free."]
    facts += [f"{listed(seated)} {'sits' if len(seated) == 1 else 'sit'} there already."] if seated else []
    facts += [f"It is played with {options_in_words(opened.options)}."] if opened and opened.options else []
    facts.append(clock_in_words(opened.clock if opened else None))
    parts += [Bullets(tuple(facts)), Heading("Sit down with"), Typed((f"poste join {short}",))]
    parts += [Paragraph("A reply to this mail cannot seat you: that takes your own key.")] if ways.takes_mail else []
    parts += (
        [Heading("Read the rules with"), Typed((f"poste rules {opened.game.partition('/')[0]}",))] if opened else []
    )
    parts.append(Paragraph(ABOUT))
    return _letter(subject(table, table_id, f"{opener} invites you"), parts, ways)


def turn(
    table: LoggedTable,
    table_id: str,
    seat: Seat,
    news: Sequence[str],
    due: str | None,
    ways: Ways,
    *,
    private: bool,
) -> Letter:
    """It is your turn."""
    prompt = table.playing.asked[seat].decision.prompt
    parts: list[Part] = [Paragraph(f"It is your turn: {prompt}", strong=True), _whose(table, table_id, seat)]
    parts += [Paragraph(f"Please answer by {day(due)}.")] if due else []
    parts += _situation(table, table_id, seat, news, private=private)
    parts += how_to_answer(table, table_id, seat, ways, private=private)
    return _letter(subject(table, table_id, f"Your turn: {asks(prompt)}"), parts, ways)


def reminder(
    table: LoggedTable,
    table_id: str,
    seat: Seat,
    news: Sequence[str],
    due: str,
    left: float,
    ways: Ways,
    *,
    private: bool,
) -> Letter:
    """It is still your turn, and only so many seconds are left."""
    prompt = table.playing.asked[seat].decision.prompt
    first = f"You have {span(left)} left: {prompt}"
    parts: list[Part] = [Paragraph(first, strong=True), _whose(table, table_id, seat)]
    parts.append(Paragraph(f"Time is up on {day(due)}; then a move is played for you."))
    parts += _situation(table, table_id, seat, news, private=private)
    parts += how_to_answer(table, table_id, seat, ways, private=private)
    return _letter(subject(table, table_id, f"Reminder, {span(left)} left: {asks(prompt)}"), parts, ways)


def vote(table: LoggedTable, table_id: str, seat: Seat, voters: Collection[Seat], ways: Ways) -> Letter:
    """Somebody stays away, and you may vote on how to go on."""
    names, away = table.chain.names, sorted(absent(table))
    late, one = listed([names[other] for other in away]), len(away) == 1
    others = [names[other] for other in sorted(voters) if other != seat]
    together = f"you and {listed(others)} have" if others else "you have"
    chance = f"continue: {late} {'gets' if one else 'get'} another chance, and the vote is over; one voice is enough."
    first = f"{late} {'lets' if one else 'let'} deadline after deadline pass: you may vote on how to go on."
    parts: list[Part] = [
        Paragraph(first, strong=True),
        _whose(table, table_id, seat),
        Bullets((chance, f"abandon: the game is given up, as soon as {together} voted for it.")),
        Paragraph(f"Until then it goes on: when the time of {late} is up, a move is played instead."),
        *how_to_vote(table_id, ways),
    ]
    return _letter(
        subject(table, table_id, clause(f"You may vote, since {late} {'stays' if one else 'stay'} away")), parts, ways
    )


def missed(table: LoggedTable, table_id: str, seat: Seat, told: Sequence[str], ways: Ways) -> Letter:
    """Your time was up; ``told`` is what was played instead and what came of it."""
    short = table_id[:8]
    parts: list[Part] = [Paragraph("Your time was up, so a move was played for you.", strong=True)]
    parts += [_whose(table, table_id, seat), *news_parts(told, "What happened")]
    if seat in table.playing.bots:
        parts.append(Paragraph("A bot plays for you from now on. Take your seat back with:"))
        parts.append(Typed((f"poste back {short}",)))
        parts += [Paragraph("Or reply to this mail with one word: back.")] if ways.obeyed else []
    else:
        parts.append(Paragraph("The seat is still yours: you will be asked again when it is your turn."))
    parts += [Heading("Look at the table with"), Typed((f"poste show {short}",))]
    return _letter(subject(table, table_id, "Your time was up"), parts, ways)


def over(
    table: LoggedTable,
    table_id: str,
    seat: Seat | None,
    news: Sequence[str],
    ways: Ways,
    *,
    abandoned: str | None = None,
) -> Letter:
    """The game has ended, or was given up (``abandoned``: why); what it came to, and how to check that it was fair."""
    short, names, position = table_id[:8], table.chain.names, table.position
    standing, victor = position.standing if position else None, table.chain.victor
    if abandoned is not None:
        first = f"The table was abandoned: {why_abandoned(table, abandoned, seat)}."
    elif victor is not None:
        first = won_by_resignation(names, victor, seat)
    elif standing is not None and seat is not None and seat in standing.winners:
        others = [names[other] for other in standing.winners if other != seat]
        first = f"The game is over: you share the victory with {listed(others)}." if others else "You have won!"
    else:
        first = f"The game is over: {result(names, standing)}" if standing else "The game is over."
    parts: list[Part] = [Paragraph(first, strong=True), _whose(table, table_id, seat)]
    if standing is not None and abandoned is not None:
        parts += [Heading("Nobody has won; this is where it stood")]
        parts += [Drawing(Scene("", (unfinished_columns(names, standing),)))]
    elif standing is not None:
        parts += [Heading("The result"), Drawing(Scene("", (standing_columns(names, standing),)))]
    parts += news_parts(news, SINCE)
    parts += [Heading("The secrets are revealed: check that it was fair with")]
    parts += [Typed((f"poste export {short} -o game.poste", "poste audit game.poste"))]
    words = "The table was abandoned" if abandoned else first.removeprefix("The game is over: ").rstrip(".")
    return _letter(subject(table, table_id, words[:1].upper() + words[1:]), parts, ways)


def digest(letters: Sequence[Letter], ways: Ways, office: str = "Poste Restante") -> Letter:
    """Several letters in one, with a list of them first."""
    head: list[Part] = [
        Paragraph(f"{counted(len(letters), 'letter')} for you", strong=True),
        Bullets(tuple(f"{number}. {letter.subject}" for number, letter in enumerate(letters, 1))),
    ]
    texts, pages = [letter_as_text.text(head)], [letter_as_html.html(head)]
    for number, letter in enumerate(letters, 1):
        parts = (Heading(f"{number}. {letter.subject}"),)
        texts.append(f"{'=' * letter_as_text.WIDTH}\n{letter_as_text.text(parts)}\n{letter.text}")
        body = (
            letter.html if letter.html is not None else letter_as_html.html((Typed(tuple(letter.text.splitlines())),))
        )
        pages.append(letter_as_html.rule() + letter_as_html.html(parts) + body)
    end = tuple(how_to_stop(ways))
    texts.append(f"{'=' * letter_as_text.WIDTH}\n{letter_as_text.text(end)}")
    pages.append(letter_as_html.rule() + letter_as_html.html(end))
    return Letter(one_line(f"[{office}] {counted(len(letters), 'letter')}"), "\n".join(texts), "".join(pages))


def withheld(ways: Ways, office: str = "Poste Restante") -> Letter:
    """In place of a letter that may tell of a hand, and was not sent before its reader wanted no such letters."""
    first = "A mail to you was held up, and since then you want none in which there may be what only you may see."
    parts: list[Part] = [Paragraph(first, strong=True), Heading("Look at your tables with"), Typed(("poste tables",))]
    return _letter(one_line(f"[{office}] A mail that is left out"), parts, ways)


def confirmation(name: str, code: str, ways: Ways, office: str = "Poste Restante") -> Letter:
    """Is this your mailbox? The code stands far down: a program that sends the letter back must not confirm it.

    Whoever reads it has asked for nothing yet, and its sender has chosen a name and an address: neither must become a
    link to somewhere. So the address is left out, and a name with a dot in it, which mail programs take for a host.
    """
    never = " Reply with the word stop, and nobody can have you asked again for a year." if ways.takes_mail else ""
    parts: list[Part] = [
        Paragraph(f"{'Somebody' if '.' in name else name} wants to get mail from {office} here.", strong=True),
        Paragraph(ABOUT),
        Paragraph(f"If it was not you, ignore this mail: nothing more will come.{never}"),
        Paragraph("If that was you, type this where you play:"),
        Typed((f"poste mail confirm {code}",)),
    ]
    if ways.takes_mail:
        parts.append(Paragraph("Or reply to this mail; the first line of what you write must be:"))
        parts.append(Typed((f"confirm {code}",)))
    return _letter(one_line(f"[{office}] Is this your mailbox?"), parts)


def answer(
    lines: Sequence[str],
    *,
    table: LoggedTable | None = None,
    table_id: str = "",
    seat: Seat | None = None,
    private: bool = False,
    show: Collection[Shown] = (),
    about: str = "",
    stopped: bool = False,
    office: str = "Poste Restante",
) -> Letter:
    """The reply to a mail: what was done or why not, then the board and the moves if they were asked for.

    ``about`` is for the subject, which shows on a locked screen; if there is none, the first clause is. ``stopped``: no
    more mail comes after this one.
    """
    first = lines[0] if lines else "Nothing was done."
    parts: list[Part] = [Paragraph(first, strong=True)]
    parts += [Bullets(tuple(lines[1:]))] if lines[1:] else []
    about, ways = about or clause(first), None if stopped else Ways(takes_mail=True)
    if table is None:
        return _letter(one_line(f"[{office}] {about}"), parts, ways)
    parts.append(_whose(table, table_id, seat))
    if table.position is not None and "board" in show:
        parts += _board(table, table_id, seat, private=private)
    if table.position is not None and "moves" in show and seat is not None and seat in table.position.asked:
        parts += moves_parts(table.position, seat, private=private)
    return _letter(subject(table, table_id, about), parts, ways)


def _letter(subject_line: str, parts: Sequence[Part], ways: Ways | None = None) -> Letter:
    """A letter; with ``ways`` it ends with how to get no more."""
    parts = [*parts, *how_to_stop(ways)] if ways is not None else parts
    return Letter(subject_line, letter_as_text.text(parts), letter_as_html.html(parts))


def _whose(table: LoggedTable, table_id: str, seat: Seat | None) -> Paragraph:
    """Who sits at the table, and who of them does not act."""
    gone = dict.fromkeys(table.chain.resigned, "resigned")
    for one in absent(table):
        gone[one] = "a bot plays" if one in table.playing.bots else "stays away"
    names = []
    for number, name in enumerate(table.chain.names):
        notes = [*(["you"] if number == seat else []), *([gone[Seat(number)]] if number in gone else [])]
        names.append(f"{name} ({', '.join(notes)})" if notes else name)
    return Paragraph(f"{title(table)}, table {table_id[:8]}: {listed(names)}.")


def _situation(table: LoggedTable, table_id: str, seat: Seat, news: Sequence[str], *, private: bool) -> Iterator[Part]:
    """What happened, the board, what you can do."""
    yield from news_parts(news, SINCE)
    yield from _board(table, table_id, seat, private=private)
    if table.playing.asked[seat].decision.sealed:
        yield Paragraph("Your answer stays sealed: it is opened when everybody has answered.")
    yield from moves_parts(table.playing, seat, private=private)


def _board(table: LoggedTable, table_id: str, seat: Seat | None, *, private: bool) -> Iterator[Part]:
    position = table.playing
    view = position.game.view(position.state, seat if private else None)
    yield Drawing(position.game.scene(view, table.chain.names))
    if not private:
        yield Paragraph("What only you may see is left out of this mail. See it with:")
        yield Typed((f"poste show {table_id[:8]}",))
