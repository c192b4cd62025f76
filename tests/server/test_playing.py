"""Whole evenings over real HTTP."""

from __future__ import annotations

import pytest

from engine import games
from engine.record import audit as auditing
from engine.record.entry import read_line
from tests.server.server_process import Visitor, company, play_out, refused, seated, to_move


@pytest.mark.parametrize("game", games.keys())
def test_a_whole_game_ends_with_a_record_that_audits(url: str, game: str) -> None:
    table, players = seated(url, min(games.load(game).seats), game)
    refused(players[0].ask("GET", f"/tables/{table}/record"), 409, "table/unfinished")
    play_out(table, players)
    summary = players[0].get(f"/tables/{table}")
    answer = players[0].ask("GET", f"/tables/{table}/record")
    audit = auditing.audit(answer.content)
    assert answer.headers["Content-Type"] == "application/x-poste-record"
    assert audit.faults == ()
    assert audit.players == tuple(player.name for player in players)
    assert (summary["phase"], summary["length"], summary["waiting"]) == ("closed", audit.entries, [])
    assert audit.standing is not None
    assert summary["standing"]["scores"][0]["total"] == audit.standing.scores[0].total


def test_the_last_to_sit_is_followed_by_the_deal(url: str) -> None:
    ann, bob = company(url)
    table = ann.open()
    ann.sit(table, 1)
    assert ann.get(f"/tables/{table}")["players"] == [None, ann.name]
    receipt = bob.sit(table, 0)
    kinds = [read_line(line).entry.__struct_config__.tag for line in ann.log(table)]
    assert kinds == ["open", "sit", "sit", "deal"]
    assert receipt["seq"] == 2
    assert receipt["entry"]["entry"]["name"] == bob.name
    assert ann.get(f"/tables/{table}")["phase"] == "playing"


def test_the_same_move_twice_is_one_entry_and_the_same_receipt(url: str) -> None:
    table, players = seated(url)
    mover = players[to_move(table, players)[0]]
    body = mover.choice(table)
    first = mover.send(table, body)
    length = mover.get(f"/tables/{table}")["length"]
    play_out(table, players)
    again = mover.send(table, body)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert mover.log(table, after=length - 2)[0] == mover.log(table)[length - 1]


def test_the_same_sit_twice_is_one_entry_and_the_same_receipt(url: str) -> None:
    (ann,) = company(url, 1)
    table = ann.open()
    wish = ann.wish(table, 0)
    first, again = (ann.ask("POST", f"/tables/{table}/sits", wish) for _ in range(2))
    assert first.json() == again.json()
    assert len(ann.log(table)) == 2


def test_several_moves_are_taken_up_to_the_first_refusal(url: str) -> None:
    table, players = seated(url)
    mover = players[to_move(table, players)[0]]
    body = mover.choice(table)
    answer = mover.send(table, {"moves": [body, body, {**body, "signature": "0" * 128}, body]})
    told = answer.json()
    assert answer.status_code == 201
    assert told["receipts"][0] == told["receipts"][1]
    assert len(told["receipts"]) == 2
    assert told["refused"]["code"] == "signature/forged"
    assert not told["held"]


def test_leaving_before_the_deal_frees_the_seat(url: str) -> None:
    ann, bob = company(url)
    table = ann.open()
    bob.sit(table, 1)
    body = bob.resignation(table, 1)
    first, again = (bob.ask("POST", f"/tables/{table}/resignations", body) for _ in range(2))
    assert first.json() == again.json()
    summary = bob.get(f"/tables/{table}")
    assert (summary["players"], summary["phase"]) == ([None, None], "sitting")
    bob.sit(table, 0)


def test_an_opener_who_leaves_an_empty_table_closes_it(url: str) -> None:
    (ann,) = company(url, 1)
    table = ann.open()
    ann.sit(table, 0)
    ann.resign(table, 0)
    summary = ann.get(f"/tables/{table}")
    assert (summary["phase"], summary["standing"]) == ("closed", None)
    assert auditing.audit(ann.ask("GET", f"/tables/{table}/record").content).valid
    refused(ann.ask("POST", f"/tables/{table}/sits", ann.wish(table, 0)), 409, "table/over")


