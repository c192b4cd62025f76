"""What a player asks for by mail, done: one function a word. Each gives lines that say what was done, or why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from engine import notation
from engine.chance import Chance
from engine.errors import EngineError, MoveRefused, NotUnderstood
from engine.game import Seat
from engine.record.chain import Phase
from engine.record.entry import (
    Back,
    Json,
    Play,
    Sealed,
    Timeout,
    Vote,
    back_message,
    mailed,
    move_message,
    read_line,
    resign_message,
    vote_message,
)
from engine.record.replay import move_json
from engine.record.writer import Table
from server.mail.incoming import Command
from server.mail.letters import Shown
from server.mail.wording import one_line
from server.models import ENTRIES, MAILBOXES
from server.problems import Refused
from server.service import mailboxes, tables
from server.service.derived import open_decisions, told_to
from server.service.folding import Folded, replayed
from server.service.office import Office
from server.service.tables import SignedMove

HELP = (
    "Reply to a mail that asks you something with one line; what you quote below it does not matter.",
    "To answer what that mail asks, write: play MOVE, such as: play take louvre/red",
    "To look: show (the board), moves (what you can do), log (what happened last); each alone on a line.",
    "To take your seat back from a bot: back; to vote on going on without somebody: continue, or abandon",
    "To give up the seat: resign; to get no more mail: stop",
    "A move that you signed yourself (poste play ... --to -) may be mailed as it is, from anywhere.",
)
"""No line begins with a command: a program that sends our words back must not seem to ask for something."""
_ATTEMPTS = 5
"""How often something is said again to a table whose log grows at the same moment."""
_LOG_LINES = 30
_LOOKED_AT = 50
"""Entries of a seat after a decision was opened, among which is its answer."""


class Asker(Struct, frozen=True):
    """Who replies, and to what: a mail of ours about this seat's decision at this table."""

    player: int
    private: bool
    table: str | None = None
    seat: Seat | None = None
    """Where they sit at the table; None if they do not, as somebody who is only invited."""
    base: str | None = None
    """The decision that the mail asked for; None if it asked for none."""
    collected: bool = False
    """Whether it was a digest of several letters."""


class Done(Struct, frozen=True):
    """What came of a command, and what is to be shown with it."""

    lines: tuple[str, ...]
    show: frozenset[Shown] = frozenset()


def obey(office: Office, asker: Asker, command: Command) -> Done:
    """Do what a line of a mail asks for; whatever is wrong with it becomes what is said."""
    if command.word == "help":
        return Done(HELP)
    try:
        if command.word == "confirm":
            return _confirm(office, asker, command.rest)
        if command.word == "stop":
            return _stop(office, asker)
        if asker.table is None:
            return Done((f"Not done: {command.word}. {_COLLECTED if asker.collected else _NO_TABLE}",))
        folded = newest(office, asker.table)
        if asker.seat is None:
            return Done((f"Not done: {command.word}. {_no_seat(folded)}",))
        return _AT_TABLE[command.word](office, asker, folded, asker.seat, command.rest)
    except (EngineError, Refused) as error:
        return Done((_not_done(command, str(error)),))


_COLLECTED = "This mail collects several letters and cannot be replied to; reply to a turn mail or use poste."
_NO_TABLE = "This mail was not about a table; reply to one that is."


def _no_seat(folded: Folded) -> str:
    if folded.table.chain.phase is Phase.SITTING:
        return f"You do not sit at this table. Sit down with: poste join {folded.id[:8]}"
    return "You do not sit at this table, and its seats are no longer free."


def _not_done(command: Command, why: str) -> str:
    said = one_line(f"{command.word} {command.rest}".strip())
    return f"Not done: {said}. {why[:1].upper()}{why[1:]}{'' if why.endswith('.') else '.'}"


def newest(office: Office, table: str) -> Folded:
    """A table as it stands now."""
    with office.storage.reading() as connection:
        return office.folds.newest(connection, table)


def _confirm(office: Office, asker: Asker, code: str) -> Done:
    with office.storage.writing() as connection:
        waits = select(MAILBOXES.c.code).where(MAILBOXES.c.player == asker.player, MAILBOXES.c.confirmed.is_(None))
        if connection.execute(waits).one_or_none() is None:
            return Done(("Your address is confirmed.",))
        if mailboxes.confirmed(office, connection, asker.player, code):
            return Done(("Your address is confirmed: from now on you get mail when it is your turn.",))
    return Done(("Not done: this is not the code that was sent to you last.",))


def _stop(office: Office, asker: Asker) -> Done:
    with office.storage.reading() as connection:
        handle = connection.scalar(select(MAILBOXES.c.handle).where(MAILBOXES.c.player == asker.player))
    mailboxes.stop(office, str(handle))
    return Done(("You get no more mail. To get it again: poste mail when turns",))


