"""Mail and the clock: how fast a full outbox drains against bare smtplib, and what a round of the clock costs."""

from __future__ import annotations

import smtplib
import statistics
import tempfile
import time
from datetime import datetime
from pathlib import Path
from threading import Event

from sqlalchemy import delete, insert, select, update

from engine.record.entry import PerDecision, instant, timestamp
from server.mail.outgoing.message_composer import compose
from server.mail.outgoing.outbox_letters import papers, recipients, written
from server.mail.reply_addresses import counter
from server.mail.worker import Post
from server.service.deadline_rounds import round_of
from server.service.server_context import ServerContext, enter
from server.settings import Settings
from server.storage.models import OUTBOX, TABLES
from server.thread_turns import take_short_turns
from tests.server.mail.mail_provider import Sink
from tests.server.test_clockwork import Seated, Watch, with_mail

MAILS = 1_000
CLOCKED = 10_000
DUE = 20


def report() -> None:
    """Measure and print."""
    take_short_turns()  # as the worker's process does
    with tempfile.TemporaryDirectory() as folder, Sink(Path(folder) / "sink", "--discard") as sink:
        settings = Settings(
            data=Path(folder) / "data", mail=f"smtp+plain://{sink.address}", mail_from="post@example.org", cache=2_000
        )
        watch = Watch()
        context = enter(settings, watch)
        try:
            _drain(context, watch, sink)
            _sweep(context, watch)
        finally:
            context.close()


def _drain(context: ServerContext, watch: Watch, sink: Sink) -> None:
    for number in range(MAILS):
        with_mail(Seated(context, watch, None), 0, f"p{number}@example.org")
    with context.storage.writing() as connection:
        connection.execute(delete(OUTBOX).where(OUTBOX.c.kind == "confirmation"))
    mail, bare = _one(context, watch.moment), []
    post = Post(context, counter(context.settings), Event())
    bare.append(_bare(mail, sink))
    began = time.perf_counter()
    while post.send_some():
        pass
    rate = MAILS / (time.perf_counter() - began)
    post.close()
    bare.append(_bare(mail, sink))
    assert sink.count() == 3 * MAILS
    floor = statistics.mean(bare)
    print(f"mail: {rate:.0f} turn mails/s, bare smtplib {floor:.0f}/s, ratio {rate / floor:.2f} (bar 0.5)")


def _one(context: ServerContext, moment: datetime) -> bytes:
    """One of the mails, ready to be sent."""
    at = counter(context.settings)
    with context.storage.reading() as connection:
        row = connection.execute(select(OUTBOX).limit(1)).one()
        to = recipients(connection, {row.player})[row.player]
        what = written(context, connection, row, to, papers(connection, [row]), takes_mail=False)
    assert what is not None
    mark = at.mark(
        to.address or "", row.message_id, moment, table=what.table, token=row.token, handle=to.handle, answers=None
    )
    return compose(what.letter, mark)


def _bare(mail: bytes, sink: Sink) -> float:
    """Mails a second if the same one, ready made, is sent again and again."""
    with smtplib.SMTP(sink.host, sink.port) as line:
        began = time.perf_counter()
        for _ in range(MAILS):
            line.sendmail("post@example.org", ["ann@example.org"], mail)
        return MAILS / (time.perf_counter() - began)


def _sweep(context: ServerContext, watch: Watch) -> None:
    """Rows of one real table under other ids stand for thousands; a few are real and due."""
    real = [Seated(context, watch, PerDecision(seconds=86400)) for _ in range(DUE)]
    later = timestamp(instant(watch()).replace(year=2030))
    with context.storage.writing() as connection:
        row = dict(connection.execute(select(TABLES).where(TABLES.c.id == real[0].id)).one()._mapping)
        del row["number"]
        copies = [row | {"id": f"{number:032x}", "look": later} for number in range(CLOCKED - DUE)]
        connection.execute(insert(TABLES), copies)
        connection.execute(update(TABLES).where(TABLES.c.id.in_([one.id for one in real])).values(look=watch()))
    began = time.process_time()
    looked_at = round_of(context)
    assert looked_at == DUE
    print(f"clock: {CLOCKED} tables, {DUE} due: {time.process_time() - began:.3f} s of CPU (bar 1)")
