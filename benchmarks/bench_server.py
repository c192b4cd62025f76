"""How fast the server takes durable moves and shows views, each against something measured in the same run.

The floor of a move is a bare Flask view on the same WSGI server that verifies one Ed25519 signature, hashes, and
commits one row to the same kind of database. ``python -m benchmarks.bench_server`` prints every ratio with its bar.
"""

from __future__ import annotations

import http.client
import multiprocessing
import secrets
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import psycopg

from engine.chance import Chance
from engine.game import Seat
from engine.keys import SigningKey, sha256, verify
from engine.record.entry import Json, move_message
from engine.record.replay import move_json
from server.service.folded_tables import FoldedTables
from server.settings import Settings
from server.storage.database import Storage
from tests.server.postgresql_server import new_database, postgresql
from tests.server.server_process import ServerProcess, Visitor, seated

ROUNDS = 7
CROWD = 16
TABLES_EACH = {1: 6, CROWD: 1}
"""Games that each client plays in a round, so that a round takes about as long with one client as with many."""
THREADS = 24
LATE = 6 * Settings().snapshot_every - 1
"""The length of a long game; those that end before are played again."""


class Script:
    """One dealt table and every move of its game to come, worked out beforehand from its secret."""

    def __init__(self, house: ServerProcess, storage: Storage, game: str) -> None:
        self.table, players = seated(house.url, 2, game)
        self.keys = [player.key for player in players]
        with storage.reading() as connection:
            folded = FoldedTables(storage, "none", 1).newest(connection, self.table)
        position = folded.table.playing
        self.base = folded.table.chain.head
        self.moves: list[tuple[Seat, Json]] = []
        state, number = position.state, position.seq
        while waiting := position.game.waiting(state):
            seat, number = min(waiting), number + 1
            move = position.game.legal(state, seat)[0]
            state = position.game.play(state, seat, move, Chance(position.seed, number)).state
            self.moves.append((seat, move_json(move)))


def play(scripts: list[Script], url: str) -> None:
    """Sign and send every move; each names the receipt of the one before."""
    post = poster(url)
    for script in scripts:
        base = script.base
        for seat, move in script.moves:
            signature = script.keys[seat].sign(move_message(script.table, base, seat, move))
            body = {"seat": seat, "base": base, "move": move, "signature": signature}
            base = post(f"/v1/tables/{script.table}/moves", body)["receipts"][0]["hash"]


def knock(count: int, url: str) -> None:
    """Sign and send as many messages to the floor."""
    post, key = poster(url), SigningKey(secrets.token_bytes(32))
    for _ in range(count):
        move = {"do": "take", "station": secrets.token_hex(8), "line": "blue"}
        signature = key.sign(move_message("0" * 32, "0" * 64, 0, move))
        post("/", {"key": key.public, "move": move, "signature": signature})


def poster(url: str) -> Callable[[str, Json], Any]:
    """Posts JSON over one connection, with as little work on this side as can be."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)

    def post(path: str, body: Json) -> Any:
        connection.request("POST", path, msgspec.json.encode(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        assert answer.status == 201, data
        return msgspec.json.decode(data)

    return post


def in_another_process(work: Callable[[Any, str], None], shares: list[Any], url: str) -> float:
    """Seconds that these clients, a thread each in a process of their own, take for their shares."""
    parent, child = multiprocessing.get_context("fork").Pipe()

    def clients() -> None:
        with ThreadPoolExecutor(len(shares)) as pool:
            began = time.perf_counter()
            list(pool.map(lambda share: work(share, url), shares))
            child.send(time.perf_counter() - began)

    process = multiprocessing.get_context("fork").Process(target=clients)
    process.start()
    spent = float(parent.recv())
    process.join()
    return spent


def serve_floor(database: str) -> None:
    """The floor: what cannot be left out."""
    from flask import Flask, request
    from waitress.server import create_server

    app, local, lock = Flask("floor"), threading.local(), threading.Lock()
    sqlite = not database.startswith("postgresql")
    shared = sqlite3.connect(database, check_same_thread=False, isolation_level=None) if sqlite else None
    if shared:
        shared.execute("PRAGMA journal_mode = WAL")
        shared.execute("PRAGMA synchronous = FULL")
        shared.execute("CREATE TABLE floor (hash TEXT, line BLOB)")
    else:
        with psycopg.connect(database) as connection:
            connection.execute("CREATE TABLE floor (hash TEXT, line BYTEA)")

    @app.post("/")
    def take() -> tuple[Json, int]:
        data = request.get_data()
        body = msgspec.json.decode(data)
        assert verify(body["key"], move_message("0" * 32, "0" * 64, 0, body["move"]), body["signature"])
        digest = sha256(data)
        if shared:
            with lock:
                shared.execute("INSERT INTO floor VALUES (?, ?)", (digest, data))
        else:
            if not hasattr(local, "connection"):
                local.connection = psycopg.connect(database)
            local.connection.execute("INSERT INTO floor VALUES (%s, %s)", (digest, data))
            local.connection.commit()
        return {"hash": digest}, 201

    server: Any = create_server(app, host="127.0.0.1", port=0, threads=THREADS)
    print(f"http://127.0.0.1:{server.effective_port}", flush=True)
    server.run()


@contextmanager
def floor(database: str) -> Iterator[str]:
    """The floor in a process of its own; gives its address."""
    command = [sys.executable, "-m", "benchmarks.bench_server", "floor", database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@contextmanager
def house(folder: Path, database: str, **environment: str) -> Iterator[ServerProcess]:
    """A server of one's own."""
    found = ServerProcess(folder / "data", database, POSTE_TABLES="100000", POSTE_THREADS=str(THREADS), **environment)
    try:
        yield found
    finally:
        found.kill()


