"""What a player asks for by mail, done: one function a word. Each gives lines that say what was done, or why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from engine import notation
from engine.chance import Chance
from engine.errors import EngineError, InvalidMove, MoveRefused, NotUnderstood, OutOfTurn, StaleMove
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
from engine.record.writer import LoggedTable
from engine.scene.canvas import clean
from server.mail.incoming.received_mail import Command
from server.mail.letters.letter_phrases import example, one_line, shortened, usages
from server.mail.letters.letter_texts import Shown
from server.mail.outgoing.outbox_letters import abandoned_for, answered
from server.problems import RequestRefused
from server.service import mailboxes, table_actions
from server.service.derived_columns import absent, attending, open_decisions, told_to
from server.service.folded_tables import FoldedTable, replayed
from server.service.one_moment_reads import visit
from server.service.server_context import ServerContext
from server.service.table_actions import SubmittedMove
from server.storage.models import ENTRIES, MAILBOXES

HELP = (
    "How to play by mail.",
    "Reply to a mail that asks you something with one line; what you quote below it does not matter.",
    "To answer what that mail asks, write: play MOVE{}",
    "To look: show (the board), moves (what you can do), log (what happened last); each alone on a line.",
    "To take your seat back from a bot: back; to vote on going on without somebody: continue, or abandon",
    "To give up the seat: resign; to get no more mail: stop",
    "A move that you signed yourself (poste play ... --to -) may be mailed as it is, from anywhere.",
)
"""What is said of the words; the first line is also the subject. ``{}`` is for an example of the game.

