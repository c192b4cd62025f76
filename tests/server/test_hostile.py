"""Hostile players: each is refused with the right code, and the log is as it was."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
import requests

from engine.keys import SigningKey
from engine.record.entry import Json, move_message
from tests.engine.edwards_curve import BASE, NEUTRAL, PRIME, Point, careless_signature, encoded, times
from tests.server.conftest import Houses
from tests.server.server_process import Signed, Visitor, company, refused, seated, to_move


class Scene:
    """A table in play, seen by the one whose turn it is and who means no good."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.table, self.players = seated(url)
        (self.turn,) = to_move(self.table, self.players)
        self.mover, self.other = self.players[self.turn], self.players[1 - self.turn]
        self.body = self.mover.choice(self.table)

    def signed(self, move: Json, base: str | None = None) -> Json:
        return self.mover.signed_move(self.table, self.turn, base or self.body["base"], move)

    def raw(self, data: bytes, kind: str = "application/json") -> requests.Response:
        path = f"{self.url}/v1/tables/{self.table}/moves"
        return requests.post(path, data=data, headers={"Content-Type": kind}, timeout=30)


def by_another_key(scene: Scene) -> Any:
    signature = Visitor(scene.url).key.sign(
        move_message(scene.table, scene.body["base"], scene.turn, scene.body["move"])
    )
    return {**scene.body, "signature": signature}


def for_another_table(scene: Scene) -> Any:
    other = scene.mover.open()
    return scene.mover.signed_move(other, scene.turn, scene.body["base"], scene.body["move"])


def moved_on(scene: Scene) -> str:
    """A base from before."""
    base = str(scene.body["base"])
    assert scene.mover.send(scene.table, scene.body).status_code == 201
    while to_move(scene.table, scene.players) != [scene.turn]:
        scene.other.move(scene.table)
    return base


FORGERIES: dict[str, tuple[Callable[[Scene], Any], int, str]] = {
    "signature of another key": (by_another_key, 403, "signature/forged"),
    "signature of zeros": (lambda s: {**s.body, "signature": "0" * 128}, 403, "signature/forged"),
    "signed for another table": (for_another_table, 403, "signature/forged"),
    "another move than the one signed": (lambda s: {**s.body, "move": {"do": "other"}}, 403, "signature/forged"),
    "another base than the one signed": (lambda s: {**s.body, "base": "a" * 64}, 403, "signature/forged"),
    "for the other seat": (lambda s: {**s.body, "seat": 1 - s.turn}, 403, "signature/forged"),
    "for a seat there is not": (lambda s: {**s.body, "seat": 7}, 404, "seat/unknown"),
    "out of turn": (
        lambda s: s.other.signed_move(s.table, 1 - s.turn, s.body["base"], s.body["move"]),
        409,
        "move/out-of-turn",
    ),
    "a base that never was": (lambda s: s.signed(s.body["move"], "a" * 64), 409, "move/stale"),
    "no move of this game": (lambda s: s.signed({"do": "castle"}), 422, "move/invalid"),
    "a move with an unknown field": (lambda s: s.signed({**s.body["move"], "cheat": 1}), 422, "move/invalid"),
    "a move without its fields": (lambda s: s.signed({"do": s.body["move"]["do"]}), 422, "move/invalid"),
    "a move that is empty": (lambda s: s.signed({}), 422, "move/invalid"),
    "a field of another type": (lambda s: s.signed({**s.body["move"], "station": 5}), 422, "move/invalid"),
    "a field that is null": (lambda s: s.signed({**s.body["move"], "station": None}), 422, "move/invalid"),
    "a default written out": (lambda s: s.signed({**s.body["move"], "evict": None}), 422, "move/invalid"),
    "a station that is nowhere": (lambda s: s.signed({**s.body["move"], "station": "gotham"}), 422, "move/illegal"),
    "a number with a fraction": (lambda s: {**s.body, "move": {"do": 1.5}}, 400, "entry/malformed"),
    "a number beyond 2^53": (lambda s: {**s.body, "move": {"do": 2**60}}, 400, "entry/malformed"),
    "a member that is not ASCII": (lambda s: {**s.body, "move": {"dö": 1}}, 400, "entry/malformed"),
    "unknown member": (lambda s: {**s.body, "extra": 1}, 400, "request/unknown-field"),
    "missing member": (lambda _: {"seat": 0}, 400, "request/malformed"),
    "negative seat": (lambda s: {**s.body, "seat": -1}, 400, "request/malformed"),
    "a seat that is true": (lambda s: {**s.body, "seat": True}, 400, "request/malformed"),
    "a seat in words": (lambda s: {**s.body, "seat": "0"}, 400, "request/malformed"),
    "a base in capitals": (lambda s: {**s.body, "base": s.body["base"].upper() + "A"}, 400, "request/malformed"),
    "a base with a line end": (lambda s: {**s.body, "base": s.body["base"] + "\n"}, 400, "request/malformed"),
    "a signature too short": (lambda s: {**s.body, "signature": "00"}, 400, "request/malformed"),
    "a move that is text": (lambda s: {**s.body, "move": "take louvre"}, 400, "request/malformed"),
    "a list": (lambda s: [s.body], 400, "request/malformed"),
    "nothing": (lambda _: None, 400, "request/malformed"),
    "no moves at all": (lambda _: {"moves": []}, 400, "request/malformed"),
    "too many moves": (lambda s: {"moves": [s.body] * 101}, 400, "request/malformed"),
    "one and several": (lambda s: {**s.body, "moves": [s.body]}, 400, "request/unknown-field"),
}


