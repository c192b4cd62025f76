from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Machines are noisy: a slow example is not a failing one. CI tries the same examples every time, so that what fails
# there is what a change broke; elsewhere each run looks for new ones.
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="Write the golden files anew; say in the commit why they changed."
    )