def moves(folder: Path, name: str, database: str, floor_database: str) -> None:
    """Durable moves a second, from one client and from a crowd."""
    with house(folder, database) as server, floor(floor_database) as ground:
        storage = Storage(Settings(db=database).database)
        for clients, each in TABLES_EACH.items():
            ratios, rates = [], []
            for _ in range(ROUNDS):
                scripts = [[Script(server, storage, "paris-paris") for _ in range(each)] for _ in range(clients)]
                counts = [sum(len(script.moves) for script in share) for share in scripts]
                ours = sum(counts) / in_another_process(play, scripts, server.url)
                theirs = sum(counts) / in_another_process(knock, counts, ground)
                ratios.append(ours / theirs)
                rates.append((ours, theirs))
            ours, theirs = (statistics.median(rate) for rate in zip(*rates, strict=True))
            what = f"{name}, {clients} client{'s' * (clients > 1)}"
            line(f"moves, {what} ({ours:.0f}/s, floor {theirs:.0f}/s)", statistics.median(ratios), least=0.6)
        storage.close()


def line(what: str, ratio: float, *, least: float | None = None, most: float | None = None) -> None:
    """One ratio and its bar."""
    good = (least is None or ratio >= least) and (most is None or ratio <= most)
    bar = f">= {least}" if least is not None else f"<= {most}"
    print(f"{'ok ' if good else 'LOW'} {what:<72} {ratio:5.2f}  ({bar})", flush=True)


def views(folder: Path, name: str, database: str) -> None:
    """What a view costs late in a long game, warm and cold, against move 10."""
    with house(folder, database) as server:
        early, players = seated(server.url, 4, "restaurant")
        for _ in range(10):
            players[players[0].get(f"/tables/{early}")["waiting"][0]["seat"]].move(early)
        late = [long_game(server.url) for _ in range(2)]
        length = players[0].get(f"/tables/{late[0]}")["length"]
        with house(folder, database, POSTE_CACHE="1") as forgetful:
            onlooker, stranger = Visitor(server.url), Visitor(forgetful.url)
            assert onlooker.get("")["engine"] == stranger.get("")["engine"], "the engine was edited meanwhile"
            ratios = []
            for _ in range(ROUNDS):
                ten, last = (viewing(onlooker, [table]) for table in (early, late[0]))
                ratios.append((last / ten, viewing(stranger, late) / ten))
            warm, cold = (statistics.median(ratio) for ratio in zip(*ratios, strict=True))
        line(f"view, {name}, entry {length} against move 10, warm", warm, most=1.2)
        line(f"view, {name}, entry {length} against move 10, cold", cold, most=3.0)


def long_game(url: str) -> str:
    """A game in play whose next entry makes a snapshot: the longest tail there is to replay, the dearest view cold."""
    while True:
        table, players = seated(url, 4, "restaurant")
        while waiting := (summary := players[0].get(f"/tables/{table}"))["waiting"]:
            if summary["length"] == LATE:
                return table
            players[waiting[0]["seat"]].move(table, summary["length"] * 7)


def viewing(visitor: Visitor, tables: list[str]) -> float:
    """The median of what a view takes, one table after the other."""
    spent = []
    for turn in range(100):
        began = time.perf_counter()
        visitor.get(f"/tables/{tables[turn % len(tables)]}/view")
        spent.append(time.perf_counter() - began)
    return statistics.median(spent)


def report() -> None:
    """Everything, on SQLite and on PostgreSQL."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        with postgresql(durable=True) as address:
            databases = {
                "SQLite": (f"sqlite:///{folder}/poste.db", f"{folder}/floor.db"),
                "PostgreSQL": (new_database(address, "poste"), new_database(address, "floor")),
            }
            for name, (database, floor_database) in databases.items():
                moves(folder / name, name, database, floor_database)
                views(folder / name, name, database)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["floor"]:
        serve_floor(sys.argv[2])
    else:
        report()
