"""What somebody can do to a server who does nothing but keep it busy: sockets, halves of requests, floods."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Semaphore, Thread
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from waitress.wasyncore import close_all

from server.http import connection_limits
from server.http.connection_limits import LARGEST_HEAD, MOST_FIELDS, Server
from server.http.rate_limit import Rate, network_of
from server.http_server import loop
from server.problems import RequestRefused
from server.service.poll_places import Waiter, WaitingPlaces
from server.settings import Settings
from tests.server.server_process import ServerProcess, Visitor, company, seated, to_move

PATIENCE = 60
LARGE = 32_000_000


@pytest.fixture
def new_house(tmp_path: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Servers on SQLite, set up as one likes."""
    houses: list[ServerProcess] = []

    def start(**environment: str) -> ServerProcess:
        houses.append(ServerProcess(tmp_path, f"sqlite:///{tmp_path / 'poste.db'}", **environment))
        return houses[-1]

    yield start
    for house in houses:
        house.kill()


def line(url: str, source: str = "127.0.0.1") -> socket.socket:
    """A connection from one of this machine's own addresses."""
    where = urlsplit(url)
    found = socket.create_connection((where.hostname or "", where.port or 0), PATIENCE, (source, 0))
    found.settimeout(PATIENCE)
    return found


@contextmanager
def lines(url: str, number: int, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(line(url, source)) for _ in range(number)]


