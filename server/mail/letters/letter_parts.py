"""What a letter is made of: paragraphs, lists, lines to type and drawings, said once and set twice.

:mod:`.letter_as_text` sets them as text, :mod:`.letter_as_html` for a phone or a browser.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from engine.scene import Scene


class Heading(Struct, frozen=True):
    """What comes next, in a few words."""

    text: str


class Paragraph(Struct, frozen=True):
    """A few sentences; ``strong`` if the whole letter comes down to them."""

    text: str
    strong: bool = False


class Bullets(Struct, frozen=True):
    """Sentences, each on its own."""

    items: tuple[str, ...]


class Typed(Struct, frozen=True):
    """Lines to be typed as they stand."""

    lines: tuple[str, ...]


class Drawing(Struct, frozen=True):
    """A scene: the board, with what lies beside it."""

    scene: Scene


Part: TypeAlias = Heading | Paragraph | Bullets | Typed | Drawing


class Letter(Struct, frozen=True):
    """What a mail says. ``html`` is what stands in the body of a page; the message composer puts it in one."""

    subject: str
    text: str
    html: str | None = None
