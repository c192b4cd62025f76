"""HTML as text: what is said on a page, with a mark for what it quotes.

The standard library's parser of HTML is not used: on a hostile page its time grows with the square of the length.
"""

from __future__ import annotations

import html
import re

_BLOCKS = {
    *("address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
    *("li", "ol", "p", "pre", "table", "tr", "ul"),
}
_NAME = re.compile(r"/?[a-z][a-z0-9]{0,15}", re.IGNORECASE)
_CLOSING = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("style", "script", "title")}
_WHITE = re.compile(r"\s+")


def text_of_html(page: str) -> str:
    """The text of a page with a line ``>`` for whatever it quotes; looks at every character a fixed number of times."""
    pieces: list[str] = []
    quoted = preformatted = 0
    start = 0
    while start < len(page):
        opening = page.find("<", start)
        words = page[start : opening if opening >= 0 else len(page)]
        if not quoted:
            pieces.append(_unescaped(words if preformatted else _WHITE.sub(" ", words)))
        if opening < 0:
            break
        comment = page.startswith("<!--", opening)
        named = _NAME.match(page, opening + 1)
        if not named and not page.startswith(("<!", "<?", "</"), opening):
            pieces.append("<")  # a sign of less, as in “1 < 2”
            start = opening + 1
            continue
        closing = page.find("-->" if comment else ">", opening)
        if closing < 0:
            break
        start = closing + (3 if comment else 1)
        name = named.group().lower() if named else ""
        if name in _CLOSING:
            end = _CLOSING[name].search(page, start)
            start = end.start() if end else len(page)
        if name.removeprefix("/") == "blockquote":
            pieces += ["\n>\n"] if name == "blockquote" and not quoted else []
            quoted = max(0, quoted + (-1 if name.startswith("/") else 1))
        if name.removeprefix("/") == "pre":
            preformatted = max(0, preformatted + (-1 if name.startswith("/") else 1))
        if name.removeprefix("/") in _BLOCKS and not quoted:
            pieces.append("\n")
    lines = [line.strip() for line in "".join(pieces).splitlines()]
    return "\n".join(line for line, above in zip(lines, ["", *lines], strict=False) if line or above)


def _unescaped(words: str) -> str:
    try:
        return html.unescape(words)
    except ValueError:  # a number of more digits than Python reads
        return words
