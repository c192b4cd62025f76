"""Every command as a user meets it: its help, its words for scripts, its refusals, its exit codes."""

from __future__ import annotations

import doctest
import json
import os
import pty
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path

import pytest

from client.cli import COMMANDS
from client.connection import local_server
from client.output import CommandRefused
from client.trust.player_home import usual_name
from tests.client.players_and_proxy import Person, a_proxy, somebody
from tests.server.server_process import ServerProcess

NewPerson = Callable[[str], Person]
SECRET, WRONG = {"POSTE_PASSPHRASE": "open sesame"}, {"POSTE_PASSPHRASE": "close sesame"}
VERBS = sorted(path.stem for path in COMMANDS.glob("[a-z]*.py"))


@pytest.fixture
def table(new_person: NewPerson) -> tuple[str, Person, Person]:
    """A game just dealt."""
    ann, bob = new_person("ann"), new_person("bob")
    table = ann.does("new", "paris-paris", "--json").json["table"]
    bob.does("join", table)
    return table, ann, bob


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_explains_itself_with_an_example(tmp_path: Path, verb: str) -> None:
    told = Person(tmp_path, "nobody").does(verb, "--help").out
    assert "Example" in told
    assert f"poste {verb}" in told
    assert "--json" in told


def test_help_lists_every_command_and_imports_nothing_heavy(tmp_path: Path) -> None:
    nobody = Person(tmp_path, "nobody")
    told = nobody.does("--help").out
    assert all(f"  {verb} " in told for verb in VERBS)
    heavy = "requests rich cryptography msgspec engine"
    code = f"import sys, client.cli; print([name for name in {heavy.split()!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_without_an_identity_one_is_told_how_to_get_one(tmp_path: Path) -> None:
    nobody = Person(tmp_path, "nobody")
    for command in (["whoami"], ["tables"], ["show"], ["play"], ["audit", "7f3a"]):
        done = nobody.run(*command)
        assert (done.code, done.out) == (1, "")
        assert "poste init" in done.err


def test_the_first_steps(tmp_path: Path, server: ServerProcess) -> None:
    me = Person(tmp_path, "me")
    made = me.does("init", "camille", "--json").json
    assert Path(made["key_file"]).stat().st_mode & 0o777 == 0o600
    for command in (["tables"], ["new", "paris-paris"]):
        assert "poste register" in me.run(*command).err
    told = me.does("register", server.url + "/v1/", "--json").json
    assert (told["server"], told["name"], told["key"]) == (server.url, "camille", made["key"])
    assert me.does("login", server.url).err, "coming back is the same as registering"
    who = me.does("whoami", "--json").json
    assert (who["identity"], who["name"], who["server"], who["table"]) == ("camille", "camille", server.url, None)
    assert me.does("whoami").out.strip() == "camille"
    assert "Which table?" in me.run("show").err

    me.does("init", "odile")
    taken = me.run("register", server.url, "camille", "--as", "odile")
    assert taken.code == 1
    assert "Somebody else is called camille" in taken.err
    me.does("whoami", "--as", "odile", "--use")
    assert me.does("whoami").out.strip() == "odile"
    assert me.run("whoami", more={"POSTE_AS": "camille"}).out.strip() == "camille"
    assert "camille" in me.does("whoami").err
    assert me.run("whoami", "--as", "nobody").code == 1


def test_a_word_of_a_move_is_no_name_and_one_is_told_so(tmp_path: Path, server: ServerProcess) -> None:
    me = Person(tmp_path, "me")
    me.does("init", "violet")
    refused = me.run("register", server.url)
    assert (refused.code, refused.out) == (1, "")
    assert "Nobody can be called violet: moves are written with it in Paris Paris; choose another name" in refused.err
    assert me.does("register", server.url, "violette-of-lyon").code == 0


def test_init_with_a_passphrase_and_with_a_key_of_ones_own(tmp_path: Path, server: ServerProcess) -> None:
    me = Person(tmp_path, "me")
    assert me.run("init", "paul-m", more=SECRET).code == 0
    assert me.run("register", server.url, more=WRONG).code == 1
    assert me.run("register", server.url, more=SECRET).code == 0
    other = Person(tmp_path / "other", "me")
    key = json.loads(me.does("whoami", "--json").out)["key_file"]
    assert other.run("init", "paul-m", "--key", key, more=SECRET).code == 0
    assert other.run("login", server.url, more=SECRET).code == 0, "the same key on another machine"


