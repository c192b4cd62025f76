"""What strangers wrote, fit to be shown: a name, a message or a line of theirs can be read and can do nothing else."""

from __future__ import annotations


def shown(text: str, longest: int | None = None) -> str:
    r"""The text, cut to so many characters if need be, with a � for whatever a terminal would act on or hide.

    These are control characters (escape sequences, line breaks, tabs), changes of direction, invisible and unassigned
    characters, and spaces that are none. So it is one line, and cannot make another.

    >>> shown("harmless" + chr(27) + "[2J" + chr(0x202e) + "gpj.exe")
    'harmless�[2J�gpj.exe'
    """
    return "".join(character if character.isprintable() else "�" for character in text[:longest])


def escaped(json: str) -> str:
    r"""The same JSON with all such characters written as escapes: it means what it meant, and can be looked at.

    >>> escaped('{"name": "' + chr(0x9B) + '2J"}')
    '{"name": "\\u009b2J"}'
    """
    return "".join(each if each.isprintable() or each == "\n" else _escape(each) for each in json)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[start : start + 2].hex()}" for start in range(0, len(units), 2))
