"""The kinds of arguments that several commands take, with their shell completion."""

from __future__ import annotations

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
