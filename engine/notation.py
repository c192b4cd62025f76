"""Moves and the one-line text people type: one mechanism for every game.

A game declares a :class:`Form` for each kind of move, a template with the words each field may take. Writing fills the
template, which gives every move exactly one canonical text. Reading compares what was typed with the canonical texts of
the legal moves: case, accents and punctuation do not count, an unambiguous prefix of a word will do, and whatever only
one legal move could mean may be left out (all but the first word).

>>> from msgspec import Struct
>>> class Take(Struct, frozen=True):
...     station: str
...     evict: int | None = None
>>> stations = Words({"les-halles": "les-halles", "louvre": "louvre"})
>>> forms = [Form(Take, "take {station} [evict {evict}]", station=stations, evict=Words({0: "grey"}, seats=True))]
>>> write(forms, Take("louvre", 0))
'take louvre evict grey'
>>> read(forms, "TAKE Louv", [Take("les-halles"), Take("louvre", 0)])
Take(station='louvre', evict=0)
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec

from engine.errors import NotUnderstood

LONGEST_TEXT = 200
"""Nobody types a longer move; anything longer is not looked at."""


class _Part(NamedTuple):
    """One word of a canonical text, and the squashed spellings under which it is understood."""

    spellings: tuple[str, ...]


class Words:
    """The values a field may take and the word for each; ``also`` are further spellings that are understood.

    With ``seats`` the values are seats, which may then be called by their players' names as well.
    """

    def __init__(
        self,
        values: Mapping[Any, str],
        also: Mapping[str, Hashable] | None = None,
        *,
        hint: str = "",
        seats: bool = False,
    ) -> None:
        self.values = dict(values)
        self.hint = hint
        self.seats = seats
        self._spellings: dict[Any, list[str]] = {value: [_squash(word)] for value, word in self.values.items()}
        for spelling, value in (also or {}).items():
            self._spellings[value].append(_squash(spelling))

    def write(self, value: Any) -> str:
        """The word for this value."""
        return str(self.values[value])

    def part(self, value: Any, names: Sequence[str]) -> _Part:
        """The word for this value with all its spellings."""
        spellings = self._spellings[value]
        if self.seats and value < len(names):
            spellings = [*spellings, _squash(names[value])]
        return _Part(tuple(spellings))

    def candidates(self, tokens: tuple[str, ...], names: Sequence[str]) -> Iterator[tuple[Any, int, int]]:
        """The values that the first tokens may mean: each with how many are taken, and 1 if it was cut short."""
        for value in self.values:
            for taken, inexact in _runs(tokens, self.part(value, names)):
                yield value, taken, inexact


class Number:
    """A whole number; typed numbers are ``shift`` more than the field's (slots are counted from 1 by people)."""

    def __init__(self, shift: int = 0, *, hint: str = "") -> None:
        self.shift = shift
        self.hint = hint

    def write(self, value: int) -> str:
        """The number as people count."""
        return str(value + self.shift)

    def part(self, value: int, names: Sequence[str]) -> _Part:  # noqa: ARG002 - the shape of Words.part
        """The number, which has one spelling."""
        return _Part((self.write(value),))

    def candidates(self, tokens: tuple[str, ...], names: Sequence[str]) -> Iterator[tuple[int, int, int]]:  # noqa: ARG002
        """The number that the first token is."""
        if tokens and tokens[0].isascii() and tokens[0].isdigit() and len(tokens[0]) < 10:
            yield int(tokens[0]) - self.shift, 1, 0


Vocabulary: TypeAlias = Words | Number


