"""People with homes of their own, who run ``poste`` as a process; and a proxy between them and the server."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests

from client.connection.http_api import Api
from client.table.player_desk import Desk
from client.trust.player_home import Home
from tests.server.server_process import ServerProcess

BIN = Path(sys.executable).parent


class Done:
    """What came of a command."""

    def __init__(self, process: subprocess.CompletedProcess[str]) -> None:
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr
        assert "Traceback" not in self.err, self.err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Person:
    """Somebody with a home and a name on a server."""

    def __init__(self, home: Path, name: str) -> None:
        self.home = home
        self.name = name

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTE_")}
        path = f"{BIN}{os.pathsep}{kept.get('PATH', '')}"
        return {**kept, "POSTE_HOME": str(self.home), "COLUMNS": "100", "PATH": path, **(more or {})}

    def run(
        self, *arguments: str, stdin: str = "", cwd: Path | None = None, more: Mapping[str, str] | None = None
    ) -> Done:
        """Run ``poste`` and take whatever comes of it."""
        return Done(
            subprocess.run(
                [sys.executable, "-m", "client", *arguments],
                env=self.environment(more),
                input=stdin,
                capture_output=True,
                text=True,
                cwd=cwd,
                check=False,
                timeout=120,
            )
        )

    def does(self, *arguments: str, stdin: str = "", cwd: Path | None = None) -> Done:
        """Run ``poste``, which must succeed."""
        done = self.run(*arguments, stdin=stdin, cwd=cwd)
        assert done.code == 0, (arguments, done.code, done.err)
        return done

    def starts(self, *arguments: str) -> subprocess.Popen[str]:
        """Run ``poste`` beside others."""
        command = [sys.executable, "-m", "client", *arguments]
        return subprocess.Popen(
            command, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    @property
    def desk(self) -> Desk:
        """The same person without a process, for what is not under test."""
        home = Home(self.home)
        return Desk(home, home.identity())


def somebody(folder: Path, url: str, name: str) -> Person:
    """A person who is registered there; names are made unlike any others'."""
    full = f"{name}-{secrets.token_hex(4)}"
    person = Person(folder / full, full)
    home = Home(person.home)
    home.create(full, "")
    desk = person.desk
    api = Api(url, desk.key)
    home.pin(url, api.info().key)
    api.register(full)
    desk.remember(server=url, registered=full)
    return person


Twist = Callable[[str, bytes], bytes | tuple[int, bytes]]
"""What a hostile server makes of an answer: (path with query, body) -> body, or a status and a body."""


def nothing_twisted(_path: str, body: bytes) -> bytes:
    return body


class Proxy:
    """Stands before a server of its own, on the same data, and passes everything on, twisted as it is told.

    Players sign for the address of the proxy, so that is what its server is told to be called.
    """

    def __init__(self, server: ServerProcess) -> None:
        self.twist: Twist = nothing_twisted
        self.instead: Callable[[str], tuple[int, bytes] | None] = lambda _: None
        """What is answered to a path with query without asking the server."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # headers and body in one packet, or each answer waits for an acknowledgement

            def pass_on(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                if (answered := proxy.instead(self.path)) is not None:
                    return self.tell(*answered, "application/problem+json")
                # The Host stays as the client wrote it: the signature is over it.
                answer = requests.request(
                    self.command,
                    proxy.server.url + self.path,
                    headers=dict(self.headers),
                    data=self.rfile.read(length),
                    timeout=90,
                    allow_redirects=False,
                )
                twisted = proxy.twist(self.path, answer.content) if answer.ok else answer.content
                status, body = twisted if isinstance(twisted, tuple) else (answer.status_code, twisted)
                return self.tell(status, body, answer.headers.get("Content-Type", "application/json"))

            def tell(self, status: int, body: bytes, kind: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = pass_on  # noqa: N815 - the names http.server looks for

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its signature
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        environment = {**server.environment, "POSTE_URL": self.url, "POSTE_WORKER": "0"}
        del environment["POSTE_DATA"]
        self.server = ServerProcess(server.data, environment.pop("POSTE_DB"), **environment)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        self.server.kill()


@contextmanager
def a_proxy(server: ServerProcess) -> Iterator[Proxy]:
    proxy = Proxy(server)
    try:
        yield proxy
    finally:
        proxy.stop()
