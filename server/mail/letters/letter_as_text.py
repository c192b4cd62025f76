"""A letter's parts as plain text, at most 78 columns wide where the words allow it; a drawing may be wider."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import lru_cache

from engine.scene import Block, Scene
from engine.scene import text as drawing
from engine.scene.canvas import clean
from server.mail.letters.letter_parts import Bullets, Drawing, Heading, Paragraph, Part, Typed

WIDTH = 78
WIDEST = 100


def text(parts: Sequence[Part]) -> str:
    """The parts one after the other, an empty line between them; a heading stands close to what it heads."""
    written = ""
    for part in parts:
        written += _written(part) + ("\n" if isinstance(part, Heading) else "\n\n")
    return written.strip("\n") + "\n"


def _written(part: Part) -> str:
    match part:
        case Heading():
            return _wrapped(f"{part.text}:")
        case Paragraph():
            return _wrapped(part.text)
        case Bullets():
            return "\n".join(_wrapped(item, "- ", "  ") for item in part.items)
        case Typed():
            return "\n".join(f"    {clean(line)}" for line in part.lines)
        case Drawing():
            return _drawn(part.scene)


def _wrapped(words: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(
        clean(words),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _drawn(scene: Scene) -> str:
    """A scene as text, wider than the words: what stands in columns stays there, and no name to be typed is broken."""
    heading = [drawing.draw(Scene(scene.title, ()), WIDEST)] if scene.title else []
    return "\n".join([*heading, *map(block, scene.blocks)]).rstrip("\n")


@lru_cache(maxsize=32)  # a letter shows its board twice, as text and folded away in the page
def block(drawn: Block) -> str:
    """A part of a scene as text."""
    return drawing.draw(Scene("", (drawn,)), WIDEST)
