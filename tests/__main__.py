"""``python -m tests`` checks everything a maintainer cares about; ends with 1 if anything is wrong.

``python -m tests --quick`` leaves out what starts a server: lint, types, contracts, and the engine's own tests.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent

Checks = Sequence[tuple[str, str]]
LOOKED_AT: Checks = (
    ("lint", "ruff check ."),
    ("format", "ruff format --check ."),
    ("types", "mypy"),
    ("imports", "lint-imports"),
)
QUICK: Mapping[str, str] = {
    "tests of the engine": "pytest -q -p no:cacheprovider engine tests/engine",
    "tests of the games": "pytest -q -p no:cacheprovider tests/games --deselect tests/games/test_every_game.py",
}
WHOLE: Mapping[str, str] = {
    "tests of the server": "coverage run -m pytest -p no:cacheprovider tests/server",
    "all other tests": "coverage run -m pytest -p no:cacheprovider engine tests --ignore tests/server",
}
COVERED: Checks = (("combining", "coverage combine --quiet"), ("coverage", "coverage report"))


def main(quick: bool) -> int:
    """Run every check, even after one has failed, and say at the end which did."""
    failed = [*_one_by_one(LOOKED_AT), *_side_by_side(QUICK if quick else WHOLE)]
    failed += [] if quick else _one_by_one(COVERED)
    print(f"== failed: {', '.join(failed)}" if failed else "== all checks passed")
    return bool(failed)


def _one_by_one(checks: Checks) -> list[str]:
    """The names of those that fail."""
    failed = []
    for name, command in checks:
        print(f"== {name}", flush=True)
        if subprocess.run(_tool(command), cwd=ROOT, check=False).returncode:
            failed.append(name)
    return failed


def _side_by_side(checks: Mapping[str, str]) -> list[str]:
    """The names of those that fail; a machine has two cores, and most tests wait for processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = {name: Path(folder) / str(number) for number, name in enumerate(checks)}
        running = {
            name: subprocess.Popen(_tool(command), cwd=ROOT, stdout=outputs[name].open("wb"), stderr=subprocess.STDOUT)
            for name, command in checks.items()
        }
        failed = []
        for name, process in running.items():
            if process.wait():
                failed.append(name)
            print(f"== {name}\n{outputs[name].read_text(errors='replace')}", flush=True)
    return failed


def _tool(command: str) -> list[str]:
    tool, *arguments = command.split()
    return [str(Path(sys.executable).parent / tool), *arguments]


if __name__ == "__main__":
    sys.exit(main("--quick" in sys.argv[1:]))
