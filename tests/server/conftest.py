from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from server.service.server_context import ServerContext, enter
from server.settings import Settings
from tests.server.postgresql_server import new_database, postgresql
from tests.server.server_process import ServerProcess

BACKENDS = ("sqlite", "postgresql")
Databases: TypeAlias = Callable[[str, Path], str]
Houses: TypeAlias = Callable[..., ServerProcess]


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """Fresh databases of either kind."""
    with postgresql(durable=False) as address:

        def fresh(backend: str, folder: Path) -> str:
            if backend == "sqlite":
                return f"sqlite:///{folder / 'poste.db'}"
            return new_database(address, f"poste_{secrets.token_hex(6)}")

        yield fresh


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def house(backend: str, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that many tests share."""
    folder = tmp_path_factory.mktemp("house")
    house = ServerProcess(folder, databases(backend, folder), POSTE_TABLES="10000")
    yield house
    assert house.stop() == 0


@pytest.fixture
def url(house: ServerProcess) -> str:
    return house.url


@pytest.fixture
def new_house(backend: str, databases: Databases, tmp_path: Path) -> Iterator[Houses]:
    """Servers of one's own, set up as one likes."""
    houses: list[ServerProcess] = []

    def start(**environment: str) -> ServerProcess:
        houses.append(ServerProcess(tmp_path / "data", databases(backend, tmp_path), **environment))
        return houses[-1]

    yield start
    for house in houses:
        if house.process.poll() is None:
            house.kill()


@pytest.fixture
def context(backend: str, databases: Databases, tmp_path: Path) -> Iterator[ServerContext]:
    """A server without a door: the service functions alone."""
    context = enter(Settings(data=tmp_path / "data", db=databases(backend, tmp_path), snapshot_every=8))
    yield context
    context.close()
