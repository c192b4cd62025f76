"""For whom a request is signed: a host and a port, and no other server on the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from server.app import application
from server.service.server_context import enter
from server.settings import Settings
from tests.server.conftest import Databases, Houses
from tests.server.server_process import Signed, Visitor, refused


def passed_on(visitor: Visitor, url: str, to: str) -> requests.Response:
    """What ``to`` answers to a request that is signed for ``url``, as whoever was sent it can pass it on."""
    signed = requests.Request("GET", f"{url}/v1/waiting", auth=Signed(visitor.key)).prepare()
    signed.headers["Host"] = urlsplit(url).netloc
    signed.url = f"{to}/v1/waiting"
    return visitor.session.send(signed, timeout=30)


def test_a_request_for_one_server_is_refused_by_its_neighbour(
    new_house: Houses, databases: Databases, backend: str, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    first = new_house()
    second = new_house(POSTE_DATA=str(tmp_path / "other"), POSTE_DB=databases(backend, tmp_path / "other"))
    ann = Visitor(first.url).register()
    at_second = Visitor(second.url, ann.name)
    at_second.key = ann.key
    at_second.register()
    for url, to in ((first.url, second.url), (second.url, first.url)):
        said = refused(passed_on(ann, url, to), 401, "identity/signature")
        assert urlsplit(url).netloc in said["detail"]
        assert passed_on(ann, url, url).status_code == 200
        assert passed_on(ann, url.replace("127.0.0.1", "localhost"), url).status_code == 200
    refused(passed_on(ann, "http://localhost", first.url), 401, "identity/signature")


def test_an_address_that_players_are_told_is_the_only_one(new_house: Houses) -> None:
    house = new_house(POSTE_URL="http://games.example.org:8080", POSTE_PROXIES="1")
    ann = Visitor(house.url)
    at = "http://games.example.org:8080"
    registered = requests.Request(
        "POST",
        f"{at}/v1/players",
        auth=Signed(ann.key),
        data=b'{"name":"ann"}',
        headers={"Content-Type": "application/json"},
    ).prepare()
    registered.headers["Host"] = "games.example.org:8080"
    registered.url = f"{house.url}/v1/players"
    assert ann.session.send(registered, timeout=30).status_code == 201
    assert passed_on(ann, at, house.url).status_code == 200
    for other in ("http://games.example.org", "http://games.example.org:8081", house.url, "http://localhost:8080"):
        refused(passed_on(ann, other, house.url), 401, "identity/signature")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    context = enter(Settings(data=tmp_path))
    yield application(context)
    context.close()


@pytest.mark.parametrize(
    ("environ", "base", "status"),
    [
        ({"SERVER_PORT": "8000", "REMOTE_ADDR": "127.0.0.1"}, "http://localhost:8000", 404),
        ({"SERVER_PORT": "8000", "REMOTE_ADDR": "127.0.0.1"}, "http://localhost:8001", 401),
        ({"SERVER_PORT": "8001", "REMOTE_ADDR": ""}, "http://localhost:8001", 401),
        ({"SERVER_PORT": "443", "REMOTE_ADDR": "127.0.0.1"}, "https://localhost", 404),
        ({"SERVER_PORT": "80", "REMOTE_ADDR": "127.0.0.1"}, "https://localhost", 401),
    ],
    ids=["its port", "another port", "a Unix socket has none", "the scheme's port", "the other scheme's port"],
)
def test_the_port_is_the_one_the_request_came_in_by(
    app: Flask, environ: dict[str, str], base: str, status: int
) -> None:
    """As another WSGI server tells it; 404: the signature holds, and the key is nobody's."""
    visitor = Visitor(base)
    signed = requests.Request("GET", f"{base}/v1/waiting", auth=Signed(visitor.key)).prepare()
    made = EnvironBuilder("/v1/waiting", base, headers=list(signed.headers.items())).get_environ()
    _, told, _ = run_wsgi_app(app, {**made, "REQUEST_URI": "/v1/waiting", **environ})
    assert int(told.split()[0]) == status
