"""Hostile mail: whatever comes is read without harm, in a time that grows with its length and no faster."""

from __future__ import annotations

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.record import armour
from server.mail.incoming import mime_parser, received_mail
from server.mail.incoming.mime_parser import LARGEST
from server.mail.incoming.received_mail import WORDS, Incoming, read
from tests.server.mail.test_incoming import ANN, BLOCK, nested

WORK = 5.0
"""Seconds of this thread's own for a hostile megabyte: generous, for what is not linear takes minutes. A busy machine
takes longer, and does no more.
"""


def repeated(unit: bytes, head: bytes = b"From: a@b\n\n") -> bytes:
    return (head + unit * (LARGEST // len(unit)))[:LARGEST]


HTML = b"Content-Type: text/html\n\n"
MIXED = b"Content-Type: multipart/mixed; boundary=x\n\n"
HOSTILE = {
    "nested": nested(10_000),
    "nested in itself": repeated(b"--x\n" + MIXED, MIXED),
    "parts": repeated(b"--x\n\n", MIXED),
    "almost boundaries": repeated(b"--x ", MIXED),
    "parameters": MIXED + (b"--x\nContent-Type: a/b;" + b';"=' * 660 + b"\n\nx\n") * 49,
    "headers": repeated(b"X: y\n", b""),
    "subjects": repeated(b"Subject: =?a?q?\n", b""),
    "a long header": repeated(b"=?utf-8?q?a", b"Subject: "),
    "a folded header": repeated(b"\n \t", b"Subject: x"),
    "angles": repeated(b"<", b"From: "),
    "an address": repeated(b"a", b"From: "),
    "comments in an address": repeated(b"(", b"From: "),
    "prefixes": repeated(b"re:", b"Subject: "),
    "quotes": repeated(b">"),
    "quoted lines": repeated(b">\n"),
    "attributions begun": repeated(b"On a\n"),
    "attributions": repeated(b"\nOn a wrote:\n>x\n"),
    "underscores": repeated(b"______\n"),
    "originals": repeated(b"From:\n"),
    "empty lines": repeated(b"\n"),
    "spaces": repeated(b" "),
    "returns": repeated(b"\r"),
    "decoration": repeated(b"* "),
    "commands": repeated(b"play a\n"),
    "blocks in a line": repeated(armour.BEGIN.encode() + b" A " + armour.END.encode() + b" "),
    "marks": repeated(b"-" * 7 + b"BEGIN POSTE MOVE"),
    "dashes": repeated(b"-"),
    "automatic headers": b"".join(b"X-Auto%d: y\n" % number for number in range(60_000)),
    "blockquotes opened and closed": repeated(b"<blockquote></blockquote>", HTML),
    "blocks begun": repeated(armour.BEGIN.encode() + b"\n"),
    "flowed": repeated(b"a \n", b"Content-Type: text/plain; format=flowed\n\n"),
    "punycode": repeated(b"a-", b"Content-Type: text/plain; charset=punycode\n\n"),
    "soft breaks": repeated(b"=\n", b"Content-Transfer-Encoding: quoted-printable\n\n"),
    "padding": repeated(b"=", b"Content-Transfer-Encoding: base64\n\n"),
    "comments": repeated(b"<!--", HTML),
    "tags begun": repeated(b"<a", HTML),
    "signs of less": repeated(b"<", HTML),
    "declarations": repeated(b"<!", HTML),
    "styles": repeated(b"<style>", HTML),
    "blockquotes": repeated(b"<blockquote>", HTML),
    "entities": repeated(b"&#1", HTML),
    "a long number": repeated(b"1", HTML + b"&#"),
    "a surrogate": HTML + b"&#xD800;",
}


def assert_bounded(found: Incoming) -> None:
    assert len(found.author) <= 320
    assert len(found.subject) <= mime_parser.LONGEST_SUBJECT
    assert len(found.text) <= armour.LONGEST_TEXT
    assert len(found.commands) <= received_mail.MOST_COMMANDS
    assert len(found.moves) <= armour.MOST_BLOCKS
    assert all(command.word in WORDS and len(command.rest) <= received_mail.LONGEST_REST for command in found.commands)
    assert not (found.trouble and (found.commands or found.moves))
    assert "\x00" not in found.text
    f"{found}".encode()  # no lone surrogates


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_megabyte_is_soon_read(name: str, caplog: pytest.LogCaptureFixture) -> None:
    began = thread_time()
    found = read(HOSTILE[name], ANN)
    assert thread_time() - began < WORK
    assert_bounded(found)
    assert not caplog.records


FRAGMENTS = st.sampled_from(
    [
        *(
            b"\n",
            b"\r\n",
            b" ",
            b"\t",
            b":",
            b";",
            b'"',
            b"<",
            b">",
            b"--",
            b"--b",
            b"--b--",
            b"=",
            b"=?",
            b"?=",
            b"&#",
        ),
        *(b"Subject: ", b"From: ", b"Message-ID: ", b"Content-Type: ", b"Content-Transfer-Encoding: ", b"Re: "),
        *(b"multipart/mixed; boundary=b\n\n", b"text/plain; charset=", b"text/html\n\n", b"; format=flowed", b"base64"),
        *(b"quoted-printable", b"utf-8", b"utf-16", b"iso-2022-jp", b"charset*0*=", b"''", b"?q?", b"?b?", b"%ff"),
        *(
            b"<blockquote>",
            b"</blockquote>",
            b"<!--",
            b"-->",
            b"<style>",
            b"<pre>",
            b"<br>",
            b"On ",
            b"wrote:",
            b"play ",
        ),
        *(armour.BEGIN.encode() + b"\n", b"\n" + armour.END.encode(), BLOCK.encode(), b"1" * 5_000),
    ]
)


@given(st.binary() | st.lists(FRAGMENTS | st.binary(max_size=4), max_size=40).map(b"".join), st.text(max_size=20))
def test_whatever_comes_is_read(data: bytes, sender: str) -> None:
    # The inner one, for ``read`` would catch what nobody foresaw.
    found = received_mail._read(data, sender, "")
    assert_bounded(found)
    assert read(data, sender).text == found.text