def _play(office: Office, asker: Asker, folded: Folded, seat: Seat, text: str) -> Done:
    table = folded.table
    asked = open_decisions(table).get(seat)
    if asked is None or asked.base != asker.base:
        return _played_before(office, asker, folded, seat, text)
    try:
        move, canonical = _read(table, seat, text)
    except MoveRefused as error:
        return Done(_refused(folded, error, text, private=asker.private))
    signed = _signed(office, folded, seat, asked.base, move)
    sealed = tables.play(office, folded.id, signed)
    if sealed is None:
        held = "It is opened when everybody has answered; until then you may replace it."
        return Done((f"Sealed: {canonical}. {held}",))
    return _played(office, asker, folded, sealed, canonical)


def _read(table: Table, seat: Seat, text: str) -> tuple[Json, str]:
    """The legal move that is meant, and its canonical text; raises MoveRefused."""
    game, state = table.playing.game, table.playing.state
    legal = game.legal(state, seat)
    forms = game.forms(game.view(state, seat))
    move = notation.read(forms, text, legal, table.chain.names)
    if move not in legal:
        game.play(state, seat, move, Chance(bytes(32)))  # the rules say why it cannot be played
    return move_json(move), notation.write(forms, move)


def _signed(office: Office, folded: Folded, seat: Seat, base: str, move: Json) -> SignedMove:
    signature = office.gateway.sign(mailed(move_message(folded.id, base, seat, move)))
    return SignedMove(seat, base, move, signature, "mail")


def _refused(folded: Folded, error: MoveRefused, text: str, *, private: bool) -> tuple[str, ...]:
    """Why a text is no move, and what would be one. The reason tells of a hand, and so do the moves that are legal."""
    command = Command("play", text)
    if private:
        expected, nearest = (error.expected[:3], error.nearest[:5]) if isinstance(error, NotUnderstood) else ((), ())
        near = [f"perhaps: {move}" for move in nearest]
        return (_not_done(command, str(error)), *(f"expected: {usage}" for usage in expected), *near)
    game, state = folded.table.playing.game, folded.table.playing.state
    why = f"it does not say one move that can be made now; to see why: poste moves {folded.id[:8]}"
    usages = [form.usage for form in game.forms(game.view(state, None))]
    return (_not_done(command, why), *(f"expected: {usage}" for usage in usages))


def _played(office: Office, asker: Asker, folded: Folded, sealed: Sealed, canonical: str) -> Done:
    told = told_since(office, folded.number, sealed.entry.seq - 1, asker.seat if asker.private else None)
    return Done((f"Played: {canonical} (entry {sealed.entry.seq}).", *told))


def _played_before(office: Office, asker: Asker, folded: Folded, seat: Seat, text: str) -> Done:
    """What became of a question that is asked no more: perhaps this very mail has answered it.

    A mail comes again when nobody has heard that it was taken. The gateway signs the same words the same way, so its
    own signature in the log tells that this is such a one.
    """
    answers = _answers(office, asker, folded, seat)
    played = next((sealed for sealed in answers if isinstance(sealed.entry, Play) and sealed.entry.by), None)
    if played is not None and isinstance(played.entry, Play) and asker.base is not None:
        with suppress(MoveRefused):
            move, canonical = _read(_table_at(office, folded, asker.base), seat, text)
            if _signed(office, folded, seat, asker.base, move).signature == played.entry.signature:
                return _played(office, asker, folded, played, canonical)
    why = _too_late(asker, folded, seat, answers)
    return Done((f"Not played: {one_line(text)}. {why}",), frozenset({"board"}))


def _answers(office: Office, asker: Asker, folded: Folded, seat: Seat) -> list[Sealed]:
    """The entries of a seat that answer the decision of the mail that is replied to."""
    with office.storage.reading() as connection:
        of_table = ENTRIES.c.table_number == folded.number
        start = select(ENTRIES.c.seq).where(of_table, ENTRIES.c.hash == asker.base).scalar_subquery()
        since = select(ENTRIES.c.line).where(of_table, ENTRIES.c.seq > start, ENTRIES.c.seat == seat)
        lines = connection.scalars(since.order_by(ENTRIES.c.seq).limit(_LOOKED_AT)).all()
    entries = [read_line(bytes(line)) for line in lines]
    return [one for one in entries if isinstance(one.entry, Play | Timeout) and one.entry.base == asker.base]


def _table_at(office: Office, folded: Folded, base: str) -> Table:
    """The table as it stood when a decision was opened."""
    with office.storage.reading() as connection:
        of_table = ENTRIES.c.table_number == folded.number
        end = select(ENTRIES.c.seq).where(of_table, ENTRIES.c.hash == base).scalar_subquery()
        lines = select(ENTRIES.c.line).where(of_table, ENTRIES.c.seq <= end).order_by(ENTRIES.c.seq)
        log = [bytes(line) for line in connection.scalars(lines)]
    return replayed(Folded(folded.number, folded.id, folded.secret, Table()), log).table