def poll_of(table: str) -> bytes:
    return f"GET /v1/tables/{table}/log?after=1000&wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def hung_up(one: socket.socket) -> bool:
    """Whether the server closes this connection, in time."""
    try:
        while one.recv(65536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def news_for(player: Visitor, mover: Visitor, table: str) -> bool:
    """Whether a player can wait for a move, and hears of it when it is made."""
    length, body = len(player.log(table)), mover.choice(table)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(
            player.ask, "GET", f"/tables/{table}/log", signed=True, params={"after": length - 1, "wait": 30}
        )
        mover.send(table, body)
        return waiting.result(PATIENCE).status_code == 200


def test_anonymous_sockets_do_not_take_the_places_of_players(new_house: Callable[..., ServerProcess]) -> None:
    house = new_house()
    table, players = seated(house.url)
    with lines(house.url, 24) as crowd:
        for one in crowd:
            one.sendall(poll_of(table))
        answered = _answered(crowd, 16)
        assert all(status(one.recv(4096)) == 503 for one in answered)
        assert len(answered) == 16, "strangers have half of the places, and not more"
        (turn,) = to_move(table, players)
        answer = players[0].ask("GET", f"/tables/{table}/log?after=1000&wait=1", signed=True)
        assert (answer.status_code, answer.content) == (200, b""), "a player has a place"
        assert players[0].ask("GET", f"/tables/{table}/log?after=1000&wait=1").status_code == 503
        stranger = Visitor(house.url).ask("GET", f"/tables/{table}/log?after=1000&wait=1", signed=True)
        assert stranger.status_code == 503, "whoever has a key and is not registered is a stranger"
        assert news_for(players[1 - turn], players[turn], table)


def _answered(crowd: list[socket.socket], number: int) -> list[socket.socket]:
    """Those that have been answered as soon as so many have."""
    end = time.monotonic() + PATIENCE
    answered: list[socket.socket] = []
    while len(answered) < number:
        assert time.monotonic() < end, f"only {len(answered)} are answered"
        answered = select.select(crowd, [], [], 0.1)[0]
    return answered


@pytest.mark.parametrize("more", [b"", b"GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"], ids=["one", "and another"])
def test_who_hangs_up_gives_the_place_back(new_house: Callable[..., ServerProcess], more: bytes) -> None:
    """Also who asks once more before hanging up, so that their end is not read."""
    house = new_house()
    table, players = seated(house.url)
    began = time.monotonic()
    with lines(house.url, 12) as crowd:
        for one in crowd:
            one.sendall(poll_of(table))
        refused = _answered(crowd, 4)
        assert players[0].ask("GET", f"/tables/{table}/log?after=1000&wait=1").status_code == 503
        for one in crowd:
            if more and one not in refused:
                one.sendall(more)
    hung = time.monotonic()
    while players[0].ask("GET", f"/tables/{table}/log?after=1000&wait=1").status_code == 503:
        assert time.monotonic() - hung < 40, "they keep their places though they are gone"
    assert time.monotonic() - began < 60, "within the minute that a poll lasts, or this proves nothing"


def test_half_sent_requests_do_not_stop_the_server(new_house: Callable[..., ServerProcess]) -> None:
    house = new_house(POSTE_CONNECTIONS="60")
    (ann,) = company(house.url, 1)
    with lines(house.url, 200) as crowd:
        for one in crowd:
            one.sendall(b"POST /v1/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
        assert Visitor(house.url).get("")["software"] == "poste-restante"
        assert ann.get("/tables", list="mine", signed=True)["tables"] == []
        for one in crowd[:130]:
            assert hung_up(one), "the one who has asked nothing for longest makes room"


def test_as_it_is_set_up_a_hundred_half_sent_requests_are_nothing(new_house: Callable[..., ServerProcess]) -> None:
    house = new_house()
    with lines(house.url, 110) as crowd:
        for one in crowd:
            one.sendall(b"GET /v1 HTTP/1.1\r\n")
        assert Visitor(house.url).get("")["software"]
        for one in crowd:
            one.sendall(b"Host: localhost\r\n\r\n")
            assert status(one.recv(4096)) == 200


def test_one_network_has_a_tenth_of_the_connections(new_house: Callable[..., ServerProcess]) -> None:
    house = new_house(POSTE_CONNECTIONS="100")
    with lines(house.url, 5) as others, lines(house.url, 40, "127.0.0.2") as crowd:
        for one in [*others, *crowd]:
            one.sendall(b"GET /v1 HTTP/1.1\r\n")
        assert Visitor(house.url).get("")["software"]
        for one in crowd[:30]:
            assert hung_up(one)
        for one in others:
            one.sendall(b"Host: localhost\r\n\r\n")
            assert status(one.recv(4096)) == 200, "nobody else is hung up on for that"


@contextmanager
def served(application: Any) -> Iterator[tuple[str, dict[int, Any]]]:
    """This application behind our front door, in this process: its address, and its connections."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server, over = Server(application, listener, Settings()), Event()
        thread = Thread(target=loop, args=(server, over.is_set))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", cast("Any", server).active_channels
        finally:
            over.set()
            server.pull_trigger()
            thread.join()
            server.dispatcher.shutdown(timeout=1)
            server.close()
            close_all(cast("Any", server)._map)


def large(_environ: Any, start_response: Any) -> list[bytes]:
    """An answer that no buffer between two programs has room for."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"x" * LARGE]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds instead of many."""
    for name in ("SPEAKING", "LISTENING"):
        monkeypatch.setattr(connection_limits, name, 2)
    monkeypatch.setattr(connection_limits, "_LOOK", 1)


def test_who_speaks_one_byte_after_another_is_hung_up_on(impatient: None) -> None:
    with served(large) as (url, _), line(url) as drip, line(url) as half:
        half.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        end = time.monotonic() + PATIENCE
        drip.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        while not closed_by_the_server(drip):
            assert time.monotonic() < end, "it is listened to for ever"
            drip.sendall(b"y")
            time.sleep(0.1)
        assert hung_up(half)


def test_who_does_not_take_the_answer_is_hung_up_on(impatient: None) -> None:
    """Those who take a little of it now and then as well; and who takes it as it comes gets all of it."""
    with served(large) as (url, open_ones), line(url) as still, line(url) as slow, line(url) as good:
        for one in (still, slow, good):
            one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert sum(len(piece) for piece in iter(lambda: good.recv(1 << 20), b"")) > LARGE
        end = time.monotonic() + PATIENCE
        while open_ones:
            assert time.monotonic() < end, "their answers are kept for ever"
            slow.recv(1000)
            time.sleep(0.1)
        assert sum(len(piece) for piece in iter(lambda: still.recv(1 << 20), b"")) < LARGE


def closed_by_the_server(one: socket.socket) -> bool:
    poll = select.poll()
    poll.register(one, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(0))


def test_many_questions_at_once_are_none(new_house: Callable[..., ServerProcess]) -> None:
    """Threads would wait for those who ask for more than they take."""
    house = new_house(POSTE_THREADS="2")
    with lines(house.url, 6) as crowd:
        for one in crowd:
            one.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
        assert Visitor(house.url).get("")["software"]
        for one in crowd:
            assert hung_up(one)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (b"Accept: " + b"a/b," * 64_000, 431),
        (b"Accept: " + b"a/b," * 3_500, 406),
        (b"a:\r\n" * 3_500 + b"b: c", 400),
        (b"a:\r\n" * (MOST_FIELDS // 2) + b"b: c", 200),
        (b"Accept: text/html, application/json;q=0.9, */*;q=0.1", 200),
        (b"X: " + b"y" * (LARGEST_HEAD // 2), 200),
    ],
    ids=["255 KB of Accept", "14 KB of Accept", "thousands of fields", "some fields", "a browser", "a long field"],
)
def test_a_head_that_is_too_large_costs_nothing(
    new_house: Callable[..., ServerProcess], fields: bytes, expected: int
) -> None:
    house = new_house()
    with line(house.url) as one:
        with suppress(ConnectionError):  # it is refused before all of it has been heard
            one.sendall(b"GET /v1 HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n\r\n")
        try:
            assert status(one.recv(4096)) == expected
        except ConnectionResetError:
            assert expected == 431


def test_one_network_does_not_have_all_threads() -> None:
    """However many it keeps busy, another is served, and so is this machine."""
    entered, over = Semaphore(0), Event()

    def slow(environ: Any, start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/slow":
            entered.release()
            assert over.wait(PATIENCE)
        start_response("200 OK", [("Content-Length", "0")])
        return []

    def request(path: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    with served(slow) as (url, _), lines(url, 40, "127.0.0.2") as crowd:
        for one in crowd:
            one.sendall(request("/slow"))
        assert entered.acquire(timeout=PATIENCE)
        for source in ("127.0.0.3", "127.0.0.1"):
            with line(url, source) as other:
                other.sendall(request("/"))
                assert status(other.recv(4096)) == 200
        assert not over.is_set()
        over.set()
        for one in crowd:
            assert status(one.recv(4096)) == 200, "and all of theirs are answered in the end"


def test_a_flood_from_one_network_is_answered_no_faster_than_it_may_ask(
    new_house: Callable[..., ServerProcess],
) -> None:
    house = new_house(POSTE_RATE="5", POSTE_BURST="10")
    request = b"HEAD /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"  # the answer has no body
    with lines(house.url, 8, "127.0.0.2") as crowd, line(house.url) as own:
        for one in crowd:
            one.setblocking(False)
        statuses: list[int] = []
        begun = time.monotonic()
        for one in crowd:
            one.send(request)
        while len(statuses) < 50:
            for one in crowd:
                try:
                    statuses.append(status(one.recv(4096)))
                    one.send(request)
                except BlockingIOError:
                    continue
            own.sendall(request)
            assert status(own.recv(4096)) == 200, "this machine need not wait"
        took = time.monotonic() - begun
    assert {200, 429} == set(statuses)
    assert took > (50 - 20) / 10 * 0.8, "so many at once, and then twice as many a second as are served"


def test_an_ipv6_site_is_one_network() -> None:
    rate = Rate(0.001, 3)
    for number in range(3):
        rate.take(network_of(f"2001:db8:0:1::{number}", proxied=False))
    with pytest.raises(RequestRefused, match="slow down"):
        rate.take(network_of("2001:db8:0:1:ffff:ffff:ffff:ffff", proxied=False))
    rate.take(network_of("2001:db8:0:2::1", proxied=False))
    for address in ("::ffff:192.0.2.1", "192.0.2.1", "::ffff:c000:201"):
        rate.take(network_of(address, proxied=True))
    with pytest.raises(RequestRefused):
        rate.take("192.0.2.1")


def test_an_ipv6_site_is_one_network_behind_a_proxy(new_house: Callable[..., ServerProcess]) -> None:
    house = new_house(POSTE_PROXIES="1", POSTE_RATE="0.001", POSTE_BURST="3")
    visitor = Visitor(house.url)

    def ask(address: str) -> int:
        return visitor.session.get(f"{house.url}/v1", headers={"X-Forwarded-For": address}).status_code

    assert [ask(f"2001:db8::{number}") for number in range(4)] == [200, 200, 200, 429]
    assert ask("2001:db8:0:1::") == 200


def test_places_to_wait_are_shared_out() -> None:
    places = WaitingPlaces(16)

    def fits(*waiters: Waiter) -> int:
        """How many of them find a place, one after the other."""
        with ExitStack() as held:
            for number, waiter in enumerate(waiters):
                try:
                    held.enter_context(places.place(waiter))
                except RequestRefused:
                    return number
            return len(waiters)

    assert fits(*[Waiter()] * 20) == 8
    assert fits(*[Waiter("192.0.2.1")] * 20) == 4
    assert fits(*[Waiter("192.0.2.1", 7)] * 20) == 4
    assert fits(*[Waiter("192.0.2.1", number) for number in range(20)]) == 8
    assert fits(*[Waiter(None, number) for number in range(20)]) == 16
    strangers = [Waiter(f"192.0.2.{number}") for number in range(20)]
    assert fits(*strangers) == 8
    assert fits(*strangers[:8], *[Waiter(f"192.0.2.{number}", number) for number in range(20)]) == 16
    with ExitStack() as held:
        for waiter in strangers[:8]:
            held.enter_context(places.place(waiter))
    assert fits(*strangers) == 8, "they have been given back"
    assert fits(Waiter(), Waiter()) == 2
    for few in (1, 2, 3):
        with WaitingPlaces(few).place(Waiter("192.0.2.1")):
            pass
