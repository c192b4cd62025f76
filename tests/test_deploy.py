"""The systemd units load, and the example of their environment names settings that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from server import server_key
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


HARDENED = {
    "UMask=0077",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
    "SystemCallFilter=@system-service",
    "MemoryDenyWriteExecute=yes",
    "LockPersonality=yes",
    "PrivateDevices=yes",
    "ProtectSystem=strict",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_may_do_no_more_than_it_needs(unit: Path) -> None:
    assert set(unit.read_text().splitlines()) >= HARDENED


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_takes_a_unit_for_safe(unit: Path, tmp_path: Path) -> None:
    (tmp_path / unit.name).write_text(unit.read_text().replace(INSTALLED, "/bin/true"))
    asked = ["systemd-analyze", "security", "--offline=yes", "--threshold=25", str(tmp_path / unit.name)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr


def test_what_the_server_needs_runs_where_no_memory_is_both_written_and_run(tmp_path: Path) -> None:
    """What MemoryDenyWriteExecute= asks of every library, asked of the kernel itself (PR_SET_MDWE)."""
    denied = (
        "import ctypes, os, sys\n"
        "if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit(77)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'server', *sys.argv[1:]])\n"
    )
    for command in ("migrate", "check"):
        if command == "check":
            server_key.load(tmp_path, sealed_with=None)
        started = [sys.executable, "-c", denied, command, "--data", str(tmp_path)]
        done = subprocess.run(started, capture_output=True, text=True, check=False)
        if done.returncode == 77:
            pytest.skip("this kernel cannot deny it")
        assert done.returncode == 0, done.stderr


def test_the_image_has_neither_history_nor_data_in_any_layer_and_runs_as_nobody_special() -> None:
    lines = [line for line in (DEPLOY / "Containerfile").read_text().splitlines() if not line.startswith("#")]
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY") and "--from" not in line]
    assert copied == [["pyproject.toml", "README.md", "LICENSE", "constraints.txt"], ["engine"], ["server"], ["client"]]
    assert all((DEPLOY.parent / name).exists() for names in copied for name in names)
    assert any("pip install" in line and "-c constraints.txt" in line for line in lines)
    users = [line for line in lines if line.startswith("USER")]
    assert users == ["USER poste"]
    assert lines.index("USER poste") < lines.index('CMD ["poste-server", "run"]')


def test_whatever_is_not_named_stays_out_of_the_build() -> None:
    rules = [line for line in (DEPLOY.parent / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert rules[0] == "*"
    allowed = {rule[1:] for rule in rules if rule.startswith("!")}
    assert allowed == {"pyproject.toml", "README.md", "LICENSE", "constraints.txt", "engine", "server", "client"}
    assert {"**/*.db*", "**/*.key"} <= set(rules[len(allowed) :])


def test_the_example_of_an_environment_names_settings() -> None:
    settings = {f"POSTE_{name.upper()}" for name in Settings.__dataclass_fields__}
    named = re.findall(r"^#?(POSTE_\w+)=", (DEPLOY / "poste-server.env.example").read_text(), re.MULTILINE)
    assert named
    assert set(named) <= settings
