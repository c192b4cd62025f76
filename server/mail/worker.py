"""The worker: makes the clock's rounds and sends the mail. Any number of them may run, in any processes."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from queue import SimpleQueue
from threading import Event
from typing import Any, TypeAlias

from sqlalchemy import Connection, Row, update
from sqlalchemy.exc import SQLAlchemyError

from engine.record.entry import instant, timestamp
from server.mail import letters, outbox
from server.mail.composing import Unmailable, compose
from server.mail.postmarks import Counter, counter
from server.mail.transport import Transport, Trouble, transport
from server.mail.writing import Recipient, Written, recipients, written
from server.models import MAILBOXES
from server.problems import DamagedLog
from server.service.clockwork import round_of
from server.service.office import Office

log = logging.getLogger("poste")

BATCH = 64
SENDERS = 4
"""Connections to the relay; while they wait for it, the next letters are put into words."""
_IDLE = 0.25
"""Seconds between two looks when there was nothing to do."""
Sending: TypeAlias = tuple[list[Row[Any]], Future[None]]
"""The rows that a mail settles, and the mail on its way."""
_PERIODS = {"hourly": timedelta(hours=1), "daily": timedelta(days=1)}


class Worker:
    """Does what is due: deadlines always, mail if the server is set up for it."""

    def __init__(self, office: Office) -> None:
        """Raises SettingsRefused if mail is set up in a way that cannot work."""
        self._office = office
        self._post = Post(office, counter(office.settings)) if office.settings.mail else None

    def run(self, stop: Event) -> None:
        """Work until told to stop; what goes wrong is logged, and tried again."""
        while not stop.is_set():
            try:
                done = self.work()
            except SQLAlchemyError as error:
                log.warning("the worker cannot reach the database and tries again: %s", error)
                done = 0
            if not done:
                stop.wait(_IDLE)
        self.close()

    def work(self) -> int:
        """One round; gives how much there was to do."""
        looked_at = round_of(self._office)
        return looked_at + (self._post.send_some() if self._post else 0)

    def close(self) -> None:
        """Hang up."""
        if self._post:
            self._post.close()


class Post:
    """Takes mails out of the outbox and hands them to the relay."""

    def __init__(self, office: Office, at: Counter) -> None:
        self._office = office
        self._counter = at
        self._pool = ThreadPoolExecutor(SENDERS, thread_name_prefix="post")
        self._lines: SimpleQueue[Transport] = SimpleQueue()
        for _ in range(SENDERS):
            self._lines.put(transport(office.settings.mail, at.sender))

    def close(self) -> None:
        """Hang up."""
        self._pool.shutdown()
        while not self._lines.empty():
            self._lines.get().close()

    def send_some(self) -> int:
        """Send what is due, at most a batch of it; gives how many rows that was."""
        rows = outbox.claim(self._office, BATCH)
        if not rows:
            return 0
        with self._office.storage.reading() as connection:
            boxes = recipients(connection, {row.player for row in rows})
        single, collected = [], defaultdict(list)
        for row in rows:
            to = boxes.get(row.player)
            if to is not None and to.frequency in _PERIODS and row.kind not in outbox.AT_ONCE:
                collected[row.player].append(row)
            else:
                single.append((row, to))
        sending = self._one_by_one(single)
        for player, waiting in collected.items():
            sending += self._together(waiting, boxes[player])
        self._await(sending)
        return len(rows)

    def _one_by_one(self, single: Sequence[tuple[Row[Any], Recipient | None]]) -> list[Sending]:
        sending: list[Sending] = []
        moot = []
        with self._office.storage.reading() as connection:
            for row, to in single:
                letter = self._written(connection, row, to) if to is not None else None
                if letter is None or to is None:
                    moot.append(row.id)
                else:
                    sending += self._send([row], letter, to)
        outbox.settle(self._office, moot, "moot")
        return sending

    def _together(self, rows: list[Row[Any]], to: Recipient) -> list[Sending]:
        """All that waits for a player who wants it collected, as one mail, if the last one was long enough ago."""
        office = self._office
        if to.sent is not None:
            next_one = timestamp(instant(to.sent) + _PERIODS[to.frequency])
            if office.now() < next_one:
                outbox.postpone(office, [row.id for row in rows], next_one)
                return []
        rows += outbox.claim(office, BATCH, to.player)
        rows = list({row.id: row for row in rows}.values())
        with office.storage.reading() as connection:
            found = [(row, self._written(connection, row, to, in_digest=True)) for row in rows]
            told = [(row, letter) for row, letter in found if letter is not None]
            alone = self._written(connection, told[0][0], to) if len(told) == 1 else None
        outbox.settle(office, [row.id for row, letter in found if letter is None], "moot")
        if not told:
            return []
        with office.storage.jotting() as connection:
            connection.execute(update(MAILBOXES).where(MAILBOXES.c.player == to.player).values(sent=office.now()))
        letter = alone or Written(letters.digest([one.letter for _, one in told]))
        return self._send([row for row, _ in told], letter, to)

    def _written(
        self, connection: Connection, row: Row[Any], to: Recipient, *, in_digest: bool = False
    ) -> Written | None:
        """The letter of a row; None if nobody wants it any more, or nothing can be said."""
        if not _wanted(row, to):
            return None
        try:
            return written(self._office, connection, row, to, takes_mail=self._counter.takes_mail, in_digest=in_digest)
        except DamagedLog as error:
            log.error("mail %s cannot be written: %s", row.id, error)
            return None

    def _send(self, rows: list[Row[Any]], what: Written, to: Recipient) -> list[Sending]:
        first = rows[0]
        moment: datetime = instant(self._office.now())
        mark = self._counter.mark(
            to.address or "",
            first.message_id,
            moment,
            table=what.table,
            token=first.token,
            handle=to.handle,
            answers=what.answers,
        )
        try:
            mail = compose(what.letter, mark)
        except Unmailable as error:
            for row in rows:
                outbox.fail(self._office, row, str(error), permanent=True)
            return []
        return [(rows, self._pool.submit(self._hand_over, mail, to.address or ""))]

    def _hand_over(self, mail: bytes, to: str) -> None:
        line = self._lines.get()
        try:
            line.send(mail, to)
        finally:
            self._lines.put(line)

    def _await(self, sending: Sequence[Sending]) -> None:
        sent: list[int] = []
        for rows, future in sending:
            try:
                future.result()
            except Trouble as trouble:
                log.warning("mail %s could not be sent: %s", rows[0].message_id, trouble)
                for row in rows:
                    outbox.fail(self._office, row, str(trouble), permanent=trouble.permanent)
            else:
                sent += [row.id for row in rows]
        outbox.settle(self._office, sent, "sent")


def _wanted(row: Row[Any], to: Recipient) -> bool:
    """Whether the player (still) wants this mail, and it may be sent to them."""
    if to.address is None:
        return False
    if row.kind == "confirmation":
        return True
    return to.confirmed is not None and (row.kind == "answer" or to.frequency != "off")
