"""Mail leaves, through a real mail server on this machine, and into folders."""

from __future__ import annotations

import mailbox
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from server.mail.letters.letter_parts import Letter
from server.mail.outgoing.message_composer import Postmark, compose
from server.mail.outgoing.transport import Security, Smtp, Transport, Trouble, transport
from server.settings import SettingsRefused
from tests.server.mail.mail_provider import Sink

SENDER = "bounces@games.example.org"
TO = "ann@example.org"


@pytest.fixture
def sinks(tmp_path: Path) -> Iterator[Callable[..., Sink]]:
    """Sinks that are stopped in the end."""
    started: list[Sink] = []

    def start(*options: str, port: int = 0) -> Sink:
        started.append(Sink(tmp_path / f"sink-{len(started)}", *options, port=port).start())
        return started[-1]

    yield start
    for sink in started:
        sink.stop()


@pytest.fixture
def opened() -> Iterator[Callable[[str], Transport]]:
    """Transports that are closed in the end."""
    all_of_them: list[Transport] = []

    def open_one(url: str) -> Transport:
        all_of_them.append(transport(url, SENDER))
        return all_of_them[-1]

    yield open_one
    for one in all_of_them:
        one.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody but its own file vouches for, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sink.example")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path_factory.mktemp("tls") / "sink.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(secret + signed.public_bytes(serialization.Encoding.PEM))
    return pem


def a_mail(number: int = 1, text: str = ".\nÀ vous.\n") -> bytes:
    mark = Postmark(
        office="Poste Restante",
        sender="post@games.example.org",
        domain="games.example.org",
        to=TO,
        message_id=f"turn.{number}",
        at=datetime(2026, 11, 18, tzinfo=UTC),
    )
    return compose(Letter("Your turn", text, "<p>\n.\n</p>"), mark)


def test_a_mail_arrives_as_it_was_composed(sinks: Callable[..., Sink], opened: Callable[[str], Transport]) -> None:
    sink = sinks()
    opened(f"smtp://{sink.address}").send(a_mail(), TO)

    (mail,) = sink.wait_for(1)
    text = mail.get_body(("plain",))
    assert (mail["X-Envelope-To"], mail["X-Envelope-From"]) == (TO, SENDER)
    assert mail["Message-ID"] == "<turn.1@games.example.org>"
    assert text is not None
    assert text.get_content() == ".\nÀ vous.\n"


def test_one_connection_carries_many_mails_and_is_made_anew_when_it_was_dropped(
    sinks: Callable[..., Sink], opened: Callable[[str], Transport]
) -> None:
    sink = sinks("--drop-every", "3")
    way = opened(f"smtp+plain://{sink.address}")
    for number in range(7):
        way.send(a_mail(number), TO)
        time.sleep(0.1 if number % 3 == 2 else 0)

    assert len(sink.wait_for(7)) == 7


def test_a_server_that_was_started_again_is_found_again(
    sinks: Callable[..., Sink], opened: Callable[[str], Transport]
) -> None:
    first = sinks()
    way = opened(f"smtp+plain://{first.address}")
    way.send(a_mail(1), TO)
    first.stop()
    with pytest.raises(Trouble, match="cannot be reached") as trouble:
        way.send(a_mail(2), TO)
    assert not trouble.value.permanent

    second = sinks(port=first.port)
    way.send(a_mail(2), TO)
    assert len(second.wait_for(1)) == 1


def test_only_a_refusal_of_the_mail_itself_is_permanent(
    sinks: Callable[..., Sink], opened: Callable[[str], Transport]
) -> None:
    sink = sinks("--refuse", "nobody@example.org", "--fail-first", "1")
    way = opened(f"smtp+plain://{sink.address}")

    with pytest.raises(Trouble, match=r"550 .*nobody of that name") as refused:
        way.send(a_mail(), "nobody@example.org")
    assert refused.value.permanent
    with pytest.raises(Trouble, match=r"451 .*come back later") as later:
        way.send(a_mail(), TO)
    assert not later.value.permanent
    way.send(a_mail(), TO)
    assert sink.count() == 1


@pytest.mark.parametrize(
    "to", ["ann@example.org\r\nRCPT TO:<bob@example.org>", "ann", "a b@example.org", "é@x.org", ""]
)
@pytest.mark.parametrize("kind", ["smtp", "maildir"])
def test_what_is_not_an_address_is_refused_for_ever_before_anything_is_sent(kind: str, to: str, tmp_path: Path) -> None:
    way = transport("smtp://127.0.0.1:1" if kind == "smtp" else f"maildir://{tmp_path}", SENDER)
    with pytest.raises(Trouble, match="not an address") as refused:
        way.send(a_mail(), to)
    assert refused.value.permanent


def test_the_trouble_with_a_login_names_no_password(
    sinks: Callable[..., Sink], opened: Callable[[str], Transport]
) -> None:
    sink = sinks("--login", "post:open sesame/1")
    with pytest.raises(Trouble) as refused:
        opened(f"smtp://post:tell-nobody@{sink.address}").send(a_mail(), TO)
    assert not refused.value.permanent
    assert "login of post" in str(refused.value)
    assert "tell-nobody" not in str(refused.value)


