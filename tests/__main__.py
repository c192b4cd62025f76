"""``python -m tests`` checks everything a maintainer cares about; ends with 1 if anything is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent

CHECKS = (
    ("lint", [BIN / "ruff", "check", "."]),
    ("format", [BIN / "ruff", "format", "--check", "."]),
    ("types", [BIN / "mypy"]),
    ("imports", [BIN / "lint-imports"]),
    ("tests", [BIN / "coverage", "run", "-m", "pytest", *sys.argv[1:]]),
    ("combining", [BIN / "coverage", "combine", "--quiet"]),
    ("coverage", [BIN / "coverage", "report"]),
)


def main() -> int:
    """Run every check, even after one has failed, and say at the end which did."""
    failed = []
    for name, command in CHECKS:
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    print(f"== failed: {', '.join(failed)}" if failed else "== all checks passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
