"""``python -m benchmarks [GAME | client | server | hostility | mail]...`` prints every figure with its bar."""

from __future__ import annotations

import sys

from benchmarks import bench_client, bench_engine, bench_hostility, bench_mail, bench_server
from engine import games


def main() -> None:
    """Measure what was asked for, or everything."""
    for what in sys.argv[1:] or [*games.keys(), "client", "server", "hostility", "mail"]:
        if what == "client":
            bench_client.report()
        elif what == "server":
            bench_server.report()
        elif what == "hostility":
            bench_hostility.report()
        elif what == "mail":
            bench_mail.report()
        else:
            bench_engine.report(what)


if __name__ == "__main__":
    main()
