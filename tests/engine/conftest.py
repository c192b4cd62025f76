from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.signed_games import a_shelf_of_games


@pytest.fixture
def shelf() -> Iterator[None]:
    """The games on the test shelf can be loaded."""
    with a_shelf_of_games():
        yield
