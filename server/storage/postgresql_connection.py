"""Connections to PostgreSQL that do not wait for ever.

PostgreSQL ends by itself what takes too long, if it is there to do so. One that has fallen silent (stopped, or behind a
network that swallows everything) is noticed here: whoever asks it next is refused at once, but for a few who go on
asking, so that its first word is heard.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import psycopg

PATIENCE = 10
"""Seconds to wait for what somebody else has locked."""
LONGEST_STATEMENT = 15
LONGEST_ANSWER = LONGEST_STATEMENT + 3
"""Seconds until we hang up ourselves."""
LONGEST_IDLE = 120
"""Seconds after which PostgreSQL hangs up on who has begun a transaction and does nothing."""
SILENCE = 3.0
"""Seconds without a word after which no more than :data:`FEW` wait for one."""
FEW = 2

T = TypeVar("T")

_OPTIONS = {
    "statement_timeout": LONGEST_STATEMENT,
    "lock_timeout": PATIENCE,
    "idle_in_transaction_session_timeout": LONGEST_IDLE,
}


def parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """How to connect, besides whereto: what the database URL itself says (``given``) goes before it."""
    options = " ".join(f"-c {name}={seconds * 1000}" for name, seconds in _OPTIONS.items())
    return {
        "connect_timeout": "5",
        "keepalives": "1",
        "keepalives_idle": "10",
        "keepalives_interval": "5",
        "keepalives_count": "3",
        "tcp_user_timeout": "15000",
        **given,
        "options": f"{options} {given.get('options', '')}".strip(),
    }


class Silent(psycopg.OperationalError):
    """It has not said a word for too long."""


class Acquaintance:
    """What is known of one PostgreSQL: who waits for its answer, and when it was last heard of."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[object, float] = {}
        self._heard = monotonic()
        self._doubted = False

    @property
    def silent(self) -> bool:
        """Whether whoever waits does so in vain, as far as one can tell."""
        with self._lock:
            return self._silent()

    def _silent(self) -> bool:
        first = next(iter(self._waiting.values()), None)
        if first is None:
            return False
        return self._doubted or monotonic() - max(first, self._heard) > SILENCE

    @contextmanager
    def waiting(self, longest: float) -> Iterator[Callable[[], None]]:
        """Wait for an answer; gives what to call now and then: it raises Silent once waiting is of no use."""
        one, begun = object(), monotonic()

        def check() -> None:
            with self._lock:
                too_many = self._silent() and one not in list(self._waiting)[:FEW]
            if too_many or monotonic() - begun > longest:
                raise Silent(f"nothing was heard of it for {monotonic() - max(begun, self._heard):.0f} seconds")

        with self._lock:
            if len(self._waiting) >= FEW and self._silent():
                raise Silent("nothing has been heard of it for some time, and others wait for its answer already")
            self._waiting[one] = begun
        heard = False
        try:
            yield check
            heard = True
        except psycopg.Error as error:
            heard = error.sqlstate is not None
            self._doubted = self._doubted or isinstance(error, Silent | psycopg.errors.ConnectionTimeout)
            raise
        finally:
            with self._lock:
                del self._waiting[one]
                if heard:
                    self._heard, self._doubted = monotonic(), False


class PatientConnection(psycopg.Connection[Any]):
    """A connection that waits for every answer as long as there is hope of one."""

    acquaintance: Acquaintance
    longest: float = LONGEST_ANSWER

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **more: Any) -> T:
        """Wait as psycopg does; raises Silent, and hangs up then."""
        try:
            with self.acquaintance.waiting(self.longest) as check:
                return super().wait(_checked(gen, check), *args, **more)
        except Silent:
            self.pgconn.finish()
            raise


def _checked(answer: Generator[Any, Any, T], check: Callable[[], None]) -> Generator[Any, Any, T]:
    """The same steps of waiting, with a look in between: psycopg goes on with nothing ten times a second."""
    try:
        step = next(answer)
        while True:
            ready = yield step
            if not ready:
                check()
            step = answer.send(ready)
    except StopIteration as done:
        value: T = done.value
        return value


def connect(acquaintance: Acquaintance, *args: Any, **given: Any) -> PatientConnection:
    """A new connection to a PostgreSQL that one is acquainted with; raises psycopg.Error."""
    with acquaintance.waiting(LONGEST_ANSWER):
        connection = PatientConnection.connect(*args, **given)
    connection.acquaintance = acquaintance
    return connection
