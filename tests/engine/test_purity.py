"""The engine reads no clock, no disk, no network and no randomness but its own; a whole game proves it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine import games

ROOT = Path(engine.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

FORBIDDEN_MODULES = {
    "asyncio", "glob", "io", "locale", "multiprocessing", "os", "platform", "queue", "random", "secrets", "select",
    "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "threading", "time", "urllib",
    "uuid", "zoneinfo",
}  # fmt: skip
FORBIDDEN_CALLS = {"open", "input", "print", "eval", "exec", "now", "today", "utcnow", "getenv", "urandom", "generate"}
AT_IMPORT_ONLY = {"read_text", "read_bytes", "files", "iterdir"}
"""Reading the box: allowed where it is done once, on loading a game."""
READERS = {"components.py", "printed.py"}
LOCKS = {"typed_json.py"}
"""Where threads may meet, and one makes the others wait."""


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def called(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id
            elif isinstance(node.func, ast.Attribute):
                yield node.func.attr


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_no_module_reaches_outside(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert set(imported(tree)) & FORBIDDEN_MODULES == ({"threading"} if path.name in LOCKS else set())
    calls = set(called(tree))
    assert calls & (FORBIDDEN_CALLS - {"open", "now"}) == set(), (
        "the clerk opens tables, and selfplay counts its own time"
    )
    builtin_open = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "open"]
    assert builtin_open == []
    if path.name not in READERS:
        assert calls & AT_IMPORT_ONLY == set()


WATCHED = """
import datetime, os, random, sys, time
from engine import games, notation, selfplay
from engine.bots import POLICIES
from engine.record.audit import audit, entries
from engine.record.replay import replay
from engine.scene import svg, text

loaded = [games.load(key) for key in sys.argv[1:]]

def poisoned(*_, **__):
    raise AssertionError("the engine looked at the clock or at chance")

for module, names in {
    time: ["time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "localtime", "gmtime"],
    random: ["random", "randint", "randrange", "choice", "shuffle", "getrandbits"],
    os: ["urandom", "getpid", "getrandom"],
}.items():
    for name in names:
        setattr(module, name, poisoned)

class NoClock(datetime.datetime):
    now = today = utcnow = poisoned

datetime.datetime = NoClock

HARMLESS = {"import", "compile", "exec", "object.__getattr__", "object.__setattr__", "code.__new__", "sys._getframe",
            "marshal.loads", "sys._getframemodulename", "builtins.id", "gc.get_objects",
            "sys.excepthook", "sys.unraisablehook"}
CODE = (".py", ".pyc", ".so")
seen = []

def watch(event, arguments):
    if event == "open" and str(arguments[0]).endswith(CODE) or event == "os.listdir":
        seen.append(event)  # a module imported late: code, not data
    elif event not in HARMLESS:
        raise AssertionError(f"the engine did {event} {arguments}")

sys.addaudithook(watch)

for game in loaded:
    for policy in POLICIES:
        played = selfplay.play(game, [policy] * min(game.seats), bytes(32))
        assert audit(played.data).valid
        assert replay(entries(played.data), bytes.fromhex(played.record[-1].entry.secret)).stopped is None
    position = played.table.playing
    for seat in (None, *range(min(game.seats))):
        scene = game.scene(game.view(position.state, seat), list("abcdef"[: min(game.seats)]))
        text.draw(scene), svg.draw(scene)
audit(b"garbage\\n")
print("pure")
"""


@pytest.mark.parametrize("key", games.keys())
def test_a_whole_game_touches_nothing_outside(key: str) -> None:
    """Played, audited, replayed and drawn with clocks and chance poisoned and every system event watched."""
    ran = subprocess.run([sys.executable, "-c", WATCHED, key], capture_output=True, text=True, cwd=ROOT.parent)
    assert ran.stdout == "pure\n", ran.stderr
    assert ran.returncode == 0


def test_the_watch_works() -> None:
    """A game that opens a file is caught."""
    script = WATCHED.replace('audit(b"garbage', 'open("/dev/null"); audit(b"garbage')
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT.parent)
    assert ran.returncode
    assert "the engine did open" in ran.stderr


def test_the_same_seed_plays_the_same_game_in_every_process() -> None:
    """Neither hash randomisation nor the order of sets reaches a record."""
    script = (
        "from engine import games, selfplay; import hashlib;"
        "data = selfplay.play(games.load('paris-paris'), ['greedy', 'random'], bytes(32)).data;"
        "print(hashlib.sha256(data).hexdigest())"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT.parent,
            env={"PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("0", "1", "4711")
    }
    assert len(hashes) == 1
