"""How long a player waits for ``show`` while two hundred hostile connections do their worst, against a quiet server.

Everything stays on the loopback. The hostile come from four addresses of it (127.0.0.2 and so on), fifty connections
each, and the player from a fifth, because requests from 127.0.0.1 are not limited by where they come from: like this
all of them are strangers to the server, which runs with its usual limits. The hostile are a process of their own and
begin anew whenever they are hung up on: half-sent requests that drip on, long polls that are hung up on, answers that
nobody reads, heads of the largest size, floods. What they spend is taken from the same processors; so the ratio counts
that against the server too. Quiet and hostile stretches alternate in one run.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from requests.adapters import HTTPAdapter

from benchmarks.bench_server import line
from tests.server.server_process import ServerProcess, Visitor, seated

NETWORKS = [f"127.0.0.{number}" for number in range(2, 6)]
PLAYER = "127.0.0.9"
CONNECTIONS = 200
STRETCHES = 4
SHOWS = 75
"""How often the player looks in each stretch."""
PAUSE = 0.15
"""Seconds between two looks: five requests each, within the rate of one network."""
AGAIN = 0.05
"""Seconds until a hostile connection that was hung up on is opened anew."""
LONGEST = 120
"""Seconds after which the hostile end by themselves, whatever happens."""

Speak = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str], Awaitable[None]]


class _From(HTTPAdapter):
    """Requests from another address of this machine."""

    def init_poolmanager(self, *arguments: Any, **more: Any) -> None:
        super().init_poolmanager(*arguments, **more, source_address=(PLAYER, 0))


def _get(path: str, fields: bytes = b"") -> bytes:
    return f"GET /v1{path} HTTP/1.1\r\nHost: localhost\r\n".encode() + fields + b"\r\n"


async def half_sent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _table: str) -> None:
    """A request that never ends, one byte at a time."""
    writer.write(b"POST /v1/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n")
    while True:
        writer.write(b"{")
        await writer.drain()
        await asyncio.sleep(0.5)


async def hung_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, table: str) -> None:
    """A long poll that nobody waits for."""
    writer.write(_get(f"/tables/{table}/log?after=1000&wait=60"))
    await writer.drain()
    await asyncio.sleep(0.1)


async def unread(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _table: str) -> None:
    """Many questions whose answers are not read."""
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    writer.write(_get("/openapi.json") * 20)
    await writer.drain()
    await asyncio.sleep(5)


async def huge(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _table: str) -> None:
    """Heads as large as they may be, and larger."""
    heads = (b"Accept: " + b"a/b," * 3_900 + b"\r\n", b"a:\r\n" * 3_900, b"Accept: " + b"a/b," * 64_000 + b"\r\n")
    for head in heads:
        writer.write(_get("", head))
        await writer.drain()
        await reader.read(65536)


async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, table: str) -> None:
    """One question after the other, as fast as they are answered."""
    while True:
        for path in (f"/tables/{table}/view", "/tables", f"/tables/{table}/events"):
            writer.write(_get(path))
            await writer.drain()
            if not await reader.read(1 << 20):
                return


KINDS: list[Speak] = [half_sent, hung_up, unread, huge, flood]


async def hostile(speak: Speak, url: str, source: str, table: str) -> None:
    """One connection that is opened again and again."""
    where = urlsplit(url)
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(where.hostname, where.port, local_addr=(source, 0))
            try:
                await speak(reader, writer, table)
            finally:
                writer.close()
        await asyncio.sleep(AGAIN)


async def crowd(url: str, table: str) -> None:
    """All of them, for so long at most."""
    places = (
        (KINDS[number % len(KINDS)], NETWORKS[number // len(KINDS) % len(NETWORKS)]) for number in range(CONNECTIONS)
    )
    everybody = [asyncio.create_task(hostile(speak, url, source, table)) for speak, source in places]
    print("here", flush=True)
    await asyncio.wait(everybody, timeout=LONGEST)


@contextmanager
def besieged(url: str, table: str) -> Iterator[None]:
    """While this lasts, the crowd is there."""
    command = [sys.executable, "-m", "benchmarks.bench_hostility", url, table]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline()
            yield
        finally:
            process.kill()


def show(player: Visitor, table: str) -> float:
    """Seconds until a player has all that ``poste show`` asks for."""
    began = time.perf_counter()
    player.get(f"/tables/{table}")
    player.log(table, after=3)
    for what in ("view", "moves", "events"):
        player.get(f"/tables/{table}/{what}", signed=True)
    return time.perf_counter() - began


def looks(player: Visitor, table: str) -> list[float]:
    """What the player waits, look after look."""
    spent = []
    for _ in range(SHOWS):
        spent.append(show(player, table))
        time.sleep(PAUSE)
    return spent


def p99(spent: list[float]) -> float:
    """What one in a hundred exceeds."""
    return sorted(spent)[len(spent) * 99 // 100]


def report() -> None:
    """The ratio, with its bar."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    house = ServerProcess(folder / "data", f"sqlite:///{folder}/poste.db")
    try:
        table, (player, *_) = seated(house.url, 3, "restaurant")
        player.session.mount("http://", _From())
        looks(player, table)
        quiet: list[float] = []
        loud: list[float] = []
        for _ in range(STRETCHES):
            quiet += looks(player, table)
            with besieged(house.url, table):
                loud += looks(player, table)
        calm, worst = p99(quiet), p99(loud)
        what = f"show, p99 among {CONNECTIONS} hostile connections ({worst * 1e3:.0f} ms, quiet {calm * 1e3:.0f} ms)"
        line(what, worst / calm, most=3.0)
    finally:
        house.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(crowd(*sys.argv[1:]))
