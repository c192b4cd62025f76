from __future__ import annotations

import smtplib
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from server.mail.incoming import smtp_listener as listening
from server.mail.incoming.smtp_listener import Envelope, Listener, Verdict
from server.settings import SettingsRefused

TAKEN = Verdict(250, "2.0.0 Taken")
LATER = Verdict(450, "4.2.0 Later")
REFUSED = Verdict(550, "5.7.1 Not here")
UNKNOWN = Verdict(550, "5.1.1 Nobody of that name")
LETTER = b"Subject: hello\r\n\r\n.play a\r\n..\r\nplay b\r\n"
PATIENCE = 20.0


class Office:
    """Knows who is known, takes mail and remembers it; the first part of a recipient's name is what becomes of it."""

    def __init__(self) -> None:
        self.taken: list[Envelope] = []
        self.asked: list[str] = []

    def welcome(self, recipient: str) -> Verdict:
        self.asked.append(recipient)
        if recipient.startswith("broken"):
            raise RuntimeError("a fault of ours")
        return UNKNOWN if recipient.startswith("nobody") else TAKEN

    def deliver(self, envelope: Envelope) -> Verdict:
        self.taken.append(envelope)
        match envelope.recipient.partition("@")[0].partition("-")[0]:
            case "fails":
                raise RuntimeError("a fault of ours")
            case "later":
                return LATER
            case "refused":
                return REFUSED
            case "inject":
                return Verdict(250, "2.0.0 a\r\n550 b\ud800")
        return TAKEN


@pytest.fixture
def context() -> Office:
    return Office()


Opener = Callable[..., Listener]


@pytest.fixture
def open_listener(context: Office) -> Iterator[Opener]:
    opened: list[Listener] = []

    def start(*, lmtp: bool, largest: int = 100_000) -> Listener:
        listener = Listener(
            "127.0.0.1",
            0,
            lmtp=lmtp,
            welcome=context.welcome,
            deliver=context.deliver,
            largest=largest,
            name="post.example",
        )
        listener.start()
        opened.append(listener)
        return listener

    yield start
    for listener in opened:
        listener.stop()