def test_json_is_said_on_stdout_and_nothing_else(table: tuple[str, Person, Person]) -> None:
    name, ann, _ = table
    shown = ann.does("show", "--json").json
    assert {"table", "game", "phase", "players", "seat", "length", "head", "asked", "your_turn", "view"} <= shown.keys()
    assert (shown["table"], shown["seat"], shown["your_turn"]) == (name, 0, True)
    moves = ann.does("moves", "--json").json
    assert {"table", "seat", "base", "decision", "moves"} == moves.keys()
    assert {"text", "move"} == moves["moves"][0].keys()
    dry = ann.does("play", moves["moves"][0]["text"], "--dry-run", "--json").json
    assert dry == {"table": name, "sent": False, "moves": moves["moves"][:1]}
    (listed,) = ann.does("tables", "--json").json
    assert (listed["table"], listed["phase"]) == (name, "playing")
    (waiting,) = ann.does("tables", "--waiting", "--json").json
    assert waiting["table"] == name
    log = ann.does("log", "--json").json
    assert [line["entry"]["kind"] for line in log] == ["open", "sit", "sit", "deal"]
    exported = ann.does("export", "--json", "-o", str(ann.home / "x.poste")).json
    assert (exported["entries"], exported["finished"]) == (4, False)
    assert ann.does("export", "-o", "-").out.count("\n") == 4
    assert ann.run("audit", name, "--json").code == 4, "it is not over: not everything can be proved yet"
    assert ann.does("watch", "--json").json["your_turn"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new", "chess"], "paris-paris"),
        (["new", "paris-paris", "--seats", "9"], "2 to 4"),
        (["new", "paris-paris", "--option", "map"], "KEY=VALUE"),
        (["new", "paris-paris", "--option", "size=3"], "size"),
        (["new", "paris-paris", "--clock", "soon"], "12h"),
        (["replay", "no-such-file"], "neither a file nor"),
        (["bot", "--policy", "genius"], "greedy"),
        (["send", "no-such-file"], "does not exist"),
        (["demo", "paris-paris", "--seats", "7"], "2 to 4"),
        (["dance"], "No such command"),
    ],
)
def test_wrong_usage_is_exit_code_2(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = Person(tmp_path, "me").run(*arguments)
    assert done.code == 2
    assert said in done.err


def test_what_cannot_be_done_is_exit_code_1(table: tuple[str, Person, Person], tmp_path: Path) -> None:
    name, ann, bob = table
    assert "4 or more" in ann.run("show", "xyz").err
    assert ann.run("show", "0000000000").code == 1
    assert "not the address" in ann.run("register", "ftp://example").err
    assert "map" in ann.run("new", "paris-paris", "-o", "map=atlantis").err
    assert "not your turn" in bob.run("moves").err
    assert "no signed move" in ann.run("send", "-", stdin="hello").err
    assert "Only one move" in ann.run("play", "take a then take b", "--to", str(tmp_path / "x")).err
    assert "it must be said" in ann.run("play").err
    assert ann.run("show", name[:4] + "zz").code == 1


def test_options_of_a_game_are_read_from_the_command_line(new_person: NewPerson) -> None:
    ann = new_person("ann")
    told = ann.does("new", "paris-paris", "-o", "colours=green,grey,violet,yellow", "--no-sit", "--json").json
    assert told["options"]["colours"] == ["green", "grey", "violet", "yellow"]
    assert told["players"] == [None, None]


def test_a_shortened_id_must_mean_one_table(new_person: NewPerson) -> None:
    ann = new_person("ann")
    first = ann.does("new", "paris-paris", "--json").json["table"]
    folder = ann.desk.home.tables(ann.desk.identity)
    (folder / (first[:8] + "0" * 24)).mkdir()
    (folder / (first[:8] + "0" * 24) / "server").write_text("http://elsewhere\n")
    assert "could be any of" in ann.run("show", first[:6]).err
    assert ann.does("show", first[:12] if first[8:12] != "0000" else first).out


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_nobody_there_is_exit_code_3_with_a_helpful_sentence(tmp_path: Path) -> None:
    me = Person(tmp_path, "me")
    me.does("init", "me")
    done = me.run("register", f"http://127.0.0.1:{closed_port()}")
    assert done.code == 3
    assert "Is the address right" in done.err


ANSWERS = {
    "a captive portal": (200, "text/html", b"<html>Accept our terms"),
    "another service": (404, "text/html", b"not here"),
    "a redirect": (302, "text/html", b""),
    "a broken server": (500, "application/problem+json", b'{"code":"server/fault","detail":"it broke \\u001b[31m"}'),
    "a busy server": (503, "application/problem+json", b'{"code":"server/busy","detail":"try later"}'),
    "half an answer": (200, "application/json", b'{"software":"poste"'),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_somebody_else_there_is_exit_code_3(tmp_path: Path, what: str) -> None:
    status, kind, body = ANSWERS[what]

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            if status == 302:
                self.send_header("Location", "http://elsewhere.example")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its signature
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        threading.Thread(target=stranger.serve_forever, daemon=True).start()
        me = Person(tmp_path, "me")
        me.does("init", "me")
        done = me.run("register", f"http://127.0.0.1:{stranger.server_port}")
        stranger.shutdown()
    assert done.code == 3, done.err
    assert "\x1b" not in done.err, "what strangers say cannot command the terminal"


def test_a_finished_table_is_looked_at_without_the_server(server: ServerProcess, tmp_path: Path) -> None:
    with a_proxy(server) as proxy:
        ann, bob = (somebody(tmp_path, proxy.url, name) for name in ("ann", "bob"))
        table = ann.does("new", "paris-paris", "--json").json["table"]
        bob.does("join", table)
        bob.does("resign", "--yes")
        ann.does("show")
    assert ann.does("audit", table).out.startswith(f"{table}: valid")
    assert ann.does("replay", table, "--as", ann.name).out
    assert ann.run("show").code == 3


def completed(person: Person, line: str) -> list[str]:
    words = line.split(" ")
    environment = person.environment(
        {"_POSTE_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    )
    code = "from client.cli import poste; poste(prog_name='poste')"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr, "a shell must not be disturbed"
    return [item.partition(",")[2] for item in done.stdout.splitlines() if item]


def test_the_shell_completes_commands_identities_tables_and_moves(table: tuple[str, Person, Person]) -> None:
    name, ann, bob = table
    ann.does("show")
    moves = ann.does("moves").out.splitlines()
    assert "play" in completed(ann, "poste pl")
    assert completed(ann, "poste show --as an") == [ann.name]
    assert completed(ann, f"poste show {name[:3]}") == [name[:8]]
    assert completed(ann, f"poste show {name[:10]}") == [name]
    assert completed(ann, "poste play ta") == ["take"]
    assert completed(ann, "poste play take ") == sorted({move.split()[1] for move in moves})
    assert completed(ann, f"poste play {name[:8]} take ") == sorted({move.split()[1] for move in moves})
    assert completed(ann, f"poste audit {name[:3]}")[0] == name[:8]
    bob.does("show")
    assert completed(bob, "poste play ta") == [], "it is not bob's turn"
    assert completed(Person(ann.home / "empty", "x"), "poste show ") == []


def at_a_terminal(person: Person, command: list[str], answers: list[tuple[str, str]], seconds: float = 60) -> str:
    """Run ``poste`` on a terminal, and type each answer when its question has been asked."""
    child, terminal = pty.fork()
    if child == 0:
        arguments = [sys.executable, "-m", "client", *command]
        os.execve(sys.executable, arguments, person.environment({"TERM": "xterm"}))  # noqa: S606 - a child of pty.fork
    said, waiting, position = "", list(answers), 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece.decode(errors="replace")
        if waiting and waiting[0][0] in said[position:]:
            position = len(said)
            os.write(terminal, waiting.pop(0)[1].encode() + b"\n")
    os.close(terminal)
    os.waitpid(child, 0)
    assert not waiting, (waiting, said)
    return said


def test_choosing_a_move_at_a_terminal(table: tuple[str, Person, Person]) -> None:
    _, ann, bob = table
    choices = ann.does("moves").out.splitlines()
    said = at_a_terminal(
        ann, ["play"], [("Your move", "take"), ("Your move", "xyz"), ("Your move", "1"), ("Play", "n")]
    )
    assert "Nothing was played" in said
    said = at_a_terminal(ann, ["play"], [("Your move", "?"), ("Your move", "2"), ("Play", "y")])
    assert f"Played: {choices[1]}" in said
    assert "\x1b[" in said, "it is in colour"
    assert "Nothing was played" in at_a_terminal(bob, ["play"], [("Your move", "")])


def test_a_passphrase_is_asked_for_at_a_terminal(tmp_path: Path, server: ServerProcess) -> None:
    me = Person(tmp_path, "me")
    asked = [("passphrase for your key", "abc"), ("same again", "abc")]
    assert "You are lea-m" in at_a_terminal(me, ["init", "lea-m"], asked)
    assert "You are lea-m" in at_a_terminal(me, ["register", server.url], [("Passphrase of", "abc")])


def test_demo_plays_a_real_game_on_a_real_server(tmp_path: Path) -> None:
    told = Person(tmp_path, "me").does("demo", "--json").json
    assert {"game", "table", "record", "audit", "standing"} == told.keys()
    assert told["audit"]["valid"]
    assert told["standing"]["final"]
    assert Path(told["record"]).read_bytes().count(b"\n") == told["audit"]["entries"]
    shown = Person(tmp_path, "me").does("demo", "--auto", "--seats", "3")
    assert "audits as valid" in shown.err
    assert not any(tmp_path.iterdir()), "one's own home is not touched"


def test_demo_lets_a_person_play(tmp_path: Path) -> None:
    said = at_a_terminal(Person(tmp_path, "me"), ["demo"], [("Your move", "1"), ("Your move", "1"), ("Your move", "")])
    assert f"{usual_name()} takes the" in said
    assert "Nothing was played" in said


def test_demo_without_the_server_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "find_spec", lambda name: None if name == "flask" else name)
    with pytest.raises(CommandRefused, match=r"pip install 'poste-restante\[server\]'"), local_server.running(tmp_path):
        pass


def test_doctests_of_the_client() -> None:
    names = ("connection.http_api", "screen.move_picker", "phrases")
    counts = [doctest.testmod(import_module(f"client.{name}")) for name in names]
    assert all(count.attempted and not count.failed for count in counts)
