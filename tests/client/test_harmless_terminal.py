"""Whatever a stranger writes, nothing that a terminal would act on is printed: in words, as JSON, or in colour.

Every way in that quotes somebody is tried with the real command: piped, with ``--json``, and on a terminal of its own.
"""

from __future__ import annotations

import ast
import base64
import json
import os
import pty
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import client
from client.output import report_error
from client.table.turn import sit
from client.table.verified_view import look
from engine import games, selfplay
from engine.errors import EngineError, RecordRejected
from engine.record import armour
from engine.record.audit import audit
from tests.client.players_and_proxy import Person, Proxy, somebody
from tests.server.server_process import ServerProcess

HOSTILE = "a\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x7f\u202egnp\u2066\u200f\u2028\r\x08\x0bz"
"""Sets the clipboard, clears the screen, changes colour and direction, goes back in the line."""
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def check_harmless(printed: bytes) -> None:
    """Nothing but text, line ends and tabs."""
    text = printed.decode()
    found = [character for character in text if not character.isprintable() and character not in "\n\t"]
    assert found == [], (found, text)


def printed_on_a_terminal(person: Person, *arguments: str) -> str:
    """What the command prints on a terminal, with the line ends of a file."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "client", *arguments],
        env=person.environment({"TERM": "xterm-256color"}),
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    printed = bytearray()
    with suppress(OSError):  # so a terminal of Linux ends
        while piece := os.read(ours, 65536):
            printed += piece
    os.close(ours)
    process.wait(60)
    return printed.decode().replace("\r\n", "\n")


def on_a_terminal(person: Person, *arguments: str) -> bytes:
    """The same without the colours that are ours."""
    return OUR_COLOURS.sub("", printed_on_a_terminal(person, *arguments)).encode()


def says_harmlessly(person: Person, *arguments: str, code: int | None = None, part: str = "") -> None:
    """The command run in every way: nothing but text comes of it, and it does quote what was said (``part``)."""
    plain = person.run(*arguments)
    assert code is None or plain.code == code, (plain.code, plain.out, plain.err)
    assert part in plain.out + plain.err, (plain.out, plain.err)
    check_harmless((plain.out + plain.err).encode())
    in_json = person.run(*arguments, "--json")
    check_harmless((in_json.out + in_json.err).encode())
    check_harmless(on_a_terminal(person, *arguments))


class Evening(NamedTuple):
    """Two people at a table; the first has the proxy between them and the server, and is asked for a move."""

    proxy: Proxy
    victim: Person
    table: str

    def answers(self, ending: str, change: Callable[[Any], Any]) -> None:
        """From now on the server answers like this to what ends so."""

        def twist(path: str, body: bytes) -> bytes:
            if not path.partition("?")[0].endswith(ending):
                return body
            answer = json.loads(body)
            return json.dumps(change(answer) or answer).encode()

        self.proxy.twist = twist

    def tells(self, line: bytes) -> None:
        """From now on the log ends with this line."""
        self.proxy.twist = lambda path, body: body + line + b"\n" if path.partition("?")[0].endswith("/log") else body


@pytest.fixture
def evening(server: ServerProcess, proxy: Proxy, tmp_path: Path) -> Evening:
    people = [somebody(tmp_path, url, name) for url, name in ((proxy.url, "victim"), (server.url, "other"))]
    desks = [person.desk for person in people]
    table = desks[0].api().open_table({"game": "paris-paris", "seats": 2}).table
    for desk in desks:
        sit(desk, desk.memory(table), None)
    asked = next(each for each in (0, 1) if look(desks[each], desks[each].memory(table)).mine)
    if asked == 1:
        people[1].does("play", table, _first_move(people[1], table), "--yes")
    desks[0].remember(table=table)
    return Evening(proxy, people[0], table)


def _first_move(person: Person, table: str) -> str:
    return person.does("moves", table).out.splitlines()[0]


def a_line(entry: str) -> bytes:
    return f'{{"entry":{entry},"seal":"{"0" * 128}"}}'.encode()


ESCAPED = json.dumps(HOSTILE)
HEAD = f'"at":"2026-01-01T00:00:00.000Z","prev":"{"0" * 64}","seq":0,"table":"{"0" * 32}"'
LINES = {
    "an unknown member": a_line(f'{{{ESCAPED}:1,"kind":"deal",{HEAD},"state":"{"0" * 64}"}}'),
    "an unknown kind": a_line(f'{{"kind":{ESCAPED},{HEAD}}}'),
    "a member twice": a_line(f'{{{ESCAPED}:1,{ESCAPED}:2,"kind":"deal",{HEAD}}}'),
    "a member of a move": a_line(
        f'{{"base":"{"0" * 64}","kind":"move","move":{{{ESCAPED[:60]}":9007199254740993}},'
        f'{HEAD},"seat":0,"signature":"{"0" * 128}","state":"{"0" * 64}"}}'
    ),
    "a wrong tag": a_line(f'{{"kind":"close",{HEAD},"secret":{ESCAPED},"standing":{{{ESCAPED}:{ESCAPED}}}}}'),
    "no JSON": HOSTILE.encode(),
    "an unknown game": a_line(
        f'{{"commitment":"{"0" * 64}","components":"{"0" * 64}","format":"poste-record/1","game":"no-such-game/1",'
        f'"kind":"open","options":{{{ESCAPED}:{ESCAPED}}},{HEAD},"seats":2,"server":"{"0" * 64}"}}'
    ),
}


@pytest.mark.parametrize("what", LINES)
def test_a_log_is_hostile(evening: Evening, what: str) -> None:
    evening.tells(LINES[what])
    says_harmlessly(evening.victim, "show", evening.table, code=4, part="NOT VERIFIED")
    for evidence in (evening.victim.home / "evidence").iterdir():
        check_harmless(evidence.read_bytes())


@pytest.mark.parametrize("what", LINES)
@pytest.mark.parametrize("command", ["audit", "replay"])
def test_a_record_is_hostile(tmp_path: Path, command: str, what: str) -> None:
    folder = tmp_path / HOSTILE.replace("/", "")
    folder.mkdir()
    record = folder / "game.poste"
    played = selfplay.play(games.load("paris-paris"), ["random", "random"], bytes(32)).data
    first, _, rest = played.partition(b"\n")
    record.write_bytes(first + b"\n" + LINES[what] + b"\n" + rest)
    says_harmlessly(Person(tmp_path / "home", "nobody"), command, str(record), code=4)


def a_letter(move: str) -> str:
    text = f'{{"base":"{"0" * 64}","move":{move},"seat":0,"signature":"{"0" * 128}","table":"{"0" * 32}"}}'
    return f"{HOSTILE}\n{armour.BEGIN}\n{base64.b64encode(text.encode()).decode()}\n{armour.END}\n"


LETTERS = {
    "a number beyond the largest": a_letter(f'{{"do":"take",{ESCAPED[:-1]}":9007199254740993}}').replace("\x9b", ""),
    "a member name": a_letter(f"{{{ESCAPED}:1}}"),
    "no block": HOSTILE,
    "a block of nothing": f"{armour.BEGIN}\n{HOSTILE}\n{armour.END}\n",
}
ASCII = json.dumps("\x1b]52;c;ZXZpbA==\x07\x1b[2J\x7f")
LETTERS["an ASCII member name"] = a_letter(f'{{"do":{{{ASCII}:9007199254740993}}}}')


@pytest.mark.parametrize("what", LETTERS)
def test_a_letter_is_hostile(evening: Evening, tmp_path: Path, what: str) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTERS[what])
    says_harmlessly(evening.victim, "send", str(letter), code=4)


@pytest.mark.parametrize("status", [409, 500])
def test_a_refusal_is_hostile(evening: Evening, status: int) -> None:
    several = [HOSTILE, HOSTILE]
    problem = {"code": HOSTILE, "detail": HOSTILE, "title": HOSTILE, "expected": several, "nearest": several}
    body = json.dumps(problem).encode()
    evening.proxy.twist = lambda _path, _body: (status, body)
    for command in (("show",), ("tables",), ("mail",), ("resign", "--yes"), ("register", evening.proxy.url)):
        says_harmlessly(evening.victim, *command, part="�")


def test_a_refused_move_is_told_harmlessly(evening: Evening) -> None:
    refused = {"code": HOSTILE, "detail": HOSTILE + "\nPlayed: all is well"}
    evening.answers("/moves", lambda _: {"receipts": [], "refused": refused})
    move = _first_move(evening.victim, evening.table)
    done = evening.victim.run("play", move, "--yes")
    check_harmless((done.out + done.err).encode())
    assert not any(line.startswith("Played") for line in done.err.splitlines()), "no line is forged"


def test_what_happened_is_hostile(evening: Evening) -> None:
    told = {"events": [{"seq": 9, "events": [{"text": HOSTILE + "\nIt is your turn"}]}]}
    evening.answers("/events", lambda _: told)
    move = _first_move(evening.victim, evening.table)
    done = evening.victim.run("play", move, "--yes")
    assert done.code == 0
    check_harmless((done.out + done.err).encode())
    assert "�" in done.out
    assert "It is your turn" not in done.out.splitlines(), "no line is forged"


def test_the_summary_of_a_table_is_hostile(evening: Evening) -> None:
    hostile: dict[str, Any] = {
        "game": HOSTILE,
        "players": [HOSTILE, None],
        "abandoned": HOSTILE,
        "opener": HOSTILE,
        "at": HOSTILE,
    }
    hostile |= {"clock": {"kind": HOSTILE}, "waiting": [{"seat": 0, "name": HOSTILE, "since": HOSTILE, "due": HOSTILE}]}

    def change(answer: Any) -> None:
        answer["tables"] = answer["tables"][:1] or [json.loads(summary)]
        answer["tables"][0].update(hostile)
        answer["next"] = None

    summary = evening.victim.desk.api()._ask("GET", f"/tables/{evening.table}")
    evening.answers("/tables", change)
    for phase, ranking in (("sitting", []), ("playing", [[]]), ("closed", [[0, 99, -1]]), (HOSTILE, [[10**15]])):
        hostile |= {"phase": phase, "standing": {"final": True, "scores": [], "ranking": ranking}}
        hostile["abandoned"] = None if phase == "closed" else HOSTILE
        for which in ("--open", "--finished"):
            says_harmlessly(evening.victim, "tables", which, code=0, part="�")


def test_a_mailbox_is_hostile(evening: Evening) -> None:
    mailbox = {"address": HOSTILE, "confirmed": True, "when": HOSTILE, "private": True}
    evening.answers("/mailbox", lambda _: mailbox)
    real = evening.victim.desk.api().info()
    context = {"software": HOSTILE, "version": HOSTILE, "key": real.key, "gateway": real.key, "mail": HOSTILE}
    twist = evening.proxy.twist
    evening.proxy.twist = lambda path, body: json.dumps(context).encode() if path == "/v1" else twist(path, body)
    says_harmlessly(evening.victim, "mail", code=0, part="�")


TYPED = [
    (HOSTILE,),
    (f"--{HOSTILE.replace('=', '')}",),
    ("show", HOSTILE),
    ("show", "--as", HOSTILE),
    ("show", f"--{HOSTILE}"),
    ("rules", HOSTILE),
    ("play", HOSTILE),
    ("play", "--to", f"no/where/{HOSTILE}", "take"),
    ("new", HOSTILE),
    ("new", "paris-paris", "--seats", HOSTILE),
    ("new", "paris-paris", "--option", HOSTILE),
    ("new", "paris-paris", "--option", f"{HOSTILE}=1"),
    ("new", "paris-paris", "--clock", HOSTILE),
    ("new", "paris-paris", "--clock", "3d", "--vacation", HOSTILE),
    ("new", "paris-paris", "--then", HOSTILE),
    ("audit", HOSTILE),
    ("replay", HOSTILE),
    ("send", HOSTILE),
    ("register", HOSTILE),
    ("register", f"https://{HOSTILE}"),
    ("register", f"http://127.0.0.1:1/{HOSTILE}"),
    ("register", "http://127.0.0.1:1", HOSTILE),
    ("init", HOSTILE),
    ("init", "new", "--key", HOSTILE),
    ("selfplay", "paris-paris", "--bots", HOSTILE),
    ("selfplay", "paris-paris", "--seed", HOSTILE),
    ("selfplay", "paris-paris", "--record", f"no/where/{HOSTILE}"),
    ("bot", "--policy", HOSTILE),
    ("vacation", HOSTILE),
    ("vacation", "3d", "--from", HOSTILE),
    ("vote", HOSTILE),
    ("log", "--after", HOSTILE),
    ("mail", HOSTILE),
    ("mail", "when", HOSTILE),
    ("watch", "--timeout", HOSTILE),
    ("whoami", "--as", HOSTILE),
]


def test_what_was_typed_is_hostile(tmp_path: Path) -> None:
    """People paste commands that others wrote."""
    me = Person(tmp_path / "home", "me")
    me.does("init", "me")
    for arguments in TYPED:
        done = me.run(*arguments, cwd=tmp_path)
        assert done.code in (1, 2, 3), (arguments, done.code, done.out, done.err)
        check_harmless((done.out + done.err).encode())
    for arguments in TYPED[:8]:
        check_harmless(on_a_terminal(me, *arguments))


def test_a_home_is_hostile(tmp_path: Path) -> None:
    """The names of identities are the names of folders."""
    me = Person(tmp_path / HOSTILE, "me")
    me.does("init", "me")
    folder = me.home / "identities" / HOSTILE
    folder.mkdir()
    (folder / "identity.json").write_bytes((me.home / "identities" / "me" / "identity.json").read_bytes())
    says_harmlessly(me, "whoami", code=0, part="�")
    (folder / "identity.json").write_text("{")
    says_harmlessly(me, "whoami", "--as", HOSTILE, code=1, part="�")


def test_a_traceback_that_was_asked_for_is_harmless(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POSTE_DEBUG", "1")
    assert report_error(ValueError(HOSTILE)) == 1
    told = capsys.readouterr().err
    assert "ValueError" in told
    check_harmless(told.encode())


@contextmanager
def answering(said: bytes) -> Iterator[str]:
    """A server that says this to whoever connects, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(said)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


