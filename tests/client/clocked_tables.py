"""Evenings with a clock, and moves by mail, as a client meets them in a log; and a server whose clock we wind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

from werkzeug.serving import make_server

from engine import games
from engine.chance import Chance
from engine.game import Seat
from engine.record.entry import Clock, PerDecision, timestamp
from server.app import application
from server.service import deadline_rounds
from server.service.server_context import enter
from server.settings import Settings
from tests.client.players_and_proxy import Person
from tests.engine.signed_games import Evening

DAY = 86400
VACATION = PerDecision(seconds=3 * DAY, vacation=21)


def clocked(name: str, clock: Clock | None) -> Evening:
    """A table for two that has just been dealt."""
    return Evening(name, games.load("paris-paris"), 2, clock=clock)


def asked(evening: Evening) -> Seat:
    """Who is asked now."""
    return min(evening.table.playing.asked)


def moved_by_mail(evening: Evening) -> Evening:
    """Whoever is asked answers by mail."""
    position, seat = evening.table.playing, asked(evening)
    legal = position.game.legal(position.state, seat)
    return evening.move(seat, Chance(evening.draw("mind"), position.seq).pick(legal, "move"), mail=True)


class SlowHouse:
    """A server whose time stands still until it is told to pass: no machine is too slow for its deadlines.

    It is never many minutes from the true time, or its dates would not be believed.
    """

    def __init__(self, folder: Path) -> None:
        self._moment = datetime.now(UTC)
        self._context = enter(Settings(data=folder, rate=0), lambda: timestamp(self._moment))
        self._http = make_server("127.0.0.1", 0, application(self._context), threaded=True)
        self._thread = Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def wait(self, seconds: float) -> None:
        """Let time pass, and with it the deadlines that are in it."""
        self._moment += timedelta(seconds=seconds)
        deadline_rounds.round_of(self._context)

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        self._context.close()


def table_of(people: list[Person], *options: str) -> str:
    """A game just dealt."""
    seats = ["--seats", str(len(people))]
    table = str(people[0].does("new", "paris-paris", *seats, *options, "--json").json["table"])
    for person in people[1:]:
        person.does("join", table)
    return table
