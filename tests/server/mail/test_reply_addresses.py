"""A server whose mails or replies could never get through is not started, and says what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.app import create_app
from server.http_server import serve
from server.mail.background_services import check, listening
from server.mail.reply_addresses import Meant, counter
from server.settings import Settings, SettingsRefused, from_environment

LISTEN = "lmtp://127.0.0.1:8424"


def settings(**more: str) -> Settings:
    return Settings(**{"mail": "maildir:///nowhere", "mail_from": "post@example.org", "mail_listen": LISTEN, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("local", ["post", "Post", "p" * 26, "post.office-1"])
def test_what_comes_back_is_understood(local: str) -> None:
    found = counter(settings(mail_from=f"{local}@example.org"))
    reply = found.reply_to("a" * 32)
    assert reply is not None
    assert len(reply.partition("@")[0]) <= 64
    assert found.meaning(reply.upper()) == Meant(token="a" * 32)
    assert found.meaning(found.stop_address("0" * 32)) == Meant(stop="0" * 32)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"mail_from": ""}, "POSTE_MAIL_FROM"),
        ({"mail_from": "Poste <post@example.org>"}, "POSTE_MAIL_FROM"),
        ({"mail_from": "post+games@example.org"}, "POSTE_MAIL_FROM=post@example.org"),
        ({"mail_from": "+games@example.org"}, "POSTE_MAIL_FROM=post@example.org"),
        ({"mail_from": "p" * 27 + "@example.org"}, "more than 26 characters"),
        ({"mail_from": "p" * 40 + "@example.org"}, "post@example.org"),
        ({"url": "games.example.org"}, "not a link"),
        ({"url": "HTTPS://games.example.org"}, "not a link"),
        ({"url": "https://bücher.example"}, "not a link"),
        ({"mail": ""}, "POSTE_MAIL_LISTEN needs POSTE_MAIL"),
        ({"mail": "", "mail_listen": "", "mail_imap": "imaps://a:b@host"}, "POSTE_MAIL_IMAP needs POSTE_MAIL"),
        ({"mail_listen": "lmtp://[::1"}, "lmtp://127.0.0.1:8424"),
        ({"mail_listen": "lmtp://127.0.0.1:99999"}, "lmtp://127.0.0.1:8424"),
        ({"mail_listen": "", "mail_imap": "pop3://host"}, "imaps://"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_starts(wrong: dict[str, str], said: str, tmp_path: Path) -> None:
    set_up = settings(**wrong, data=str(tmp_path / "data"))
    for start in (check, create_app, serve):
        with pytest.raises(SettingsRefused, match=said):
            start(set_up)
    assert not (tmp_path / "data").exists()


def test_an_address_with_a_plus_will_do_where_no_mail_comes_in() -> None:
    assert counter(settings(mail_from="post+games@example.org", mail_listen="")).sender == "post+games@example.org"


def test_where_to_listen() -> None:
    assert listening(settings(mail_listen="lmtp://[::1]:8424")) == (True, "::1", 8424)
    assert listening(settings(mail_listen="smtp://127.0.0.1")) == (False, "127.0.0.1", 8425)


@pytest.mark.parametrize(
    "url",
    [
        "games.example.org",
        "HTTPS://games.example.org",
        "https://bücher.example",
        "https://",
        "https://[::1",
        "https://games.example.org:99999",
        "https://games.example.org/?x",
        "https://games.example.org /",
        "ftp://games.example.org",
    ],
)
def test_an_address_that_players_could_not_use_is_refused(url: str) -> None:
    with pytest.raises(SettingsRefused, match=r"https://games\.example\.org; a name"):
        from_environment({"POSTE_URL": url})


@pytest.mark.parametrize(
    "url", ["https://games.example.org", "http://127.0.0.1:8420/", "https://example.org:8443/poste"]
)
def test_an_address_that_they_can(url: str) -> None:
    assert from_environment({"POSTE_URL": url}).url == url