@pytest.fixture
def smtp(open_listener: Opener) -> Iterator[smtplib.SMTP]:
    with smtplib.SMTP("127.0.0.1", open_listener(lmtp=False).port, timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def lmtp(open_listener: Opener) -> Iterator[smtplib.LMTP]:
    with smtplib.LMTP("127.0.0.1", open_listener(lmtp=True).port, timeout=PATIENCE) as client:
        yield client


def answers(client: smtplib.SMTP, recipients: list[str], data: bytes = LETTER) -> list[int]:
    """Send by hand; the code of every answer after the mail, of which smtplib itself reads but the first."""
    client.ehlo_or_helo_if_needed()
    client.mail("ann@else.org")
    taken = sum(client.rcpt(recipient)[0] == 250 for recipient in recipients)
    first = client.data(data)[0]
    return [first] + [client.getreply()[0] for _ in range(taken - 1 if isinstance(client, smtplib.LMTP) else 0)]


def test_a_mail_arrives_byte_for_byte(smtp: smtplib.SMTP, context: Office) -> None:
    smtp.sendmail("ann@else.org", ["t-1@post.example"], LETTER)
    assert context.taken == [Envelope("ann@else.org", "t-1@post.example", LETTER)]


def test_a_bounce_has_no_sender(smtp: smtplib.SMTP, context: Office) -> None:
    smtp.sendmail("", ["t-1@post.example"], LETTER)
    assert context.taken[0].sender == ""


def test_names_beyond_ascii_and_long_lines_are_taken(smtp: smtplib.SMTP, context: Office) -> None:
    letter = "Subject: ½\r\n\r\n".encode() + b"x" * 30_000 + b"\r\n"
    smtp.sendmail("änn@else.org", ["t-1@post.example"], letter, mail_options=["SMTPUTF8", "BODY=8BITMIME"])
    assert context.taken == [Envelope("änn@else.org", "t-1@post.example", letter)]


def test_neither_version_nor_passwords_are_offered(smtp: smtplib.SMTP) -> None:
    code, text = smtp.ehlo()
    assert code == 250
    assert not smtp.has_extn("auth")
    assert smtp.has_extn("smtputf8")
    assert smtp.esmtp_features["size"] == "100000"
    assert b"ython" not in text


def test_pipelining_and_status_codes_are_offered_and_kept(lmtp: smtplib.LMTP) -> None:
    lmtp.ehlo()
    assert lmtp.has_extn("pipelining")
    assert lmtp.has_extn("enhancedstatuscodes")
    lines = (b"MAIL FROM:<ann@else.org>", b"RCPT TO:<a>", b"RCPT TO:<nobody>", b"RCPT TO:<later>", b"DATA")
    lmtp.send(b"\r\n".join(lines) + b"\r\nplay\r\n.\r\nNOOP\r\nDATA\r\nWHAT\r\n")
    replies = [lmtp.getreply() for _ in range(10)]
    assert [code for code, _ in replies] == [250, 250, 550, 250, 354, 250, 450, 250, 503, 500]
    for code, text in replies:
        assert code == 354 or text.startswith(b"%d." % (code // 100)), text


def test_the_greeting_names_us(open_listener: Opener) -> None:
    port = open_listener(lmtp=False).port
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        assert client.recv(200) == b"220 post.example Poste Restante\r\n"


def test_an_unknown_recipient_is_refused_at_once(smtp: smtplib.SMTP, context: Office) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        smtp.sendmail("ann@else.org", ["nobody@post.example"], LETTER)
    assert refused.value.recipients["nobody@post.example"] == (550, b"5.1.1 Nobody of that name")
    assert context.taken == []


def test_a_fault_while_looking_up_a_recipient_is_for_now(smtp: smtplib.SMTP, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        smtp.sendmail("ann@else.org", ["broken@post.example"], LETTER)
    assert refused.value.recipients["broken@post.example"][0] == 451
    assert "a fault of ours" in caplog.text


def test_a_fault_in_delivery_is_for_now_and_tells_nothing(smtp: smtplib.SMTP, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(smtplib.SMTPDataError) as failed:
        smtp.sendmail("ann@else.org", ["fails@post.example"], LETTER)
    assert failed.value.args == (451, b"4.3.0 Something went wrong here; try again later")
    assert "a fault of ours" in caplog.text


@pytest.mark.parametrize(
    ("recipients", "code"),
    [
        (["a", "b"], 250),
        (["a", "refused"], 250),
        (["refused", "refused-2"], 550),
        (["a", "later"], 450),
        (["refused", "later"], 450),
        (["a", "fails"], 451),
    ],
)
def test_smtp_asks_for_a_mail_again_rather_than_lose_it(
    smtp: smtplib.SMTP, recipients: list[str], code: int, context: Office
) -> None:
    assert answers(smtp, recipients) == [code]
    assert [envelope.recipient for envelope in context.taken] == recipients


def test_lmtp_answers_for_every_recipient(lmtp: smtplib.LMTP, context: Office) -> None:
    everybody = ["a", "nobody", "later", "refused", "fails", "a"]
    assert answers(lmtp, everybody) == [250, 450, 550, 451, 250]
    assert answers(lmtp, ["refused"]) == [550]  # and nothing was left over
    assert answers(lmtp, ["b", "c"]) == [250, 250]


def test_lmtp_refuses_a_mail_too_large_for_every_recipient(lmtp: smtplib.LMTP, context: Office) -> None:
    assert answers(lmtp, ["a", "b", "c"], b"x\r\n" * 50_000) == [552, 552, 552]
    assert answers(lmtp, ["a", "b"]) == [250, 250]
    assert len(context.taken) == 2


def test_lmtp_answers_once_where_no_mail_was_sent(lmtp: smtplib.LMTP) -> None:
    lmtp.ehlo()
    assert lmtp.docmd("DATA")[0] == 503
    lmtp.mail("ann@else.org")
    assert [lmtp.rcpt(name)[0] for name in ("a", "b")] == [250, 250]
    assert lmtp.docmd("DATA", "now")[0] == 501
    assert lmtp.noop()[0] == 250


@pytest.mark.parametrize("data", [b"x\r\n" * 50_000, b"x" * 90_000])
def test_a_mail_too_large_or_with_an_endless_line_is_refused(smtp: smtplib.SMTP, data: bytes, context: Office) -> None:
    smtp.ehlo()
    smtp.mail("ann@else.org")
    smtp.rcpt("a")
    assert smtp.data(data)[0] in (500, 552)
    assert context.taken == []
    assert answers(smtp, ["a"]) == [250]


def test_ten_thousand_recipients_are_too_many(smtp: smtplib.SMTP, context: Office) -> None:
    smtp.ehlo()
    smtp.mail("ann@else.org")
    codes = [smtp.rcpt(f"t-{number}@post.example")[0] for number in range(10_000)]
    assert codes == [250] * 20 + [452] * 9_980
    assert smtp.data(LETTER)[0] == 250
    assert len(context.taken) == len(context.asked) == 20


def test_an_answer_is_one_line_whatever_is_in_it(smtp: smtplib.SMTP) -> None:
    smtp.ehlo()
    smtp.mail("ann@else.org")
    smtp.rcpt("inject")
    assert smtp.data(LETTER) == (250, b"2.0.0 a  550 b")
    assert smtp.noop()[0] == 250


@pytest.mark.parametrize(
    "command",
    [
        b"MAIL FROM:<\xff@else.org>",
        b"MAIL FROM:<" + b"(" * 490 + b"a@b>",
        b"MAIL FROM:<a\x01@b>",
        b"VRFY \xff",
        b"NOOP " + b"x" * 100_000,
        b"\xff\xfe",
        b"",
    ],
)
def test_hostile_commands_are_answered_and_the_connection_lives(open_listener: Opener, command: bytes) -> None:
    with smtplib.SMTP("127.0.0.1", open_listener(lmtp=False).port, timeout=PATIENCE) as client:
        client.ehlo()
        client.send(command + b"\r\n")
        assert client.getreply()[0] >= 250
        assert answers(client, ["a"]) == [250]


def test_a_slow_delivery_keeps_nobody_else_waiting(context: Office) -> None:
    released = threading.Event()

    def deliver(envelope: Envelope) -> Verdict:
        if envelope.recipient == "slow":
            released.wait(PATIENCE)
        return context.deliver(envelope)

    listener = Listener("127.0.0.1", 0, lmtp=False, welcome=context.welcome, deliver=deliver)
    listener.start()
    slow = threading.Thread(target=_send, args=[listener.port, "slow"])
    try:
        slow.start()
        _send(listener.port, "quick")
        assert [envelope.recipient for envelope in context.taken] == ["quick"]
    finally:
        released.set()
        slow.join(PATIENCE)
        listener.stop()
    assert [envelope.recipient for envelope in context.taken] == ["quick", "slow"]


@pytest.mark.parametrize("lmtp", [True, False])
def test_a_delivery_that_takes_too_long_is_asked_for_again(
    context: Office, monkeypatch: pytest.MonkeyPatch, lmtp: bool
) -> None:
    monkeypatch.setattr(listening, "TIMEOUT", 1.0)
    released = threading.Event()

    def deliver(envelope: Envelope) -> Verdict:
        if envelope.recipient.startswith("slow"):
            released.wait(PATIENCE)
        return context.deliver(envelope)

    listener = Listener("127.0.0.1", 0, lmtp=lmtp, welcome=context.welcome, deliver=deliver)
    listener.start()
    try:
        with (smtplib.LMTP if lmtp else smtplib.SMTP)("127.0.0.1", listener.port, timeout=PATIENCE) as client:
            slow = ["slow", "slow-2", "slow-3", "quick"]
            assert answers(client, slow) == ([451, 451, 451, 250] if lmtp else [451])
            assert client.noop()[0] == 250
    finally:
        released.set()
        listener.stop()
    assert sorted(envelope.recipient for envelope in context.taken) == ["quick", "slow", "slow-2", "slow-3"]


def _send(port: int, recipient: str) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client:
        client.sendmail("ann@else.org", [recipient], LETTER)


def test_too_many_connections_are_sent_away_until_one_leaves(
    open_listener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 3)
    port = open_listener(lmtp=False).port
    clients = [smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) for _ in range(3)]
    with pytest.raises(smtplib.SMTPConnectError) as sent_away:
        smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE)
    assert sent_away.value.smtp_code == 421

    clients.pop().quit()
    _send(port, "a")
    for client in clients:
        client.close()


def test_a_silent_connection_is_hung_up_on(open_listener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "TIMEOUT", 0.2)
    port = open_listener(lmtp=False).port
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        assert client.recv(200).startswith(b"220")
        assert client.recv(200) == b""


def test_stopping_hangs_up_and_gives_the_port_back(context: Office) -> None:
    listener = Listener("127.0.0.1", 0, lmtp=True, welcome=context.welcome, deliver=context.deliver)
    listener.start()
    port = listener.port
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.recv(200)
        listener.stop()
        listener.stop()
        assert client.recv(200) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    again = Listener("127.0.0.1", port, lmtp=True, welcome=context.welcome, deliver=context.deliver)
    again.start()
    again.stop()


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1", "no such host"])
def test_an_address_that_cannot_be_had_is_refused_in_words(open_listener: Opener, context: Office, host: str) -> None:
    port = open_listener(lmtp=False).port
    with pytest.raises(SettingsRefused, match=f"mail cannot be taken at {host} port {port}"):
        Listener(host, port, lmtp=False, welcome=context.welcome, deliver=context.deliver).start()
