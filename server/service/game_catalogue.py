"""The games on the shelf."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from typing import Any

import msgspec

from engine import games
from engine.chance import Chance
from engine.game import AnyGame
from engine.record.entry import Json
from engine.record.replay import components_digest


def shelf() -> list[Json]:
    """Every game in brief."""
    return [_brief(games.load(key)) for key in games.keys()]


@cache
def game(key: str) -> Json:
    """One game: also its options and moves as JSON Schema, and how moves are written; raises UnknownGame."""
    found = games.load(key)
    options = found.options()
    kinds: Any = reduce(or_, found.moves)
    dealt = found.deal(min(found.seats), options, Chance(bytes(32)))
    return _brief(found) | {
        "options": msgspec.json.schema(found.options),
        "moves": msgspec.json.schema(kinds),
        "components": components_digest(found, options),
        "decisions": [form.usage for form in found.forms(found.view(dealt.state, None))],
    }


def _brief(found: AnyGame) -> Json:
    return {
        "key": found.key,
        "version": found.rules_version,
        "title": found.rulebook.title,
        "seats": list(found.seats),
        "summary": found.rulebook.summary,
    }
