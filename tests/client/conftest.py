from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.client.clocked_tables import SlowHouse
from tests.client.players_and_proxy import Person, Proxy, a_proxy, nothing_twisted, somebody
from tests.server.server_process import ServerProcess


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server process on SQLite that the tests here share."""
    folder = tmp_path_factory.mktemp("server")
    house = ServerProcess(folder, f"sqlite:///{folder / 'poste.db'}", POSTE_RATE="0", POSTE_TABLES="10000")
    yield house
    assert house.stop() == 0


@pytest.fixture
def new_person(server: ServerProcess, tmp_path: Path) -> Callable[[str], Person]:
    """Makes people who are registered with the server."""
    return lambda name: somebody(tmp_path, server.url, name)


@pytest.fixture(scope="session")
def standing_proxy(server: ServerProcess) -> Iterator[Proxy]:
    with a_proxy(server) as proxy:
        yield proxy


@pytest.fixture
def proxy(standing_proxy: Proxy) -> Iterator[Proxy]:
    """Something between the players and the server, honest until told otherwise."""
    yield standing_proxy
    standing_proxy.twist = nothing_twisted


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[SlowHouse]:
    house = SlowHouse(tmp_path / "data")
    yield house
    house.close()
