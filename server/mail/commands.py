"""What a player asks for by mail, done: one function a word. Each gives lines that say what was done, or why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from sqlalchemy import select

from engine import notation
from engine.chance import Chance
from engine.errors import EngineError, NotUnderstood
from engine.game import Seat
from engine.record.chain import Phase
from engine.record.entry import (
    Back,
    Sealed,
    Vote,
    back_message,
    mailed,
    move_message,
    resign_message,
    vote_message,
)
from engine.record.replay import move_json
from server.mail.incoming import Command
from server.mail.letters import Shown
from server.mail.wording import one_line
from server.models import ENTRIES, MAILBOXES
from server.problems import Refused
from server.service import mailboxes, tables
from server.service.derived import open_decisions, told_to
from server.service.folding import Folded
from server.service.office import Office
from server.service.tables import SignedMove

HELP = (
    "Reply to a mail that asks you something with one line; what you quote below it does not matter.",
    "play MOVE: answer what that mail asks, such as: play take louvre/red",
    "show: the board; moves: what you can do; log: what happened last",
    "back: take your seat back from a bot; continue, abandon: vote on going on without somebody",
    "resign: give up the seat; stop: no more mail",
    "A move that you signed yourself (poste play ... --to -) may be mailed as it is, from anywhere.",
)
_ATTEMPTS = 5
"""How often something is said again to a table whose log grows at the same moment."""
_LOG_LINES = 30


class Asker(Struct, frozen=True):
    """Who replies, and to what: a mail of ours about this seat's decision at this table."""

    player: int
    private: bool
    table: str | None = None
    seat: Seat | None = None
    base: str | None = None


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
        if asker.table is None or asker.seat is None:
            return Done((f"Not done: {command.word}. This mail was not about a table; reply to one that is.",))
        folded = newest(office, asker.table)
        return _AT_TABLE[command.word](office, asker, folded, asker.seat, command.rest)
    except NotUnderstood as error:
        expected = [f"expected: {text}" for text in error.expected[:3]]
        # The nearest legal moves may tell of a hand.
        nearest = [f"perhaps: {text}" for text in error.nearest[:5]] if asker.private else []
        return Done((_not_done(command, error), *expected, *nearest))
    except (EngineError, Refused) as error:
        return Done((_not_done(command, error),))


def _not_done(command: Command, error: Exception) -> str:
    why = str(error)
    said = one_line(f"{command.word} {command.rest}".strip())
    return f"Not done: {said}. {why[:1].upper()}{why[1:]}{'' if why.endswith('.') else '.'}"


def newest(office: Office, table: str) -> Folded:
    """A table as it stands now."""
    with office.storage.reading() as connection:
        return office.folds.newest(connection, table)


def _confirm(office: Office, asker: Asker, code: str) -> Done:
    with office.storage.writing() as connection:
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
        return Done((f"Not played: {one_line(text)}. {_too_late(office, asker, folded, seat)}",), frozenset({"board"}))
    game, state = table.playing.game, table.playing.state
    legal = game.legal(state, seat)
    forms = game.forms(game.view(state, seat))
    move = notation.read(forms, text, legal, table.chain.names)
    if move not in legal:
        game.play(state, seat, move, Chance(bytes(32)))  # the rules say why it cannot be played
    said = move_json(move)
    signature = office.gateway.sign(mailed(move_message(folded.id, asked.base, seat, said)))
    sealed = tables.play(office, folded.id, SignedMove(seat, asked.base, said, signature, "mail"))
    canonical = notation.write(forms, move)
    if sealed is None:
        held = "It is opened when everybody has answered; until then you may replace it."
        return Done((f"Sealed: {canonical}. {held}",))
    return Done((f"Played: {canonical} (entry {sealed.entry.seq}).", *_since(office, asker, folded, sealed, seat)))


def _since(office: Office, asker: Asker, folded: Folded, sealed: Sealed, seat: Seat) -> list[str]:
    return told_since(office, folded.number, sealed.entry.seq - 1, seat if asker.private else None)


def _too_late(office: Office, asker: Asker, folded: Folded, seat: Seat) -> str:
    """Why an answer comes too late: what was asked then is asked no more."""
    if folded.table.chain.phase is not Phase.PLAYING:
        return "The game is over."
    with office.storage.reading() as connection:
        of_table = ENTRIES.c.table_number == folded.number
        start = select(ENTRIES.c.seq).where(of_table, ENTRIES.c.hash == asker.base).scalar_subquery()
        answered = select(ENTRIES.c.seq, ENTRIES.c.line).where(of_table, ENTRIES.c.seq > start, ENTRIES.c.seat == seat)
        first = connection.execute(answered.order_by(ENTRIES.c.seq).limit(1)).one_or_none()
    if first is not None and b'"kind":"timeout"' in bytes(first.line):
        return f"The deadline had passed, and entry {first.seq} played for you."
    if open_decisions(folded.table).get(seat) is not None:
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
            return Done(("It is your turn; a newer mail than the one you reply to asks.",), frozenset({shown}))
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


def _resign(office: Office, asker: Asker, folded: Folded, seat: Seat, _text: str) -> Done:
    """There is no way back from it, so only a reply to the mail that asks now will do, not some old one."""
    asked = open_decisions(folded.table).get(seat)
    if asked is None or asked.base != asker.base:
        return Done(("Not done: resign. Reply to the newest mail that asks you something, or: poste resign",))

    def say(base: str) -> None:
        signature = office.gateway.sign(mailed(resign_message(folded.id, base, seat)))
        tables.resign(office, folded.id, seat, base, signature, "mail")

    _speak(office, folded, seat, say)
    return Done(("You have resigned; the game goes on without you.",))


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
