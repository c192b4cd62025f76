"""The map is of this land: whatever docs/architecture.md names exists, and every room is on it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAP = (ROOT / "docs" / "architecture.md").read_text()
NAMED = set(re.findall(r"`((?:engine|server|client|docs|tests)/[\w./-]*)`", MAP))


def test_every_file_and_folder_that_is_named_exists() -> None:
    assert len(NAMED) > 50
    missing = [name for name in NAMED if not (ROOT / name).exists()]
    assert missing == []


def test_every_room_is_on_the_map() -> None:
    rooms = {
        f"{folder.relative_to(ROOT)}/"
        for package in ("engine", "server", "client")
        for folder in (ROOT / package).rglob("*")
        if (folder / "__init__.py").exists() and len(list(folder.glob("*.py"))) > 1
    }
    games = {room for room in rooms if room.startswith("engine/games/") and room != "engine/games/"}
    without_modules_of_their_own = {"server/migrations/", "server/migrations/versions/", "server/mail/"}
    assert rooms - games - without_modules_of_their_own <= NAMED


def test_four_walks_are_lists_of_files_in_order() -> None:
    walks = re.split(r"^## ", MAP, flags=re.MULTILINE)[3:]
    assert len(walks) == 4
    for walk in walks:
        steps = re.findall(r"^(\d+)\. `", walk, flags=re.MULTILINE)
        assert steps == [str(number) for number in range(1, len(steps) + 1)]
        assert len(steps) >= 6
