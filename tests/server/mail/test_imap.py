from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from imap_tools.errors import MailboxLoginError

from server.mail import imap
from server.mail.imap import Mailbox, fetch, parse, poll, recipients_of, sender_of
from server.mail.listener import Envelope, Verdict
from server.mail.mime import LARGEST
from server.settings import SettingsRefused
from tests.server.mail.dovecot import PASSWORD, Dovecot, dovecot

TAKEN = Verdict(250, "2.0.0 Taken")
LATER = Verdict(450, "4.2.0 Later")
REFUSED = Verdict(550, "5.1.1 Nobody of that name")
DOMAIN = "games.example.org"


# The address of a mailbox


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("imaps://ann:pw@mail.example.org", Mailbox("mail.example.org", 993, "ann", "pw")),
        ("imap://ann:pw@localhost", Mailbox("localhost", 143, "ann", "pw", security="none")),
        ("imap+starttls://ann:pw@h:1143/", Mailbox("h", 1143, "ann", "pw", security="starttls")),
        ("imaps://a%40b.org:p%2F%3A%23@h/Games%2FIn", Mailbox("h", 993, "a@b.org", "p/:#", "Games/In")),
        ("imaps://ann:pw@[::1]:99/Games/In", Mailbox("::1", 99, "ann", "pw", "Games/In")),
    ],
)
def test_an_address_says_where_the_mailbox_is(url: str, expected: Mailbox) -> None:
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


def test_recipients_are_bounded() -> None:
    many = b", ".join(b"t-%d@games.example.org" % number for number in range(10_000))
    assert len(recipients_of(b"To: " + many + b"\r\n\r\n", DOMAIN)) == imap.MOST_RECIPIENTS


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
    attempts: list[Mailbox] = []
    stop = threading.Event()
    troubles = [
        OSError("no route"),
        OSError("no route"),
        ValueError("odd"),
        OSError("no route"),
        None,
        OSError("again"),
    ]

    def fail(mailbox: Mailbox, *_rest: object) -> int:
        attempts.append(mailbox)
        trouble = troubles.pop(0)
        if not troubles:
            stop.set()
        if trouble:
            raise trouble
        return 0

    monkeypatch.setattr(imap, "fetch", fail)
    monkeypatch.setattr(imap, "LONGEST_WAIT", 0.01)
    with caplog.at_level("INFO", logger="poste"):
        poll(Mailbox("h", 1, "ann", "sesame"), lambda _: TAKEN, lambda _: [], 0.001, stop)

    assert len(attempts) == 6
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 4  # no route, odd, can be read again, and again not
    assert not any("sesame" in line for line in told)


def test_a_mailbox_that_does_not_exist_raises_and_leaks_nothing() -> None:
    with pytest.raises(OSError, match="refused"):
        fetch(Mailbox("127.0.0.1", 1, "ann", "pw", security="none"), lambda _: TAKEN, lambda _: [])


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


def test_a_mail_too_large_is_put_aside_unread(provider: Dovecot) -> None:
    user = "large@else.org"
    provider.put(letter("large", LARGEST), "ann@else.org", user)
    deliveries = Deliveries()

    assert fetch(provider.mailbox(user), deliveries, ours) == 1
    assert fetch(provider.mailbox(user), deliveries, ours) == 0
    assert deliveries.taken == []


def test_a_mail_for_somebody_else_is_put_aside(provider: Dovecot) -> None:
    user = "others@else.org"
    provider.put(letter("x").replace(DOMAIN.encode(), b"else.org"), "ann@else.org", user)
    deliveries = Deliveries()

    assert fetch(provider.mailbox(user), deliveries, ours) == 1
    assert deliveries.taken == []


def test_a_wrong_password_raises_and_is_not_shown(provider: Dovecot) -> None:
    box = Mailbox("127.0.0.1", provider.imap, "ann@else.org", "sesame", security="none")
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
