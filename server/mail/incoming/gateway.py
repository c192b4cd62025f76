"""The mail gateway: a mail comes in, what it asks for is done, and one answer goes out.

Who writes is proved by the reply address (unguessable, and bound to a player, a table and a decision); the sender's
address proves nothing. A mail to the server itself proves nothing either: of such a one only the moves are taken that
carry their player's signature. Answers go to the address the player has confirmed, wherever the mail came from.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Row, func, select
from sqlalchemy.exc import IntegrityError

from engine.keys import sha256
from engine.record.armour import SignedMove
from engine.record.entry import instant, timestamp
from engine.typed_json import decode
from server.mail.incoming import signed_moves
from server.mail.incoming.mail_commands import Asker, Done, at_table, help_lines, meant, obey
from server.mail.incoming.received_mail import MOST_COMMANDS, Command, Incoming, read
from server.mail.incoming.smtp_listener import Envelope, Verdict
from server.mail.letters import letter_texts
from server.mail.outgoing.outbox_letters import Kept
from server.mail.reply_addresses import Counter
from server.service import mailboxes
from server.service.mail_notices import enqueue
from server.service.server_context import ServerContext
from server.storage.models import MAILBOXES, OUTBOX, TABLES

log = logging.getLogger("poste")

MOST_MAILS = 60
"""Mails of one player that are answered in an hour."""
TAKEN = Verdict(250, "2.0.0 Taken")
_UNKNOWN = Verdict(550, "5.1.1 Nobody here has this address")
_TOO_MANY = Verdict(450, "4.7.1 Too many mails; try again in an hour")
_NOTHING = "Nothing was done"
_ONE_MOVE = "Not done: {}. One move a mail: what comes after it is asked by the next one."
_TOO_MANY_LINES = f"Only the first {MOST_COMMANDS} lines were looked at: one mail may have no more."
_ONLY_MOVES = "The words beside it were not obeyed: write them in a reply to a mail from here."


class _Reply(Struct, frozen=True):
    """Everything that one mail came to."""

    lines: list[str]
    show: set[letter_texts.Shown]
    asker: Asker
    about: str = ""
    stopped: bool = False


class Gateway:
    """Takes mail for a server."""

    def __init__(self, context: ServerContext, counter: Counter) -> None:
        self._context = context
        self._counter = counter

    def welcome(self, recipient: str) -> Verdict:
        """Whether this is an address of ours."""
        meant = self._counter.meaning(recipient)
        if meant is None or (meant.token is not None and self._row(meant.token) is None):
            return _UNKNOWN
        return TAKEN

    def deliver(self, envelope: Envelope) -> Verdict:
        """Do what a mail asks for and queue the answer; the same mail again changes nothing."""
        meant = self._counter.meaning(envelope.recipient)
        if meant is None:
            return _UNKNOWN
        if meant.stop is not None:
            # Nobody's is not refused: that would be a bounce to whoever is given as the sender.
            mailboxes.stop(self._context, meant.stop)
            return TAKEN
        mail = read(envelope.data, envelope.sender)
        if mail.automatic is not None:
            log.info("mail %s is not answered: %s", mail.digest[:16], mail.automatic)
            return TAKEN
        return self._signed(mail) if meant.token is None else self._reply(mail, meant.token)

    # A reply to a mail of ours.

    def _reply(self, mail: Incoming, token: str) -> Verdict:
        row = self._row(token)
        asker = self._asker(row) if row is not None else None
        if row is None or asker is None:
            return _UNKNOWN
        if row.kind == "answer" and not mail.asks:
            # Whatever program wrote this, the two of us would never come to an end.
            log.info("mail %s is not answered: it asks for nothing, and it replies to an answer", mail.digest[:16])
            return TAKEN
        message_id = _message_id(token, mail)
        if self._answered(message_id):
            return TAKEN
        if self._too_many(asker.player):
            return _TOO_MANY
        self._answer(message_id, mail, self._done(mail, asker))
        return TAKEN

    def _row(self, token: str) -> Row[Any] | None:
        with self._context.storage.reading() as connection:
            return connection.execute(select(OUTBOX).where(OUTBOX.c.token == token)).one_or_none()

    def _asker(self, row: Row[Any]) -> Asker | None:
        """The player whose mail is replied to. A reply to an answer means what the mail did that was answered."""
        with self._context.storage.reading() as connection:
            box = connection.execute(select(MAILBOXES).where(MAILBOXES.c.player == row.player)).one_or_none()
        if box is None:
            return None
        if row.kind == "answer":
            kept = decode(row.body, Kept)
            table, base = kept.table, kept.base
        else:
            table, base = self._table(row.table_number), row.base
        # A question may have gone to somebody else's address: whoever reads it stops mail there, and nowhere else.
        handle = mailboxes.handle_of_question(row) if row.kind == "confirmation" else box.handle
        collected = row.kind == "digest" and table is None
        return Asker(row.player, box.private, table, base, collected, handle)

    def _table(self, number: int | None) -> str | None:
        with self._context.storage.reading() as connection:
            return connection.scalar(select(TABLES.c.id).where(TABLES.c.number == number))

    def _done(self, mail: Incoming, asker: Asker) -> _Reply:
        dones = [Done((f"Nothing was done. {mail.trouble}",))] if mail.trouble is not None else []
        dones += [Done(tuple(signed_moves.take(self._context, move, asker))) for move in mail.moves]
        for command, done in self._obeyed(mail.commands, asker):
            dones.append(done)
            log.info("by mail, player %s: %s", asker.player, command.word)
        dones += [Done((_TOO_MANY_LINES,))] if mail.more else []
        dones = dones or [self._nothing(mail, asker)]
        # What is said twice (“show”, and “moves”) is told once.
        lines = [line for said in dict.fromkeys(done.lines for done in dones) for line in said]
        shown = {shown for done in dones for shown in done.show}
        stopped = any(command.word == "stop" for command in mail.commands)
        return _Reply(lines, shown, asker, dones[0].about, stopped)

    def _nothing(self, mail: Incoming, asker: Asker) -> Done:
        """What is said to a mail that asks for nothing, or forgets to say “play”."""
        first = next((line.strip() for line in mail.text.splitlines() if line.strip()), "")
        move = meant(self._context, asker, first)
        if move is not None:
            # The very first words, so that no line of the letter can begin with the move.
            return Done(
                (f"Did you mean: play {move}?", "Nothing was done: a move begins with the word play."), about=_NOTHING
            )
        return Done((f"{_NOTHING}: there is no command in your mail.", *help_lines(self._context, asker)))

    def _obeyed(self, commands: tuple[Command, ...], asker: Asker) -> list[tuple[Command, Done]]:
        done: list[tuple[Command, Done]] = []
        played = False
        for command in commands:
            if command.word == "play" and played:
                done.append((command, Done((_ONE_MOVE.format(f"play {command.rest}"),))))
                continue
            done.append((command, obey(self._context, asker, command)))
            played = played or command.word == "play"
        return done

    # A mail to the server itself.

    def _signed(self, mail: Incoming) -> Verdict:
        """Take the signed moves of a mail, and nothing else. Anybody may send it, so what is no news is not answered.

        A move that is on record is public, and sending it again must neither speak for its player nor bother them.
        """
        by: dict[int, tuple[Asker, list[SignedMove]]] = {}
        for move in mail.moves:
            asker = signed_moves.signer(self._context, move)
            if asker is not None:
                by.setdefault(asker.player, (asker, []))[1].append(move)
        if not by:
            # Not refused: its sender may be forged, and behind LMTP a refusal is a bounce to whoever that is.
            log.info("mail %s is dropped: it is to the office itself and has no signed move in it", mail.digest[:16])
        verdicts = [self._taken(mail, asker, moves) for asker, moves in by.values()]
        return next((verdict for verdict in verdicts if verdict != TAKEN), TAKEN)

    def _taken(self, mail: Incoming, asker: Asker, moves: list[SignedMove]) -> Verdict:
        new = [move for move in moves if not signed_moves.on_record(self._context, move)]
        message_id = _message_id(f"player {asker.player}", mail)
        if not new or self._answered(message_id):
            log.info("mail %s is not answered: the signed moves in it are known", mail.digest[:16])
            return TAKEN
        if self._too_many(asker.player):
            return _TOO_MANY
        lines = [line for move in new for line in signed_moves.take(self._context, move, asker)]
        lines += [_ONLY_MOVES] if mail.commands else []
        self._answer(message_id, mail, _Reply(lines, set(), asker))
        return TAKEN

    # Answers.

    def _answered(self, message_id: str) -> bool:
        with self._context.storage.reading() as connection:
            return connection.scalar(select(OUTBOX.c.id).where(OUTBOX.c.message_id == message_id)) is not None

    def _too_many(self, player: int) -> bool:
        hour_ago = timestamp(instant(self._context.now()) - timedelta(hours=1))
        answers = select(func.count()).where(
            OUTBOX.c.player == player, OUTBOX.c.kind == "answer", OUTBOX.c.created > hour_ago
        )
        with self._context.storage.reading() as connection:
            return (connection.scalar(answers) or 0) >= MOST_MAILS

    def _answer(self, message_id: str, mail: Incoming, reply: _Reply) -> None:
        asker, context = reply.asker, self._context
        folded, seat = at_table(context, asker.table, asker) if asker.table is not None else (None, None)
        letter = letter_texts.answer(
            reply.lines,
            table=folded.table if folded else None,
            table_id=folded.id if folded else "",
            seat=seat,
            private=asker.private,
            show=reply.show,
            about=reply.about,
            stopped=reply.stopped,
        )
        kept = Kept(letter, mail.message_id, folded.id if folded else None, asker.base, asker.private)
        body = msgspec.json.encode(kept).decode()
        try:
            with context.storage.writing() as connection:
                enqueue(connection, context.stationery, message_id, asker.player, "answer", context.now(), body=body)
        except IntegrityError:
            if not self._answered(message_id):
                raise
            # The same mail came twice at the same time, and the other one has answered.


def _message_id(to: str, mail: Incoming) -> str:
    return f"answer.{sha256(f'{to} {mail.identity}'.encode())[:32]}"
