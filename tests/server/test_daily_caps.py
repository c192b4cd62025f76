"""What a day is enough for: registrations, questions to strangers, invitations; counted for all processes together."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests
from sqlalchemy import create_engine, func, select

from engine.keys import SigningKey
from server.problems import RequestRefused
from server.service import mailboxes, players, table_actions, table_summaries
from server.service.server_context import ServerContext
from server.settings import Settings
from server.storage.models import DAILY_COUNTS, MAILBOXES, OUTBOX
from tests.server.conftest import Houses
from tests.server.server_process import ServerProcess, Visitor, refused
from tests.server.test_clockwork import DAY, Watch, mail_context, watch
from tests.server.test_mailboxes import confirmed, somebody

__all__ = ["mail_context", "watch"]  # the fixtures

MAIL = {"POSTE_MAIL_FROM": "post@example.org", "POSTE_WORKER": "0", "POSTE_PROXIES": "1", "POSTE_RATE": "0"}
HOME, NEXT_DOOR, ELSEWHERE = "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"


def came_from(url: str, address: str) -> Visitor:
    visitor = Visitor(url)
    visitor.session.headers["X-Forwarded-For"] = address
    return visitor


def registers(visitor: Visitor) -> requests.Response:
    return visitor.ask("POST", "/players", {"name": visitor.name}, signed=True)


def names_address(visitor: Visitor, address: str) -> requests.Response:
    return visitor.ask("PUT", "/mailbox", {"address": address}, signed=True)


def mails(house: ServerProcess, kind: str) -> int:
    engine = create_engine(Settings(db=house.environment["POSTE_DB"]).database)
    with engine.connect() as connection:
        count = connection.scalar(select(func.count()).where(OUTBOX.c.kind == kind))
    engine.dispose()
    return count or 0


def test_a_network_registers_so_many_players_a_day_whatever_address_of_it_they_use(new_house: Houses) -> None:
    house = new_house(POSTE_PROXIES="1", POSTE_REGISTRATIONS="3")
    crowd = [came_from(house.url, address) for address in (HOME, NEXT_DOOR, HOME, NEXT_DOOR)]
    assert [registers(one).status_code for one in crowd[:3]] == [201] * 3
    answer = registers(crowd[3])
    refused(answer, 429, "limit/players")
    assert 0 < int(answer.headers["Retry-After"]) <= 86401
    assert registers(crowd[0]).status_code == 200, "the same again is no registration"
    refused(registers(crowd[3]), 429, "limit/players")
    assert house.stop() == 0
    house.start()
    late = came_from(house.url, HOME)
    refused(registers(late), 429, "limit/players")
    assert late.ask("GET", f"/players/{late.name}").status_code == 404
    assert registers(came_from(house.url, ELSEWHERE)).status_code == 201
    assert [registers(came_from(house.url, "::ffff:192.0.2.7")).status_code for _ in range(3)] == [201] * 3
    refused(registers(came_from(house.url, "192.0.2.7")), 429, "limit/players")


def test_a_network_has_so_many_strangers_asked_a_day_whoever_asks(new_house: Houses, tmp_path: Path) -> None:
    house = new_house(**MAIL, POSTE_MAIL=f"maildir://{tmp_path}", POSTE_CONFIRMATIONS="4")
    crowd = [came_from(house.url, HOME).register() for _ in range(3)]
    for number in range(4):
        assert names_address(crowd[number % 3], f"stranger{number}@example.org").status_code == 200
    answer = names_address(crowd[2], "one.more@example.org")
    refused(answer, 429, "limit/mail")
    assert int(answer.headers["Retry-After"]) > 0
    assert crowd[2].get("/mailbox", signed=True)["address"] == "stranger2@example.org", "nothing has changed"
    assert mails(house, "confirmation") == 4
    assert names_address(came_from(house.url, ELSEWHERE).register(), "one.more@example.org").status_code == 200


def test_invitations_do_not_flood_the_one_who_is_invited(new_house: Houses, tmp_path: Path) -> None:
    house = new_house(**MAIL, POSTE_MAIL=f"maildir://{tmp_path}", POSTE_INVITATIONS="6", POSTE_INVITED="8")
    victim = came_from(house.url, HOME).register()
    assert names_address(victim, "victim@example.org").status_code == 200
    engine = create_engine(Settings(db=house.environment["POSTE_DB"]).database)
    with engine.connect() as connection:
        code = connection.scalar(select(MAILBOXES.c.code))
    engine.dispose()
    assert victim.ask("POST", "/mailbox/confirmation", {"code": code}, signed=True).status_code == 200
    crowd = [came_from(house.url, ELSEWHERE).register() for _ in range(3)]
    opened = [one.open(invite=[victim.name]) for one in crowd[:1] for _ in range(10)]
    assert mails(house, "invitation") == 6, "so many of one player"
    opened += [one.open(invite=[victim.name]) for one in crowd[1:] for _ in range(10)]
    assert mails(house, "invitation") == 8, "so many to one player"
    found = victim.get("/tables", list="open", limit=100, signed=True)["tables"]
    assert {one["table"] for one in found} == set(opened), "every table is open, and the invited find it"
    assert opened[-1] not in {one["table"] for one in crowd[0].get("/tables", list="open", signed=True)["tables"]}


def invite(context: ServerContext, opener: SigningKey, *guests: str) -> str:
    return table_actions.open_table(context, opener.public, "paris-paris", 4, {}, list(guests), None)


def name_of(context: ServerContext, key: SigningKey) -> str:
    with context.storage.reading() as connection:
        return players.registered(connection, key.public).name


def told(context: ServerContext) -> int:
    with context.storage.reading() as connection:
        return connection.scalar(select(func.count()).where(OUTBOX.c.kind == "invitation")) or 0


def test_a_new_day_has_new_places(mail_context: ServerContext, watch: Watch) -> None:
    ann, bob, *openers = (somebody(mail_context) for _ in range(6))
    confirmed(mail_context, ann, "ann@example.org")
    names = [name_of(mail_context, key) for key in (ann, bob)]
    most = mail_context.settings.invited
    for number in range(most + 3):
        invite(mail_context, openers[number % 4], *names)
    assert told(mail_context) == most
    watch.pass_by(DAY)
    table = invite(mail_context, openers[0], *names)
    assert told(mail_context) == most + 1
    assert table_summaries.summary(mail_context, table)["phase"] == "sitting"


def test_who_may_send_no_more_uses_up_nothing_of_the_guests(mail_context: ServerContext) -> None:
    guests = [somebody(mail_context) for _ in range(4)]
    for number, guest in enumerate(guests):
        confirmed(mail_context, guest, f"g{number}@example.org")
    flood, friend = somebody(mail_context), somebody(mail_context)
    names = [name_of(mail_context, guest) for guest in guests]
    most = mail_context.settings.invitations
    for _ in range(most // 3):
        invite(mail_context, flood, *names[:3])
    assert told(mail_context) == most
    for _ in range(20):
        invite(mail_context, flood, names[3])
    assert told(mail_context) == most
    invite(mail_context, friend, names[3])
    assert told(mail_context) == most + 1


def test_the_database_does_not_tell_where_players_live(mail_context: ServerContext) -> None:
    key = SigningKey(bytes(range(32)))
    players.register(mail_context, key.public, "ann", "192.0.2.7")
    mailboxes.change(mail_context, key.public, "ann@example.org", None, None, "192.0.2.7")
    with mail_context.storage.reading() as connection:
        counts = connection.scalars(select(DAILY_COUNTS.c.what)).all()
    assert {what.partition(".")[0] for what in counts} == {"registrations", "confirmations"}
    assert not any("192.0.2.7" in what for what in counts)


def test_a_confirmation_that_the_network_may_not_ask_for_changes_nothing(mail_context: ServerContext) -> None:
    for number in range(mail_context.settings.confirmations):
        mailboxes.change(mail_context, somebody(mail_context).public, f"a{number}@example.org", None, None, "192.0.2.7")
    key = somebody(mail_context)
    with pytest.raises(RequestRefused, match="for one network") as refusal:
        mailboxes.change(mail_context, key.public, "more@example.org", None, None, "192.0.2.7")
    assert refusal.value.code == "limit/mail"
    assert mailboxes.show(mail_context, key.public)["address"] is None