class Several:
    """A field that holds one or more values, written one after the other."""

    def __init__(self, each: Vocabulary) -> None:
        self.each = each
        self.hint = each.hint


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

    def __init__(self, move: type[Any], template: str, **words: Vocabulary | Several) -> None:
        self.move = move
        self.template = template
        self._words = words
        self._defaults = {
            field.name: field.default
            for field in msgspec.structs.fields(move)
            if field.default is not msgspec.NODEFAULT
        }
        self._elements = tuple(_compile(template))
        named = {slot.field for slot in self._slots()}
        if named != set(words):
            raise ValueError(f"{template!r} and its words name different fields: {named ^ set(words)}")
        self.verb = next(element.word for element in self._elements if isinstance(element, _Literal))

    def _slots(self) -> Iterator[_Slot]:
        for element in self._elements:
            inner = element.elements if isinstance(element, _Group) else (element,)
            yield from (item for item in inner if isinstance(item, _Slot))

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
                    words, value = self._words[field], getattr(move, field)
                    if isinstance(words, Several):
                        yield " ".join(words.each.write(item) for item in value)
                    else:
                        yield words.write(value)
                case _Group(field, inner):
                    if getattr(move, field) != self._defaults[field]:
                        yield from self._written(inner, move)

    def parts(self, move: Any, names: Sequence[str]) -> tuple[_Part, ...]:
        """The words of the canonical text, each with all its spellings."""
        return tuple(self._parts(self._elements, move, names))

    def _parts(self, elements: Sequence[_Element], move: Any, names: Sequence[str]) -> Iterator[_Part]:
        for element in elements:
            match element:
                case _Literal(word):
                    yield _Part((_squash(word),))
                case _Glue():
                    pass
                case _Slot(field):
                    words, value = self._words[field], getattr(move, field)
                    if isinstance(words, Several):
                        yield from (words.each.part(item, names) for item in value)
                    else:
                        yield words.part(value, names)
                case _Group(field, inner):
                    if getattr(move, field) != self._defaults[field]:
                        yield from self._parts(inner, move, names)

    def moves(self, tokens: tuple[str, ...], names: Sequence[str]) -> Iterator[tuple[int, Any]]:
        """Every move, legal or not, that these words spell in full, with the number of words cut short."""
        for inexact, fields in self._spelled(self._elements, tokens, names):
            yield inexact, self.move(**fields)

    def _spelled(
        self, elements: Sequence[_Element], tokens: tuple[str, ...], names: Sequence[str]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        if not elements:
            if not tokens:
                yield 0, {}
            return
        element, rest = elements[0], elements[1:]
        match element:
            case _Glue():
                yield from self._spelled(rest, tokens, names)
            case _Literal(word):
                for taken, inexact in _runs(tokens, _Part((_squash(word),))):
                    for more, fields in self._spelled(rest, tokens[taken:], names):
                        yield inexact + more, fields
            case _Slot(field):
                words = self._words[field]
                if isinstance(words, Several):
                    for inexact, values, left in _listed(words.each, tokens, names):
                        for more, fields in self._spelled(rest, left, names):
                            yield inexact + more, {field: values, **fields}
                    return
                for value, taken, inexact in words.candidates(tokens, names):
                    for more, fields in self._spelled(rest, tokens[taken:], names):
                        yield inexact + more, {field: value, **fields}
            case _Group(field, inner):
                yield from self._spelled(rest, tokens, names)
                flag = {} if any(isinstance(item, _Slot) for item in inner) else {field: True}
                for inexact, fields in self._spelled((*inner, *rest), tokens, names):
                    yield inexact, flag | fields


def write(forms: Sequence[Form], move: Any) -> str:
    """The canonical text of a move."""
    return _form_of(forms, move).write(move)


def read(forms: Sequence[Form], text: str, legal: Sequence[Any], names: Sequence[str] = ()) -> Any:
    """The move that ``text`` means, or NotUnderstood with what was expected and the nearest legal moves.

    What is spelled out in full but not legal is returned all the same: the rules then say why it cannot be played.
    """
    if len(text) > LONGEST_TEXT:
        raise _not_understood(forms, "", legal, f"no move is longer than {LONGEST_TEXT} characters")
    tokens = tuple(_tokens(text))
    if not tokens:
        raise _not_understood(forms, text, legal, "no move was given")
    found: dict[tuple[bool, int], list[Any]] = {}
    for move in legal:
        fit = _align(_form_of(forms, move).parts(move, names), tokens)
        if fit is not None:
            found.setdefault(fit, []).append(move)
    if found:
        best = found[min(found)]
        if len(best) == 1:
            return best[0]
        raise _not_understood(forms, text, best, f"“{' '.join(text.split())}” could mean several moves")
    spelled = [candidate for form in forms for candidate in form.moves(tokens, names)]
    if spelled:
        fewest = min(inexact for inexact, _ in spelled)
        meant = [move for inexact, move in spelled if inexact == fewest]
        if len(meant) == 1:
            return meant[0]
    raise _not_understood(forms, text, legal, f"“{' '.join(text.split())}” is not a move that can be made now")


def usage(forms: Sequence[Form], legal: Sequence[Any]) -> tuple[str, ...]:
    """How the kinds of move that are legal now are written."""
    kinds = {type(move) for move in legal}
    return tuple(form.usage for form in forms if form.move in kinds)


def _form_of(forms: Sequence[Form], move: Any) -> Form:
    return next(form for form in forms if form.move is type(move))


def _not_understood(forms: Sequence[Form], text: str, legal: Sequence[Any], why: str) -> NotUnderstood:
    texts = [write(forms, move) for move in legal]
    typed = " ".join(_tokens(text))
    close = difflib.get_close_matches(typed, texts, n=5, cutoff=0.4) if typed else []
    return NotUnderstood(why, expected=usage(forms, legal), nearest=close or texts[:5])


@lru_cache(maxsize=4096)
def _squash(text: str) -> str:
    """Letters and digits only, without case and accents."""
    return "".join(_tokens(text))


def _tokens(text: str) -> list[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", plain)


def _runs(tokens: tuple[str, ...], part: _Part) -> Iterator[tuple[int, int]]:
    """The ways in which the first tokens, run together, are this word: how many are taken, and 1 if it is cut short.

    A word may have been typed with gaps. A number is never cut short: ``D1`` does not mean ``D10``.
    """
    run = ""
    for taken, token in enumerate(tokens, 1):
        run += token
        if run in part.spellings:
            yield taken, 0
            continue
        longer = [spelling for spelling in part.spellings if spelling.startswith(run)]
        if not longer:
            return
        if not run[-1].isdigit() or any(not spelling[len(run)].isdigit() for spelling in longer):
            yield taken, 1


def _align(parts: tuple[_Part, ...], tokens: tuple[str, ...]) -> tuple[bool, int] | None:
    """How well what was typed fits a move: (something left out, words cut short), or None.

    The first word must be there; of the others any may be missing.
    """
    best: dict[tuple[int, int], tuple[bool, int] | None] = {}

    def fit(part: int, token: int) -> tuple[bool, int] | None:
        if part == len(parts):
            return (False, 0) if token == len(tokens) else None
        if (part, token) not in best:
            fits: list[tuple[bool, int]] = []
            for taken, inexact in _runs(tokens[token:], parts[part]):
                if (rest := fit(part + 1, token + taken)) is not None:
                    fits.append((rest[0], rest[1] + inexact))
            if part > 0 and (rest := fit(part + 1, token)) is not None:
                fits.append((True, rest[1]))
            best[part, token] = min(fits, default=None)
        return best[part, token]

    return fit(0, 0)


def _listed(
    each: Vocabulary, tokens: tuple[str, ...], names: Sequence[str]
) -> Iterator[tuple[int, tuple[Any, ...], tuple[str, ...]]]:
    """One or more values spelled one after the other: words cut short, the values, and what is left.

    What several words could be is not guessed at here, or a long list could be read in endless ways.
    """
    found = list(each.candidates(tokens, names))
    meant = [candidate for candidate in found if candidate[2] == 0] or found
    for value, taken, inexact in meant[: len(meant) == 1]:
        left = tokens[taken:]
        yield inexact, (value,), left
        for more, values, rest in _listed(each, left, names):
            yield inexact + more, (value, *values), rest


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
