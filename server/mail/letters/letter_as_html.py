"""A letter's parts as HTML for a phone or a browser: styles inline, nothing fetched from anywhere, no script.

It is written in ASCII and in short lines, so that a mail can carry it as it stands. The board is a picture, inline SVG,
which a small screen shows a part of rather than shrink it until nobody can read it; tables and cards beside it are
HTML. Some mail programs drop the picture and the folding around the text below it: they then show the board as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from engine.scene import Block, Board, Columns, Hand, Line, Panel, Span, svg
from engine.scene.canvas import clean, spans
from server.mail.letters import letter_as_text
from server.mail.letters.letter_parts import Bullets, Drawing, Heading, Paragraph, Part, Typed

_FONT = "font-family:-apple-system,Segoe UI,Helvetica,Arial,sans-serif"
_MONO = "font-family:Menlo,Consolas,DejaVu Sans Mono,monospace"
_PRE = f"{_MONO};font-size:13px;line-height:1.45;margin:8px 0;padding:10px;background:#f4efe4;border-radius:6px"
_CARD = "display:inline-block;margin:0 6px 6px 0;padding:4px 9px;border:1px solid #8a8577;border-radius:5px"
_MUTED = "color:#5f636b"


def html(parts: Sequence[Part]) -> str:
    """The parts as what stands in the body of a page."""
    return _ascii("\n".join(_set(part) for part in parts) + "\n")


def rule() -> str:
    """A line between two letters."""
    return '<hr style="border:0;border-top:2px solid #d8d0bf;margin:28px 0">\n'


def document(title: str, body: str) -> str:
    """A whole page."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escaped(title)}</title>"
    )
    style = f"max-width:720px;margin:0 auto;padding:12px;{_FONT};font-size:16px;line-height:1.5;color:#23262b"
    return _ascii(
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n'
        f'<body style="margin:0;background:#fffdf9"><div style="{style}">\n{body}</div></body></html>\n'
    )


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _escaped(text: str) -> str:
    return escape(clean(text))


def _set(part: Part) -> str:
    match part:
        case Heading():
            return f'<h2 style="font-size:16px;margin:22px 0 6px">{_escaped(part.text)}</h2>'
        case Paragraph():
            style = "font-size:19px;font-weight:600;margin:0 0 12px" if part.strong else "margin:0 0 12px"
            return f'<p style="{style}">{_escaped(part.text)}</p>'
        case Bullets():
            items = "\n".join(f"<li>{_escaped(item)}</li>" for item in part.items)
            return f'<ul style="margin:0 0 12px;padding-left:22px">{items}</ul>'
        case Typed():
            return _pre("\n".join(map(_escaped, part.lines)), "white-space:pre-wrap")
        case Drawing():
            return "\n".join([_title(part.scene.title), *map(_block, part.scene.blocks)])


def _pre(escaped: str, style: str) -> str:
    return f'<pre style="{_PRE};{style}">{escaped}</pre>'


def _title(title: str) -> str:
    return f'<h3 style="font-size:15px;margin:16px 0 4px">{_escaped(title)}</h3>' if title else ""


def _block(block: Block) -> str:
    match block:
        case Board():
            return f"{_picture(block)}\n{_as_text(block)}"
        case Panel():
            lines = "\n".join(map(_line, block.lines))
            return f'{_title(block.title)}<div style="{_MONO};font-size:13px;white-space:pre-wrap">{lines}</div>'
        case Columns():
            return f"{_title(block.title)}{_table(block)}"
        case Hand():
            cards = "\n".join(
                f'<span style="{_CARD}"><b>{_escaped(card.text)}</b> {_note(card.note)}</span>' for card in block.cards
            )
            return f"{_title(block.title)}<div>{cards or '(none)'}</div>"


def _picture(board: Board) -> str:
    # No line of a mail may be very long.
    picture = svg.embedded(board).replace("><", ">\n<")
    return f'<div style="overflow-x:auto;margin:12px 0 4px">{picture}</div>'


def _as_text(board: Board) -> str:
    """The board as text, folded away under its picture."""
    words = escape(letter_as_text.block(board).rstrip("\n"))
    return (
        f'<details><summary style="font-size:13px;{_MUTED}">The board as text</summary>\n'
        f"{_pre(words, 'white-space:pre;overflow-x:auto;font-size:11px;line-height:1.25')}</details>"
    )


def _table(table: Columns) -> str:
    rows = [_cells("th", table.header, table.right)] if any(table.header) else []
    body = "\n".join([*rows, *(_cells("td", row, table.right) for row in table.rows)])
    # Old attributes, because a style on every cell of a large table would be most of the mail.
    style = "border-collapse:collapse;font-size:13px"
    return (
        f'<div style="overflow-x:auto"><table cellpadding="3" rules="rows" bordercolor="#e5dfd2" style="{style}">\n'
        f"{body}</table></div>"
    )


def _cells(tag: str, cells: Iterable[Span | str], right: tuple[int, ...]) -> str:
    written = []
    for column, cell in enumerate(cells):
        side = ' align="right"' if column in right else ' align="left"' if tag == "th" else ""
        written.append(f"<{tag}{side}>{_line((cell,))}</{tag}>")
    return '<tr valign="top">' + "\n".join(written) + "</tr>"


def _line(line: Line) -> str:
    return "".join(_span(span) for span in spans(line))


def _span(span: Span) -> str:
    text = escape(span.text)
    if span.bold:
        text = f"<b>{text}</b>"
    return f'<span style="{_MUTED}">{text}</span>' if span.dim else text


def _note(note: str) -> str:
    return f'<span style="{_MUTED}">{_escaped(note)}</span>' if note else ""
