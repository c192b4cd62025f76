"""What can be read, by whom, and how one waits for news."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep

import pytest

from engine import games
from tests.server.conftest import Houses
from tests.server.server_process import ServerProcess, Visitor, company, refused, seated, to_move

WOKEN = 45
"""Seconds in which whoever would wait for sixty is answered if woken, on however busy a machine."""


def test_the_server_says_who_it_is(url: str, house: ServerProcess) -> None:
    told = Visitor(url).get("")
    assert told["software"] == "poste-restante"
    assert told["games"] == list(games.keys())
    assert len(told["key"]) == 64
    assert (house.data / "server.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("key", games.keys())
def test_every_game_is_described(url: str, key: str) -> None:
    told = Visitor(url).get(f"/games/{key}")
    game = games.load(key)
    assert (told["key"], told["version"], told["seats"]) == (key, game.rules_version, list(game.seats))
    assert told["title"] == game.rulebook.title
    assert told["decisions"]
    assert "$defs" in told["moves"] or "properties" in told["moves"]
    assert key in [brief["key"] for brief in Visitor(url).get("/games")["games"]]
    refused(Visitor(url).ask("GET", "/games/chess"), 404, "game/unknown")


def test_players_can_be_looked_up_whatever_the_case(url: str) -> None:
    (ann,) = company(url, 1)
    told = ann.get(f"/players/{ann.name.upper()}")
    assert (told["name"], told["key"]) == (ann.name, ann.key.public)
    refused(ann.ask("GET", "/players/nobody-at-all"), 404, "player/unknown")
    refused(ann.ask("GET", "/players/%00"), 404, "player/unknown")


def test_one_name_one_key(url: str) -> None:
    (ann,) = company(url, 1)
    assert ann.ask("POST", "/players", {"name": ann.name}, signed=True).status_code == 200
    other = Visitor(url, ann.name.upper())
    refused(other.ask("POST", "/players", {"name": other.name}, signed=True), 409, "player/taken")
    refused(ann.ask("POST", "/players", {"name": "second-name"}, signed=True), 409, "player/taken")
    refused(ann.ask("POST", "/players", {"name": "no spaces"}, signed=True), 400, "request/malformed")
    refused(ann.ask("POST", "/players", {"name": "x" * 33}, signed=True), 400, "request/malformed")


def test_a_seat_sees_its_own_and_an_onlooker_less(url: str) -> None:
    table, players = seated(url)
    views = [player.get(f"/tables/{table}/view", signed=True) for player in players]
    onlooker = players[0].get(f"/tables/{table}/view")
    assert [view["seat"] for view in views] == [0, 1]
    assert onlooker["seat"] is None
    assert views[0]["view"] != views[1]["view"] != onlooker["view"]
    assert views[0]["asked"] == views[1]["asked"] == onlooker["asked"]
    assert onlooker["head"] == players[0].get(f"/tables/{table}")["head"]


def test_legal_moves_are_for_the_seat_alone(url: str) -> None:
    table, players = seated(url)
    (turn,) = to_move(table, players)
    legal = players[turn].get(f"/tables/{table}/moves", signed=True)
    waits = players[1 - turn].get(f"/tables/{table}/moves", signed=True)
    assert legal["moves"]
    assert legal["forms"]
    assert legal["decision"]["base"] == legal["base"]
    assert (waits["moves"], waits["base"], waits["decision"]) == ([], None, None)
    refused(players[0].ask("GET", f"/tables/{table}/moves"), 401, "identity/missing")
    refused(company(url, 1)[0].ask("GET", f"/tables/{table}/moves", signed=True), 403, "seat/not-yours")


def test_before_the_deal_there_is_nothing_to_see(url: str) -> None:
    (ann,) = company(url, 1)
    view = ann.get(f"/tables/{ann.open()}/view", signed=True)
    assert (view["view"], view["asked"], view["seat"]) == (None, {}, None)


def test_an_id_may_be_shortened(url: str) -> None:
    (ann,) = company(url, 1)
    table = ann.open()
    assert ann.get(f"/tables/{table[:16]}")["table"] == table
    assert ann.ask("GET", f"/tables/{table[:16]}/log").content == ann.ask("GET", f"/tables/{table}/log").content
    for nothing in ("f" * 32, table[:3], "xyz!", table + "0", "%00%00%00%00"):
        refused(ann.ask("GET", f"/tables/{nothing}"), 404, "table/unknown")
        refused(ann.ask("GET", f"/tables/{nothing}/view"), 404, "table/unknown")


def test_lists_are_paged_newest_first(url: str) -> None:
    (ann,) = company(url, 1)
    opened = [ann.open() for _ in range(5)]
    first = ann.get("/tables", list="mine", limit=2, signed=True)
    second = ann.get("/tables", list="mine", limit=2, after=first["next"], signed=True)
    third = ann.get("/tables", list="mine", limit=2, after=second["next"], signed=True)
    found = [table["table"] for batch in (first, second, third) for table in batch["tables"]]
    assert found == opened[::-1]
    assert third["next"] is None
    assert ann.get("/tables", list="mine", game="restaurant", signed=True)["tables"] == []
    refused(ann.ask("GET", "/tables?list=mine"), 401, "identity/missing")
    refused(Visitor(url).ask("GET", "/tables?list=mine", signed=True), 404, "player/unknown")
    refused(ann.ask("GET", "/tables?game=chess"), 404, "game/unknown")


def test_only_the_invited_may_sit_and_see_it_among_the_open_tables(url: str) -> None:
    ann, bob, eve = company(url, 3)
    table = ann.open(invite=[bob.name])
    assert ann.get(f"/tables/{table}")["invited"] == [bob.name]
    open_to = {
        player.name: table in [one["table"] for one in player.get("/tables", signed=True)["tables"]]
        for player in (ann, bob, eve)
    }
    assert open_to == {ann.name: True, bob.name: True, eve.name: False}
    refused(eve.ask("POST", f"/tables/{table}/sits", eve.wish(table, 0)), 403, "table/not-invited")
    bob.sit(table, 0)
    ann.sit(table, 1)
    refused(
        ann.ask("POST", "/tables", {"game": "paris-paris", "seats": 2, "invite": ["nobody-x"]}, signed=True),
        404,
        "player/unknown",
    )


def test_reads_carry_an_etag_and_unchanged_ones_are_not_sent_again(url: str) -> None:
    table, players = seated(url)
    for path in ("", "/games", f"/tables/{table}", f"/tables/{table}/log", f"/tables/{table}/view"):
        answer = players[0].ask("GET", path)
        headers = {"If-None-Match": answer.headers["ETag"]}
        again = players[0].session.get(f"{url}/v1{path}", headers=headers)
        assert (again.status_code, again.content) == (304, b"")


def test_the_log_can_be_waited_for(url: str) -> None:
    table, players = seated(url)
    mover = players[to_move(table, players)[0]]
    length = len(mover.log(table))
    body = mover.choice(table)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(Visitor(url).log, table, after=length - 1, wait=60)
        sleep(0.3)
        assert not waiting.done()
        mover.send(table, body)
        assert len(waiting.result(WOKEN)) == 1
    began = monotonic()
    assert mover.log(table, after=length, wait=1) == []
    assert monotonic() - began > 0.9


def test_tables_that_wait_for_me_can_be_waited_for(url: str) -> None:
    table, players = seated(url)
    (turn,) = to_move(table, players)
    mover, other = players[turn], players[1 - turn]
    now = other.get("/waiting", signed=True)
    assert now["tables"] == []
    assert [one["table"] for one in mover.get("/waiting", signed=True)["tables"]] == [table]
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(other.get, "/waiting", signed=True, since=now["cursor"], wait=60)
        while to_move(table, players) == [turn]:
            mover.move(table)
        told = waiting.result(WOKEN)
    assert [one["table"] for one in told["tables"]] == [table]
    assert told["cursor"] != now["cursor"]
    assert [one["table"] for one in other.get("/tables", list="waiting", signed=True)["tables"]] == [table]


def test_waiting_for_news_never_takes_the_last_threads(new_house: Houses) -> None:
    house = new_house(POSTE_THREADS="4", POSTE_POLLS="8")
    table, _ = seated(house.url)
    path = f"/tables/{table}/log?after=1000&wait=4"
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: Visitor(house.url).ask("GET", path), range(12)))
    assert {answer.status_code for answer in answers} == {200, 503}
    busy = next(answer for answer in answers if answer.status_code == 503)
    refused(busy, 503, "server/busy")
    assert int(busy.headers["Retry-After"]) > 0


def test_a_server_that_stops_answers_those_who_wait(new_house: Houses) -> None:
    house = new_house()
    table, players = seated(house.url)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(players[0].log, table, after=1000, wait=60)
        sleep(0.5)
        assert house.stop() == 0
        assert waiting.result(WOKEN) == []
