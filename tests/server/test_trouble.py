"""Crowds and power cuts: no acknowledged entry is lost or doubled, and every chain verifies."""

from __future__ import annotations

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import msgspec
import pytest
import requests

from engine.record.chain import Chain, extend
from engine.record.entry import Json, read_line
from tests.server.conftest import Houses
from tests.server.server_process import ServerProcess, Visitor, company, seated, to_move

CROWD = 16
KILLS = 10
"""On each of the two databases."""


def checked_chain(lines: list[bytes]) -> Chain:
    chain = Chain()
    for line in lines:
        chain = extend(chain, read_line(line))
    return chain


def test_a_crowd_sends_the_same_move_and_it_is_taken_once(url: str) -> None:
    table, players = seated(url)
    for _ in range(5):
        mover = players[to_move(table, players)[0]]
        body, before = mover.choice(table), len(mover.log(table))
        with ThreadPoolExecutor(CROWD) as pool:
            answers = list(pool.map(lambda _, body=body: Visitor(url).send(table, body), range(CROWD)))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.content for answer in answers}) == 1
        assert len(mover.log(table)) == before + 1


def test_a_crowd_sends_different_moves_and_one_is_taken(url: str) -> None:
    table, players = seated(url)
    for _ in range(5):
        mover = players[to_move(table, players)[0]]
        legal = mover.get(f"/tables/{table}/moves", signed=True)
        bodies = [
            mover.signed_move(table, legal["seat"], legal["base"], choice["move"]) for choice in legal["moves"]
        ] * CROWD
        before = len(mover.log(table))
        with ThreadPoolExecutor(CROWD) as pool:
            answers = list(pool.map(lambda body: Visitor(url).send(table, body), bodies[:CROWD]))
        taken = {answer.content for answer in answers if answer.status_code == 201}
        assert len(taken) == 1
        assert {answer.status_code for answer in answers} <= {201, 409}
        assert len(mover.log(table)) == before + 1
    checked_chain(players[0].log(table))


def test_a_crowd_wants_the_same_seats(url: str) -> None:
    crowd = company(url, CROWD)
    table = crowd[0].open(seats=4)

    def come(visitor: Visitor) -> int:
        for seat in (0, 1, 2, 3) * 4:
            if visitor.ask("POST", f"/tables/{table}/sits", visitor.wish(table, seat)).status_code == 201:
                return 1
        return 0

    with ThreadPoolExecutor(CROWD) as pool:
        seats = sum(pool.map(come, crowd))
    summary = crowd[0].get(f"/tables/{table}")
    assert seats == 4
    assert summary["phase"] == "playing"
    assert len(set(summary["players"])) == 4
    checked_chain(crowd[0].log(table))


def test_many_tables_at_once(url: str) -> None:
    def evening(_: int) -> tuple[list[Json], list[bytes]]:
        table, players = seated(url)
        receipts = [players[to_move(table, players)[0]].move(table, turn)["receipts"][0] for turn in range(8)]
        return receipts, players[0].log(table)

    with ThreadPoolExecutor(CROWD) as pool:
        for receipts, lines in pool.map(evening, range(CROWD)):
            checked_chain(lines)
            assert [msgspec.json.encode(receipt["entry"]) for receipt in receipts] == lines[4:]


class Diehards:
    """Players who play on whatever happens to the server, and remember every receipt."""

    def __init__(self, house: ServerProcess) -> None:
        self.house = house
        self.tables = [seated(house.url) for _ in range(4)]
        self.receipts: dict[str, list[Json]] = {table: [] for table, _ in self.tables}
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.play, args=one) for one in self.tables]

    def play(self, table: str, players: list[Visitor]) -> None:
        turn, body, mover = 0, None, players[0]
        while not self.stop.is_set():
            for player in players:
                player.url = self.house.url
            try:
                if body is None:
                    waiting = to_move(table, players)
                    if not waiting:
                        return
                    mover, turn = players[waiting[0]], turn + 1
                    body = mover.choice(table, turn * 5)
                answer = mover.send(table, body)
            except (requests.RequestException, AssertionError):
                sleep(0.02)
                continue
            assert answer.status_code == 201, answer.text
            self.receipts[table].append(answer.json()["receipts"][0])
            body = None
            sleep(0.05)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_killed_at_any_moment_the_server_keeps_what_it_acknowledged(new_house: Houses) -> None:
    house = new_house(POSTE_SNAPSHOT_EVERY="4")
    diehards = Diehards(house)
    for thread in diehards.threads:
        thread.start()
    moments = random.Random(1847)  # noqa: S311
    for _ in range(KILLS):
        sleep(moments.uniform(0.05, 0.4))
        house.kill()
        house.start()
    sleep(0.3)
    diehards.stop.set()
    for thread in diehards.threads:
        thread.join(30)
    acknowledged = 0
    for table, players in diehards.tables:
        players[0].url = house.url
        lines = players[0].log(table)
        checked_chain(lines)
        for receipt in diehards.receipts[table]:
            assert lines[receipt["seq"]] == msgspec.json.encode(receipt["entry"])
            acknowledged += 1
        assert max(Counter(receipt["seq"] for receipt in diehards.receipts[table]).values()) == 1
    assert acknowledged >= 2 * KILLS
    house.stop()
    found = house.tool("check")
    assert (found.returncode, found.stdout) == (0, "")
