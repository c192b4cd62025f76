"""The kinds of arguments that several commands take, with their shell completion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from engine.game import AnyGame


class GameKey(click.ParamType[Any]):
    """A game by its key, or by a beginning of it that only one game has."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> AnyGame:
        """The game; an unknown one is a usage error that lists those there are."""
        from engine import games

        fitting = [key for key in games.keys() if key.startswith(str(value).lower())]
        if len(fitting) != 1 and value not in fitting:
            self.fail(f"“{value}” is not a game; there are {', '.join(games.keys())}.", param, ctx)
        return games.load(value if value in fitting else fitting[0])

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """The keys that begin like this."""
        from engine import games

        return [CompletionItem(key) for key in games.keys() if key.startswith(incomplete)]


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 365 * 86400}
LONGEST = 10**9
"""Seconds that any clock may have: thirty years."""


def seconds(text: str) -> int | None:
    """A stretch of time as it is typed, in seconds; None if it is none.

    >>> seconds("12h"), seconds("3d"), seconds("1y"), seconds("soon")
    (43200, 259200, 31536000, None)
    """
    found = re.fullmatch(r"([1-9][0-9]{0,8})([smhdwy])", text)
    length = int(found[1]) * _UNITS[found[2]] if found else 0
    return length if 0 < length <= LONGEST else None


class Time(click.ParamType[int]):
    """A stretch of time: ``90s``, ``15m``, ``12h``, ``3d``, ``2w``, ``1y``."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seconds."""
        length = value if isinstance(value, int) else seconds(str(value))
        if length is None:
            self.fail(f"“{value}” is not a time; it looks like 12h or 3d.", param, ctx)
        return length


class Days(click.ParamType[int]):
    """A number of whole days in a year: ``10d``, ``3w``."""

    name = "days"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The days."""
        length = seconds(str(value)) or 0
        if length % _UNITS["d"] or not 1 <= length // _UNITS["d"] <= 366:
            self.fail(f"“{value}” is not a number of days in a year; it looks like 10d or 3w.", param, ctx)
        return length // _UNITS["d"]


class ClockTime(click.ParamType[dict[str, Any]]):
    """A clock: time for each decision (``3d``), or an account of it (``bank:7d+12h``, ``bank:7d+12h/10d``)."""

    name = "clock"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """The clock as a server is asked for it."""
        found = re.fullmatch(r"(bank:)?(\w+)(?:\+(\w+))?(?:/(\w+))?", str(value))
        bank, *parts = found.groups() if found else (None, None)
        times = [seconds(part) if part else None for part in parts]
        unread = [part for part, time in zip(parts, times, strict=True) if part and time is None]
        if times[0] is None or unread or (not bank and any(times[1:])):
            self.fail(f"“{value}” is not a clock; it looks like 12h or 3d, or like bank:7d+12h.", param, ctx)
        start, refill, most = (*times, None, None)[:3]
        if not bank:
            return {"kind": "per-decision", "seconds": start}
        return {"kind": "bank", "start": start, "refill": refill or 0, "most": most or start}


class HexSeed(click.ParamType[bytes]):
    """Up to 32 bytes in hexadecimal, filled up with zeros."""

    name = "hex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """The 32 bytes."""
        if isinstance(value, bytes):
            return value
        try:
            seed = bytes.fromhex(value.zfill(len(value) + len(value) % 2))
        except ValueError:
            self.fail(f"“{value}” is not hexadecimal.", param, ctx)
        if len(seed) > 32:
            self.fail("a seed is at most 32 bytes: 64 hexadecimal digits.", param, ctx)
        return seed.rjust(32, b"\0")


class BotNames(click.ParamType[tuple[str, ...]]):
    """Policies of bots, separated by commas."""

    name = "bots"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The names, each a policy there is."""
        from engine.bots import POLICIES

        names = tuple(str(value).split(","))
        for name in names:
            if name not in POLICIES:
                self.fail(f"there is no bot “{name}”; there are {', '.join(sorted(POLICIES))}.", param, ctx)
        return names
