"""A real server on this machine for as long as a demonstration lasts: its own process, its own temporary data."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

from client.output import CommandRefused

START_SECONDS = 30
STOP_SECONDS = 15
_URL = re.compile(r"http://[0-9A-Za-z.:\[\]-]+")


def is_installed() -> bool:
    """Whether the server's own requirements are here."""
    return all(find_spec(name) for name in ("flask", "sqlmodel", "waitress"))


@contextlib.contextmanager
def running(data: Path) -> Iterator[str]:
    """Start a server on a free port, and stop it afterwards; gives its address."""
    if not is_installed():
        raise CommandRefused("The demonstration needs the server: pip install 'poste-restante[server]'")
    log = data / "server.log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTE_")}
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "server", "run", "--port", "0", "--data", str(data)],
            env={**environment, "POSTE_RATE": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            # Ctrl-C is for us; the server is stopped in its turn.
            start_new_session=True,
        )
    try:
        yield _address(process.stdout, log)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def _address(stdout: IO[str] | None, log: Path) -> str:
    """The address the server says it is at; refuses if it never says so."""
    lines: SimpleQueue[str] = SimpleQueue()

    def listen() -> None:
        for line in stdout or ():
            lines.put(line)
        lines.put("")

    threading.Thread(target=listen, daemon=True).start()
    with contextlib.suppress(Empty):
        while line := lines.get(timeout=START_SECONDS):
            if found := _URL.search(line):
                return found[0]
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    raise CommandRefused(f"The server did not start: {said[-1] if said else 'it said nothing'}")