@pytest.fixture(scope="module")
def scene(house: Any) -> Scene:
    return Scene(house.url)


@pytest.mark.parametrize("what", FORGERIES)
def test_a_move_that_is_not_right_is_refused(scene: Scene, what: str) -> None:
    make, status, code = FORGERIES[what]
    before = scene.mover.log(scene.table)
    problem = refused(scene.raw(msgspec.json.encode(make(scene))), status, code)
    assert scene.mover.log(scene.table) == before
    if code == "move/illegal":
        assert problem["rule"].startswith(("§", "R"))


RAW: dict[str, tuple[bytes, str, int, str]] = {
    "not JSON": (b"take louvre", "application/json", 400, "request/malformed"),
    "half of it": (b'{"seat": 0, "base', "application/json", 400, "request/malformed"),
    "empty": (b"", "application/json", 400, "request/malformed"),
    "not UTF-8": (b'{"seat": "\xff"}', "application/json", 400, "request/malformed"),
    "NaN": (b'{"seat": NaN}', "application/json", 400, "request/malformed"),
    "half a character": (b'{"seat": 0, "move": {"x": "\\ud800"}}', "application/json", 400, "request/malformed"),
    "very deep": (b"[" * 20_000 + b"]" * 20_000, "application/json", 400, "request/malformed"),
    "a long number": (b'{"seat": 1' + b"0" * 5000 + b"}", "application/json", 400, "request/malformed"),
    "too large": (b'{"x":"' + b"x" * 70_000 + b'"}', "application/json", 413, "request/too-large"),
    "a form": (b"seat=0", "application/x-www-form-urlencoded", 415, "request/type"),
    "text": (b"{}", "text/plain", 415, "request/type"),
}


@pytest.mark.parametrize("what", RAW)
def test_a_body_that_is_none_is_refused(scene: Scene, what: str) -> None:
    data, kind, status, code = RAW[what]
    before = scene.mover.log(scene.table)
    refused(scene.raw(data, kind), status, code)
    assert scene.mover.log(scene.table) == before


def test_a_stale_move_is_told_what_has_changed(url: str) -> None:
    scene = Scene(url)
    base = moved_on(scene)
    log = scene.mover.log(scene.table)
    fresh = scene.mover.choice(scene.table)
    problem = refused(scene.mover.send(scene.table, scene.signed(fresh["move"], base)), 409, "move/stale")
    assert problem["head"] == scene.mover.get(f"/tables/{scene.table}")["head"]
    assert [msgspec.json.encode(line) for line in problem["changed"]] == log[4:]
    assert scene.mover.log(scene.table) == log


def test_a_seat_is_taken_once_and_by_the_one_who_signed(url: str) -> None:
    ann, bob, eve = company(url, 3)
    table = ann.open(seats=3)
    stale = eve.wish(table, 2)
    ann.sit(table, 0)
    before = ann.log(table)
    wish = bob.wish(table, 1)

    def sit(body: Json) -> requests.Response:
        return bob.ask("POST", f"/tables/{table}/sits", body)

    refused(sit({**wish, "signature": "0" * 128}), 403, "signature/forged")
    refused(sit({**wish, "entropy": "0" * 64}), 403, "signature/forged")
    refused(sit({**wish, "name": ann.name}), 403, "signature/forged")
    refused(sit(Visitor(url, "stranger").wish(table, 1)), 404, "player/unknown")
    refused(sit(Visitor(url, bob.name).wish(table, 1)), 403, "seat/not-yours")
    refused(sit(bob.wish(table, 0)), 409, "seat/taken")
    refused(sit(bob.wish(table, 3)), 404, "seat/unknown")
    refused(sit(ann.wish(table, 1)), 409, "seat/twice")
    problem = refused(sit(stale), 409, "move/stale")
    assert len(problem["changed"]) == 1
    assert ann.log(table) == before
    assert sit(wish).status_code == 201
    eve.sit(table, 2)
    late = company(url, 1)[0]
    refused(late.ask("POST", f"/tables/{table}/sits", late.wish(table, 1)), 409, "seat/taken")


