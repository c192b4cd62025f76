from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from imaplib import IMAP4
from pathlib import Path
from urllib.parse import quote

import pytest
from imap_tools.errors import MailboxLoginError

from server.mail.background_services import BackgroundServices
from server.mail.incoming import imap_fetcher
from server.mail.incoming.imap_fetcher import (
    ImapMailbox,
    PutOff,
    fetch,
    parse,
    poll,
    recipients_of,
    sender_of,
)
from server.mail.incoming.mime_parser import LARGEST
from server.mail.incoming.received_mail import read
from server.mail.incoming.smtp_listener import Envelope, Verdict
from server.service.server_context import enter
from server.settings import Settings, SettingsRefused
from tests.server.mail.dovecot import PASSWORD, Dovecot, dovecot
from tests.server.mail.mail_counter import MailCounter
from tests.server.test_clockwork import Seated, Watch, with_mail

TAKEN = Verdict(250, "2.0.0 Taken")
LATER = Verdict(450, "4.2.0 Later")
REFUSED = Verdict(550, "5.1.1 Nobody of that name")
DOMAIN = "games.example.org"


# The address of a mailbox


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("imaps://ann:pw@mail.example.org", ImapMailbox("mail.example.org", 993, "ann", "pw")),
        ("imap://ann:pw@localhost", ImapMailbox("localhost", 143, "ann", "pw", security="none")),
        ("imap+starttls://ann:pw@h:1143/", ImapMailbox("h", 1143, "ann", "pw", security="starttls")),
        ("imaps://a%40b.org:p%2F%3A%23@h/Games%2FIn", ImapMailbox("h", 993, "a@b.org", "p/:#", "Games/In")),
        ("imaps://ann:pw@[::1]:99/Games/In", ImapMailbox("::1", 99, "ann", "pw", "Games/In")),
    ],
)
def test_an_address_says_where_the_mailbox_is(url: str, expected: ImapMailbox) -> None:
    assert parse(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "sesame",
        "https://ann:sesame@h",
        "imaps://ann@h",
        "imaps://:sesame@h",
        "imaps://ann:sesame@",
        "imaps://ann:1/sesame@h",
        "imaps://ann:sesame/1@h",
        "imaps://ann:1#sesame@h",
        "imaps://ann:1?sesame@h",
        "imaps://ann:1[sesame@h",
        "imaps://ann:1@h:sesame",
        "imaps://ann:1@h:99999",
        "imaps://ann:sesame%0d%0aA1%20DELETE@h",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(SettingsRefused, match="imaps://user:password@host/folder") as refused:
        parse(url)
    assert "sesame" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_mailbox_does_not_show_its_password() -> None:
    assert "sesame" not in repr(parse("imaps://ann:sesame@h"))


# Who a mail is for, and from


def test_recipients_are_the_addresses_of_our_domain_each_once() -> None:
    data = (
        b"Delivered-To: T-1@games.example.org\r\n"
        b"To: Ann <ann@else.org>,\r\n  t-1@GAMES.example.org, <t-2@games.example.org>\r\n"
        b"Cc: t-3@games.example.org.evil.org, x@notgames.example.org\r\nBcc: t-4@games.example.org\r\n"
        b"\r\nTo: t-9@games.example.org\r\n"
    )
    assert recipients_of(data, DOMAIN) == ["T-1@games.example.org", "t-2@games.example.org"]


@pytest.mark.parametrize(
    "head",
    [
        'To: post+t@games.example.org, "Bob B." <bob@else.org>',
        'To: "Bob B." <bob@else.org>, post+t@games.example.org',
        'To: "Poste, Restante" <post+t@games.example.org>',
        "To: =?utf-8?q?Poste?= <post+t@games.example.org>",
        "To: undisclosed-recipients:;\r\nEnvelope-To: post+t@games.example.org",
        "To: undisclosed-recipients:;\r\nX-Envelope-To: <post+t@games.example.org>",
        "Delivered-To: post@games.example.org\r\nTo: post+t@games.example.org",
    ],
)
def test_a_recipient_is_found_wherever_it_stands(head: str) -> None:
    assert recipients_of(f"{head}\r\n\r\nshow".encode(), DOMAIN) == ["post+t@games.example.org"]


def test_recipients_are_bounded() -> None:
    many = b", ".join(b"t-%d@games.example.org" % number for number in range(10_000))
    assert len(recipients_of(b"To: " + many + b"\r\n\r\n", DOMAIN)) == imap_fetcher.MOST_RECIPIENTS


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"To: ((((((\r\n\r\n", b"To: @games.example.org, a@@b\r\n\r\n"])
def test_a_mail_for_nobody_has_no_recipients(data: bytes) -> None:
    assert recipients_of(data, DOMAIN) == []


