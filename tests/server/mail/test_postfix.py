"""An office behind a real mail server, set up as we tell operators to; players whose mail lies at a real provider."""

from __future__ import annotations

import smtplib
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path

import pytest

from engine.record.entry import Play, Resign, read_line
from tests.client.players_and_proxy import somebody
from tests.server.mail.mail_processes import DOMAIN, PATIENCE, PostOffice, Room, body, free_port
from tests.server.mail.postfix import SNIPPETS, Postfix, postfix
from tests.server.mail.test_by_mail import ByCommand, ByReply, summary, with_address

CY = "cy@example.org"
OFFICE = f"post@{DOMAIN}"
NOBODY = f"post+{'a' * 32}@{DOMAIN}"
TURNS = 3


class BehindPostfix(PostOffice):
    """A post office whose mail goes and comes through Postfix; players fetch theirs by IMAP, and its sink gets none."""

    def __init__(self, folder: Path, relay: Postfix, port: int) -> None:
        self.relay, self.database = relay, folder / "poste.db"
        super().__init__(
            folder,
            f"sqlite:///{self.database}",
            POSTE_MAIL=f"smtp://127.0.0.1:{relay.port}",
            POSTE_MAIL_LISTEN=f"lmtp://127.0.0.1:{port}",
            SSL_CERT_FILE=str(relay.provider.certificate),
        )

    def mails(self, to: str, subject: str = "") -> list[EmailMessage]:
        return [mail for mail in self.relay.provider.read(to) if subject in mail["Subject"]]

    def awaited(self, to: str, subject: str, number: int = 1) -> EmailMessage:
        try:
            return super().awaited(to, subject, number)
        except AssertionError as why:
            raise AssertionError(f"{why}\n{self.relay.log()}") from None

    def post(self, to: str, text: str, *, sender: str = CY, **headers: str) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, to, headers.pop("subject", "Re: your turn")
        mail["Message-ID"] = make_msgid(domain="example.org")
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        self.relay.put(mail.as_bytes(), sender, to)

    def letters(self) -> int:
        """How many mails it has ever had to send."""
        with closing(sqlite3.connect(self.database)) as connection:
            return int(connection.execute("SELECT count(*) FROM outbox").fetchone()[0])


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BehindPostfix]:
    port = free_port()
    with postfix(port) as relay:
        office = BehindPostfix(tmp_path_factory.mktemp("office"), relay, port)
        try:
            yield office
        finally:
            office.close()


def test_a_game_between_a_mailbox_and_a_terminal(office: BehindPostfix, tmp_path: Path) -> None:
    ann, cy = (somebody(tmp_path / "homes", office.url, name) for name in ("ann", "cy"))
    with_address(office, cy, CY)
    cy.does("mail", "enable", "--yes")
    table = ann.does("new", "paris-paris", "--clock", "3d", "--json").json["table"]
    cy.does("join", table)
    by_command, by_mail = ByCommand(ann, table), ByReply(CY, office)
    while by_mail.turns < TURNS or asked(office, table) == 0:
        one_move(office, table, by_command, by_mail)
    last = office.awaited(CY, "Your turn", TURNS + 1)
    office.post(last["Reply-To"], "resign")
    office.awaited(CY, "You have resigned")
    office.awaited(CY, "The table was abandoned")

    assert "(Postfix) with ESMTPS " in route(last), "smtp:// takes TLS where it is offered"
    record = tmp_path / "game.poste"
    ann.does("export", table, "-o", str(record))
    assert "by mail" in ann.does("audit", str(record)).out
    entries = [read_line(line).entry for line in record.read_bytes().splitlines()]
    moves = Counter((entry.seat, entry.by) for entry in entries if isinstance(entry, Play))
    assert moves.keys() == {(0, None), (1, "mail")}
    assert min(moves.values()) >= TURNS
    assert [(entry.seat, entry.by) for entry in entries if isinstance(entry, Resign)] == [(1, "mail")]


def asked(office: PostOffice, table: str) -> int:
    """The seat that is to move."""
    waiting: list[dict[str, int]] = summary(office, table)["waiting"]  # type: ignore[assignment]
    return waiting[0]["seat"]


def one_move(office: PostOffice, table: str, *seats: ByCommand | ByReply) -> None:
    """Let the seat that is asked answer, and wait until that is in the log."""
    head, seat = summary(office, table)["head"], asked(office, table)
    seats[seat].turn()
    eventually(lambda: summary(office, table)["head"] != head, f"the move of seat {seat} was not taken")


def eventually(true: Callable[[], bool], otherwise: str) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.02)


def route(mail: EmailMessage) -> str:
    """Through whose hands a mail has come."""
    return " ".join(" ".join(mail.get_all("Received", [])).split())


def test_mail_for_nobody_is_refused_or_comes_back_and_goes_round_no_more(office: BehindPostfix) -> None:
    eve, relay, letters = "eve@example.org", office.relay, office.letters()

    def fates() -> dict[str, list[str]]:
        return {address: relay.fates(address) for address in (NOBODY, OFFICE)}

    with pytest.raises(smtplib.SMTPRecipientsRefused, match="550"):
        office.post(f"info@{DOMAIN}", "show", sender=eve)
    office.post(NOBODY, "show", sender=eve)
    # Forged: it comes back to the office itself.
    office.post(NOBODY, "show", sender=OFFICE)
    expected = {NOBODY: ["bounced", "bounced"], OFFICE: ["sent"]}
    eventually(lambda: fates() == expected and not relay.waiting(), relay.log())

    (bounce,) = office.mails(eve)
    assert "Nobody here has this address" in body(bounce)
    assert office.letters() == letters, "the office has answered"
    assert fates() == expected


def test_a_relay_on_this_machine_is_spoken_to_plainly_if_told_to(office: BehindPostfix, tmp_path: Path) -> None:
    assert office.worker.stop() == 0
    plain = {"POSTE_MAIL": f"smtp+plain://127.0.0.1:{office.relay.port}"}
    office.worker = Room("worker", {**office.environment, **plain}).ready()
    somebody(tmp_path, office.url, "dan").does("mail", "address", "dan@example.org")

    assert "(Postfix) with ESMTP " in route(office.awaited("dan@example.org", "Is this your mailbox?"))


@pytest.mark.parametrize("path", sorted(SNIPPETS.iterdir()), ids=lambda path: path.name)
def test_the_document_has_the_lines_for_operators(path: Path) -> None:
    document = (SNIPPETS.parents[1] / "docs" / "mail.md").read_text(encoding="utf-8").splitlines()
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if f"    {line}" not in document] == []
