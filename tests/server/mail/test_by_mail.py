"""Games by mail: real processes, real SMTP and LMTP, and what happens when one of them dies."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
import requests
from sqlalchemy import func, select

from engine.record.audit import audit
from engine.record.entry import Play, read_line
from server.service.entry_batch import now
from server.service.server_context import ServerContext, enter
from server.settings import Settings
from server.storage.models import OUTBOX
from tests.client.players_and_proxy import Person, somebody
from tests.server.conftest import Databases
from tests.server.mail.mail_processes import (
    DOMAIN,
    PATIENCE,
    PostOffice,
    Room,
    body,
    free_port,
    post_office,
)
from tests.server.mail.mail_provider import Sink
from tests.server.server_process import ServerProcess, Visitor
from tests.server.test_clockwork import Seated, Watch, with_mail


@pytest.fixture
def rooms(backend: str, databases: Databases, tmp_path: Path) -> Iterator[PostOffice]:
    with post_office(tmp_path, databases(backend, tmp_path)) as office:
        yield office


def with_address(office: PostOffice, person: Person, address: str) -> None:
    """Take the double opt-in by answering the mail it sends."""
    person.does("mail", "address", address)
    asked = office.awaited(address, "Is this your mailbox?")
    code = re.search(r"confirm ([0-9a-f]+)", body(asked))
    assert code is not None
    office.post(asked["Reply-To"], f"confirm {code[1]}\n", sender=address)
    office.awaited(address, "confirmed")


def summary(office: PostOffice, table: str) -> dict[str, object]:
    answer = requests.get(f"{office.url}/v1/tables/{table}", timeout=10)
    assert answer.status_code == 200
    told: dict[str, object] = answer.json()
    return told


class ByCommand:
    """A seat that is played with ``poste play``."""

    def __init__(self, person: Person, table: str) -> None:
        self.person, self.table = person, table

    def turn(self) -> None:
        move = self.person.does("moves", self.table, "--json").json["moves"][0]["text"]
        self.person.does("play", self.table, *move.split(), "--yes")


class ByBlock(ByCommand):
    """A seat that is played with signed blocks in mails, from whatever address."""

    def __init__(self, person: Person, table: str, office: PostOffice) -> None:
        super().__init__(person, table)
        self.office = office

    def turn(self) -> None:
        move = self.person.does("moves", self.table, "--json").json["moves"][-1]["text"]
        block = self.person.does("play", self.table, *move.split(), "--yes", "--to", "-").out
        self.office.post(f"post@{DOMAIN}", f"Hello,\n\nmy move:\n\n{block}\n", sender="library@elsewhere.example")


class ByReply:
    """A seat that is played by replies in plain words to the mails that ask."""

    def __init__(self, address: str, office: PostOffice) -> None:
        self.address, self.office = address, office
        self.turns = 0

    def turn(self) -> None:
        self.turns += 1
        mail = self.office.awaited(self.address, "Your turn", self.turns)
        example = re.search(r"^ +(play .+)$", body(mail), re.MULTILINE)
        assert example is not None
        quoted = "".join(f"> {line}\n" for line in body(mail).splitlines())
        self.office.post(mail["Reply-To"], f"{example[1]}\n\nOn Monday, the post office wrote:\n{quoted}")


def test_a_whole_game_by_command_by_block_and_by_reply(rooms: PostOffice, tmp_path: Path) -> None:
    ann, bob, cy = (somebody(tmp_path / "homes", rooms.url, name) for name in ("ann", "bob", "cy"))
    with_address(rooms, cy, "cy@example.org")
    cy.does("mail", "enable", "--yes")
    table = ann.does("new", "paris-paris", "--seats", "3", "--clock", "3d", "--json").json["table"]
    for person in (bob, cy):
        person.does("join", table)
    seats: list[ByCommand | ByReply] = [
        ByCommand(ann, table),
        ByBlock(bob, table, rooms),
        ByReply("cy@example.org", rooms),
    ]
    while (told := summary(rooms, table))["phase"] == "playing":
        waiting: list[dict[str, int]] = told["waiting"]  # type: ignore[assignment]
        seats[waiting[0]["seat"]].turn()
        end = time.monotonic() + PATIENCE
        while summary(rooms, table)["head"] == told["head"]:
            assert time.monotonic() < end, f"the move of seat {waiting[0]['seat']} was not taken"
            time.sleep(0.02)
    over = _told_of_the_end(rooms, "cy@example.org")
    record = tmp_path / "game.poste"
    ann.does("export", table, "-o", str(record))
    assert audit(record.read_bytes()).valid
    entries = [read_line(line).entry for line in record.read_bytes().splitlines()]
    by = {entry.seat: set() for entry in entries if isinstance(entry, Play)}  # type: dict[int, set[str | None]]
    for entry in entries:
        if isinstance(entry, Play):
            by[entry.seat].add(entry.by)
    assert by == {0: {None}, 1: {None}, 2: {"mail"}}
    assert "by mail" in cy.does("log", table).out
    assert "by mail" in ann.does("audit", str(record)).out + ann.does("audit", str(record)).err
    ids = [mail["Message-ID"] for mail in rooms.sink.mails()]
    assert len(ids) == len(set(ids))
    assert over["List-Id"].endswith(f"<{table}.{DOMAIN}>")
    assert rooms.house.tool("check").returncode == 0


def _told_of_the_end(office: PostOffice, address: str) -> EmailMessage:
    end = time.monotonic() + PATIENCE
    while not (found := [mail for mail in office.mails(address) if "poste audit game.poste" in body(mail)]):
        assert time.monotonic() < end, "nobody told of the end"
        time.sleep(0.05)
    return found[0]


class Table:
    """Two players by mail at a table, for everything that is not a whole game."""

    def __init__(self, office: PostOffice, folder: Path, *new: str) -> None:
        self.office = office
        self.ann, self.bob = (somebody(folder / "homes", office.url, name) for name in ("ann", "bob"))
        self.address = f"{self.ann.name}@example.org"
        with_address(office, self.ann, self.address)
        self.ann.does("mail", "enable", "--yes")
        self.id = self.ann.does("new", "paris-paris", *new, "--json").json["table"]
        self.bob.does("join", self.id)
        self.asked = office.awaited(self.address, "Your turn")
        found = re.search(r"^ +(play .+)$", body(self.asked), re.MULTILINE)
        assert found is not None
        self.play = found[1]

    def replied(self, text: str, number: int, **headers: str) -> str:
        """What is answered to this reply."""
        self.office.post(self.asked["Reply-To"], text, **headers)
        end = time.monotonic() + PATIENCE
        while len(answers := self.answers()) < number:
            assert time.monotonic() < end, f"there is no answer {number}"
            time.sleep(0.05)
        return body(answers[number - 1])

    def answers(self) -> list[EmailMessage]:
        mails = self.office.mails(self.address)
        replies = [mail for mail in mails if mail["Auto-Submitted"] == "auto-replied"]
        return [mail for mail in replies if "confirmed" not in mail["Subject"]]

    def moves(self) -> int:
        return sum(b'"kind":"move"' in line for line in Visitor(self.office.url).log(self.id))


def test_every_mail_gets_one_answer_that_says_what_was_done(rooms: PostOffice, tmp_path: Path) -> None:
    table = Table(rooms, tmp_path)
    assert "Paris Paris, round 1" in table.replied("show", 1)
    assert "take " in table.replied("moves", 2)
    assert "confirm" not in table.replied("Help!", 3)
    assert "Not done: play take nowhere" in table.replied("play take nowhere", 4)
    assert table.moves() == 0
    assert "Played" in table.replied(table.play, 5)
    assert table.moves() == 1
    assert "Played" in table.replied(table.play, 6), "the same move is the same answer"
    assert "answered before" in table.replied("play take nowhere", 7), "a reply address is for one decision"
    assert table.moves() == 1
    assert "no command" in table.replied("Thank you, that was a nice move!", 8)


def test_automatic_mail_and_strangers_get_no_answer(rooms: PostOffice, tmp_path: Path) -> None:
    table = Table(rooms, tmp_path)
    to = table.asked["Reply-To"]
    rooms.post(to, table.play, Auto_Submitted="auto-replied")
    rooms.post(to, table.play, Precedence="bulk")
    rooms.post(to, table.play, sender=f"MAILER-DAEMON@{DOMAIN}")
    with pytest.raises(Exception, match="550"):
        rooms.post(f"post+{'a' * 32}@{DOMAIN}", table.play, sender=table.address)
    rooms.post(f"post@{DOMAIN}", table.play, sender=table.address)
    assert "It is your turn" in table.replied("show", 1, sender="whoever@elsewhere.example")
    assert table.moves() == 0
    assert len(table.answers()) == 1


def test_stop_by_mail_and_by_one_click(rooms: PostOffice, tmp_path: Path) -> None:
    table = Table(rooms, tmp_path)
    link = re.search(r"<mailto:([^>]+)>", table.asked["List-Unsubscribe"])
    assert link is not None
    rooms.post(link[1], "", subject="unsubscribe")
    assert table.ann.does("mail", "--json").json["when"] == "off"
    table.ann.does("mail", "when", "turns")
    handle = link[1].partition("+stop-")[2].partition("@")[0]
    page = f"{rooms.url}/v1/mail/{handle}/stop"
    assert requests.get(page, timeout=10).status_code == 200
    assert table.ann.does("mail", "--json").json["when"] == "turns", "looking at the page stops nothing"
    assert requests.post(page, data={"List-Unsubscribe": "One-Click"}, timeout=10).status_code == 200
    assert table.ann.does("mail", "--json").json["when"] == "off"


def test_without_or_after_a_delegation_plain_words_do_not_play(rooms: PostOffice, tmp_path: Path) -> None:
    table = Table(rooms, tmp_path)
    table.ann.does("mail", "disable")
    assert "poste mail enable" in table.replied(table.play, 1)
    assert table.moves() == 0
    table.ann.does("mail", "enable", "--yes")
    assert "Played" in table.replied(table.play, 2)
    table.ann.does("log", table.id)


def test_the_mail_goes_although_the_server_dies_after_the_commit(
    backend: str, databases: Databases, tmp_path: Path
) -> None:
    database = databases(backend, tmp_path)
    with Sink(tmp_path / "provider") as sink:
        environment = {
            "POSTE_MAIL": f"smtp+plain://{sink.address}",
            "POSTE_MAIL_FROM": f"post@{DOMAIN}",
            "POSTE_WORKER": "0",
        }
        house = ServerProcess(tmp_path / "data", database, **environment)
        office = enter(Settings(data=tmp_path / "data", db=database, mail="maildir:///nowhere"))
        try:
            table = Seated(office, Watch(), None)
            with_mail(table, 1)
            answer = requests.post(f"{house.url}/v1/tables/{table.id}/moves", json=_wire(table), timeout=10)
            assert answer.status_code == 201
            house.kill()
            worker = Room("worker", house.environment).ready()
            while "Your turn" not in [m["Subject"].partition("] ")[2][:9] for m in sink.wait_for(1, PATIENCE)]:
                time.sleep(0.05)
            assert worker.stop() == 0
        finally:
            office.close()


def _wire(table: Seated) -> dict[str, object]:
    move = table.move()
    return {"seat": move.seat, "base": move.base, "move": move.move, "signature": move.signature}


def test_workers_that_are_killed_lose_no_mail_and_send_none_under_two_names(
    backend: str, databases: Databases, tmp_path: Path
) -> None:
    database, luck = databases(backend, tmp_path), random.Random(7)  # noqa: S311 - when to strike
    with Sink(tmp_path / "provider") as sink:
        settings = Settings(
            data=tmp_path / "data", db=database, mail=f"smtp+plain://{sink.address}", mail_from=f"post@{DOMAIN}"
        )
        office = enter(settings, now)
        try:
            for _ in range(40):
                table = Seated(office, Watch(), None)
                for seat in range(2):
                    with_mail(table, seat, f"p{seat}-{table.id}@example.org")
            environment = {
                "POSTE_DATA": str(tmp_path / "data"),
                "POSTE_DB": database,
                "POSTE_MAIL": settings.mail,
                "POSTE_MAIL_FROM": settings.mail_from,
                "POSTE_MAIL_LEASE": "1",
            }
            end = time.monotonic() + 90
            while waiting := _queued(office):
                assert time.monotonic() < end, f"{waiting} mails still wait"
                pair = [Room("worker", environment).ready() for _ in range(2)]
                time.sleep(luck.uniform(0.02, 0.4))
                for worker in pair:
                    worker.kill()
            with office.storage.reading() as connection:
                rows = connection.execute(select(OUTBOX.c.message_id, OUTBOX.c.kind)).all()
            wanted = {f"<{row.message_id}@{DOMAIN}>" for row in rows if row.kind == "turn"}
            mails = sink.mails()
            came = [mail for mail in mails if "Your turn" in mail["Subject"]]
            assert {mail["Message-ID"] for mail in came} == wanted
            assert len({(mail["To"], mail["Subject"]) for mail in came}) == len(wanted)
        finally:
            office.close()


def _queued(office: ServerContext) -> int:
    with office.storage.reading() as connection:
        return connection.scalar(select(func.count()).where(OUTBOX.c.state == "queued")) or 0


def test_mail_settings_that_cannot_work_stop_the_server_with_a_sentence(tmp_path: Path) -> None:
    for environment, why in (
        ({"POSTE_MAIL": "smtp://127.0.0.1"}, "POSTE_MAIL_FROM"),
        ({"POSTE_MAIL": "pigeon://loft", "POSTE_MAIL_FROM": "post@example.org"}, "maildir:///path"),
        ({"POSTE_MAIL_LISTEN": "lmtp:8424", "POSTE_MAIL_FROM": "post@example.org"}, "POSTE_MAIL_LISTEN"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "server", "run", "--port", "0", "--data", str(tmp_path)],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 1
        assert why in done.stderr
        assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    port = free_port()
    environment = {
        "POSTE_MAIL": f"maildir://{tmp_path / 'sent'}",
        "POSTE_MAIL_FROM": "post@example.org",
        "POSTE_MAIL_LISTEN": f"smtp://127.0.0.1:{port}",
    }
    enter(Settings(data=tmp_path)).close()
    first = Room("mail", {**environment, "POSTE_DATA": str(tmp_path)}).ready()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "server", "mail", "--data", str(tmp_path)],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 1
        assert str(port) in done.stderr
    finally:
        assert first.stop() == 0