RAW = HOSTILE.replace("\r", "").encode()
ANSWERS = {
    "elsewhere": b"HTTP/1.1 302 Found\r\nLocation: http://" + RAW + b"\r\nContent-Length: 0\r\n\r\n",
    "a chunk of no length": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + RAW + b"\r\n",
    "an unknown encoding": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 60\r\n\r\n" + RAW * 2,
    "a status that is none": b"HTTP/1.1 " + RAW + b"\r\n\r\n",
    "no HTTP": RAW * 3 + b"\r\n",
    "a header that is none": b"HTTP/1.1 200 OK\r\n" + RAW + b"\r\n\r\n{}",
    "a length that is none": b"HTTP/1.1 200 OK\r\nContent-Length: " + RAW + b"\r\n\r\n{}",
}


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_is_hostile_before_it_is_one(tmp_path: Path, what: str, scheme: str) -> None:
    me = Person(tmp_path / "home", "me")
    me.does("init", "me")
    with answering(ANSWERS[what]) as where:
        says_harmlessly(me, "register", f"{scheme}://{where}", code=3)


def test_errors_quote_harmlessly_at_the_source() -> None:
    """Whoever passes an error on, to a player or to a server's answer, passes on nothing but a short text."""

    def kinds(kind: type[EngineError]) -> Iterator[type[EngineError]]:
        for each in kind.__subclasses__():
            yield each
            yield from kinds(each)

    for error in (EngineError(HOSTILE * 99), RecordRejected("a/code", HOSTILE * 99)):
        check_harmless(str(error).encode())
        assert len(str(error)) == 400
    assert all(kind.__init__ is not Exception.__init__ for kind in kinds(EngineError))
    for fault in audit(b"\n".join(LINES.values()) + b"\n").faults:
        check_harmless(fault.message.encode())


