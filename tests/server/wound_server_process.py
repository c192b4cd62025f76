"""A server process whose clock we set: by so many seconds it is ahead of the true time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.server.server_process import ServerProcess

DAYS = 86400.0
SERVER = """
import os
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from engine.record.entry import timestamp
from server import http_server
from server.clock_guard import since_boot
from server.service.server_context import enter
from server.settings import from_environment

def now():
    return timestamp(datetime.now(UTC) + timedelta(seconds=float(Path(os.environ["AHEAD"]).read_text())))

http_server.enter = partial(enter, now=now, steady=since_boot)
http_server.serve(from_environment(os.environ))
"""


class WoundHouse(ServerProcess):
    """A ``poste-server`` that takes the time from a file; it is at the same port whenever it is started."""

    def __init__(self, folder: Path) -> None:
        self._ahead, self._said, self._port = folder / "ahead", folder / "stderr", "0"
        self.wind(0)
        super().__init__(folder / "data", f"sqlite:///{folder / 'poste.db'}", AHEAD=str(self._ahead), POSTE_RATE="0")

    def wind(self, seconds: float) -> None:
        """Set the clock ahead of the true time by so much."""
        fresh = self._ahead.with_suffix(".new")
        fresh.write_text(str(seconds))
        fresh.replace(self._ahead)

    def start(self) -> None:
        with self._said.open("a") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVER],
                env={**os.environ, **self.environment, "POSTE_PORT": self._port},
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]
        self._port = self.url.rpartition(":")[2]

    def says(self, what: str) -> None:
        """Wait until this stands in its log."""
        until = time.monotonic() + 120
        while what not in self._said.read_text():
            assert time.monotonic() < until, self._said.read_text()
            assert self.process.poll() is None, self._said.read_text()
            time.sleep(0.05)
