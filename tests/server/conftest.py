from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from server.service.office import Office, enter
from server.settings import Settings
from tests.server.house import House
from tests.server.postgres import new_database, postgresql

BACKENDS = ("sqlite", "postgresql")
Databases: TypeAlias = Callable[[str, Path], str]
Houses: TypeAlias = Callable[..., House]


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
def house(backend: str, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server that many tests share."""
    folder = tmp_path_factory.mktemp("house")
    house = House(folder, databases(backend, folder), POSTE_TABLES="10000")
    yield house
    assert house.stop() == 0


@pytest.fixture
def url(house: House) -> str:
    return house.url


@pytest.fixture
def new_house(backend: str, databases: Databases, tmp_path: Path) -> Iterator[Houses]:
    """Servers of one's own, set up as one likes."""
    houses: list[House] = []

    def start(**environment: str) -> House:
        houses.append(House(tmp_path / "data", databases(backend, tmp_path), **environment))
        return houses[-1]

    yield start
    for house in houses:
        if house.process.poll() is None:
            house.kill()


@pytest.fixture
def office(backend: str, databases: Databases, tmp_path: Path) -> Iterator[Office]:
    """An office without a door: the service functions alone."""
    office = enter(Settings(data=tmp_path / "data", db=databases(backend, tmp_path), snapshot_every=8))
    yield office
    office.close()
