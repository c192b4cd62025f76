"""``python -m tests`` checks everything a maintainer cares about; ends with 1 if anything is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

CHECKS = (
    ("lint", "ruff check ."),
    ("format", "ruff format --check ."),
    ("types", "mypy"),
    ("imports", "lint-imports"),
    ("tests", "coverage run -m pytest"),
    ("combining", "coverage combine --quiet"),
    ("coverage", "coverage report"),
)


def main() -> int:
    """Run every check, even after one has failed, and say at the end which did."""
    failed = []
    for name, command in CHECKS:
        print(f"== {name}", flush=True)
        tool, *arguments = command.split()
        if subprocess.run([Path(sys.executable).parent / tool, *arguments], cwd=ROOT, check=False).returncode:
            failed.append(name)
    print(f"== failed: {', '.join(failed)}" if failed else "== all checks passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