def _too_late(asker: Asker, folded: Folded, seat: Seat, answers: Sequence[Sealed]) -> str:
    """Why a move answers nothing: what was asked then is asked no more, or nothing was."""
    if folded.table.chain.phase is Phase.SITTING:
        return "The game has not begun."
    if folded.table.chain.phase is not Phase.PLAYING:
        return "The game is over."
    now = open_decisions(folded.table).get(seat)
    if asker.base is None:
        if now is None:
            return "It is not your turn now."
        return "The mail that you reply to asks nothing; reply to the one that asks you."
    missed = next((sealed.entry for sealed in answers if isinstance(sealed.entry, Timeout)), None)
    if missed is not None:
        return f"The deadline had passed, and entry {missed.seq} played for you."
    if now is not None:
        return "That question was answered before; a newer mail asks you the next one."
    return "That question was answered before, and it is not your turn now."


def _look(shown: Shown) -> Callable[..., Done]:
    def look(_office: Office, asker: Asker, folded: Folded, seat: Seat, _text: str) -> Done:
        if folded.table.position is None:
            return Done(("The game has not begun.",))
        if open_decisions(folded.table).get(seat) is None:
            names = [folded.table.chain.names[other] for other in open_decisions(folded.table)]
            return Done((f"Waiting for {', '.join(names)}." if names else "The game is over.",), frozenset({shown}))
        if asker.base != folded.table.playing.asked[seat].base:
            return Done(("It is your turn; another mail than the one you reply to asks.",), frozenset({shown}))
        return Done(("It is your turn.",), frozenset({shown}))

    return look


def _log(office: Office, asker: Asker, folded: Folded, seat: Seat, _text: str) -> Done:
    told = told_since(office, folded.number, -1, seat if asker.private else None)[-_LOG_LINES:]
    return Done(("What happened last:", *told) if told else ("Nothing has happened yet.",))


def told_since(office: Office, number: int, after: int, eyes: Seat | None) -> list[str]:
    """What happened after an entry, told to these eyes."""
    rows = select(ENTRIES.c.events).where(ENTRIES.c.table_number == number, ENTRIES.c.seq > after)
    with office.storage.reading() as connection:
        columns = connection.scalars(rows.order_by(ENTRIES.c.seq)).all()
    return [told.text for column in columns for told in told_to(bytes(column), eyes)]


def _speak(office: Office, folded: Folded, seat: Seat, say: Callable[[str], Any]) -> None:
    """Say something at the newest point of the log, again if that moves in the meantime."""
    for attempt in range(_ATTEMPTS):
        try:
            say(tables.introduce(office, folded.id, seat))
        except (EngineError, Refused) as error:
            if error.code != "move/stale" or attempt == _ATTEMPTS - 1:
                raise
        else:
            return


_RESIGNED = "You have resigned; the game goes on without you."


def _resign(office: Office, asker: Asker, folded: Folded, seat: Seat, _text: str) -> Done:
    """There is no way back from it, so only a reply to the mail that asks now will do, not some old one."""
    if seat in folded.table.chain.resigned:
        return Done((_RESIGNED,))
    asked = open_decisions(folded.table).get(seat)
    if asked is None or asked.base != asker.base:
        return Done(("Not done: resign. Reply to the newest mail that asks you something, or: poste resign",))

    def say(base: str) -> None:
        signature = office.gateway.sign(mailed(resign_message(folded.id, base, seat)))
        tables.resign(office, folded.id, seat, base, signature, "mail")

    _speak(office, folded, seat, say)
    return Done((_RESIGNED,))


def _back(office: Office, _asker: Asker, folded: Folded, seat: Seat, _text: str) -> Done:
    def say(base: str) -> None:
        signature = office.gateway.sign(mailed(back_message(folded.id, base, seat)))
        tables.say(office, folded.id, Back, seat, base=base, signature=signature, by="mail")

    _speak(office, folded, seat, say)
    return Done(("You are back: the seat is yours, and your days off have ended.",))


def _vote(choice: str) -> Callable[..., Done]:
    def vote(office: Office, _asker: Asker, folded: Folded, seat: Seat, _text: str) -> Done:
        def say(base: str) -> None:
            signature = office.gateway.sign(mailed(vote_message(folded.id, base, seat, choice)))
            tables.say(office, folded.id, Vote, seat, base=base, choice=choice, signature=signature, by="mail")

        _speak(office, folded, seat, say)
        return Done((f"You have voted to {choice}.",))

    return vote


_AT_TABLE: dict[str, Callable[..., Done]] = {
    "play": _play,
    "show": _look("board"),
    "moves": _look("moves"),
    "log": _log,
    "resign": _resign,
    "back": _back,
    "continue": _vote("continue"),
    "abandon": _vote("abandon"),
}
