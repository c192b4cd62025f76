"""What the mails say: pure functions from a table to a letter.

``private`` says whether the mailbox may be told what only its player may know. Without it a letter is a function of
what an onlooker sees: not a word of it depends on a hand. What is passed in as ``news`` is told as it is, so it must
have been told to the same eyes (:func:`server.service.derived.told_to`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, TypeAlias

from engine.game import Seat
from engine.record.writer import Table
from engine.scene import Scene
from server.mail import page, plain
from server.mail.answering import how_to_answer
from server.mail.parts import Bullets, Drawing, Heading, Letter, Paragraph, Part, Typed
from server.mail.wording import (
    asks,
    clock_in_words,
    counted,
    day,
    listed,
    moves_parts,
    news_parts,
    one_line,
    options_in_words,
    result,
    span,
    standing_columns,
    subject,
    title,
)

ABOUT = "Poste Restante is board games by post: take your turn when it suits you, and every move is signed."
SINCE = "Since you were last at the table"
Shown: TypeAlias = Literal["board", "moves"]


def invitation(opener: str, table: Table, table_id: str, note: str = "") -> Letter:
    """Somebody asks you to a table."""
    chain, game = table.chain, title(table)
    opened, short = chain.opened, table_id[:8]
    seated = [player.name for player in chain.players if player]
    free = len(chain.players) - len(seated)
    parts: list[Part] = [Paragraph(f"{opener} invites you to a game of {game}.", strong=True)]
    parts += [Paragraph(f"{opener} says: {note}")] if note else []
    facts = [f"{counted(len(chain.players), 'seat')}, {free or 'none'} of them free"]
    facts += [f"at the table: {listed(seated)}"] if seated else []
    facts += [options_in_words(opened.options)] if opened and opened.options else []
    facts.append(clock_in_words(opened.clock if opened else None))
    parts += [Bullets(tuple(facts)), Heading("Sit down with"), Typed((f"poste join {short}",))]
    parts += (
        [Heading("Read the rules with"), Typed((f"poste rules {opened.game.partition('/')[0]}",))] if opened else []
    )
    parts.append(Paragraph(ABOUT))
    return _letter(subject(table, table_id, f"{opener} invites you"), parts)


def turn(
    table: Table,
    table_id: str,
    seat: Seat,
    news: Sequence[str],
    due: str | None,
    *,
    private: bool,
    can_reply: bool,
    in_digest: bool = False,
) -> Letter:
    """It is your turn. ``in_digest``: the letter goes out in one mail with others, which cannot be replied to."""
    prompt = table.playing.asked[seat].decision.prompt
    parts: list[Part] = [Paragraph(f"It is your turn: {prompt}", strong=True), _whose(table, table_id, seat)]
    parts += [Paragraph(f"Please answer by {day(due)}.")] if due else []
    parts += _situation(table, table_id, seat, news, private=private)
    parts += how_to_answer(table, table_id, seat, private=private, can_reply=can_reply, in_digest=in_digest)
    return _letter(subject(table, table_id, f"Your turn: {asks(prompt)}"), parts)


def reminder(
    table: Table,
    table_id: str,
    seat: Seat,
    news: Sequence[str],
    due: str,
    left: float,
    *,
    private: bool,
    can_reply: bool,
    in_digest: bool = False,
) -> Letter:
    """It is still your turn, and only so many seconds are left."""
    prompt = table.playing.asked[seat].decision.prompt
    first = f"You have {span(left)} left: {prompt}"
    parts: list[Part] = [Paragraph(first, strong=True), _whose(table, table_id, seat)]
    parts.append(Paragraph(f"Time is up on {day(due)}; then a move is played for you."))
    parts += _situation(table, table_id, seat, news, private=private)
    parts += how_to_answer(table, table_id, seat, private=private, can_reply=can_reply, in_digest=in_digest)
    return _letter(subject(table, table_id, f"Reminder, {span(left)} left: {asks(prompt)}"), parts)


def missed(table: Table, table_id: str, seat: Seat, told: Sequence[str]) -> Letter:
    """Your time was up; ``told`` is what was played instead and what came of it."""
    short = table_id[:8]
    parts: list[Part] = [Paragraph("Your time was up, so a move was played for you.", strong=True)]
    parts += [_whose(table, table_id, seat), *news_parts(told, "What happened")]
    if seat in table.playing.bots:
        parts.append(Paragraph("A bot plays for you from now on. Take your seat back with:"))
        parts.append(Typed((f"poste back {short}",)))
    else:
        parts.append(Paragraph("The seat is still yours: you will be asked again when it is your turn."))
    parts += [Heading("Look at the table with"), Typed((f"poste show {short}",))]
    return _letter(subject(table, table_id, "Your time was up"), parts)


def over(table: Table, table_id: str, seat: Seat | None, news: Sequence[str], *, abandoned: bool) -> Letter:
    """The game has ended, or was given up; what it came to, and how to check that it was fair."""
    short, names, position = table_id[:8], table.chain.names, table.position
    standing = position.game.standing(position.state) if position else None
    if abandoned:
        first = "The table was abandoned."
    elif standing is not None and seat is not None and seat in standing.winners:
        others = [names[other] for other in standing.winners if other != seat]
        first = f"The game is over: you share the victory with {listed(others)}." if others else "You have won!"
    else:
        first = f"The game is over: {result(names, standing)}" if standing else "The game is over."
    parts: list[Part] = [Paragraph(first, strong=True), _whose(table, table_id, seat)]
    if standing is not None:
        parts += [Heading("The standing when it ended" if abandoned else "The result")]
        parts += [Drawing(Scene("", (standing_columns(names, standing),)))]
    parts += news_parts(news, SINCE)
    parts += [Heading("The secrets are revealed: check that it was fair with")]
    parts += [Typed((f"poste export {short} -o game.poste", "poste audit game.poste"))]
    words = "The table was abandoned" if abandoned else first.removeprefix("The game is over: ").rstrip(".")
    return _letter(subject(table, table_id, words[:1].upper() + words[1:]), parts)


def digest(letters: Sequence[Letter], office: str = "Poste Restante") -> Letter:
    """Several letters in one, with a list of them first."""
    head: list[Part] = [
        Paragraph(f"{counted(len(letters), 'letter')} for you", strong=True),
        Bullets(tuple(f"{number}. {letter.subject}" for number, letter in enumerate(letters, 1))),
    ]
    texts, pages = [plain.text(head)], [page.html(head)]
    for number, letter in enumerate(letters, 1):
        parts = (Heading(f"{number}. {letter.subject}"),)
        texts.append(f"{'=' * plain.WIDTH}\n{plain.text(parts)}\n{letter.text}")
        body = letter.html if letter.html is not None else page.html((Typed(tuple(letter.text.splitlines())),))
        pages.append(page.rule() + page.html(parts) + body)
    return Letter(one_line(f"[{office}] {counted(len(letters), 'letter')}"), "\n".join(texts), "".join(pages))


def confirmation(name: str, address: str, code: str, office: str = "Poste Restante") -> Letter:
    """Is this your mailbox? The code stands far down: a program that sends the letter back must not confirm it."""
    parts = (
        Paragraph(f"{name} wants to have mail from {office} sent to {address}.", strong=True),
        Paragraph(ABOUT),
        Paragraph("If it was not you, ignore this mail: nothing more will come."),
        Paragraph("If that was you, type this where you play:"),
        Typed((f"poste mail confirm {code}",)),
        Paragraph("Or reply to this mail; the first line of what you write must be:"),
        Typed((f"confirm {code}",)),
    )
    return _letter(one_line(f"[{office}] Is this your mailbox?"), parts)


def answer(
    lines: Sequence[str],
    *,
    table: Table | None = None,
    table_id: str = "",
    seat: Seat | None = None,
    private: bool = False,
    show: Collection[Shown] = (),
    office: str = "Poste Restante",
) -> Letter:
    """The reply to a mail: what was done or why not, then the board and the moves if they were asked for."""
    first = lines[0] if lines else "Nothing was done."
    parts: list[Part] = [Paragraph(first, strong=True)]
    parts += [Bullets(tuple(lines[1:]))] if lines[1:] else []
    if table is None:
        return _letter(one_line(f"[{office}] {first}"), parts)
    parts.append(_whose(table, table_id, seat))
    if table.position is not None and "board" in show:
        parts += _board(table, table_id, seat, private=private)
    if table.position is not None and "moves" in show and seat is not None and seat in table.position.asked:
        parts += moves_parts(table.position, seat, private=private)
    return _letter(subject(table, table_id, first), parts)


def _letter(subject_line: str, parts: Sequence[Part]) -> Letter:
    return Letter(subject_line, plain.text(parts), page.html(parts))


def _whose(table: Table, table_id: str, seat: Seat | None) -> Paragraph:
    names = [f"{name} (you)" if number == seat else name for number, name in enumerate(table.chain.names)]
    return Paragraph(f"{title(table)}, table {table_id[:8]}: {listed(names)}.")


def _situation(table: Table, table_id: str, seat: Seat, news: Sequence[str], *, private: bool) -> Iterator[Part]:
    """What happened, the board, what you can do."""
    yield from news_parts(news, SINCE)
    yield from _board(table, table_id, seat, private=private)
    if table.playing.asked[seat].decision.sealed:
        yield Paragraph("Your answer stays sealed: it is opened when everybody has answered.")
    yield from moves_parts(table.playing, seat, private=private)


def _board(table: Table, table_id: str, seat: Seat | None, *, private: bool) -> Iterator[Part]:
    position = table.playing
    view = position.game.view(position.state, seat if private else None)
    yield Drawing(position.game.scene(view, table.chain.names))
    if not private:
        yield Paragraph("Your hand and other secrets are left out of this mail. See them with:")
        yield Typed((f"poste show {table_id[:8]}",))
