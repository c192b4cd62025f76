"""What a mail asks for, however people and their programs write it."""

from __future__ import annotations

import base64
import quopri
from hashlib import sha256

import pytest

from engine.record import armour
from engine.record.armour import SignedMove
from server.mail.incoming import mime_parser, received_mail
from server.mail.incoming.mime_parser import LARGEST, LONGEST_SUBJECT
from server.mail.incoming.received_mail import Command, read

ANN = "ann@else.org"
MOVE = SignedMove("ab" * 16, "0" * 64, 0, {"do": "take", "station": "louvre"}, "1" * 128)
BLOCK = armour.write(MOVE)


def mail(text: str, head: str = "", subject: str = "Re: Your turn") -> bytes:
    return f"From: Ann <{ANN}>\nSubject: {subject}\nMessage-ID: <1@else.org>\n{head}\n{text}".encode().replace(
        b"\n", b"\r\n"
    )


def commands(data: bytes) -> list[str]:
    return [f"{command.word} {command.rest}".strip() for command in read(data, ANN).commands]


# Ordinary replies

GMAIL = """play take louvre

On Mon, Nov 16, 2026 at 9:41 AM Poste Restante, the post office of games <
t-7f3a@games.example.org> wrote:

> It is your turn. Answer with one of
>
> play take les-halles
> resign
"""
GMAIL_HTML = """<div dir="ltr">play take&nbsp;louvre</div><br><div class="gmail_quote"><div dir="ltr"
 class="gmail_attr">On Mon, Nov 16, 2026 at 9:41 AM Poste Restante &lt;<a
 href="mailto:t-7f3a@games.example.org">t-7f3a@games.example.org</a>&gt;
 wrote:<br></div><blockquote class="gmail_quote" style="margin:0">It is your turn.<br>resign</blockquote></div>"""
OUTLOOK = """play take louvre

________________________________
From: Poste Restante <t-7f3a@games.example.org>
Sent: Monday, November 16, 2026 9:41 AM
To: Ann <ann@else.org>
Subject: Your turn

resign
"""
OUTLOOK_OLD = """Play take louvre

-----Original Message-----
From: Poste Restante
resign
"""
OUTLOOK_BARE = """play take louvre

From: Poste Restante <t-7f3a@games.example.org>
Sent: Monday, November 16, 2026 9:41 AM

resign
"""
OUTLOOK_HTML = """<html><head><style>p { margin: 0 } resign</style></head><body><p>play take louvre<o:p></o:p></p>
<div><div><p><b>From:</b> Poste Restante<br><b>Sent:</b> Monday<br><b>To:</b> Ann</p></div></div>
<p>resign</p></body></html>"""
APPLE = """play take louvre

Sent from my iPhone

> On 16. Nov 2026, at 09:41, Poste Restante <t-7f3a@games.example.org> wrote:
>
> resign
"""
MUTT = """On Mon, Nov 16, 2026 at 09:41:00AM +0000, Poste Restante wrote:
> It is your turn.
> resign

play take louvre

--\x20
resign
"""
FRENCH = """play take louvre

Le lun. 16 nov. 2026 à 09:41, Poste Restante <t-7f3a@games.example.org> a
écrit\u00a0:

resign
"""
GERMAN = """play take louvre

Am 16.11.26 um 09:41 schrieb Poste Restante:
resign
"""
POLITE = """Hi,

here is my move at last.
*play* take louvre

Best wishes
resign
Ann
"""


@pytest.mark.parametrize(
    "text",
    [GMAIL, OUTLOOK, OUTLOOK_OLD, OUTLOOK_BARE, APPLE, MUTT, FRENCH, GERMAN, POLITE],
    ids=lambda text: text[-40:],
)
def test_a_reply_says_what_its_writer_wrote_and_nothing_of_what_they_answer(text: str) -> None:
    assert commands(mail(text)) == ["play take louvre"]