def test_nobody_resigns_for_another(url: str) -> None:
    table, (ann, bob) = seated(url)
    before = ann.log(table)
    refused(ann.ask("POST", f"/tables/{table}/resignations", ann.resignation(table, 1)), 403, "signature/forged")
    refused(ann.ask("POST", f"/tables/{table}/resignations", ann.resignation(table, 9)), 404, "seat/unknown")
    body = bob.resignation(table, 1)
    (turn,) = to_move(table, [ann, bob])
    [ann, bob][turn].move(table)
    refused(bob.ask("POST", f"/tables/{table}/resignations", body), 409, "move/stale")
    assert ann.log(table)[:-1] == before


@pytest.mark.parametrize(
    ("wish", "status", "code"),
    [
        ({"game": "chess", "seats": 2}, 404, "game/unknown"),
        ({"game": "../engine", "seats": 2}, 404, "game/unknown"),
        ({"game": "paris-paris", "seats": 9}, 400, "options/invalid"),
        ({"game": "paris-paris", "seats": 0}, 400, "options/invalid"),
        ({"game": "paris-paris", "seats": 2, "options": {"map": "atlantis"}}, 400, "options/invalid"),
        ({"game": "paris-paris", "seats": 2, "options": {"cheat": True}}, 400, "options/invalid"),
        ({"game": "paris-paris", "seats": 2, "options": {"map": 1.5}}, 400, "options/invalid"),
        ({"game": "paris-paris", "seats": 2, "clock": {"kind": "hourglass", "seconds": 1}}, 400, "request/malformed"),
        (
            {"game": "paris-paris", "seats": 2, "clock": {"kind": "per-decision", "seconds": 0}},
            400,
            "request/malformed",
        ),
        ({"game": "paris-paris", "seats": 2, "secret": "00"}, 400, "request/unknown-field"),
        ({"game": "paris-paris", "seats": 2.0}, 400, "request/malformed"),
    ],
)
def test_a_table_that_cannot_be_is_not_opened(url: str, wish: Json, status: int, code: str) -> None:
    (ann,) = company(url, 1)
    refused(ann.ask("POST", "/tables", wish, signed=True), status, code)
    assert ann.get("/tables", list="mine", signed=True)["tables"] == []


def test_a_request_is_signed_freshly_for_this_very_request(url: str) -> None:
    (ann,) = company(url, 1)
    target = f"{url}/v1/tables?list=mine"
    prepared = ann.session.prepare_request(requests.Request("GET", target, auth=Signed(ann.key)))
    assert ann.session.send(prepared).status_code == 200
    refused(ann.session.send(prepared), 401, "identity/replayed")

    def tampered(change: Callable[[requests.PreparedRequest], None], **how: Any) -> requests.Response:
        one = ann.session.prepare_request(requests.Request("GET", target, auth=Signed(ann.key, **how)))
        change(one)
        return ann.session.send(one)

    def elsewhere(one: requests.PreparedRequest) -> None:
        one.url = target.replace("mine", "waiting")

    def other_key(one: requests.PreparedRequest) -> None:
        one.headers["Signature-Input"] = one.headers["Signature-Input"].replace(ann.key.public, "0" * 64)

    def no_input(one: requests.PreparedRequest) -> None:
        del one.headers["Signature-Input"]

    def garbage(one: requests.PreparedRequest) -> None:
        one.headers["Signature-Input"] = "poste=((((("

    def other_host(one: requests.PreparedRequest) -> None:
        one.headers["Host"] = "evil.example"

    for change in (elsewhere, other_key, no_input, garbage, other_host):
        refused(tampered(change), 401, "identity/signature")
    refused(tampered(lambda _: None, covered_component_ids=("@method",)), 401, "identity/signature")


class Untimely(Signed):
    """Signs as if it were another time, or without a nonce."""

    def __init__(self, visitor: Visitor, shift: int = 0, nonce: str | None = "n" * 20) -> None:
        super().__init__(visitor.key)
        self._shift = shift
        self._nonce = nonce

    def get_created(self, request: requests.PreparedRequest) -> datetime:  # noqa: ARG002
        return datetime.now(UTC) + timedelta(seconds=self._shift)

    def get_nonce(self, request: requests.PreparedRequest) -> str | None:  # noqa: ARG002
        return None if self._nonce is None else self._nonce + secrets.token_hex(8) * bool(self._nonce[8:])


@pytest.mark.parametrize(
    ("shift", "nonce", "code"),
    [
        (-400, "n" * 20, "identity/expired"),
        (400, "n" * 20, "identity/expired"),
        (0, None, "identity/signature"),
        (0, "short", "identity/signature"),
        (0, "n" * 200, "identity/signature"),
    ],
)
def test_a_signature_has_its_time_and_its_nonce(url: str, shift: int, nonce: str | None, code: str) -> None:
    (ann,) = company(url, 1)
    answer = ann.session.get(f"{url}/v1/waiting", auth=Untimely(ann, shift, nonce))
    refused(answer, 401, code)
    assert ann.session.get(f"{url}/v1/waiting", auth=Untimely(ann, 200 if shift > 0 else -200)).status_code == 200