def test_a_resigned_seat_plays_its_fallbacks_and_the_others_play_on(url: str) -> None:
    table, players = seated(url, 3)
    players[1].resign(table, 1)
    assert players[0].get(f"/tables/{table}")["resigned"] == [1]
    refused(
        players[1].ask("POST", f"/tables/{table}/resignations", players[1].resignation(table, 1)), 409, "seat/resigned"
    )
    play_out(table, players)
    record = players[0].ask("GET", f"/tables/{table}/record").content
    entries = auditing.entries(record)
    assert auditing.audit(record).valid
    timeouts = [sealed.entry for sealed in entries if sealed.entry.__struct_config__.tag == "timeout"]
    assert timeouts
    assert {(entry.seat, entry.why) for entry in timeouts} == {(1, "resigned")}  # type: ignore[union-attr]


def test_of_two_players_one_resigns_and_the_other_has_won(url: str) -> None:
    table, players = seated(url, 2)
    players[0].move(table)
    players[0].resign(table, 0)
    kinds = [read_line(line).entry.__struct_config__.tag for line in players[0].log(table)]
    assert kinds[-2:] == ["resign", "close"]
    (listed,) = players[1].get("/tables", signed=True, list="mine")["tables"]
    summary = players[0].get(f"/tables/{table}")
    for told in (summary, listed):
        assert (told["phase"], told["resigned"], told["abandoned"]) == ("closed", [0], None)
        assert (told["standing"]["final"], told["standing"]["ranking"]) == (True, [[1], [0]])
    found = auditing.audit(players[0].ask("GET", f"/tables/{table}/record").content)
    assert found.valid
    assert found.standing is not None
    assert found.standing.winners == (1,)
    again = players[1].ask("POST", f"/tables/{table}/resignations", players[1].resignation(table, 1))
    refused(again, 409, "table/over")


def test_when_all_but_one_have_resigned_the_table_is_given_up(url: str) -> None:
    table, players = seated(url, 3)
    players[2].resign(table, 2)
    players[0].resign(table, 0)
    kinds = [read_line(line).entry.__struct_config__.tag for line in players[0].log(table)]
    summary = players[0].get(f"/tables/{table}")
    assert kinds[-3:] == ["resign", "abandon", "close"]
    assert (summary["phase"], summary["resigned"], summary["waiting"]) == ("closed", [0, 2], [])
    assert (summary["standing"]["final"], summary["abandoned"]) == (False, "resigned")
    assert auditing.audit(players[0].ask("GET", f"/tables/{table}/record").content).valid
    mover = players[1]
    refused(mover.send(table, mover.signed_move(table, 1, summary["head"], {"do": "take"})), 409, "table/over")


def test_events_are_told_to_those_who_may_know_them(url: str) -> None:
    table, players = seated(url)
    onlooker = Visitor(url).get(f"/tables/{table}/events")["events"]
    own = players[0].get(f"/tables/{table}/events", signed=True)["events"]
    assert [entry["kind"] for entry in own] == ["open", "sit", "sit", "deal"]
    assert [entry["seat"] for entry in own] == [None, 0, 1, None]
    told = {told["text"] for entry in own for told in entry["events"]}
    public = {told["text"] for entry in onlooker for told in entry["events"]}
    assert public < told, "a seat is told more than an onlooker: its own marker"
    assert players[0].get(f"/tables/{table}/events", after=3)["events"] == []


def test_a_table_with_a_clock_says_when_time_is_up(url: str) -> None:
    table, players = seated(url, clock={"kind": "per-decision", "seconds": 86400})
    summary = players[0].get(f"/tables/{table}")
    (waiting,) = summary["waiting"]
    assert summary["clock"] == {"kind": "per-decision", "seconds": 86400}
    assert waiting["due"][:10] > waiting["since"][:10]
    assert players[0].get(f"/tables/{table}/view")["asked"][str(waiting["seat"])]["due"] == waiting["due"]