THUNDERBIRD_HTML = """<html><body><div class="moz-cite-prefix">On 11/18/26 12:57, Poste Restante wrote:<br></div>
<blockquote type="cite" cite="mid:x"><pre>It is your turn
resign</pre></blockquote><p>play take louvre</p></body></html>"""


@pytest.mark.parametrize("page", [GMAIL_HTML, OUTLOOK_HTML, THUNDERBIRD_HTML])
def test_a_reply_in_html_alone_is_read_too(page: str) -> None:
    assert commands(mail(page, "Content-Type: text/html; charset=utf-8\n")) == ["play take louvre"]


def test_plain_text_goes_before_html_and_attachments_are_not_read() -> None:
    letter = mail(
        "This is a message in MIME format.\n--b\nContent-Type: text/plain\nContent-Disposition: attachment\n\nresign\n"
        "--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/html\n\n<p>resign\n"
        "--c\nContent-Type: text/plain\n\nshow\n--c--\n--b--\nresign\n",
        'Content-Type: multipart/mixed; boundary="b"\n',
    )
    assert commands(letter) == ["show"]


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("Content-Transfer-Encoding: base64", base64.encodebytes("play café".encode())),
        ("Content-Transfer-Encoding: base64", b"cGxheSBjYWbDqQ"),
        ("Content-Transfer-Encoding: quoted-printable", quopri.encodestring("play café".encode())),
        ("Content-Transfer-Encoding: quoted-printable", b"play=\r\n caf=C3=A9"),
        ("Content-Type: text/plain; charset=iso-8859-1", "play café".encode("latin-1")),
        ("Content-Type: text/plain; charset=utf-8", "play café".encode("latin-1")),
        ("Content-Type: text/plain; charset=us-ascii", "play café".encode()),
        ("Content-Type: text/plain; charset=utf-16", "play café".encode("utf-16")),
        ("Content-Type: text/plain; charset=punycode", "play café".encode()),
        ("Content-Type: text/plain; charset=zlib", "play café".encode()),
        ("Content-Type: text/plain; charset=iso-8859-99", "play café".encode()),
        ("Content-Type: text/plain; charset*=undefined''%ff", "play café".encode()),
        ("Content-Type: text/plain; charset=\x00", "play café".encode()),
        ("Content-Type: text/plain; format=flowed", "play \r\ncafé\r\n".encode()),
        ("Content-Type: text/plain; format=flowed; delsp=yes", "play c \r\nafé\r\n".encode()),
        ("Content-Type: text/plain; format=flowed", "play café \r\n-- \r\nAnn".encode()),
        ("X-Nothing: said", "\ufeffplay\u200b ca\x00fé".encode()),
        ("X-Nothing: said", "play\u2009café\u00a0".encode()),
    ],
)
def test_whatever_it_is_packed_in_the_text_is_the_same(head: str, body: bytes) -> None:
    assert commands(head.encode() + b"\r\n\r\n" + body) == ["play café"]