def test_a_right_login_may_send(sinks: Callable[..., Sink], opened: Callable[[str], Transport]) -> None:
    sink = sinks("--login", "post:open sesame/1")
    opened(f"smtp+plain://post:open%20sesame%2F1@{sink.address}").send(a_mail(), TO)
    assert sink.count() == 1


@pytest.mark.parametrize(
    ("scheme", "options"),
    [("smtp", []), ("smtp+starttls", []), ("smtps", ["--implicit"])],
    ids=lambda value: str(value),
)
def test_a_certificate_must_be_trusted(
    scheme: str,
    options: list[str],
    certificate: Path,
    sinks: Callable[..., Sink],
    opened: Callable[[str], Transport],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink = sinks("--certificate", str(certificate), *options)
    way = opened(f"{scheme}://{sink.address}")

    with pytest.raises(Trouble, match="self-signed certificate") as refused:
        way.send(a_mail(), TO)
    assert not refused.value.permanent

    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    way.send(a_mail(), TO)
    assert sink.count() == 1


def test_starttls_that_is_required_and_not_offered_is_not_done_without(
    sinks: Callable[..., Sink], opened: Callable[[str], Transport]
) -> None:
    sink = sinks()
    with pytest.raises(Trouble, match="does not offer STARTTLS"):
        opened(f"smtp+starttls://{sink.address}").send(a_mail(), TO)
    assert sink.count() == 0


def test_a_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        way = Smtp("127.0.0.1", mute.getsockname()[1], SENDER, Security.NONE, seconds=0.2)
        with pytest.raises(Trouble, match="timed out") as trouble:
            way.send(a_mail(), TO)
    assert not trouble.value.permanent


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([b"250 ok", None], "did not answer within"),
        ([b"250 ok", b"421 I am closing"], "broke the connection off: I am closing"),
        ([b"550 not from you"], "answered 550 not from you"),
        ([b"250 ok", b"250 ok", b"354 go on", b"552 too large"], "answered 552 too large"),
    ],
)
def test_what_a_server_may_say_on_the_way(answers: list[bytes | None], said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_scripted, args=(listening, answers))
        thread.start()
        way = Smtp("127.0.0.1", listening.getsockname()[1], SENDER, Security.NONE, seconds=0.5)
        with pytest.raises(Trouble, match=said) as trouble:
            way.send(a_mail(text="short\n"), TO)
        way.close()
        thread.join(10)
    assert trouble.value.permanent == said.endswith("too large")


def _scripted(listening: socket.socket, answers: list[bytes | None]) -> None:
    """A server that greets, and then gives these answers; None is silence."""
    connection, _ = listening.accept()
    with connection, connection.makefile("rb") as lines:
        connection.sendall(b"220 hello\r\n")
        lines.readline()
        connection.sendall(b"250 hello\r\n")
        for answer in answers:
            line = lines.readline()
            if answer is None:
                break
            connection.sendall(answer + b"\r\n")
            if answer.startswith(b"354"):
                while line not in (b".\r\n", b""):
                    line = lines.readline()
                connection.sendall(answers[-1] + b"\r\n" if answers[-1] else b"")
                break
        while lines.readline():
            connection.sendall(b"250 ok\r\n")


def test_a_maildir_is_one_that_mail_programs_read(tmp_path: Path) -> None:
    way = transport(f"maildir://{tmp_path}/post%20box", SENDER)
    for number in range(3):
        way.send(a_mail(number), TO)
    way.send(a_mail(), "../a/b@example.org")
    way.close()

    folder = mailbox.Maildir(tmp_path / "post box" / TO, create=False)
    assert {mail["Message-ID"] for mail in folder} == {f"<turn.{number}@games.example.org>" for number in range(3)}
    assert sorted(path.name for path in (tmp_path / "post box").iterdir()) == ["..%2Fa%2Fb@example.org", TO]


def test_a_maildir_that_cannot_be_written_is_trouble_for_a_while(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Trouble, match="cannot be written") as trouble:
        transport(f"maildir://{tmp_path}/file", SENDER).send(a_mail(), TO)
    assert not trouble.value.permanent


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mail.example.org",
        "http://mail.example.org",
        "smtp://",
        "smtp://host:0",
        "smtp://host:99999",
        "smtp://user@host",
        "smtp://user:secret@host/path",
        "smtp://user:sec/ret@host",
        "smtp://[::1",
        "maildir://relative/path",
        "maildir://",
    ],
)
def test_a_url_that_names_no_transport_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(SettingsRefused) as refused:
        transport(url, SENDER)
    assert "sec" not in str(refused.value)


def test_the_sender_must_be_an_address() -> None:
    with pytest.raises(SettingsRefused, match="mail can come from"):
        transport("smtp://localhost", "Poste Restante")
