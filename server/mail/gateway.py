"""The mail gateway: a mail comes in, what it asks for is done, and one answer goes out.

Who writes is proved by the reply address (unguessable, and bound to a player, a table and a decision) or by the
signature of a move; the sender's address proves nothing. Answers go to the address the player has confirmed, wherever
the mail came from.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Row, func, select

from engine.errors import EngineError
from engine.game import Seat
from engine.keys import sha256
from engine.record.armour import SignedMove
from engine.record.entry import instant, timestamp
from server.mail import letters
from server.mail.commands import HELP, Asker, Done, newest, obey, told_since
from server.mail.incoming import Command, Incoming, read
from server.mail.listener import Envelope, Verdict
from server.mail.postmarks import Counter
from server.mail.writing import Kept
from server.models import MAILBOXES, OUTBOX, PLAYER_KEYS, TABLES
from server.problems import Refused
from server.service import mailboxes, tables
from server.service.notices import enqueue
from server.service.office import Office

log = logging.getLogger("poste")

MOST_MAILS = 60
"""Mails of one player that are answered in an hour."""
TAKEN = Verdict(250, "2.0.0 Taken")
_UNKNOWN = Verdict(550, "5.1.1 Nobody here has this address")
_TOO_MANY = Verdict(450, "4.7.1 Too many mails; try again in an hour")
_NOTHING = Verdict(550, "5.6.0 There is no signed move in this mail; to write plainly, reply to a mail from here")
_ONE_MOVE = "Not done: {}. One move a mail: what comes after it is asked by the next one."


class _Reply(Struct, frozen=True):
    """Everything that one mail came to."""

    lines: list[str]
    show: set[letters.Shown]
    asker: Asker


class Gateway:
    """Takes mail for an office."""

    def __init__(self, office: Office, counter: Counter) -> None:
        self._office = office
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
            return TAKEN if mailboxes.stop(self._office, meant.stop) else _UNKNOWN
        mail = read(envelope.data, envelope.sender)
        if mail.automatic is not None:
            log.info("mail %s is not answered: %s", mail.digest[:16], mail.automatic)
            return TAKEN
        row = self._row(meant.token) if meant.token is not None else None
        if meant.token is not None and row is None:
            return _UNKNOWN
        asker = self._asker(row) if row is not None else self._signer(mail)
        if asker is None:
            return _NOTHING
        message_id = f"answer.{sha256(f'{meant.token} {mail.digest}'.encode())[:32]}"
        if self._answered(message_id):
            return TAKEN
        if self._too_many(asker.player):
            return _TOO_MANY
        self._answer(message_id, mail, self._done(mail, asker))
        return TAKEN

    def _row(self, token: str) -> Row[Any] | None:
        with self._office.storage.reading() as connection:
            return connection.execute(select(OUTBOX).where(OUTBOX.c.token == token)).one_or_none()

    def _asker(self, row: Row[Any]) -> Asker | None:
        """The player whose mail is replied to."""
        with self._office.storage.reading() as connection:
            box = connection.execute(select(MAILBOXES).where(MAILBOXES.c.player == row.player)).one_or_none()
        if box is None:
            return None
        kept = msgspec.json.decode(row.body, type=Kept) if row.kind == "answer" else None
        if row.table_number is None and kept is None:
            return Asker(row.player, box.private)
        if kept is not None:  # a reply to an answer means the same table, but no decision of it
            return Asker(row.player, box.private, kept.table, self._seat(row.player, kept.table))
        return Asker(row.player, box.private, self._table(row.table_number), Seat(row.seat or 0), row.base)

    def _table(self, number: int) -> str:
        with self._office.storage.reading() as connection:
            return str(connection.scalar(select(TABLES.c.id).where(TABLES.c.number == number)))

    def _seat(self, player: int, table: str | None) -> Seat | None:
        if table is None:
            return None
        players = newest(self._office, table).table.chain.players
        with self._office.storage.reading() as connection:
            keys = set(connection.scalars(select(PLAYER_KEYS.c.key).where(PLAYER_KEYS.c.player == player)))
        return next((Seat(seat) for seat, sit in enumerate(players) if sit and sit.key in keys), None)

    def _signer(self, mail: Incoming) -> Asker | None:
        """The player who signed the first move of a mail to nobody in particular."""
        for move in mail.moves[:1]:
            try:
                players = newest(self._office, move.table).table.chain.players
            except Refused:
                return None
            sit = players[move.seat] if move.seat < len(players) else None
            if sit is None or not move.signed_by(sit.key):
                return None
            with self._office.storage.reading() as connection:
                owner = select(PLAYER_KEYS.c.player, MAILBOXES.c.private).outerjoin(
                    MAILBOXES, MAILBOXES.c.player == PLAYER_KEYS.c.player
                )
                row = connection.execute(owner.where(PLAYER_KEYS.c.key == sit.key)).one_or_none()
            return Asker(row.player, bool(row.private), move.table, Seat(move.seat)) if row else None
        return None

    def _answered(self, message_id: str) -> bool:
        with self._office.storage.reading() as connection:
            return connection.scalar(select(OUTBOX.c.id).where(OUTBOX.c.message_id == message_id)) is not None

    def _too_many(self, player: int) -> bool:
        hour_ago = timestamp(instant(self._office.now()) - timedelta(hours=1))
        answers = select(func.count()).where(
            OUTBOX.c.player == player, OUTBOX.c.kind == "answer", OUTBOX.c.created > hour_ago
        )
        with self._office.storage.reading() as connection:
            return (connection.scalar(answers) or 0) >= MOST_MAILS

    def _done(self, mail: Incoming, asker: Asker) -> _Reply:
        reply = _Reply([], set(), asker)
        if mail.trouble is not None:
            reply.lines.append(f"Nothing was done. {mail.trouble}")
        for move in mail.moves:
            reply.lines.extend(self._deliver(move, asker))
        for command, done in self._obeyed(mail.commands, asker):
            reply.lines.extend(done.lines)
            reply.show.update(done.show)
            log.info("by mail, player %s: %s", asker.player, command.word)
        if not reply.lines:
            reply.lines.extend(("Nothing was done: there is no command in your mail.", *HELP))
        return reply

    def _obeyed(self, commands: tuple[Command, ...], asker: Asker) -> list[tuple[Command, Done]]:
        done: list[tuple[Command, Done]] = []
        played = False
        for command in commands:
            if command.word == "play" and played:
                done.append((command, Done((_ONE_MOVE.format(f"play {command.rest}"),))))
                continue
            done.append((command, obey(self._office, asker, command)))
            played = played or command.word == "play"
        return done

    def _deliver(self, move: SignedMove, asker: Asker) -> list[str]:
        """Take a move that its player signed."""
        signed = tables.SignedMove(move.seat, move.base, move.move, move.signature)
        where = f"table {move.table[:8]}"
        try:
            sealed = tables.play(self._office, move.table, signed)
        except (EngineError, Refused) as error:
            return [f"Not taken at {where}: {error}."]
        if sealed is None:
            return [f"Your signed answer lies sealed at {where} until everybody has answered."]
        number = newest(self._office, move.table).number
        eyes = Seat(move.seat) if asker.private and (asker.table, asker.seat) == (move.table, move.seat) else None
        told = told_since(self._office, number, sealed.entry.seq - 1, eyes)
        return [f"Your signed move was taken at {where} (entry {sealed.entry.seq}).", *told]

    def _answer(self, message_id: str, mail: Incoming, reply: _Reply) -> None:
        asker, office = reply.asker, self._office
        folded = newest(office, asker.table) if asker.table is not None else None
        letter = letters.answer(
            reply.lines,
            table=folded.table if folded else None,
            table_id=folded.id if folded else "",
            seat=asker.seat,
            private=asker.private,
            show=reply.show,
        )
        body = msgspec.json.encode(Kept(letter, mail.message_id, folded.id if folded else None)).decode()
        with office.storage.writing() as connection:
            enqueue(connection, office.stationery, message_id, asker.player, "answer", office.now(), body=body)
