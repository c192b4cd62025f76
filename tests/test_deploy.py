"""The systemd units load, and the example of their environment names settings that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from server.settings import Settings

DEPLOY = Path(__file__).parent.parent / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
INSTALLED = "/opt/poste/bin/poste-server"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_has_nothing_to_say_against_the_units(tmp_path: Path) -> None:
    for unit in UNITS:
        # What is not installed here must not hide what else is wrong.
        (tmp_path / unit.name).write_text(unit.read_text().replace(INSTALLED, "/bin/true"))
    paths = [str(tmp_path / unit.name) for unit in UNITS]
    done = subprocess.run(["systemd-analyze", "verify", *paths], capture_output=True, text=True, check=False)
    about_ours = [line for line in done.stderr.splitlines() if any(unit.name in line for unit in UNITS)]
    assert about_ours == []


def test_the_units_share_user_and_folder_and_run_what_there_is() -> None:
    started = set()
    for unit in UNITS:
        text = unit.read_text()
        assert {"User=poste-server", "StateDirectory=poste", "DynamicUser=yes"} <= set(text.splitlines())
        found = re.search(rf"^ExecStart={INSTALLED} (\w+)$", text, re.MULTILINE)
        assert found is not None
        started.add(found[1])
    assert started == {"run", "worker", "mail"}


def test_the_example_of_an_environment_names_settings() -> None:
    settings = {f"POSTE_{name.upper()}" for name in Settings.__dataclass_fields__}
    named = re.findall(r"^#?(POSTE_\w+)=", (DEPLOY / "poste-server.env.example").read_text(), re.MULTILINE)
    assert named
    assert set(named) <= settings
