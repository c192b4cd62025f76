"""A server process, and players who talk to it over real HTTP: all that the tests here share."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import requests
from requests_http_signature import HTTPSignatureAuth, algorithms

from engine.keys import SigningKey
from engine.record.entry import Json, move_message, resign_message, sit_message, succeed_message


class ServerProcess:
    """A ``poste-server`` of its own, in a process of its own."""

    log: Any = subprocess.DEVNULL
    """Where its log goes."""

    def __init__(self, data: Path, database: str, **environment: str) -> None:
        self.data = data
        self.environment = {"POSTE_DATA": str(data), "POSTE_DB": database, **environment}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "server", "run", "--port", "0"],
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("Poste Restante at http://"), said
        self.url = said.split()[-1]

    def kill(self) -> None:
        """No goodbye: as in a power cut."""
        self.process.kill()
        self._ended()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def _ended(self) -> int:
        code = self.process.wait(20)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def tool(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run another ``poste-server`` command on the same data."""
        return subprocess.run(
            [sys.executable, "-m", "server", *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )


class Signed(HTTPSignatureAuth):
    """Signs requests with a player's key."""

    def __init__(self, key: SigningKey, **more: Any) -> None:
        super().__init__(
            signature_algorithm=algorithms.ED25519,
            key_id=key.public,
            key_resolver=None,
            key=None,
            label="poste",
            use_nonce=True,
            **more,
        )
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        prepared = self.prepare(request)
        return self.apply(request, prepared, bytes.fromhex(self._key.sign(prepared.signature_base)))


class Visitor:
    """Somebody with a key, who may have registered a name."""

    def __init__(self, url: str, name: str | None = None) -> None:
        self.url = url
        self.key = SigningKey(secrets.token_bytes(32))
        self.name = name or f"p-{secrets.token_hex(6)}"
        self.session = requests.Session()
        self.session.trust_env = False

    def ask(self, method: str, path: str, body: Any = None, *, signed: bool = False, **more: Any) -> requests.Response:
        return self.session.request(
            method,
            f"{self.url}/v1{path}",
            data=None if body is None else msgspec.json.encode(body),
            headers={"Content-Type": "application/json"} if body is not None else None,
            auth=Signed(self.key) if signed else None,
            timeout=90,
            **more,
        )

    def get(self, path: str, *, signed: bool = False, **query: Any) -> Any:
        answer = self.ask("GET", path, signed=signed, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def register(self) -> Visitor:
        answer = self.ask("POST", "/players", {"name": self.name}, signed=True)
        assert answer.status_code == 201, answer.text
        return self

    def change_of_key(self, new: SigningKey) -> Json:
        """What says that we go on under another key."""
        message = succeed_message(self.key.public, new.public)
        return {"to": new.public, "signature": self.key.sign(message), "consent": new.sign(message)}

    def rotate(self) -> Visitor:
        """Go on under another key; gives whoever still has the former one."""
        thief, new = Visitor(self.url, self.name), SigningKey(secrets.token_bytes(32))
        thief.key = self.key
        answer = self.ask("PUT", f"/players/{self.name}/key", self.change_of_key(new), signed=True)
        assert answer.status_code == 200, answer.text
        self.key = new
        return thief

    def open(self, game: str = "paris-paris", seats: int = 2, **more: Any) -> str:
        answer = self.ask("POST", "/tables", {"game": game, "seats": seats, **more}, signed=True)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["table"])

    def wish(self, table: str, seat: int, base: str | None = None) -> Json:
        base, entropy = base or self.get(f"/tables/{table}")["head"], secrets.token_hex(32)
        signature = self.key.sign(sit_message(table, base, seat, self.name, self.key.public, entropy))
        said = {"base": base, "seat": seat, "name": self.name, "key": self.key.public}
        return {**said, "entropy": entropy, "signature": signature}

    def sit(self, table: str, seat: int) -> Json:
        answer = self.ask("POST", f"/tables/{table}/sits", self.wish(table, seat))
        assert answer.status_code == 201, answer.text
        receipt: Json = answer.json()
        return receipt

    def signed_move(self, table: str, seat: int, base: str, move: Json) -> Json:
        signature = self.key.sign(move_message(table, base, seat, move))
        return {"seat": seat, "base": base, "move": move, "signature": signature}

    def choice(self, table: str, pick: int = 0) -> Json:
        """A legal move of ours, signed."""
        legal = self.get(f"/tables/{table}/moves", signed=True)
        assert legal["moves"], "nothing is asked of us"
        move = legal["moves"][pick % len(legal["moves"])]["move"]
        return self.signed_move(table, legal["seat"], legal["base"], move)

    def send(self, table: str, body: Any) -> requests.Response:
        return self.ask("POST", f"/tables/{table}/moves", body)

    def move(self, table: str, pick: int = 0) -> Json:
        answer = self.send(table, self.choice(table, pick))
        assert answer.status_code in (201, 202), answer.text
        told: Json = answer.json()
        return told

    def resignation(self, table: str, seat: int) -> Json:
        base = self.get(f"/tables/{table}")["head"]
        return {"seat": seat, "base": base, "signature": self.key.sign(resign_message(table, base, seat))}

    def resign(self, table: str, seat: int) -> Json:
        answer = self.ask("POST", f"/tables/{table}/resignations", self.resignation(table, seat))
        assert answer.status_code == 201, answer.text
        receipt: Json = answer.json()
        return receipt

    def log(self, table: str, **query: Any) -> list[bytes]:
        answer = self.ask("GET", f"/tables/{table}/log", params=query)
        assert answer.status_code == 200, answer.text
        return answer.content.splitlines()


def company(url: str, count: int = 2) -> list[Visitor]:
    """Registered players."""
    return [Visitor(url).register() for _ in range(count)]


def seated(url: str, count: int = 2, game: str = "paris-paris", **more: Any) -> tuple[str, list[Visitor]]:
    """A table that has been dealt, and its players in seat order."""
    players = company(url, count)
    table = players[0].open(game, count, **more)
    for seat, player in enumerate(players):
        player.sit(table, seat)
    return table, players


def to_move(table: str, players: list[Visitor]) -> list[int]:
    return [asked["seat"] for asked in players[0].get(f"/tables/{table}")["waiting"]]


def play_out(table: str, players: list[Visitor]) -> None:
    """Play on to the end, at every decision some legal move or other."""
    for turn in range(20_000):
        waiting = players[0].get(f"/tables/{table}")["waiting"]
        if not waiting:
            return
        free = [asked["seat"] for asked in waiting if not asked["held"]]
        players[free[0]].move(table, turn * 7)


def refused(answer: requests.Response, status: int, code: str) -> Mapping[str, Any]:
    """The problem that this answer must be."""
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/problem+json"), answer.text
    problem: Mapping[str, Any] = answer.json()
    assert problem["code"] == code, problem
    assert problem["status"] == status
    assert problem["detail"]
    for leak in ("Traceback", "sqlite", "psycopg", "SELECT", "INSERT", "sqlalchemy"):
        assert leak not in answer.text
    return problem