No line begins with a command: a program that sends our words back must not seem to ask for something.
"""
_ATTEMPTS = 5
"""How often something is said again to a table whose log grows at the same moment."""
_LOG_LINES = 30
_LOOKED_AT = 50
"""Entries of a seat after a decision was opened, among which is its answer."""


class Asker(Struct, frozen=True):
    """Who replies, and to what: a mail of ours about a decision of theirs at this table.

    Where they sit is looked up with the table itself, each time (:func:`at_table`).
    """

    player: int
    private: bool
    table: str | None = None
    base: str | None = None
    """The decision that the mail asked for; None if it asked for none."""
    collected: bool = False
    """Whether it was a digest of several letters."""
    handle: str = ""
    """What stops mail to where that mail went."""


class Done(Struct, frozen=True):
    """What came of a command, and what is to be shown with it."""

    lines: tuple[str, ...]
    show: frozenset[Shown] = frozenset()
    about: str = ""
    """For the subject of the answer, if the first clause would not do: it must not name a choice that is secret."""


def obey(context: ServerContext, asker: Asker, command: Command) -> Done:
    """Do what a line of a mail asks for; whatever is wrong with it becomes what is said."""
    if command.word == "help":
        return Done(help_lines(context, asker))
    try:
        if command.word == "confirm":
            return _confirm(context, asker, command.rest)
        if command.word == "stop":
            return _stop(context, asker)
        if asker.table is None:
            return _refusal(command.word, _COLLECTED if asker.collected else _NO_TABLE)
        folded, seat = at_table(context, asker.table, asker)
        if seat is None:
            return _refusal(command.word, _no_seat(folded))
        return _AT_TABLE[command.word](context, asker, folded, seat, command.rest)
    except (EngineError, RequestRefused) as error:
        why = reason(error, asker.table or "", private=asker.private)
        return Done((_not_done(command, why),), about=f"Not done: {command.word}")


_UNSAID = "it does not say one move that can be made now; to see why: poste moves {}"
_COLLECTED = "This mail collects several letters and cannot be replied to; reply to a turn mail or use poste."
_NO_TABLE = "This mail was not about a table; reply to one that is."


def _no_seat(folded: FoldedTable) -> str:
    if folded.table.chain.phase is Phase.SITTING:
        return f"You do not sit at this table. Sit down with: poste join {folded.id[:8]}"
    return "You do not sit at this table, and its seats are no longer free."


def _refusal(word: str, why: str) -> Done:
    return Done((f"Not done: {word}. {why}",), about=f"Not done: {word}")


def _not_done(command: Command, why: str) -> str:
    said = one_line(f"{command.word} {command.rest}".strip())
    return f"Not done: {said}. {why[:1].upper()}{why[1:]}{'' if why.endswith('.') else '.'}"


def reason(error: EngineError | RequestRefused, table: str, *, private: bool) -> str:
    """Why something was refused, as a mailbox may know it: what the rules say of a move tells of a hand."""
    if private or not isinstance(error, MoveRefused) or isinstance(error, OutOfTurn | StaleMove):
        return str(error)
    return _UNSAID.format(table[:8])


def newest(context: ServerContext, table: str) -> FoldedTable:
    """A table as it stands now."""
    with visit(context, table) as here:
        return here.folded


def at_table(context: ServerContext, table: str, asker: Asker) -> tuple[FoldedTable, Seat | None]:
    """A table as it stands now, and where the one who asks sits there; None if they do not, being only invited, say."""
    with visit(context, table) as here:
        return here.folded, here.seat_of_player(asker.player)


def help_lines(context: ServerContext, asker: Asker) -> tuple[str, ...]:
    """What can be said by mail, with a move of the game that the mail is about."""
    folded, seat = at_table(context, asker.table, asker) if asker.table is not None else (None, None)
    table = folded.table if folded and folded.table.position else None
    such_as = f", such as: play {_example(table, seat, private=asker.private)}" if table else ""
    return tuple(line.format(such_as) for line in HELP)


def _example(table: LoggedTable, seat: Seat | None, *, private: bool) -> str:
    """A move of this seat, if it is being asked, or how moves are written."""
    if seat is not None and seat in open_decisions(table):
        return example(table.playing, seat, private=private)
    return usages(table.playing)[0]


def meant(context: ServerContext, asker: Asker, text: str) -> str | None:
    """The move that somebody may have meant who wrote it without “play”, if it answers what their mail asks.

    Without private views it is what they wrote themselves: which moves there are would tell of a hand.
    """
    if asker.table is None:
        return None
    folded, seat = at_table(context, asker.table, asker)
    table = folded.table
    asked = open_decisions(table).get(seat) if seat is not None else None
    if seat is None or asked is None or asked.base != asker.base:
        return None
    if not asker.private:
        verbs = {usage.split()[0] for usage in usages(table.playing)}
        typed = " ".join(clean(text).split()).rstrip(" .!?")
        return typed if typed.lower().partition(" ")[0] in verbs and len(typed) <= notation.LONGEST_TEXT else None
    try:
        return legal_move(table, seat, text)[1]
    except MoveRefused:
        return None


def _confirm(context: ServerContext, asker: Asker, code: str) -> Done:
    with context.storage.writing() as connection:
        waits = select(MAILBOXES.c.code).where(MAILBOXES.c.player == asker.player, MAILBOXES.c.confirmed.is_(None))
        if connection.execute(waits).one_or_none() is None:
            return Done(("Your address is confirmed.",))
        if mailboxes.confirmed(context, connection, asker.player, code):
            return Done(("Your address is confirmed: from now on you get mail when it is your turn.",))
    return Done(("Not done: this is not the code that was sent to you last.",))


def _stop(context: ServerContext, asker: Asker) -> Done:
    mailboxes.stop(context, asker.handle)
    return Done(("You get no more mail. To get it again: poste mail when turns",))


def _play(context: ServerContext, asker: Asker, folded: FoldedTable, seat: Seat, text: str) -> Done:
    table = folded.table
    asked = open_decisions(table).get(seat)
    if asked is None or asked.base != asker.base:
        return _played_before(context, asker, folded, seat, text)
    try:
        move, canonical = legal_move(table, seat, text)
    except MoveRefused as error:
        return Done(_refused(folded, error, text, private=asker.private), about="Not played")
    signed = _signed(context, folded, seat, asked.base, move)
    sealed = table_actions.play(context, folded.id, signed)
    if sealed is None:
        held = "It is opened when everybody has answered; until then you may replace it."
        said = canonical if asker.private else one_line(text)
        return Done((f"Sealed: {said}. {held}",), about="Your answer lies sealed")
    return _played(context, asker, folded, sealed, canonical)


def legal_move(table: LoggedTable, seat: Seat, text: str) -> tuple[Json, str]:
    """The legal move that a text means, and its canonical text; raises MoveRefused."""
    game, state = table.playing.game, table.playing.state
    legal = game.legal(state, seat)
    forms = game.forms(game.view(state, seat))
    move = notation.read(forms, text, legal, table.chain.names)
    if move not in legal:
        game.play(state, seat, move, Chance(bytes(32)))  # the rules say why it cannot be played
        raise InvalidMove(f"“{notation.write(forms, move)}” cannot be played now")
    return move_json(move), notation.write(forms, move)


def _signed(context: ServerContext, folded: FoldedTable, seat: Seat, base: str, move: Json) -> SubmittedMove:
    signature = context.gateway.sign(mailed(move_message(folded.id, base, seat, move)))
    return SubmittedMove(seat, base, move, signature, "mail")


def _refused(folded: FoldedTable, error: MoveRefused, text: str, *, private: bool) -> tuple[str, ...]:
    """Why a text is no move, and what would be one. The reason tells of a hand, and so do the moves that are legal."""
    command = Command("play", text)
    if private:
        expected, nearest = (error.expected[:3], error.nearest[:5]) if isinstance(error, NotUnderstood) else ((), ())
        near = [f"perhaps: {move}" for move in nearest]
        return (_not_done(command, str(error)), *(f"expected: {usage}" for usage in expected), *near)
    why = reason(error, folded.id, private=False)
    return (_not_done(command, why), *(f"expected: {usage}" for usage in usages(folded.table.playing)))


def _played(context: ServerContext, asker: Asker, folded: FoldedTable, sealed: Sealed, canonical: str) -> Done:
    told = told_since(context, folded.id, sealed.entry.seq - 1, asker)
    return Done((f"Played: {canonical} (entry {sealed.entry.seq}).", *told), about=shortened(f"Played: {canonical}"))


def _played_before(context: ServerContext, asker: Asker, folded: FoldedTable, seat: Seat, text: str) -> Done:
    """What became of a question that is asked no more: perhaps this very mail has answered it.

    A mail comes again when nobody has heard that it was taken. The gateway signs the same words the same way, so its
    own signature in the log tells that this is such a one.
    """
    answers = _answers(context, asker, folded, seat)
    played = next((sealed for sealed in answers if isinstance(sealed.entry, Play) and sealed.entry.by), None)
    if played is not None and isinstance(played.entry, Play) and asker.base is not None:
        with suppress(MoveRefused):
            move, canonical = legal_move(_table_at(context, folded, asker.base), seat, text)
            if _signed(context, folded, seat, asker.base, move).signature == played.entry.signature:
                return _played(context, asker, folded, played, canonical)
    why = _too_late(asker, folded, seat, answers)
    return Done((f"Not played: {one_line(text)}. {why}",), frozenset({"board"}), about="Not played")


def _answers(context: ServerContext, asker: Asker, folded: FoldedTable, seat: Seat) -> list[Sealed]:
    """The entries of a seat that answer the decision of the mail that is replied to."""
    entries = said_since(context, folded.number, seat, asker.base)
    return [one for one in entries if isinstance(one.entry, Play | Timeout) and one.entry.base == asker.base]


def said_since(context: ServerContext, number: int, seat: int, base: str | None) -> list[Sealed]:
    """The first entries of a seat after the one with this hash, among them its answer to the decision opened there."""
    of_table = ENTRIES.c.table_number == number
    start = select(ENTRIES.c.seq).where(of_table, ENTRIES.c.hash == base).scalar_subquery()
    since = select(ENTRIES.c.line).where(of_table, ENTRIES.c.seq > start, ENTRIES.c.seat == seat)
    with context.storage.reading() as connection:
        lines = connection.scalars(since.order_by(ENTRIES.c.seq).limit(_LOOKED_AT)).all()
    return [read_line(bytes(line)) for line in lines]


def _table_at(context: ServerContext, folded: FoldedTable, base: str) -> LoggedTable:
    """The table as it stood when a decision was opened."""
    with context.storage.reading() as connection:
        of_table = ENTRIES.c.table_number == folded.number
        end = select(ENTRIES.c.seq).where(of_table, ENTRIES.c.hash == base).scalar_subquery()
        lines = select(ENTRIES.c.line).where(of_table, ENTRIES.c.seq <= end).order_by(ENTRIES.c.seq)
        log = [bytes(line) for line in connection.scalars(lines)]
    return replayed(FoldedTable(folded.number, folded.id, folded.secret, LoggedTable()), log).table


def _too_late(asker: Asker, folded: FoldedTable, seat: Seat, answers: Sequence[Sealed]) -> str:
    """Why a move answers nothing: what was asked then is asked no more, or nothing was."""
    if (not_now := _not_now(folded)) is not None:
        return not_now
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


def _not_now(folded: FoldedTable) -> str | None:
    """Why nothing can be done at a table that is not being played at."""
    if folded.table.chain.phase is Phase.SITTING:
        return "The game has not begun."
    return "The game is over." if folded.table.chain.phase is not Phase.PLAYING else None


def _look(shown: Shown) -> Callable[..., Done]:
    def look(context: ServerContext, asker: Asker, folded: FoldedTable, seat: Seat, _text: str) -> Done:
        if folded.table.position is None:
            return Done(("The game has not begun.",))
        if open_decisions(folded.table).get(seat) is None:
            names = [folded.table.chain.names[other] for other in open_decisions(folded.table)]
            return Done((f"Waiting for {', '.join(names)}." if names else "The game is over.",), frozenset({shown}))
        if asker.base != folded.table.playing.asked[seat].base:
            return Done(("It is your turn; another mail than the one you reply to asks.",), frozenset({shown}))
        if folded.table.playing.asked[seat].decision.sealed and _has_answered(context, folded, seat):
            return Done(
                ("Your answer lies sealed; until everybody has answered you may replace it.",), frozenset({shown})
            )
        return Done(("It is your turn.",), frozenset({shown}))

    return look


def _log(context: ServerContext, asker: Asker, folded: FoldedTable, _seat: Seat, _text: str) -> Done:
    told = told_since(context, folded.id, -1, asker)[-_LOG_LINES:]
    return Done(("What happened last:", *told) if told else ("Nothing has happened yet.",))


def told_since(context: ServerContext, table: str, after: int, asker: Asker) -> list[str]:
    """What happened at a table after an entry, told as the mailbox of the one who asks may know it."""
    with visit(context, table) as here:
        eyes = here.seat_of_player(asker.player) if asker.private else None
        rows = here.entries(after)
    return [told.text for row in rows for told in told_to(bytes(row.events), eyes)]


def _speak(context: ServerContext, folded: FoldedTable, seat: Seat, say: Callable[[str], Any]) -> None:
    """Say something at the newest point of the log, again if that moves in the meantime."""
    for attempt in range(_ATTEMPTS):
        try:
            say(table_actions.introduce(context, folded.id, seat))
        except (EngineError, RequestRefused) as error:
            if error.code != "move/stale" or attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def _has_answered(context: ServerContext, folded: FoldedTable, seat: Seat) -> bool:
    with context.storage.reading() as connection:
        return answered(connection, folded, seat)


def _resigned(context: ServerContext, table_id: str) -> Done:
    """What has become of a table since its player resigned, which may be the end of it."""
    folded = newest(context, table_id)
    if folded.table.chain.phase is Phase.PLAYING:
        return Done(("You have resigned; the game goes on without you.",))
    with context.storage.reading() as connection:
        why = abandoned_for(connection, folded)
    if (victor := folded.table.chain.victor) is not None:
        return Done((f"You have resigned, and so {folded.table.chain.names[victor]} has won.",))
    if why == "resigned":
        return Done(("You have resigned, and so the table is abandoned: nobody can go on alone.",))
    return Done((f"You have resigned, and the {'game is over' if why is None else 'table was abandoned'}.",))


def _resign(context: ServerContext, asker: Asker, folded: FoldedTable, seat: Seat, _text: str) -> Done:
    """There is no way back from it, so only a reply to the mail that asks now will do, not some old one."""
    if seat in folded.table.chain.resigned:
        return _resigned(context, folded.id)
    if folded.table.chain.phase is Phase.SITTING:
        return _refusal("resign", f"The game has not begun. To leave the table: poste leave {folded.id[:8]}")
    if (over := _not_now(folded)) is not None:
        return _refusal("resign", over)
    asked = open_decisions(folded.table).get(seat)
    if asked is None or asked.base != asker.base:
        return _refusal("resign", "Reply to the newest mail that asks you something, or: poste resign")

    def say(base: str) -> None:
        signature = context.gateway.sign(mailed(resign_message(folded.id, base, seat)))
        table_actions.resign(context, folded.id, seat, base, signature, "mail")

    _speak(context, folded, seat, say)
    return _resigned(context, folded.id)


def _back(context: ServerContext, _asker: Asker, folded: FoldedTable, seat: Seat, _text: str) -> Done:
    if (not_now := _not_now(folded)) is not None:
        return _refusal("back", not_now)
    attendance = folded.table.playing.attendance
    days_off = attendance is not None and any(one.ends > context.now() for one in attendance.absences[seat])
    if not days_off and seat not in absent(folded.table):
        return _refusal("back", "You are not away: you have no days off, and nobody plays for you.")

    def say(base: str) -> None:
        signature = context.gateway.sign(mailed(back_message(folded.id, base, seat)))
        table_actions.say(context, folded.id, Back, seat, base=base, signature=signature, by="mail")

    _speak(context, folded, seat, say)
    return Done(("You are back: the seat is yours, and your days off have ended.",))


def _vote(choice: str) -> Callable[..., Done]:
    def vote(context: ServerContext, _asker: Asker, folded: FoldedTable, seat: Seat, _text: str) -> Done:
        if (not_now := _not_now(folded)) is not None:
            return _refusal(choice, not_now)
        if seat not in attending(folded.table).voting:
            return _refusal(choice, "There is no vote now in which you have a voice.")

        def say(base: str) -> None:
            signature = context.gateway.sign(mailed(vote_message(folded.id, base, seat, choice)))
            table_actions.say(context, folded.id, Vote, seat, base=base, choice=choice, signature=signature, by="mail")

        _speak(context, folded, seat, say)
        over = newest(context, folded.id).table.chain.phase is not Phase.PLAYING
        return Done((f"You have voted to {choice}{', and so the table is abandoned' if over else ''}.",))

    return vote


def _join(_context: ServerContext, _asker: Asker, _folded: FoldedTable, _seat: Seat, _text: str) -> Done:
    """Nobody sits down by mail; whoever does not sit has been told how."""
    return _refusal("join", "You sit at this table already.")


_AT_TABLE: dict[str, Callable[..., Done]] = {
    "play": _play,
    "show": _look("board"),
    "moves": _look("moves"),
    "log": _log,
    "resign": _resign,
    "back": _back,
    "continue": _vote("continue"),
    "abandon": _vote("abandon"),
    "join": _join,
}
