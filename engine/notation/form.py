"""A kind of move as a template: how it is written, and every way in which words may be read as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from engine.notation.typed_words import SEPARATOR, spelled, squashed
from engine.notation.vocabulary import Number, Several, Vocabulary

Said: TypeAlias = dict[str, Any]
"""The fields of a move that were typed, each with its value."""
Way: TypeAlias = tuple[Said, tuple[str, ...]]
"""What the first words were read as, and the words that are left."""


class _Literal(NamedTuple):
    word: str


class _Slot(NamedTuple):
    field: str


class _Glue(NamedTuple):
    text: str


class _Group(NamedTuple):
    """Written only when ``field`` is not its default; a group without a slot is the field's flag."""

    field: str
    elements: tuple[_Literal | _Slot | _Glue, ...]


_Element: TypeAlias = _Literal | _Slot | _Glue | _Group


class Form:
    """How one kind of move is written: ``take {station}/{line} [evict {evict}]``.

    Words stand for themselves, ``{field}`` for the field's word, ``[...]`` for a part that is written only when its
    field differs from the default: the field of the slot in it, or else the flag that is called like its word.
    """

    def __init__(self, move: type[Any], template: str, **vocabularies: Vocabulary) -> None:
        self.move = move
        self.template = template
        self._words = vocabularies
        fields = msgspec.structs.fields(move)
        self._defaults = {field.name: field.default for field in fields if field.default is not msgspec.NODEFAULT}
        self._required = {field.name for field in fields if field.required}
        self._elements = tuple(_compile(template))
        named = {item.field for item in self._items() if isinstance(item, _Slot)}
        if named != set(vocabularies):
            raise ValueError(f"{template!r} and its words name different fields: {named ^ set(vocabularies)}")
        first = self._elements[0]
        if not isinstance(first, _Literal) or not first.word.isalpha():
            raise ValueError(f"{template!r} does not begin with a word of its own")
        if SEPARATOR in self.words() or ";" in template:
            raise ValueError(f"{template!r}: “{SEPARATOR}” and “;” stand between two moves, and so in none")
        self.verb = first.word

    def _items(self) -> Iterator[_Literal | _Slot | _Glue]:
        for element in self._elements:
            yield from element.elements if isinstance(element, _Group) else (element,)

    def words(self) -> frozenset[str]:
        """Every word that moves of this kind are written with, squashed."""
        literals = {squashed(item.word) for item in self._items() if isinstance(item, _Literal)}
        return frozenset(literals.union(*(vocabulary.spellings() for vocabulary in self._words.values())))

    @property
    def usage(self) -> str:
        """The template with a hint for each field: ``take <station>/<line> [evict <colour>]``."""

        def hint(match: re.Match[str]) -> str:
            words = self._words[match[1]]
            several = " ..." if isinstance(words, Several) else ""
            return f"<{words.hint or match[1]}>{several}"

        return re.sub(r"\{(\w+)\}", hint, self.template)

    def write(self, move: Any) -> str:
        """The canonical text of this move."""
        text = "".join(self._written(self._elements, move))
        return " ".join(text.split())

    def _written(self, elements: Sequence[_Element], move: Any) -> Iterator[str]:
        for element in elements:
            match element:
                case _Literal(word):
                    yield word
                case _Glue(text):
                    yield text
                case _Slot(field):
                    yield self._words[field].write(getattr(move, field))
                case _Group(field, inner):
                    if getattr(move, field) != self._defaults[field]:
                        yield from self._written(inner, move)

    def readings(self, typed: tuple[str, ...], names: Sequence[str]) -> Iterator[Said]:
        """Every way to read all the words that follow the verb: the fields they say, in the order of the template.

        A field may be left out only where the word in its place cannot be its value. So a word that was typed is never
        taken for a later field because no legal move has it in its own.
        """
        return self._read(self._elements[1:], typed, names)

    def whole(self, said: Said) -> Any | None:
        """The move that was said, if no field that it must have was left out."""
        return self.move(**said) if self._required <= set(said) else None

    def _read(self, elements: tuple[_Element, ...], typed: tuple[str, ...], names: Sequence[str]) -> Iterator[Said]:
        if not elements:
            if not typed:
                yield {}
            return
        for said, left in self._ways(elements[0], typed, names):
            for rest in self._read(elements[1:], left, names):
                yield said | rest

    def _ways(self, element: _Element, typed: tuple[str, ...], names: Sequence[str]) -> list[Way]:
        """How the first words may be this element; it is left out if they cannot be."""
        if isinstance(element, _Group):
            ways = self._whole_group(element, typed, names)
            slots = [item for item in element.elements if isinstance(item, _Slot)]
            # A word tells by itself which field it is for, a number only by the word before it.
            if len(slots) == 1 < len(element.elements) and not isinstance(self._words[slots[0].field], Number):
                ways += self._said(slots[0], typed, names)
        else:
            ways = self._said(element, typed, names)
        return ways if ways and not isinstance(element, _Literal) else [*ways, ({}, typed)]

    def _whole_group(self, group: _Group, typed: tuple[str, ...], names: Sequence[str]) -> list[Way]:
        """How the first words may be all of a group: whoever says its word says its value too."""
        flag = {} if any(isinstance(item, _Slot) for item in group.elements) else {group.field: True}
        ways: list[Way] = [(flag, typed)]
        for item in group.elements:
            ways = [(said | more, rest) for said, left in ways for more, rest in self._said(item, left, names)]
        return ways

    def _said(self, item: _Literal | _Slot | _Glue, typed: tuple[str, ...], names: Sequence[str]) -> list[Way]:
        match item:
            case _Literal(word):
                return [({}, typed[taken:]) for _, taken in spelled([(squashed(word), word)], typed)]
            case _Slot(field):
                return [({field: value}, typed[taken:]) for value, taken in self._words[field].meanings(typed, names)]
        return [({}, typed)]


def _compile(template: str) -> Iterator[_Element]:
    for match in re.finditer(r"\[(?P<group>[^]]*)\]|\{(?P<slot>\w+)\}|(?P<word>[\w-]+)|(?P<glue>[^\w[{]+)", template):
        kind, text = match.lastgroup, match[match.lastgroup or 0]
        if kind == "group":
            inner = tuple(item for item in _compile(text) if not isinstance(item, _Group))
            slots = [item.field for item in inner if isinstance(item, _Slot)]
            flags = [item.word.replace("-", "_") for item in inner if isinstance(item, _Literal)]
            yield _Group((slots or flags)[0], inner)
        elif kind == "slot":
            yield _Slot(text)
        elif kind == "word":
            yield _Literal(text)
        else:
            yield _Glue(text)
