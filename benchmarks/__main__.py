"""``python -m benchmarks [GAME | audit | client | server | hostility | mail | upkeep]...``: figures, and their bars."""

from __future__ import annotations

import sys

from benchmarks import bench_audit, bench_client, bench_engine, bench_hostility, bench_mail, bench_server, bench_upkeep
from engine import games


def main() -> None:
    """Measure what was asked for, or everything."""
    for what in sys.argv[1:] or [*games.keys(), "audit", "client", "server", "hostility", "mail", "upkeep"]:
        if what == "audit":
            bench_audit.report()
        elif what == "client":
            bench_client.report()
        elif what == "server":
            bench_server.report()
        elif what == "hostility":
            bench_hostility.report()
        elif what == "mail":
            bench_mail.report()
        elif what == "upkeep":
            bench_upkeep.report()
        else:
            bench_engine.report(what)


if __name__ == "__main__":
    main()