def test_colours_of_ours_still_work(evening: Evening) -> None:
    """The same text as in a pipe, and colour with it."""
    printed = printed_on_a_terminal(evening.victim, "show")
    assert OUR_COLOURS.search(printed)
    on_screen = [line.rstrip() for line in OUR_COLOURS.sub("", printed).splitlines()]
    # How long ago something was said stands further down, and may differ.
    assert on_screen[:20] == evening.victim.does("show").out.splitlines()[:20]


PRINTERS = {
    "echo",
    "secho",
    "prompt",
    "confirm",
    "echo_via_pager",
    "progressbar",
    "print",
    "Console",
    "getpass",
    "input",
}
STREAMS = {"stdout", "stderr"}


def test_everything_is_printed_in_one_place() -> None:
    """``client/output.py`` prints; every other module goes through it: say, print_text, ask, agrees."""
    found = []
    for path in sorted(Path(client.__file__).parent.rglob("*.py")):
        if path.name == "output.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if called in PRINTERS:
                    found.append(f"{path.name}:{node.lineno} calls {called}")
                written = node.func.value if isinstance(node.func, ast.Attribute) else None
                inner = getattr(written, "value", None) if getattr(written, "attr", "") == "buffer" else written
                if isinstance(inner, ast.Attribute) and inner.attr in STREAMS and called in ("write", "writelines"):
                    found.append(f"{path.name}:{node.lineno} writes to {inner.attr}")
    assert found == []
