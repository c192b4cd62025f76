"""No server holds a command: not by a byte now and then, by silence, or by pages without end. Exit 3, in a sentence.

Each is a real one on a socket of this machine, and goes on for as long as anybody listens.
"""

from __future__ import annotations

import json
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, cycle
from pathlib import Path

import pytest

from client.connection.http_api import is_overheard
from client.trust.player_home import Home
from engine.keys import SigningKey
from engine.record.entry import FIRST
from tests.client.players_and_proxy import Person
from tests.server.server_process import ServerProcess

Says = Callable[[str], Iterator[bytes]]
"""What it says to a request, piece by piece; between two pieces it waits for a moment."""
HASTY = {"POSTE_TIMEOUT": "2"}
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@contextmanager
def a_server(says: Says, pause: float = 0.2) -> Iterator[str]:
    """A server that answers so, each connection in a thread of its own."""
    over = threading.Event()

    def talk(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while not over.is_set():
                request = connection.recv(65536).decode("latin-1")
                if not request:
                    return
                for piece in says(request.partition("\r\n")[0]):
                    connection.sendall(piece)
                    if over.wait(pause):
                        return

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=talk, args=(listening.accept()[0],), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        over.set()
        listening.shutdown(socket.SHUT_RDWR)


def one_byte_of_the_body_after_the_other(_: str) -> Iterator[bytes]:
    yield OK + b"Content-Length: 1000000\r\n\r\n"
    yield from cycle([b" "])


def one_chunk_after_the_other(_: str) -> Iterator[bytes]:
    yield OK + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from cycle([b"1\r\n \r\n"])


def one_byte_of_a_header_after_the_other(_: str) -> Iterator[bytes]:
    yield OK + b"X-Slow: "
    yield from cycle([b"z"])


def one_header_after_the_other(_: str) -> Iterator[bytes]:
    yield OK
    for number in count():
        yield b"X-%d: z\r\n" % number


def one_byte_of_the_status_after_the_other(_: str) -> Iterator[bytes]:
    yield from cycle([b"H"])


def one_go_on_after_the_other(_: str) -> Iterator[bytes]:
    yield from cycle([b"HTTP/1.1 100 Continue\r\n\r\n"])


def nothing(_: str) -> Iterator[bytes]:
    yield from cycle([b""])


def elsewhere_with_a_body_without_end(_: str) -> Iterator[bytes]:
    yield b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example\r\nContent-Length: 1000000\r\n\r\n"
    yield from cycle([b" "])


SLOW: list[Says] = [
    one_byte_of_the_body_after_the_other,
    one_chunk_after_the_other,
    one_byte_of_a_header_after_the_other,
    one_header_after_the_other,
    one_byte_of_the_status_after_the_other,
    one_go_on_after_the_other,
    nothing,
    elsewhere_with_a_body_without_end,
]


@pytest.fixture
def me(tmp_path: Path) -> Person:
    home = Home(tmp_path / "home")
    home.create("me", "")
    return Person(home.path, "me")


def registered(me: Person, server: str) -> Person:
    """The same, as if the server had taken the name."""
    me.desk.home.pin(server, SigningKey(bytes(32)).public)
    me.desk.remember(server=server, registered="me", table="0" * 32)
    return me


@pytest.mark.parametrize("says", SLOW, ids=lambda says: says.__name__)
def test_a_server_that_answers_little_by_little_is_left(me: Person, says: Says) -> None:
    with a_server(says) as server:
        done = me.run("register", server, more=HASTY)
        assert done.code == 3, (done.out, done.err)
        assert "within 2 seconds" in done.err
        registered(me, server)
        for command in (["tables"], ["play", "take", "--yes"]):
            done = me.run(*command, more=HASTY)
            assert done.code == 3, (command, done.out, done.err)
            assert "within 2 seconds" in done.err


def test_a_handshake_that_never_ends_is_left(me: Person) -> None:
    with a_server(nothing) as server:
        done = me.run("register", server.replace("http:", "https:"), more=HASTY)
    assert done.code == 3
    assert "within 2 seconds" in done.err


def test_whoever_asks_again_and_again_does_not_wait_for_ever(me: Person) -> None:
    """A bot tries again when a server is away; one that answers without end gets no more than a few of its threads."""
    with a_server(one_byte_of_a_header_after_the_other) as server:
        done = registered(me, server).run("bot", more=HASTY)
    assert done.code == 3
    assert "within 2 seconds" in done.err


def summary() -> dict[str, object]:
    told = {"game": "paris-paris/1", "seats": 2, "players": [None, None], "phase": "sitting", "length": 1}
    return {"table": secrets.token_hex(16), "head": FIRST, "at": "2026-01-01T00:00:00.000Z", **told}


def pages(tables: Callable[[], list[dict[str, object]]]) -> Says:
    """Says that there is another page after every page."""

    def says(_: str) -> Iterator[bytes]:
        body = json.dumps({"tables": tables(), "next": "1"}).encode()
        yield OK + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    return says


ALWAYS = summary()
ENDLESS = {"the same page": lambda: [ALWAYS], "empty pages": list, "a table and itself": lambda: [ALWAYS, ALWAYS]}


@pytest.mark.parametrize("what", ENDLESS)
@pytest.mark.parametrize("command", [["tables", "--open"], ["vacation", "3d"], ["back"]], ids=lambda words: words[0])
def test_pages_that_go_round_in_circles_are_left(me: Person, command: list[str], what: str) -> None:
    with a_server(pages(ENDLESS[what]), pause=0) as server:
        done = registered(me, server).run(*command, more=HASTY)
    assert done.code == 3, (done.out, done.err)
    assert "round in circles" in done.err


@pytest.mark.parametrize(
    "command", [["tables", "--open", "--limit", "1000"], ["vacation", "3d"]], ids=lambda words: words[0]
)
def test_pages_without_end_are_left(me: Person, command: list[str]) -> None:
    """Each page is in time, and new; but they do not end."""
    with a_server(pages(lambda: [summary()])) as server:
        done = registered(me, server).run(*command, more=HASTY)
    assert done.code == 3, (done.out, done.err)
    assert "within 2 seconds" in done.err


def test_no_more_is_listed_than_was_asked_for(me: Person) -> None:
    with a_server(pages(lambda: [summary() for _ in range(70)]), pause=0) as server:
        done = registered(me, server).does("tables", "--open", "--limit", "120", "--json")
    assert len(done.json) == 120


def test_an_answer_without_end_is_cut_off(me: Person) -> None:
    def says(_: str) -> Iterator[bytes]:
        yield OK + b"Connection: close\r\n\r\n"
        yield from cycle([b" " * 65536])

    with a_server(says, pause=0) as server:
        done = me.run("register", server)
    assert done.code == 3
    assert "more than any answer" in done.err


def test_patience_is_a_number_of_seconds(me: Person) -> None:
    for wrong in ("", "soon", "0", "-1", "1e9", "inf", "9" * 5000):
        done = me.run("register", "http://127.0.0.1:1", more={"POSTE_TIMEOUT": wrong})
        assert done.code == 1
        assert "POSTE_TIMEOUT" in done.err


def test_plain_http_to_another_machine_warns(me: Person, server: ServerProcess) -> None:
    """Nothing is at such an address here; but the warning comes before anything is sent."""
    for url in ("http://games.example.invalid", "http://192.0.2.1:9/path", "http://[2001:db8::1]"):
        registered(me, url)
        done = me.does("whoami")
        assert "WARNING" in done.err
        assert url in done.err
        assert "WARNING" in me.run("whoami", "--json").err
    done = me.run("register", "http://games.example.invalid", more=HASTY)
    assert done.code == 3
    assert done.err.startswith("WARNING")
    done = me.does("register", server.url, f"me-{secrets.token_hex(4)}")
    assert "WARNING" not in done.err
    assert "WARNING" not in me.does("whoami").err
    registered(me, "https://games.example.invalid")
    assert "WARNING" not in me.does("whoami").err


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "here.localhost", "LOCALHOST"])
def test_nobody_is_on_the_way_to_this_machine(host: str) -> None:
    assert not is_overheard(f"http://{host}:8420")


@pytest.mark.parametrize("host", ["localhost.example.org", "128.0.0.1", "0x7f.1", "[::2]", "127.0.0.1.example.org"])
def test_whoever_sounds_like_this_machine_is_not(host: str) -> None:
    assert is_overheard(f"http://{host}:8420")
    assert not is_overheard(f"https://{host}:8420")
