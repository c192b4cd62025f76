"""poste key rotate: the new key plays on, the former one is nobody's, and a change that one did not make shows."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from client.connection.http_api import Api
from client.trust.player_home import Home
from engine.keys import SigningKey
from engine.record.entry import succeed_message
from tests.client.players_and_proxy import Person, Proxy, somebody
from tests.server.server_process import Visitor

NewPerson = Callable[[str], Person]


def at_a_table(new_person: NewPerson) -> tuple[str, Person, Person]:
    ann, bob = new_person("ann"), new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    return table, ann, bob


def thief_of(person: Person) -> Visitor:
    """Somebody who has copied a person's key."""
    desk = person.desk
    thief = Visitor(desk.server(), desk.name())
    thief.key = desk.key
    return thief


def test_the_new_key_plays_on_and_the_former_one_does_nothing(new_person: NewPerson) -> None:
    table, ann, bob = at_a_table(new_person)
    thief = thief_of(ann)
    before = ann.does("whoami", "--json").json["key"]
    told = ann.does("key", "rotate", "--yes", "--json").json
    assert (told["former"], told["tables"], told["missing"]) == (before, [table], [])
    assert ann.does("whoami", "--json").json["key"] == told["key"] != before
    assert (
        "did not sign this resignation"
        in thief.ask("POST", f"/tables/{table}/resignations", thief.resignation(table, 0)).text
    )
    ann.does("play", ann.does("moves").out.splitlines()[0], "--yes")
    assert f"{ann.name} goes on under another key, {told['key'][:8]}." in bob.does("log").out
    ann.does("key", "rotate", "--yes")
    assert f"{ann.name} has won: you resigned." in bob.does("resign", "--yes").err
    assert ann.does("audit", table).out


def test_a_change_that_the_server_has_never_heard_of_is_seen_through(new_person: NewPerson) -> None:
    """The machine goes off after the key is on the disk, before anything was sent."""
    table, ann, _ = at_a_table(new_person)
    home = Home(ann.home)
    begun = home.next_key(home.identity(), "")
    assert "poste key rotate" in ann.does("show").err
    ann.does("play", ann.does("moves").out.splitlines()[0], "--yes")
    told = ann.does("key", "rotate", "--json").json
    assert (told["key"], told["tables"]) == (begun.succession.to, [table])


def test_a_change_whose_answer_was_never_heard_is_seen_through(new_person: NewPerson) -> None:
    """The server has taken it and the machine goes off."""
    table, ann, _ = at_a_table(new_person)
    home, desk = Home(ann.home), ann.desk
    begun = home.next_key(home.identity(), "")
    said = begun.succession
    desk.api().change_key(desk.name(), {"to": said.to, "signature": said.signature, "consent": said.consent})
    refused = ann.run("play", "take", "--yes")
    assert refused.code == 1
    assert "poste key rotate" in refused.err
    told = ann.does("key", "rotate", "--json").json
    assert (told["key"], told["tables"]) == (said.to, [table])
    ann.does("play", ann.does("moves").out.splitlines()[0], "--yes")


def test_nothing_is_changed_unless_it_is_wished_and_no_key_is_lost(new_person: NewPerson) -> None:
    ann = new_person("ann")
    key = Home(ann.home).key_path(Home(ann.home).identity())
    assert ann.run("key", "rotate").code == 1
    assert Home(ann.home).identity().next is None
    ann.does("key", "rotate", "--yes")
    assert key.exists(), "what was signed with it can still be shown to be one's own"


def test_a_change_of_key_that_somebody_else_made_with_a_stolen_key_is_told(new_person: NewPerson) -> None:
    table, ann, _ = at_a_table(new_person)
    thief_of(ann).rotate()
    caught = ann.run("show", table)
    assert caught.code == 4
    assert "own/unsigned" in caught.err


def test_a_server_that_lets_the_former_key_go_on_is_caught(new_person: NewPerson, proxy: Proxy, tmp_path: Path) -> None:
    """It leaves the change of key off the record, and takes a move of whoever has the former key."""
    ann = somebody(tmp_path, proxy.url, "ann")
    bob = new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    ann.does("show")
    thief = thief_of(ann)
    thief.url = proxy.url
    home = Home(ann.home)
    home.change_key(home.identity(), home.next_key(home.identity(), ""))
    thief.move(table)
    caught = ann.run("show", table)
    assert caught.code == 4
    assert "own/unsigned" in caught.err


def test_others_see_a_change_of_key_as_the_log_has_it(new_person: NewPerson) -> None:
    table, ann, bob = at_a_table(new_person)
    new = SigningKey(secrets.token_bytes(32))
    desk = ann.desk
    message = succeed_message(desk.key.public, new.public)
    Api(desk.server(), desk.key).change_key(
        desk.name(), {"to": new.public, "signature": desk.key.sign(message), "consent": new.sign(message)}
    )
    assert "goes on under another key" in bob.does("log", table).out
