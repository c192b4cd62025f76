"""Choosing among many moves at a prompt: type a number, or the beginning of what you mean."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from client.output import CommandRefused, ask, say
from client.table.turn import chosen, written
from client.table.verified_view import Seen
from engine.errors import MoveRefused, NotUnderstood

SHOWN = 20
"""How many moves are listed at once, unless all are asked for."""


def choose(seen: Seen) -> Any:
    """The move the player picks; refuses when they would rather not."""
    legal = list(seen.legal)
    texts = [written(seen, move) for move in legal]
    shown, most = texts, SHOWN
    _complete(texts)
    while True:
        _list(texts, shown, most)
        typed = ask("Your move", "> ").strip()
        if typed in ("", "q", "quit"):
            raise CommandRefused("Nothing was played.")
        if typed == "?":
            shown, most = texts, len(texts)
            continue
        if typed.isdecimal() and 1 <= int(typed) <= len(texts):
            return legal[int(typed) - 1]
        try:
            return chosen(seen, typed)
        except MoveRefused as refused:
            if isinstance(refused, NotUnderstood) and (fitting := narrowed(texts, typed)):
                shown, most = fitting, SHOWN
            else:
                say(f"{refused}.")


def narrowed(texts: Sequence[str], typed: str) -> list[str]:
    """What to list next: moves that begin like this, or else those that have a word beginning like each of those typed.

    >>> narrowed(["take louvre/red", "take louvre/blue", "take opera/red"], "take l")
    ['take louvre/red', 'take louvre/blue']
    >>> narrowed(["take louvre/red", "take louvre/blue", "take opera/red"], "op")
    ['take opera/red']
    """
    wanted = typed.casefold()
    beginning = [text for text in texts if text.casefold().startswith(wanted)]
    words = wanted.split()
    return beginning or [
        text
        for text in texts
        if all(any(part.startswith(word) for part in text.casefold().replace("/", " ").split()) for word in words)
    ]


def _list(texts: Sequence[str], shown: Sequence[str], most: int) -> None:
    for text in shown[:most]:
        say(f"{texts.index(text) + 1:>4}  {text}")
    if len(shown) > most:
        say(f"      ... and {len(shown) - most} more: type the beginning of what you mean")
    say("      a number, some letters, ? for all, or nothing to leave it")


def _complete(texts: Sequence[str]) -> None:
    """Let the tab key complete moves, where the terminal can."""
    with contextlib.suppress(ImportError):
        import readline

        def complete(typed: str, state: int) -> str | None:
            return dict(enumerate(text for text in texts if text.startswith(typed))).get(state)

        readline.set_completer_delims("")
        readline.set_completer(complete)
        readline.parse_and_bind("tab: complete")
