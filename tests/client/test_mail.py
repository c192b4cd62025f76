"""``poste mail`` at a real server, and at one that cannot be trusted with it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from client.connection.http_api import Problem
from client.trust.gateway_delegations import allow, take_back
from client.trust.table_memory import Delegated, Revoked
from engine.keys import SigningKey
from tests.client.players_and_proxy import Person, Proxy, Twist, a_proxy, somebody
from tests.server.server_process import ServerProcess

OTHER_KEY = SigningKey(b"x" * 32)


@pytest.fixture(scope="module")
def mail_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that has mail."""
    folder = tmp_path_factory.mktemp("mail")
    house = ServerProcess(
        folder,
        f"sqlite:///{folder / 'poste.db'}",
        POSTE_RATE="0",
        POSTE_MAIL=f"maildir://{folder / 'sent'}",
        POSTE_MAIL_FROM="office@example.org",
    )
    yield house
    assert house.stop() == 0


@pytest.fixture
def ann(mail_house: ServerProcess, tmp_path: Path) -> Person:
    return somebody(tmp_path, mail_house.url, "ann")


def code_for(house: ServerProcess, person: Person) -> str:
    """The code that was sent to a new address."""
    database = sqlite3.connect(house.data / "poste.db")
    try:
        found = database.execute(
            "SELECT code FROM mailboxes JOIN players ON players.id = mailboxes.player WHERE name = ?", [person.name]
        ).fetchone()
    finally:
        database.close()
    return str(found[0])


def test_an_address_is_confirmed_and_mail_comes_as_one_likes(mail_house: ServerProcess, ann: Person) -> None:
    for early in (["when", "daily"], ["confirm", "0000"]):
        refused = ann.run("mail", *early)
        assert (refused.code, "no address yet" in refused.err, "poste mail address" in refused.err) == (1, True, True)
    assert "given no address" in ann.does("mail").out
    asked = ann.does("mail", "address", "ann@example.org")
    assert "A code is on its way to ann@example.org" in asked.out
    assert "poste mail confirm" in asked.out
    assert "ann@example.org waits for its code" in ann.does("mail").out
    wrong = ann.run("mail", "confirm", "0000")
    assert (wrong.code, "mail/code" in wrong.err) == (1, True)
    told = ann.does("mail", "confirm", code_for(mail_house, ann), "--json").json
    assert (told["address"], told["confirmed"]) == ("ann@example.org", True)
    assert "daily mail" in ann.does("mail", "when", "daily").out
    assert "You want no mail, so ann@example.org gets none" in ann.does("mail", "when", "off").out
    ann.does("mail", "when", "turns")
    assert "without your hand" in ann.does("mail", "private", "off").out
    assert ann.does("mail", "--json").json["private"] is False
    nowhere = ann.run("mail", "address", "nowhere")
    assert (nowhere.code, "mail/address" in nowhere.err) == (1, True)
    assert ann.run("mail", "when", "always").code == 2
    moved = ann.does("mail", "address", "new@example.org")
    assert "ann@example.org gets no mail any more" in moved.err
    assert "until it is confirmed you get no mail" in moved.out


def test_playing_by_mail_is_allowed_and_taken_back(ann: Person) -> None:
    silent = ann.run("mail", "enable")
    assert (silent.code, "--yes" in silent.err) == (1, True)
    said = " ".join(silent.err.split())
    assert "whoever can READ your mail, or learns a reply address, or runs that server, can play for you" in said
    assert "your address" not in said, "where a mail comes from proves nothing"
    assert not ann.desk.delegations.own(), "nothing was signed"
    assert "by mail at all your tables" in ann.does("mail", "enable", "--yes").out
    table = ann.does("new", "paris-paris", "--json").json["table"]
    told = ann.does("mail", "enable", "--yes", "--for", "2w", "--table", table[:8], "--json").json
    assert told["delegation"]["tables"] == [table]
    assert f"by mail at {table[:8]}" in ann.does("mail").out
    assert "Nobody can play for you" in ann.does("mail", "disable").out
    assert ann.does("mail", "--json").json["delegation"] is None
    kinds = [type(each) for each in ann.desk.delegations.own()]
    assert kinds == [Delegated, Revoked, Revoked, Delegated, Revoked, Revoked], "less than before is a revocation"


def test_one_machine_revokes_and_another_enables_minutes_later(ann: Person, tmp_path: Path) -> None:
    elsewhere = Person(tmp_path / "elsewhere", ann.name)
    shutil.copytree(ann.home, elsewhere.home)
    ann.does("mail", "enable", "--yes")
    revoked = ann.does("mail", "disable", "--json").json["revoked"]
    told = elsewhere.does("mail", "enable", "--yes", "--json").json
    assert told["delegation"]["begins"] > revoked
    assert "on another machine" in ann.does("mail").out
    ann.does("mail", "disable")
    assert elsewhere.does("mail", "--json").json["delegation"] is None


