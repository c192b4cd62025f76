"""The worker with the time in our hands: digests, back-off, and mails that are given up and tried again."""

from __future__ import annotations

import mailbox
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select

from engine.record.entry import PerDecision
from server.mail import outbox
from server.mail.postmarks import counter
from server.mail.worker import Post
from server.models import OUTBOX
from server.service import mailboxes
from server.service.office import Office, enter
from tests.server.mail.rooms import free_port
from tests.server.test_clockwork import DAY, HOUR, Seated, Watch, post_office, watch, with_mail

__all__ = ["post_office", "watch"]  # the fixtures


def subjects(folder: Path, address: str) -> list[str]:
    there = folder / "mail" / address
    return sorted(mail["Subject"] for mail in mailbox.Maildir(there, create=False)) if there.exists() else []


def test_a_digest_collects_what_waits_and_comes_once_a_day(post_office: Office, watch: Watch, tmp_path: Path) -> None:
    table = Seated(post_office, watch, PerDecision(seconds=3600))
    with_mail(table, 0)
    mailboxes.change(post_office, table.keys[0].public, None, "daily", None)
    post = Post(post_office, counter(post_office.settings))
    try:
        post.send_some()
        assert len(subjects(tmp_path, "p0@example.org")) == 1, "the first goes at once"
        for _ in range(3):
            table.tick(HOUR)
            post.send_some()
        assert len(subjects(tmp_path, "p0@example.org")) == 1
        watch.pass_by(DAY - 3 * HOUR)
        while post.send_some():
            pass
        assert "[Poste Restante] 2 letters" in subjects(tmp_path, "p0@example.org")
        assert len(subjects(tmp_path, "p0@example.org")) == 2
    finally:
        post.close()


def test_a_relay_that_is_down_is_tried_later_and_later_and_then_given_up(post_office: Office, watch: Watch) -> None:
    table = Seated(post_office, watch, None)
    with_mail(table, 0)
    settings = post_office.settings.__class__(
        data=post_office.settings.data,
        db=post_office.settings.db,
        mail=f"smtp+plain://127.0.0.1:{free_port()}",
        mail_from="post@example.org",
    )
    office = enter(settings, watch)
    post = Post(office, counter(settings))
    try:
        waits = []
        while outbox.listed(office, "queued"):
            assert post.send_some()
            for row in outbox.listed(office, "queued"):
                waits.append(row.due)
                assert row.error
            assert post.send_some() == 0, "not before its time"
            watch.pass_by(timedelta(hours=6))
        assert len(set(waits)) == outbox.ATTEMPTS - 1
        dead = [row.kind for row in outbox.listed(office, "dead")]
        assert dead == ["turn"]
        assert outbox.retry(office, None) == 1
        with office.storage.reading() as connection:
            assert connection.scalar(select(OUTBOX.c.state).where(OUTBOX.c.kind == "turn")) == "queued"
    finally:
        post.close()
        office.close()
