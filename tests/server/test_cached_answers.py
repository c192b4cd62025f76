"""What was signed for is kept by nobody on the way; what everybody may see is asked for anew each time."""

from __future__ import annotations

import pytest
import requests

from tests.server.server_process import Visitor, seated

PUBLIC, PRIVATE = "no-cache", "private, no-store"
STOP = "/mail/" + "0" * 32 + "/stop"


@pytest.fixture(scope="module")
def described(house: object) -> list[tuple[str, str]]:
    """Every endpoint: those of the served description, and those it leaves out."""
    address = house.url  # type: ignore[attr-defined]
    paths = requests.get(f"{address}/v1/openapi.json", timeout=30).json()["paths"]
    found = [(method.upper(), path.removeprefix("/v1")) for path, methods in paths.items() for method in methods]
    assert len(found) > 20
    return [*found, ("GET", "/openapi.json"), ("GET", "/nowhere")]


def test_no_answer_to_a_signed_request_is_kept_on_the_way(url: str, described: list[tuple[str, str]]) -> None:
    table, players = seated(url)
    for method, path in described:
        where = path.format(table=table, key="paris-paris", name=players[0].name, handle="0" * 32)
        body: dict[str, str] | None = None if method == "GET" else {}
        for signed in (True, False):
            answer = players[0].ask(method, where, body, signed=signed)
            assert answer.status_code < 500, answer.text
            private = signed or method != "GET"
            assert answer.headers["Cache-Control"] == (PRIVATE if private else PUBLIC), (method, where, signed)


def test_a_forged_signature_is_a_signature(url: str) -> None:
    answer = requests.get(f"{url}/v1/tables", headers={"Signature": "x=:eA==:", "Signature-Input": "x"}, timeout=30)
    assert answer.status_code == 401
    assert answer.headers["Cache-Control"] == PRIVATE


def test_an_answer_that_has_not_changed_is_as_private_as_it_was(url: str) -> None:
    table, players = seated(url)
    first = players[0].ask("GET", f"/tables/{table}/view", signed=True)
    players[0].session.headers["If-None-Match"] = first.headers["ETag"]
    again = players[0].ask("GET", f"/tables/{table}/view", signed=True)
    assert (again.status_code, again.headers["Cache-Control"]) == (304, PRIVATE)


def test_the_page_that_stops_mail_is_nobody_elses(url: str) -> None:
    for method in ("GET", "POST"):
        answer = Visitor(url).session.request(method, f"{url}/v1{STOP}", data={}, timeout=30)
        assert answer.headers["Cache-Control"] == PRIVATE
