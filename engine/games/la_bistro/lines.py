"""Where things stand in a TOML file, which the parser does not tell: every table, key and list item by its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys and positions from the root: ``("board", "zones", 0, "name")``."""

_WORD = re.compile(
    r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
    r"|\#[^\n]*|\n|[\[\]{},=]|[^\s\"'#\[\]{},=]+"
)


class Lines:
    r"""The lines of a source that has already been parsed, and so is known to be TOML.

    >>> lines = Lines("[box]\nsize = 3\ncards = [\n  { id = 1 },\n  { id = 2 },\n]\n[[players]]\n[[players]]\n")
    >>> lines.at(("box", "cards", 1, "id")), lines.at(("players", 1, "colour"))
    (5, 8)
    """

    def __init__(self, source: str) -> None:
        self._found: dict[Path, int] = {(): 1}
        self._count: dict[Path, int] = {}
        self._words = list(_words(source))
        self._next = 0
        self._read()

    def at(self, path: Path) -> int:
        """The line of this item, or of the innermost thing around it that is there."""
        while path not in self._found:
            path = path[:-1]
        return self._found[path]

    def _read(self) -> None:
        table: Path = ()
        while self._next < len(self._words):
            word, line = self._take()
            if word == "[":
                table = self._header()
                self._found.setdefault(table, line)
                if isinstance(table[-1], int):
                    self._found.setdefault(table[:-1], line)
            elif word != "\n":
                self._value_after((*table, *_keys(word)), line)

    def _take(self) -> tuple[str, int]:
        word = self._words[self._next]
        self._next += 1
        return word

    def _peek(self) -> str:
        return self._words[self._next][0] if self._next < len(self._words) else "\n"

    def _header(self) -> Path:
        """``[a.b]`` or ``[[a.b]]``, its first bracket already taken; lists of tables are counted."""
        several = self._peek() == "["
        if several:
            self._take()
        path: Path = ()
        for key in _keys(self._take()[0]):
            if path in self._count:
                path = (*path, self._count[path] - 1)
            path = (*path, key)
        while self._peek() == "]":
            self._take()
        if several:
            self._count[path] = self._count.get(path, 0) + 1
        return (*path, self._count[path] - 1) if path in self._count else path

    def _value_after(self, path: Path, line: int) -> None:
        self._found.setdefault(path, line)
        if self._peek() == "=":
            self._take()
            self._value(path)

    def _value(self, path: Path) -> None:
        word, line = self._take()
        self._found.setdefault(path, line)
        if word == "[":
            item = 0
            while self._peek() != "]":
                if self._peek() in ("\n", ","):
                    item += self._take()[0] == ","
                else:
                    self._value((*path, item))
            self._take()
        elif word == "{":
            while self._peek() != "}":
                word, line = self._take()
                if word not in ("\n", ","):
                    self._value_after((*path, *_keys(word)), line)
            self._take()


def _keys(word: str) -> tuple[str, ...]:
    return tuple(key.strip("\"'") for key in word.split("."))


def _words(source: str) -> Iterator[tuple[str, int]]:
    """Everything but blanks and comments, with its line."""
    line = 1
    for match in _WORD.finditer(source):
        if not match[0].startswith("#"):
            yield match[0], line
        line += match[0].count("\n")
