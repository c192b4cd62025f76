"""The worker: makes the clock's rounds and sends the mail. Any number of them may run, in any processes."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from queue import SimpleQueue
from threading import Event
from typing import Any

from sqlalchemy import Row
from sqlalchemy.exc import SQLAlchemyError

from engine.record.entry import instant, timestamp
from server.clock_guard import ClockDoubted
from server.mail.letters import letter_texts
from server.mail.letters.letter_parts import Letter
from server.mail.letters.reply_instructions import Ways
from server.mail.outgoing import outbox
from server.mail.outgoing.message_composer import Unmailable, compose
from server.mail.outgoing.outbox_letters import Recipient, Written, papers, recipients, written
from server.mail.outgoing.transport import Transport, Trouble, transport
from server.mail.reply_addresses import Counter
from server.service.server_context import ServerContext
from server.storage.database_trouble import DatabaseTrouble

log = logging.getLogger("poste")

BATCH = 64
SENDERS = 4
"""Connections to the relay; while they wait for it, the next letters are put into words."""
_IDLE = 0.25
"""Seconds between two looks when there was nothing to do."""
_TROUBLED = 5.0
"""Seconds until the next try when something went wrong."""
_SLOW = 5.0
"""Seconds after which those mails of a batch are settled that were sent, and the others held."""
_SWEEP = timedelta(hours=1)
_PERIODS = {"hourly": timedelta(hours=1), "daily": timedelta(days=1)}


def keep_at(work: Callable[[], int], stop: Event) -> None:
    """Do something again and again until told to stop, at once if there was anything to do.

    Whatever goes wrong is logged, and tried again: a worker that ends would take every deadline with it.
    """
    while not stop.is_set():
        try:
            pause = 0.0 if work() else _IDLE
        except DatabaseTrouble:  # which is in the log already, once
            pause = _TROUBLED
        except ClockDoubted:  # about which there has been an alarm
            pause = _TROUBLED
        except Exception:
            log.exception("the worker has failed and tries again")
            pause = _TROUBLED
        stop.wait(pause)


class Post:
    """Takes mails out of the outbox and hands them to the relay."""

    def __init__(self, context: ServerContext, at: Counter, stop: Event) -> None:
        """Raises SettingsRefused if mail is set up in a way that cannot work."""
        self._context = context
        self._counter = at
        self._stop = stop
        self._lines: SimpleQueue[Transport] = SimpleQueue()
        for _ in range(SENDERS):
            self._lines.put(transport(context.settings.mail, at.sender))
        self._pool = ThreadPoolExecutor(SENDERS, thread_name_prefix="post")
        self._swept = ""

    def close(self) -> None:
        """Hang up."""
        self._pool.shutdown()
        while not self._lines.empty():
            self._lines.get().close()

    def work(self) -> int:
        """One round; gives how many mails it dealt with. Raises ClockDoubted: nobody knows then what is late."""
        self._context.guard.believed()
        if self._swept <= timestamp(instant(self._context.now()) - _SWEEP):
            outbox.sweep(self._context)
            self._swept = self._context.now()
        return self.send_some()

    def send_some(self) -> int:
        """Send what is due, at most a batch of it; gives how many rows that was."""
        rows = outbox.claim(self._context, BATCH)
        if not rows:
            return 0
        with self._context.storage.reading() as connection:
            boxes = recipients(connection, {row.player for row in rows})
        single: list[Row[Any]] = []
        collected: defaultdict[int, list[Row[Any]]] = defaultdict(list)
        for row in rows:
            to = boxes.get(row.player)
            by_itself = to is None or to.frequency not in _PERIODS or row.kind in outbox.AT_ONCE
            (single if by_itself else collected[row.player]).append(row)
        sending: dict[Future[None], Row[Any]] = {}
        for row, what in self._worded(single, boxes):
            self._send(row, what, boxes[row.player], sending)
        for player, waiting in collected.items():
            self._collect(waiting, boxes[player])
        self._await(sending)
        return len(rows)

    def _worded(
        self, rows: Sequence[Row[Any]], boxes: dict[int, Recipient], *, in_digest: bool = False
    ) -> Iterator[tuple[Row[Any], Written]]:
        """The letters of these rows; what there is nothing to say of any more, or cannot be said, is settled."""
        moot = []
        with self._context.storage.reading() as connection:
            found = papers(connection, rows)
            for row in rows:
                to = boxes.get(row.player)
                if to is None or not _wanted(row, to):
                    moot.append(row.id)
                    continue
                try:
                    takes_mail = self._counter.takes_mail
                    what = written(
                        self._context, connection, row, to, found, takes_mail=takes_mail, in_digest=in_digest
                    )
                except (SQLAlchemyError, DatabaseTrouble):
                    raise
                except Exception as error:
                    # One letter that nobody foresaw must not keep all the others waiting for ever.
                    log.exception("mail %s cannot be put into words", row.id)
                    outbox.fail(self._context, row, f"cannot be put into words: {error}", permanent=False)
                else:
                    if what is None:
                        moot.append(row.id)
                    else:
                        yield row, what
        outbox.moot(self._context, moot)

    def _collect(self, rows: list[Row[Any]], to: Recipient) -> None:
        """Queue all that waits for a player who wants it collected as one mail, if the last was long enough ago."""
        context, period = self._context, _PERIODS[to.frequency]
        if to.sent is not None and context.now() < (next_one := timestamp(instant(to.sent) + period)):
            return outbox.postpone(context, [row.id for row in rows], next_one)
        rows += outbox.claim(context, BATCH, to.player)
        box = {to.player: to}
        found = list(self._worded(rows, box, in_digest=True))
        if len(found) == 1:
            found = list(self._worded([found[0][0]], box))
        if not found:
            return None
        told, whats = zip(*found, strict=True)
        letter = whats[0].letter if len(whats) == 1 else self._digest(whats)
        if not outbox.collect(context, to, told, letter, whats[0].table if len(whats) == 1 else None):
            outbox.postpone(context, [row.id for row in told], timestamp(instant(context.now()) + period))
        return None

    def _digest(self, whats: Sequence[Written]) -> Letter:
        return letter_texts.digest([what.letter for what in whats], Ways(takes_mail=self._counter.takes_mail))

    def _send(self, row: Row[Any], what: Written, to: Recipient, sending: dict[Future[None], Row[Any]]) -> None:
        moment = instant(self._context.now())
        address = to.address or ""
        marked = {"table": what.table, "token": row.token, "handle": to.handle, "answers": what.answers}
        try:
            mail = compose(what.letter, self._counter.mark(address, row.message_id, moment, **marked))
        except Unmailable as error:
            outbox.fail(self._context, row, str(error), permanent=True)
        else:
            sending[self._pool.submit(self._hand_over, mail, address)] = row

    def _hand_over(self, mail: bytes, to: str) -> None:
        line = self._lines.get()
        try:
            line.send(mail, to)
        finally:
            self._lines.put(line)

    def _await(self, sending: dict[Future[None], Row[Any]]) -> None:
        """Wait until every mail of a batch is through; settle those that are while others take their time."""
        while sending:
            done, _ = wait(sending, timeout=_SLOW)
            self._settle({future: sending.pop(future) for future in done})
            if self._stop.is_set():
                given_back = [future for future in sending if future.cancel()]
                outbox.postpone(self._context, [sending.pop(future).id for future in given_back], self._context.now())
            outbox.hold(self._context, [row.id for row in sending.values()])

    def _settle(self, done: dict[Future[None], Row[Any]]) -> None:
        sent = []
        for future, row in done.items():
            match future.exception():
                case None:
                    sent.append(row.id)
                case Trouble() as trouble:
                    log.warning("mail %s could not be sent: %s", row.message_id, trouble)
                    outbox.fail(self._context, row, str(trouble), permanent=trouble.permanent)
                case error:
                    log.error("mail %s could not be sent", row.message_id, exc_info=error)
                    outbox.fail(self._context, row, f"could not be sent: {error}", permanent=False)
        outbox.sent(self._context, sent)


def _wanted(row: Row[Any], to: Recipient) -> bool:
    """Whether the player (still) wants this mail, and it may be sent to them."""
    if to.address is None:
        return False
    if row.kind == "confirmation":
        return True
    return to.confirmed is not None and (row.kind == "answer" or to.frequency != "off")
