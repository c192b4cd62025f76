"""Files that survive a power cut, at whatever moment it comes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from client.trust.durable_files import append_lines, locked, read_lines, write_whole


def test_a_file_is_replaced_whole_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_crash_while_replacing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def crash(*_: object) -> None:
        raise OSError("the power is gone")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", crash)
    else:
        monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(OSError, match="power"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path], "nothing is left lying about"


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_line_torn_by_a_crash_was_never_written_and_the_next_one_takes_its_place(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "lines"
    append_lines(path, [b"first"])
    append_lines(path, [b"second line"])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(b"first\n") + cut])
    assert read_lines(path) == [b"first"]
    append_lines(path, [b"third"])
    assert path.read_bytes() == b"first\nthird\n"


def test_a_file_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "none") == []


def test_only_one_at_a_time_holds_a_lock(tmp_path: Path) -> None:
    order: list[str] = []
    inside = threading.Event()

    def second() -> None:
        inside.wait()
        with locked(tmp_path / "lock"):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with locked(tmp_path / "lock"):
        inside.set()
        thread.join(timeout=0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


APPENDER = """
import sys
from pathlib import Path
from client.trust.durable_files import append_lines, locked
number = 0
while True:
    with locked(Path(sys.argv[1]) / "lock"):
        append_lines(Path(sys.argv[1]) / "lines", [b"%06d" % number + b"x" * 500])
    print(number, flush=True)
    number += 1
"""


def test_what_was_said_to_be_written_is_there_after_a_kill(tmp_path: Path) -> None:
    """A process is killed in the middle of appending: everything it reported stands, in order, in whole lines."""
    for _ in range(5):
        (tmp_path / "lines").unlink(missing_ok=True)
        with subprocess.Popen([sys.executable, "-c", APPENDER, str(tmp_path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            reported = [process.stdout.readline() for _ in range(20)]
            process.kill()
            reported += process.stdout.readlines()
        numbers = [int(line) for line in reported if line.endswith(b"\n")]
        lines = read_lines(tmp_path / "lines")
        assert [int(line[:6]) for line in lines[: len(numbers)]] == numbers
        assert len(lines) - len(numbers) in (0, 1)
