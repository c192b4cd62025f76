"""``python -m benchmarks [GAME...]`` prints every ratio with the bar it has to reach."""

from __future__ import annotations

import sys

from benchmarks import bench_engine
from engine import games

if __name__ == "__main__":
    for key in sys.argv[1:] or games.keys():
        bench_engine.report(key)
