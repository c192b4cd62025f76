"""The README tells the truth: its commands are run, its example is a doctest, CI runs its test command."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_example_is_true() -> None:
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0


def test_every_poste_command_in_the_readme_works(tmp_path: Path) -> None:
    commands = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]
    own = [line for line in commands if line.startswith("poste ")]
    assert len(own) >= 6
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in own:
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, capture_output=True, env=os.environ | {"PATH": path}, check=False
        )
        assert done.returncode == 0, (line, done.stderr)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    line = next(line for line in script.splitlines() if line.startswith("eval"))
    found = subprocess.run(
        ["bash", "-c", line.replace("eval", "echo")], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert found.stdout.strip().endswith("-m tests")
    assert found.stdout.strip() in README


def test_no_address_of_a_registry_is_written_down() -> None:
    assert "://" not in (ROOT / "constraints.txt").read_text()
