"""A view that cannot be is refused before anything is reckoned from it: whatever it says, it costs little to say no."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from client.connection.response_types import ViewAnswer
from client.table.turn import sit
from client.table.verified_view import look
from client.trust.possible_views import LARGEST, LARGEST_FIGURE, LONGEST_LIST, LONGEST_WORD, possible
from engine import games
from engine.game import AnyGame
from tests.client.absurd_views import opened
from tests.client.players_and_proxy import Person, Proxy, somebody
from tests.games.random_games import EVERY_TABLE, Playing

KILLED_AFTER = 900
"""Seconds; one absurd figure that is taken seriously would take longer than anybody lives."""


@pytest.mark.parametrize("key", games.keys())
def test_whatever_is_absurd_in_a_view_is_refused_or_harmless(key: str) -> None:
    command = [sys.executable, "-m", "tests.client.absurd_views", key]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=KILLED_AFTER)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["refused"] > 100


def largest(value: Any) -> tuple[int, int, int]:
    """The longest list, the longest word and the largest figure."""
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    every = [largest(each) for each in inner]
    every.append(
        (
            len(value) if isinstance(value, list | dict) else 0,
            len(value) if isinstance(value, str) else 0,
            abs(value) if isinstance(value, int) else 0,
        )
    )
    lists, words, figures = zip(*every, strict=True)
    return max(lists), max(words), max(figures)


@EVERY_TABLE
def test_every_honest_view_is_taken_and_far_from_the_bounds(game: AnyGame, seats: int, options: Any) -> None:
    opening = opened(game, seats, options)
    for playing in Playing(game, seats, options, b"honest".ljust(32)):
        if playing.entry % 9 and game.waiting(playing.state):
            continue
        for seat in playing.onlookers:
            view = game.view(playing.state, seat)
            data = msgspec.json.encode(view)
            told, waiting = possible(opening, msgspec.Raw(data))
            assert (told, dict(waiting)) == (view, dict(game.waiting(playing.state)))
            lists, words, figures = largest(msgspec.json.decode(data))
            assert len(data) < LARGEST / 10
            assert lists < LONGEST_LIST / 10
            assert words < LONGEST_WORD / 2
            assert figures < LARGEST_FIGURE / 100


def rich(view: Any) -> None:
    view["table"]["money"] = [10**15, 10**15]


def rich_by_the_book(view: Any) -> None:
    """The bank has paid what they have: no piece is missing."""
    table = view["table"]
    table["bank"] += sum(table["money"]) - 2 * 10**9
    table["money"] = [10**9, 10**9]


def a_million_dice(view: Any) -> None:
    view["table"]["jobs"] = [[1, 1]] * 1_000_000
    view["table"]["unused"] -= 1_000_000


def everybody_again_and_again(view: Any) -> None:
    view["answered"] = [0] * 100_000


ABSURD: dict[str, Callable[[Any], None]] = {
    each.__name__: each for each in (rich, rich_by_the_book, a_million_dice, everybody_again_and_again)
}


@pytest.mark.parametrize("what", ABSURD)
def test_no_command_is_held_by_an_absurd_view(what: str, proxy: Proxy, tmp_path: Path) -> None:
    """The victim is caught nowhere, the server everywhere: exit 4, with evidence."""
    people = [somebody(tmp_path, proxy.url, name) for name in ("victim", "other")]
    desks = [person.desk for person in people]
    table = desks[0].api().open_table({"game": "la-bistro", "seats": 2}).table
    for desk in desks:
        sit(desk, desk.memory(table), None)
    victim = people[0]
    desks[0].remember(table=table)
    to_a_bid(victim, people[1], table)

    def twist(path: str, body: bytes) -> bytes:
        if not path.endswith("/view"):
            return body
        answer = json.loads(body)
        ABSURD[what](answer["view"])
        return json.dumps(answer).encode()

    proxy.twist = twist
    for command in (["show"], ["moves"], ["play", "pass", "--yes"], ["bot"], ["show", "--json"]):
        done = victim.run(*command)
        assert done.code == 4, (command, done.out, done.err)
        assert "[view/malformed]" in done.err
        assert done.out == ""
    kept = victim.home / "evidence"
    assert all(json.loads(path.read_text())["found"]["code"] == "view/malformed" for path in kept.iterdir())


def to_a_bid(victim: Person, other: Person, table: str) -> None:
    """Let both choose the realtor, so that what a seat has is what it may bid."""
    for person in (victim, other):
        desk = person.desk
        if look(desk, desk.memory(table)).mine is not None:
            first = person.does("moves", table).out.splitlines()[0]
            person.does("play", table, first, "--yes")


def test_an_absurd_view_that_is_remembered_is_not_believed_when_completing(proxy: Proxy, tmp_path: Path) -> None:
    """A view may be in memory from before anybody looked so closely."""
    from client.screen.shell_completion import legal_texts
    from client.trust.table_memory import SeenView

    people = [somebody(tmp_path, proxy.url, name) for name in ("victim", "other")]
    desks = [person.desk for person in people]
    table = desks[0].api().open_table({"game": "la-bistro", "seats": 2}).table
    for desk in desks:
        sit(desk, desk.memory(table), None)
    memory = desks[0].memory(table)
    seen = look(desks[0], memory)
    assert legal_texts(memory) or seen.mine is None
    answer = msgspec.json.encode(desks[0].api().view(table, signed=True))
    view = json.loads(bytes(msgspec.json.decode(answer, type=ViewAnswer).view))
    rich(view)
    memory.remember_view(SeenView(99, 0, msgspec.Raw(json.dumps(view).encode()), {"0": {}}))
    assert legal_texts(memory) == []