def test_what_was_signed_under_a_wrong_clock_does_not_stand_in_the_way(
    ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server takes none of it; when the clock is right again, mail can be allowed and forbidden as ever."""

    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Tomorrow:
            return cls.fromtimestamp(datetime.now(tz).timestamp() + 86_400, tz)

    desk = ann.desk
    with monkeypatch.context() as wrong:
        wrong.setattr("client.trust.gateway_delegations.datetime", Tomorrow)
        with pytest.raises(Problem, match="set the clock of your machine right"):
            take_back(desk.api(), desk.key, desk.delegations)
        with pytest.raises(Problem, match="set the clock of your machine right"):
            allow(desk.api(), desk.key, desk.delegations, desk.gateway(), timedelta(days=9), None)
    assert len(desk.delegations.own()) == 2
    assert "by mail at all your tables" in ann.does("mail", "enable", "--yes").out
    done = ann.does("mail", "disable")
    assert "Nobody can play for you" in done.out
    assert "can be taken back only then" in done.err
    assert "by mail at all your tables" in ann.does("mail", "enable", "--yes").out


def test_whoever_takes_it_back_has_every_log_looked_at(ann: Person, mail_house: ServerProcess, tmp_path: Path) -> None:
    bob = somebody(tmp_path, mail_house.url, "bob")
    table = ann.does("new", "paris-paris", "--seats", "2", "--json").json["table"]
    bob.does("join", table)
    ann.does("mail", "enable", "--yes")
    ann.does("mail", "disable")
    synced, (*_, heard) = ann.desk.memory(table).synced, ann.desk.delegations.own()
    assert isinstance(heard, Revoked)
    assert heard.answered is not None
    assert synced is not None
    assert synced > heard.answered


def test_the_identity_may_be_said_before_or_after(ann: Person, mail_house: ServerProcess) -> None:
    ann.does("init", "bob")
    name = f"bob-{ann.name}"
    ann.does("register", mail_house.url, name, "--as", "bob")
    ann.does("mail", "--as", "bob", "address", "bob@example.org")
    ann.does("mail", "--as", "bob", "when", "daily")
    ann.does("mail", "--as", "bob", "--json", "private", "off")
    told = ann.does("mail", "--json", "--as", "bob").json
    assert (told["when"], told["private"]) == ("daily", False)
    assert ann.does("mail", "--json").json["when"] == "turns"


@pytest.mark.parametrize("verb", ["address", "confirm", "when", "private", "enable", "disable"])
def test_every_word_of_it_explains_itself(ann: Person, verb: str) -> None:
    told = ann.does("mail", verb, "--help").out
    assert f"poste mail {verb}" in told
    assert "--json" in told
    assert verb in ann.does("mail", "--help").out


def test_a_server_without_mail(server: ServerProcess, tmp_path: Path) -> None:
    ann = somebody(tmp_path, server.url, "ann")
    for command in (["address", "ann@example.org"], ["when", "daily"], ["confirm", "0000"], ["enable", "--yes"]):
        done = ann.run("mail", *command)
        assert (done.code, "mail/none" in done.err) == (1, True)
    assert ann.does("mail").out == "This server sends no mail.\n"
    assert ann.does("mail", "--json").json["address"] is None
    assert not ann.desk.delegations.own()


@pytest.fixture
def proxied(mail_house: ServerProcess, tmp_path: Path) -> Iterator[tuple[Proxy, Person]]:
    with a_proxy(mail_house) as proxy:
        yield proxy, somebody(tmp_path, proxy.url, "victim")


def changed(ending: str, **members: object) -> Twist:
    """Answers to what ends so, with other members."""

    def twist(path: str, body: bytes) -> bytes:
        if not urlsplit(path).path.endswith(ending):
            return body
        return json.dumps(json.loads(body) | members).encode()

    return twist


def test_a_gateway_with_another_key_than_before_is_given_nothing(proxied: tuple[Proxy, Person]) -> None:
    proxy, victim = proxied
    victim.does("mail", "enable", "--yes")
    proxy.twist = changed("/v1", gateway=OTHER_KEY.public)
    done = victim.run("mail", "enable", "--yes")
    assert (done.code, "server/gateway" in done.err) == (4, True)
    proxy.twist = changed("/v1", key=OTHER_KEY.public)
    done = victim.run("mail", "enable", "--yes")
    assert (done.code, "server/key" in done.err) == (4, True)
    assert len(victim.desk.delegations.own()) == 1, "nothing was signed for a stranger"


def test_a_delegation_that_was_never_signed_or_does_not_go_away(proxied: tuple[Proxy, Person]) -> None:
    proxy, victim = proxied
    kept = victim.does("mail", "enable", "--yes", "--json").json["delegation"]
    proxy.twist = changed("/mailbox", delegation=kept | {"to": OTHER_KEY.public})
    done = victim.run("mail")
    assert (done.code, done.out, "signature/forged" in done.err) == (4, "", True)
    proxy.twist = changed("/revocation", delegation=kept)
    done = victim.run("mail", "disable")
    assert (done.code, "own/revoked" in done.err) == (4, True)