@pytest.mark.parametrize(
    ("data", "sender"),
    [
        (b"Return-Path: <ann@else.org>\r\nFrom: eve@else.org\r\n\r\n", "ann@else.org"),
        (b"Return-Path: <>\r\nFrom: eve@else.org\r\n\r\n", ""),
        (b'From: "ann@else.org" <eve@else.org>\r\n\r\n', "eve@else.org"),
        (b"", ""),
    ],
)
def test_the_sender_is_what_the_mail_system_noted(data: bytes, sender: str) -> None:
    assert sender_of(data) == sender


# Trouble


def test_a_mailbox_nobody_answers_for_is_told_once_and_tried_until_told_to_stop(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[ImapMailbox] = []
    stop = threading.Event()
    troubles = [
        OSError("no route"),
        OSError("no route"),
        ValueError("odd"),
        OSError("no route"),
        None,
        OSError("again"),
    ]

    def fail(mailbox: ImapMailbox, *_rest: object) -> int:
        attempts.append(mailbox)
        trouble = troubles.pop(0)
        if not troubles:
            stop.set()
        if trouble:
            raise trouble
        return 0

    monkeypatch.setattr(imap_fetcher, "fetch", fail)
    monkeypatch.setattr(imap_fetcher, "LONGEST_WAIT", 0.01)
    with caplog.at_level("INFO", logger="poste"):
        poll(ImapMailbox("h", 1, "ann", "sesame"), lambda _: TAKEN, lambda _: [], 0.001, stop)

    assert len(attempts) == 6
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 4  # no route, odd, can be read again, and again not
    assert not any("sesame" in line for line in told)


def test_a_mailbox_that_does_not_exist_raises_and_leaks_nothing() -> None:
    with pytest.raises(OSError, match="refused"):
        fetch(ImapMailbox("127.0.0.1", 1, "ann", "pw", security="none"), lambda _: TAKEN, lambda _: [])


class Box:
    """A mailbox that answers as IMAP does, and not about every mail."""

    def __init__(self, mails: dict[int, bytes], broken: int = 0) -> None:
        self.mails, self.broken = mails, broken
        self.validity = b"1"
        self.seen: set[int] = set()
        self.fetched = 0
        self.client = self

    def uids(self, *_: object, **__: object) -> list[str]:
        return [str(uid) for uid in self.mails if uid not in self.seen]

    def response(self, code: str) -> tuple[str, list[bytes]]:
        return code, [self.validity]

    def uid(self, command: str, uid: str, what: str, *_: object) -> tuple[str, list[object]]:
        number = int(uid)
        if number == self.broken:
            return "NO", [b"this mail cannot be read"]
        if command == "STORE":
            self.seen.add(number)
            return "OK", [None]
        if "SIZE" in what:
            return "OK", [b"1 (UID %d RFC822.SIZE %d)" % (number, len(self.mails[number]))]
        self.fetched += 1
        return "OK", [(b"1 (UID", self.mails[number]), b")"]

    def logout(self) -> None:
        pass


MAILBOX = ImapMailbox("h", 1, "ann", "pw")


def test_mails_that_are_put_off_keep_nobody_waiting_and_are_not_fetched_every_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    box = Box({uid: letter("later") for uid in range(1, 26)} | {99: letter("other")})
    monkeypatch.setattr(imap_fetcher, "_opened", lambda _: box)
    moment = 0.0
    put_off = PutOff(lambda: moment)

    def deliver(envelope: Envelope) -> Verdict:
        return LATER if b"later" in envelope.data else TAKEN

    rounds = []
    for _ in range(4):
        fetch(MAILBOX, deliver, ours, 1, put_off)
        rounds.append((box.fetched, box.seen == {99}))
        moment += 10
    assert rounds == [(10, False), (20, False), (26, True), (26, True)]
    moment = 70
    fetch(MAILBOX, deliver, ours, 1, put_off)
    assert box.fetched == 36, "those of the first two rounds are tried again, ten at a time"
    moment = 71
    assert len(put_off.due("['1']", ["1"])) == 1, "under another name everything is new"


def test_a_mail_that_is_put_off_is_tried_later_and_later_but_every_hour() -> None:
    moment = 0.0
    put_off = PutOff(lambda: moment)
    delays = []
    for _ in range(9):
        assert put_off.due("box", ["7", "8"])[0] == "7"
        put_off.add("7")
        began = moment
        while "7" not in put_off.due("box", ["7", "8"]):
            moment += 60
        delays.append((moment - began) / 60)
    assert delays == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert put_off.due("box", []) == []
    assert put_off.due("box", ["7"]) == ["7"]


def test_a_mail_the_mailbox_does_not_give_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    box = Box({uid: letter(f"number {uid}") for uid in (1, 2, 3)}, broken=2)
    monkeypatch.setattr(imap_fetcher, "_opened", lambda _: box)
    put_off = PutOff()
    for _ in range(3):
        fetch(MAILBOX, lambda _: TAKEN, ours, put_off=put_off)
    assert box.seen == {1, 3}
    assert len(caplog.records) == 1
    assert "mail 2 of the mailbox" in caplog.text


def test_a_connection_that_breaks_off_is_not_taken_for_a_broken_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    box = Box({1: letter("x")})

    def broken_off(*_: object) -> tuple[str, list[object]]:
        raise IMAP4.abort("socket error: EOF")

    monkeypatch.setattr(box, "uid", broken_off)
    monkeypatch.setattr(imap_fetcher, "_opened", lambda _: box)
    with pytest.raises(IMAP4.abort):
        fetch(MAILBOX, lambda _: TAKEN, ours)


# A real mailbox


@pytest.fixture(scope="module")
def provider() -> Iterator[Dovecot]:
    with dovecot() as running:
        yield running


def letter(subject: str, size: int = 0) -> bytes:
    head = f"From: ann@else.org\r\nTo: t-1@{DOMAIN}\r\nSubject: {subject}\r\n\r\nplay\r\n"
    return head.encode() + b"x" * 70 * (size // 70) + b"\r\n"


class Deliveries:
    """Answers with a verdict and remembers what was delivered."""

    def __init__(self, verdict: Verdict = TAKEN) -> None:
        self.verdict = verdict
        self.taken: list[Envelope] = []

    def __call__(self, envelope: Envelope) -> Verdict:
        self.taken.append(envelope)
        return self.verdict

    def subjects(self) -> list[str]:
        return [envelope.data.decode().partition("Subject: ")[2].partition("\r\n")[0] for envelope in self.taken]


def ours(data: bytes) -> list[str]:
    return recipients_of(data, DOMAIN)


def test_unseen_mails_are_delivered_once_oldest_first(provider: Dovecot) -> None:
    user = "once@else.org"
    for number in range(3):
        provider.put(letter(f"number {number}"), "ann@else.org", user)
    deliveries = Deliveries()

    assert fetch(provider.mailbox(user), deliveries, ours, limit=2) == 2
    assert fetch(provider.mailbox(user), deliveries, ours) == 1
    assert fetch(provider.mailbox(user), deliveries, ours) == 0

    assert deliveries.subjects() == ["number 0", "number 1", "number 2"]
    # Dovecot notes who sent it.
    assert {envelope.sender for envelope in deliveries.taken} == {"ann@else.org"}


@pytest.mark.parametrize(("verdict", "again"), [(TAKEN, False), (REFUSED, False), (LATER, True)])
def test_only_a_mail_that_can_be_taken_later_is_fetched_again(provider: Dovecot, verdict: Verdict, again: bool) -> None:
    user = f"verdict-{verdict.code}@else.org"
    provider.put(letter("x"), "ann@else.org", user)

    assert fetch(provider.mailbox(user), Deliveries(verdict), ours) == (0 if again else 1)
    later = Deliveries()
    fetch(provider.mailbox(user), later, ours)

    assert len(later.taken) == (1 if again else 0)


def test_a_mail_whose_delivery_fails_stays_and_keeps_nobody_waiting(
    provider: Dovecot, caplog: pytest.LogCaptureFixture
) -> None:
    user = "fails@else.org"
    for subject in ("bad", "good"):
        provider.put(letter(subject), "ann@else.org", user)
    deliveries = Deliveries()

    def deliver(envelope: Envelope) -> Verdict:
        if b"bad" in envelope.data:
            raise RuntimeError("a fault of ours")
        return deliveries(envelope)

    assert fetch(provider.mailbox(user), deliver, ours, limit=1) == 1
    assert deliveries.subjects() == ["good"]
    assert "a fault of ours" in caplog.text
    assert fetch(provider.mailbox(user), deliveries, ours) == 1


def test_of_a_mail_too_large_as_much_is_delivered_as_shows_it(provider: Dovecot) -> None:
    user = "large@else.org"
    provider.put(letter("large", 3 * LARGEST), "ann@else.org", user)
    deliveries = Deliveries()

    assert fetch(provider.mailbox(user), deliveries, ours) == 1
    assert fetch(provider.mailbox(user), deliveries, ours) == 0
    [envelope] = deliveries.taken
    assert len(envelope.data) == LARGEST + 1
    assert "larger than" in str(read(envelope.data, envelope.sender).trouble)


def test_a_mail_for_somebody_else_is_put_aside(provider: Dovecot) -> None:
    user = "others@else.org"
    provider.put(letter("x").replace(DOMAIN.encode(), b"else.org"), "ann@else.org", user)
    deliveries = Deliveries()

    assert fetch(provider.mailbox(user), deliveries, ours) == 1
    assert deliveries.taken == []


def test_a_wrong_password_raises_and_is_not_shown(provider: Dovecot) -> None:
    box = ImapMailbox("127.0.0.1", provider.imap, "ann@else.org", "sesame", security="none")
    with pytest.raises(MailboxLoginError) as refused:
        fetch(box, Deliveries(), ours)
    assert "sesame" not in str(refused.value)


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_encryption_needs_a_certificate_that_is_trusted(
    provider: Dovecot, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = f"{security}%40else.org"
    provider.put(letter("x"), "ann@else.org", f"{security}@else.org")
    scheme, port = ("imaps", provider.imaps) if security == "tls" else ("imap+starttls", provider.imap)
    password = PASSWORD.replace("/", "%2F").replace(":", "%3A").replace("@", "%40")
    box = parse(f"{scheme}://{user}:{password}@127.0.0.1:{port}/INBOX")

    with pytest.raises(OSError, match="self-signed"):
        fetch(box, Deliveries(), ours)
    monkeypatch.setenv("SSL_CERT_FILE", str(provider.certificate))
    assert fetch(box, Deliveries(), ours) == 1


def test_polling_brings_what_comes_until_told_to_stop(provider: Dovecot) -> None:
    user = "poll@else.org"
    deliveries, stop = Deliveries(), threading.Event()
    polling = threading.Thread(target=poll, args=[provider.mailbox(user), deliveries, ours, 0.05, stop])
    polling.start()
    try:
        provider.put(letter("first"), "ann@else.org", user)
        until = time.monotonic() + 20
        while not deliveries.taken and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        stop.set()
        polling.join(20)
    assert deliveries.subjects() == ["first"]
    assert not polling.is_alive()


def test_an_office_takes_what_lies_in_its_mailbox(provider: Dovecot, tmp_path: Path) -> None:
    watch, box = Watch(), "post@example.org"
    where = f"imap://{quote(box)}:{quote(PASSWORD, safe='')}@127.0.0.1:{provider.imap}"
    settings = Settings(
        data=tmp_path / "data", mail=f"maildir://{tmp_path / 'mail'}", mail_from=box, mail_imap=where, mail_every=1
    )
    context = enter(settings, watch)
    rooms = BackgroundServices()
    try:
        desk, table = MailCounter(context), Seated(context, watch, None)
        with_mail(table, 0)
        to = desk.reply_to("turn")
        provider.put(
            f"From: a@else.org\r\nTo: {to}\r\nMessage-ID: <1@else.org>\r\n\r\nshow\r\n".encode(), "a@else.org", box
        )
        rooms.take_mail(context)
        end = time.monotonic() + 20
        while not desk.answers():
            assert time.monotonic() < end, "nobody has looked"
            time.sleep(0.05)
        assert "It is your turn." in desk.answers()[0][1]
    finally:
        assert rooms.close(time.monotonic() + 10) == []
        context.close()
