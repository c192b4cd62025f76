"""The headers of a mail, its thread, and names that would like to be headers."""

from __future__ import annotations

import email
import email.policy
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.mail.letters.letter_parts import Letter
from server.mail.outgoing.message_composer import Postmark, Unmailable, compose

TABLE = "7f3a09c1" * 4
LETTER = Letter("[Paris Paris 7f3a09c1] Your turn", "À vous de jouer.\n", "<p>À vous de jouer.</p>\n")


def a_mark(**changes: Any) -> Postmark:
    usual: dict[str, Any] = {
        "office": "Poste Restante",
        "sender": "post@games.example.org",
        "domain": "games.example.org",
        "to": "ann@example.org",
        "message_id": "turn.0123456789abcdef",
        "table": TABLE,
        "reply_to": "post+abc@games.example.org",
        "unsubscribe": ("https://games.example.org/mail/stop/abc", "mailto:post+stop@games.example.org"),
        "at": datetime(2026, 11, 18, 6, 40, tzinfo=UTC),
    }
    return Postmark(**(usual | changes))


def travelled(mail: bytes) -> EmailMessage:
    """The mail as a mail program reads it."""
    data = mail.replace(b"\r\n", b"\n")
    return email.message_from_bytes(data, _class=EmailMessage, policy=email.policy.default)


def content(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    text: str = part.get_content()
    return text


def test_every_header_says_what_it_should() -> None:
    mail = travelled(compose(LETTER, a_mark()))
    assert dict(mail.items()) == {
        "From": "Poste Restante <post@games.example.org>",
        "To": "ann@example.org",
        "Reply-To": "post+abc@games.example.org",
        "Subject": "[Paris Paris 7f3a09c1] Your turn",
        "Date": "Wed, 18 Nov 2026 06:40:00 +0000",
        "Message-ID": "<turn.0123456789abcdef@games.example.org>",
        "In-Reply-To": f"<table.{TABLE}@games.example.org>",
        "References": f"<table.{TABLE}@games.example.org>",
        "List-Id": f"Table 7f3a09c1 <{TABLE}.games.example.org>",
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "List-Unsubscribe": "<https://games.example.org/mail/stop/abc>, <mailto:post+stop@games.example.org>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "MIME-Version": "1.0",
        "Content-Type": 'multipart/alternative; boundary="=_poste_restante_="',
    }


def test_text_comes_first_and_both_parts_survive() -> None:
    mail = travelled(compose(LETTER, a_mark()))
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
    assert content(mail, "plain") == LETTER.text
    assert "<p>&#192; vous de jouer.</p>" in content(mail, "html")


def test_a_letter_without_a_page_is_one_text() -> None:
    mail = travelled(compose(Letter("Hello", "Only words.\n"), a_mark()))
    assert mail.get_content_type() == "text/plain"
    assert content(mail, "plain") == "Only words.\n"


def test_an_answer_stands_in_the_thread_of_what_it_answers() -> None:
    mail = travelled(compose(LETTER, a_mark(in_reply_to="<CAF=x+1@mail.example.com>")))
    assert mail["In-Reply-To"] == "<CAF=x+1@mail.example.com>"
    assert mail["References"] == f"<table.{TABLE}@games.example.org> <CAF=x+1@mail.example.com>"
    assert mail["Auto-Submitted"] == "auto-replied"


def test_a_mail_about_no_table_makes_no_thread_and_no_list() -> None:
    mail = travelled(compose(LETTER, a_mark(table=None, reply_to=None, unsubscribe=())))
    assert not {"In-Reply-To", "References", "List-Id", "Reply-To", "List-Unsubscribe", "List-Unsubscribe-Post"} & set(
        mail.keys()
    )


def test_one_click_is_promised_for_https_only() -> None:
    mail = travelled(
        compose(LETTER, a_mark(unsubscribe=("http://127.0.0.1:8420/stop", "mailto:post@games.example.org")))
    )
    assert mail["List-Unsubscribe"] is not None
    assert mail["List-Unsubscribe-Post"] is None


def test_the_same_letter_makes_the_same_bytes() -> None:
    assert compose(LETTER, a_mark()) == compose(LETTER, a_mark())


def test_long_ids_and_links_are_neither_folded_nor_encoded() -> None:
    domain = ".".join(["a-rather-long-name-of-a-domain"] * 5) + ".example"
    link = "https://" + domain + "/stop/" + "0123456789abcdef" * 8
    data = compose(LETTER, a_mark(domain=domain, unsubscribe=(link,)))
    assert f"Message-ID: <turn.0123456789abcdef@{domain}>\r\n".encode() in data
    assert f"List-Unsubscribe: <{link}>\r\n".encode() in data


@pytest.mark.parametrize(
    "change",
    [
        {"to": "ann@example.org\r\nBcc: bob@example.org"},
        {"to": "ann@example.org, bob@example.org"},
        {"to": "ann"},
        {"to": "=?utf-8?q?=0D=0ABcc?=@example.org"},
        {"sender": "post@games.example.org\n"},
        {"reply_to": "<post@games.example.org>"},
        {"message_id": "turn>\r\nBcc: bob@example.org"},
        {"domain": "games.example.org\n"},
        {"table": "7f3a 09c1"},
        {"unsubscribe": ("https://games.example.org/>, <https://elsewhere.example",)},
        {"unsubscribe": ("javascript:alert(1)",)},
        {"unsubscribe": ("https://example.org/=?utf-8?q?=0D=0ABcc:x?=",)},
    ],
    ids=str,
)
def test_what_machines_read_has_its_plain_form_or_there_is_no_mail(change: dict[str, Any]) -> None:
    with pytest.raises(Unmailable):
        compose(LETTER, a_mark(**change))


HOSTILE = st.one_of(
    st.text(max_size=300),
    st.sampled_from(
        [
            "x\r\nBcc: bob@example.org",
            "x\n\nbody",
            "\r",
            "\0",
            "=?utf-8?q?=0D=0ABcc:?= x",
            "=\u200b?utf-8?q?=0D=0ABcc:x?=",
            "<=?utf-8?q?=0D=0ABcc:x?=@example.org>",
            "=?" * 80,
            '"quoted" <bob@example.org>, ',
            "\u2028Bcc: x",
            "\ud800",
            "é" * 300,
            "--=_poste_restante_=--\r\n\r\nBcc: x",
        ]
    ),
)


@given(office=HOSTILE, subject=HOSTILE, answered=HOSTILE, text=HOSTILE, html=HOSTILE)
def test_no_words_make_a_header_or_a_part(office: str, subject: str, answered: str, text: str, html: str) -> None:
    harmless = travelled(compose(LETTER, a_mark()))
    data = compose(Letter(subject, text, html), a_mark(office=office, in_reply_to=answered))
    mail = email.message_from_bytes(data, _class=EmailMessage, policy=email.policy.default)

    assert sorted(mail.keys()) == sorted(harmless.keys())
    assert [address.addr_spec for address in mail["From"].addresses] == ["post@games.example.org"]
    assert [part.get_content_type() for part in mail.walk()] == ["multipart/alternative", "text/plain", "text/html"]
    assert max(map(len, data.split(b"\r\n"))) <= 998
    assert len(mail["Subject"]) <= 120
    assert data.isascii()


@given(text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=2000))
def test_words_arrive_as_they_were_written(text: str) -> None:
    mail = travelled(compose(Letter("Hello", text + "\n", None), a_mark()))
    assert content(mail, "plain") == text + "\n"