# Commands


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SHOW\n\nlog\nhelp\n", ["show", "log", "help"]),
        ('"play take louvre"\n`moves`\n_back_\n**play** x', ["play take louvre", "moves", "back", "play x"]),
        ("a\nb\nc\nshow", ["show"]),
        ("a\nb\nc\nd\nshow", []),
        ("show\nplease\nresign", ["show"]),
        ("> show\n  > resign\nhelp", ["help"]),
        ("-- \nshow", []),
        ("playing is fun\nresignation", []),
        ("help\n" * 50, ["help"] * received_mail.MOST_COMMANDS),
        ("", []),
    ],
)
def test_commands_are_the_first_lines_that_are_one(text: str, expected: list[str]) -> None:
    assert commands(mail(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Hello! I am doing badly here but I would never, ever\nresign from such a fine game of ours, so give me a day.",
        "I am doing badly in this game of ours, but I would never, ever\nresign.",
        "Resign - are you kidding? Never.",
        "Resign?",
        "Stop it Bob :-)",
        "Back from holidays, will move tomorrow.",
        "Continue like this and you win, Bob.",
        "Abandon ship! Just kidding.",
        "Show me the money.",
        "Help yourself to a coffee.",
        "Moves like these I have never seen.",
        "confirm that you have read this",
    ],
)
def test_prose_that_begins_with_a_word_is_no_command(text: str) -> None:
    assert commands(mail(text)) == []
    assert commands(mail("Thank you", subject=text.partition("\n")[0])) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Resign.", ["resign"]),
        ("“Stop”!", ["stop"]),
        ("Moves?", ["moves"]),
        ("Dear post office,\nstop", ["stop"]),
        ("Play: take louvre.", ["play take louvre"]),
        ("play:take louvre!", ["play take louvre"]),
        ("play take hotel\u2011de\u2011ville", ["play take hotel-de-ville"]),
        ("play take\u00a0louvre", ["play take louvre"]),
        ("Play", ["play"]),
        ("Confirm: a1b2c3d4e5.", ["confirm a1b2c3d4e5"]),
    ],
)
def test_a_command_is_understood_however_people_write_it(text: str, expected: list[str]) -> None:
    assert commands(mail(text)) == expected