class Weak(Signed):
    """Signs for a key whose private half nobody needs."""

    def __init__(self, key: str, first: bytes, second: int) -> None:
        super().__init__(SigningKey(bytes(32)))
        self.key_id = key
        self._signature = first + second.to_bytes(32, "little")

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return self.apply(request, self.prepare(request), self._signature)


@pytest.mark.parametrize("first", [NEUTRAL, times(5, BASE)], ids=["of small order", "of any order"])
@pytest.mark.parametrize("key", [NEUTRAL[1], NEUTRAL[1] + PRIME])
def test_nobody_registers_under_a_key_that_anybody_can_sign_for(url: str, key: int, first: Point) -> None:
    """This key "signs" everything by the equation alone."""
    weak = Weak(key.to_bytes(32, "little").hex(), encoded(first), 0 if first == NEUTRAL else 5)
    body = {"name": f"p-{secrets.token_hex(6)}"}
    answer = requests.post(f"{url}/v1/players", json=body, auth=weak, timeout=30)
    refused(answer, 401, "identity/signature")


class Careless(Signed):
    """Signs without a nonce, as RFC 8032 does not."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(SigningKey(seed))
        self._seed = seed

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        prepared = self.prepare(request)
        return self.apply(request, prepared, bytes.fromhex(careless_signature(self._seed, prepared.signature_base)))


def test_a_signature_that_begins_with_a_point_of_small_order_is_nobodys(url: str) -> None:
    """A player can make one for their own key; other verifiers would not take it, so neither does this server."""
    ann, seed = Visitor(url), secrets.token_bytes(32)
    ann.key = SigningKey(seed)
    ann.register()
    target = f"{url}/v1/waiting"
    assert ann.session.get(target, auth=Signed(ann.key)).status_code == 200
    refused(ann.session.get(target, auth=Careless(seed)), 401, "identity/signature")


def test_a_body_must_be_the_one_that_was_signed(url: str) -> None:
    (ann,) = company(url, 1)
    headers = {"Content-Type": "application/json"}
    body = b'{"game":"paris-paris","seats":2}'
    one = ann.session.prepare_request(
        requests.Request("POST", f"{url}/v1/tables", data=body, headers=headers, auth=Signed(ann.key))
    )
    one.body = body.replace(b"2", b"3")
    refused(ann.session.send(one), 401, "identity/signature")
    assert ann.get("/tables", list="mine", signed=True)["tables"] == []


def test_what_there_is_not_is_a_problem_too(url: str) -> None:
    ann = Visitor(url)
    refused(ann.ask("GET", "/nowhere"), 404, "not-found")
    refused(ann.session.get(f"{url}/"), 404, "not-found")
    answer = ann.ask("DELETE", "/tables")
    refused(answer, 405, "request/method")
    assert set(answer.headers["Allow"].split(", ")) >= {"GET", "POST"}
    refused(ann.session.get(f"{url}/v1", headers={"Accept": "image/png"}), 406, "request/accept")
    refused(ann.ask("GET", "/tables?colour=red"), 400, "request/unknown-field")
    refused(ann.ask("GET", "/tables?limit=1000"), 400, "request/malformed")
    refused(ann.ask("GET", f"/tables/{'a' * 32}/log?after=99999999999999999999"), 400, "request/malformed")


def test_one_address_cannot_ask_without_end(new_house: Houses) -> None:
    house = new_house(POSTE_PROXIES="1", POSTE_RATE="1", POSTE_BURST="5")
    crowd = Visitor(house.url)

    def ask(address: str) -> requests.Response:
        return crowd.session.get(f"{house.url}/v1", headers={"X-Forwarded-For": address})

    answers = [ask("192.0.2.1") for _ in range(8)]
    assert [answer.status_code for answer in answers[:5]] == [200] * 5
    refused(answers[-1], 429, "limit/rate")
    assert answers[-1].headers["Retry-After"]
    assert ask("192.0.2.2").status_code == 200


def test_a_player_opens_only_so_many_tables(new_house: Houses) -> None:
    house = new_house(POSTE_TABLES="2")
    (ann,) = company(house.url, 1)
    first = ann.open()
    ann.open()
    wish = {"game": "paris-paris", "seats": 2}
    refused(ann.ask("POST", "/tables", wish, signed=True), 429, "limit/tables")
    ann.sit(first, 0)
    ann.resign(first, 0)
    assert ann.ask("POST", "/tables", wish, signed=True).status_code == 201
