"""A scene in colour: the rows of the plain text, styled for a console."""

from __future__ import annotations

from rich.console import Group
from rich.style import Style
from rich.text import Text

from engine.scene import Scene, Span
from engine.scene.canvas import Row, ink
from engine.scene.text import lay


def draw(scene: Scene, width: int) -> Group:
    """The scene as something a rich console prints, with colour or without as the console allows.

    It shows the same characters as :func:`engine.scene.text.draw` at this width. Nothing in it is read as markup.
    """
    return Group(*map(_styled, lay(scene, width)))


def _styled(row: Row) -> Text:
    # The rows fit already; a console that counts columns differently must neither fold nor cut them again.
    text = Text(no_wrap=True, overflow="ignore")
    for span in row:
        text.append(span.text, _style(span))
    return text


def _style(span: Span) -> Style:
    colour = ink(span.fill) if span.colour is None and span.fill is not None else span.colour
    return Style(
        color=None if colour is None else f"color({colour})",
        bgcolor=None if span.fill is None else f"color({span.fill})",
        bold=span.bold or None,
        dim=span.dim or None,
    )