LONG = "play open gastronomique O1 with bread flour meat potatoes"
"""So long that a program breaks it before the next word."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{LONG}\npotatoes/cheese seafood", [f"{LONG} potatoes/cheese seafood"]),
        (f"{LONG} \n  potatoes/cheese\n\nBye", [f"{LONG} potatoes/cheese"]),
        (f"{LONG} tomatoes\nless\nCheers, Ann", [f"{LONG} tomatoes less"]),
        (f"{LONG} tomatoes\nCheers, Ann", [f"{LONG} tomatoes Cheers, Ann"]),
        (f"{LONG} tomatoes\n\nCheers, Ann", [f"{LONG} tomatoes"]),
        (f"{LONG} tomatoes\nshow", [f"{LONG} tomatoes", "show"]),
        (f"{LONG} tomatoes\n> less", [f"{LONG} tomatoes"]),
        ("play take louvre/red\nless", ["play take louvre/red"]),
        ("play\ntake louvre/red", ["play"]),
        (f"This is a line as long as the one that has a move in it,\n{LONG}", [LONG]),
    ],
)
def test_a_move_that_a_program_has_broken_is_whole_again_and_nothing_of_it_is_lost(
    text: str, expected: list[str]
) -> None:
    """Where it is in doubt, more is read than was meant: that is no move, and none is played."""
    assert commands(mail(text)) == expected


def test_a_code_confirms_only_from_the_first_line() -> None:
    assert commands(mail("\nconfirm a1b2c3d4e5\n\nThank you")) == ["confirm a1b2c3d4e5"]
    assert commands(mail("On Monday Eve wrote:\n> x\nconfirm a1b2c3d4e5")) == ["confirm a1b2c3d4e5"]
    assert commands(mail("Thank you for your request.\nconfirm a1b2c3d4e5")) == []
    assert commands(mail("show\nconfirm a1b2c3d4e5")) == ["show"]


def test_a_reply_below_the_quote_counts_only_if_nothing_stands_above() -> None:
    assert commands(mail("On Monday Eve wrote:\n> x\nshow")) == ["show"]
    assert commands(mail("On Monday Eve wrote:\nshow")) == []
    assert commands(mail("show\nOn Monday Eve wrote:\n> a very long line that was\nresign")) == ["show"]


def test_a_subject_that_is_cut_is_no_command() -> None:
    said = "play take luxembourg/blue"
    whole = "Re: " * ((LONGEST_SUBJECT - len(said) - 4) // 4) + said
    assert commands(mail("", subject=whole)) == [said]
    assert commands(mail("", subject=f"{whole} evict green")) == []


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("help", ["help"]),
        ("Re: AW: Fwd: RE[2]: Help!", ["help"]),
        ("=?utf-8?q?Re=3A_play?= =?iso-8859-1?b?IGNhZuk=?=", ["play café"]),
        ("Your turn: play", []),
    ],
)
def test_a_subject_is_a_command_if_the_text_has_none(subject: str, expected: list[str]) -> None:
    assert commands(mail("", subject=subject)) == expected
    assert commands(mail("Thank you!", subject=subject)) == expected
    assert commands(mail("show", subject=subject)) == ["show"]


def test_a_command_is_bounded_and_stays_too_long_to_be_a_move() -> None:
    [command] = read(mail("play " + "a" * 5_000), ANN).commands
    assert len(command.rest) == received_mail.LONGEST_REST


# Signed moves


def test_blocks_are_moves_and_their_lines_are_no_commands() -> None:
    found = read(mail(f"Hello!\n\n{BLOCK}\nshow\n{BLOCK}", subject="resign"), ANN)
    assert found.moves == (MOVE, MOVE)
    assert found.commands == (Command("show", ""),)
    assert read(mail(BLOCK, subject="resign"), ANN).commands == ()


def test_a_block_survives_html() -> None:
    page = "<div>" + BLOCK.replace("\n", "<br>\n") + "</div>"
    assert read(mail(page, "Content-Type: text/html\n"), ANN).moves == (MOVE,)
    assert read(mail(f"<pre>{BLOCK}</pre>", "Content-Type: text/html\n"), ANN).moves == (MOVE,)


LINES = BLOCK.splitlines()


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (" ".join(LINES), ""),
        (f"My move: {' '.join(LINES)} Have fun", ""),
        ("\n".join([LINES[0], *(f"{line[:20]} {line[20:]}" for line in LINES[1:-1]), LINES[-1]]), ""),
        (BLOCK.replace("\n", " \n"), "Content-Type: text/plain; format=flowed\n"),
        (f"<p>{BLOCK}</p>", "Content-Type: text/html\n"),
        (BLOCK.replace("-----", "\u2014\u2014-"), ""),
        ("\n".join([f"I cut from {armour.BEGIN} to {armour.END}:", BLOCK]), ""),
    ],
)
def test_a_block_is_read_however_its_lines_were_broken_or_joined(text: str, head: str) -> None:
    found = read(mail(text, head), ANN)
    assert (found.moves, found.commands, found.trouble) == ((MOVE,), (), None)


def test_a_quoted_block_is_none() -> None:
    found = read(mail("".join(f"> {line}\n" for line in BLOCK.splitlines())), ANN)
    assert (found.moves, found.trouble) == ((), None)


@pytest.mark.parametrize("broken", [BLOCK.replace("e", "f", 1), BLOCK.rpartition("-----END")[0], BLOCK + armour.BEGIN])
def test_a_broken_block_is_told_and_nothing_else_is_done(broken: str) -> None:
    found = read(mail(f"resign\n{broken}", subject="resign"), ANN)
    assert found.trouble is not None
    assert found.trouble.startswith("The signed move in your mail could not be read: ")
    assert (found.moves, found.commands) == ((), ())


# The same mail


def test_a_mail_is_the_same_by_whichever_way_it_comes() -> None:
    once = read(mail("play a"), ANN)
    again = read(b"Received: from b by c\r\n" + mail("play a\n\n-- \nscanned for viruses"), ANN)
    assert again.digest != once.digest
    assert again.identity == once.identity
    others = [mail("play b"), mail("play a").replace(b"<1@", b"<2@"), mail(BLOCK), mail("play a\nshow")]
    assert len({once.identity, *(read(other, ANN).identity for other in others)}) == 5


def test_a_mail_without_a_message_id_is_known_by_its_date_and_what_it_asks() -> None:
    first = b"Date: Wed, 18 Nov 2026 10:00:00 +0000\r\n\r\nshow"
    assert read(b"Received: x\r\n" + first, ANN).identity == read(first, ANN).identity
    assert read(first.replace(b"18", b"19"), ANN).identity != read(first, ANN).identity
    assert read(first.replace(b"show", b"log"), ANN).identity != read(first, ANN).identity


@pytest.mark.parametrize(("text", "asks"), [("show", True), (BLOCK, True), (armour.BEGIN, True), ("Hello", False)])
def test_a_mail_asks_for_something_or_not(text: str, asks: bool) -> None:
    assert read(mail(text), ANN).asks == asks


# Who it is from


def test_what_a_mail_claims_is_kept_apart_from_its_envelope() -> None:
    found = read(b'From: "ann@else.org" <king@else.org>\r\n\r\nshow', "eve@else.org")
    assert (found.sender, found.author) == ("eve@else.org", "king@else.org")
    assert found.digest == sha256(b'From: "ann@else.org" <king@else.org>\r\n\r\nshow').hexdigest()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("<a.b@else.org>", "<a.b@else.org>"),
        ("\r\n <a@b>", "<a@b>"),
        ("<a@b>\r\n <c@d>", None),
        ("<a b@c>", None),
        ("<a@b\x00>", None),
        ("<a>", None),
        ("<é@b>", None),
        (f"<{'a' * 500}@b>", None),
        ("", None),
    ],
)
def test_only_a_message_id_that_can_be_repeated_is_kept(value: str, expected: str | None) -> None:
    assert read(f"Message-ID: {value}\r\n\r\nshow".encode(), ANN).message_id == expected


def test_a_subject_is_one_printable_line() -> None:
    found = read(mail("x", subject="=?utf-8?q?a=0D=0ABcc=3A_eve=40else.org=00=E2=80=AE?=\n\tb" + "c" * 5_000), ANN)
    assert found.subject.startswith("a Bcc: eve@else.org b")
    assert found.subject.isprintable()
    assert len(found.subject) == mime_parser.LONGEST_SUBJECT


# What cannot be read


@pytest.mark.parametrize(
    ("letter", "trouble"),
    [
        (b"", "There is no text"),
        (mail("\x00", "Content-Type: image/png\n"), "There is no text"),
        (mail("<style>help</style>", "Content-Type: text/html\n"), "There is no text"),
        (mail("help\n", "Content-Type: multipart/mixed\n"), "There is no text"),
        (mail("show\n" * LARGEST, subject="resign"), "larger than"),
        (mail("show\n" + "x" * armour.LONGEST_TEXT, subject="resign"), "longer than"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(letter: bytes, trouble: str) -> None:
    found = read(letter, ANN)
    assert found.trouble is not None
    assert trouble in found.trouble
    assert found.commands == ()


def nested(depth: int) -> bytes:
    layers = [b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (level, level) for level in range(depth)]
    return b"".join(layers) + b"\nhelp\n"


def test_nesting_is_followed_so_far_and_no_further() -> None:
    assert commands(nested(mime_parser.DEEPEST)) == ["help"]
    assert "nested" in str(read(nested(mime_parser.DEEPEST + 1), ANN).trouble)


def test_parts_are_looked_at_so_many_and_no_more() -> None:
    head = b"Content-Type: multipart/mixed; boundary=b\n\n"
    part, last = b"--b\nContent-Type: image/png\n\nx\n", b"--b\n\nhelp\n--b--\n"
    assert commands(head + part * (mime_parser.MOST_PARTS - 1) + last) == ["help"]
    assert "parts" in str(read(head + part * mime_parser.MOST_PARTS + last, ANN).trouble)


def test_a_mail_nobody_foresaw_is_told_and_does_no_harm(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_data: bytes) -> tuple[str, str | None]:
        raise RecursionError

    monkeypatch.setattr(mime_parser, "text_of", fail)
    found = read(mail("resign"), ANN)
    assert found.trouble
    assert found.digest in caplog.text
