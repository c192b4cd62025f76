"""A signal that something was written: it wakes requests that wait for news, whichever process wrote it.

One thread per process listens to the database: on SQLite it asks every few milliseconds whether any other connection
has committed (``PRAGMA data_version``, microseconds), on PostgreSQL it sleeps in LISTEN. A ring may be lost when a
process dies between its commit and its NOTIFY, so whoever waits also looks again by themselves now and then.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from threading import Condition, Event, Thread
from time import monotonic
from typing import TypeVar

import psycopg

from server.service.poll_places import Waiter, WaitingPlaces
from server.storage.database import Storage
from server.storage.postgresql_connection import parameters

log = logging.getLogger("poste")

LONGEST_WAIT = 60.0
_TICK = 0.02
_LOOK_AGAIN = 5.0
_STILL_THERE = 1.0
"""Seconds between two looks at whether whoever waits has hung up."""
_CHANNEL = "poste"

T = TypeVar("T")


class NewsSignal:
    """Rung after every commit that somebody may be waiting for."""

    def __init__(self, storage: Storage, polls: int) -> None:
        self._storage = storage
        self._places = WaitingPlaces(polls)
        self._news = Condition()
        self._rings = 0
        self._rung = Event()
        self._closed = Event()
        self._thread: Thread | None = None

    def ring(self) -> None:
        """Something has been written."""
        if not self._storage.sqlite:  # where others notice by themselves
            self._rung.set()
            self._listen()
        self._wake()

    def wait(self, look: Callable[[], T | None], seconds: float, waiter: Waiter) -> T | None:
        """What ``look`` finds, as soon as it finds something; None if it has not by then, or nobody waits any more.

        Raises Refused if there is no place for this waiter.
        """
        found = look()
        if found is not None or seconds <= 0:
            return found
        with self._places.place(waiter):
            self._listen()
            return self._waited(look, monotonic() + min(seconds, LONGEST_WAIT), waiter)

    def _waited(self, look: Callable[[], T | None], until: float, waiter: Waiter) -> T | None:
        while True:
            heard = self._rings
            found = look()
            if found is not None or until <= monotonic() or self._closed.is_set():
                return found
            if not self._waits(heard, min(until, monotonic() + _LOOK_AGAIN), waiter):
                return None

    def _waits(self, heard: int, until: float, waiter: Waiter) -> bool:
        """Wait for the next ring, or until then; False if the waiter has gone."""
        while (left := until - monotonic()) > 0:
            if waiter.gone():
                return False
            with self._news:
                if self._rings != heard:
                    break
                self._news.wait(min(left, _STILL_THERE))
        return True

    def close(self) -> None:
        """Send everybody who waits home."""
        self._closed.set()
        self._wake()

    def _wake(self) -> None:
        with self._news:
            self._rings += 1
            self._news.notify_all()

    def _listen(self) -> None:
        with self._news:
            if self._thread is None:
                self._thread = Thread(target=self._listening, name="news", daemon=True)
                self._thread.start()

    def _listening(self) -> None:
        listen = self._listen_sqlite if self._storage.sqlite else self._listen_postgresql
        while not self._closed.is_set():
            try:
                listen()
            except (sqlite3.Error, psycopg.Error) as error:
                log.warning("the signal of news lost its connection and takes a new one: %s", error)
                self._closed.wait(1.0)

    def _listen_sqlite(self) -> None:
        connection = sqlite3.connect(str(self._storage.url.database), check_same_thread=False)
        try:
            seen = None
            while not self._closed.wait(_TICK):
                (version,) = connection.execute("PRAGMA data_version").fetchone()
                if version != seen:
                    seen = version
                    self._wake()
        finally:
            connection.close()

    def _listen_postgresql(self) -> None:
        address = self._storage.url.set(drivername="postgresql").render_as_string(hide_password=False)
        how = parameters(self._storage.url.query)
        with psycopg.connect(address, autocommit=True, **how) as connection:
            connection.execute(f"LISTEN {_CHANNEL}")
            self._wake()
            while not self._closed.is_set():
                for _ in connection.notifies(timeout=_TICK, stop_after=1):
                    self._wake()
                if self._rung.is_set():
                    # After the commit and many at a time: NOTIFY inside the transaction would queue up all commits.
                    self._rung.clear()
                    connection.execute(f"NOTIFY {_CHANNEL}")
