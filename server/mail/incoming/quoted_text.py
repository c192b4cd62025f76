"""What a person wrote of a mail: not what they quote, not the mail they answer, not their signature."""

from __future__ import annotations

from collections.abc import Sequence

_ATTRIBUTIONS = (
    *(("On ", "wrote"), ("Le ", "a écrit"), ("Am ", "schrieb"), ("El ", "escribió"), ("Il ", "ha scritto")),
    *(("Op ", "schreef"), ("Em ", "escreveu"), ("Den ", "skrev")),
)
_LONGEST_LINE = 400
"""Of a line that says who wrote what follows."""
_ORIGINALS = {
    *("original message", "forwarded message", "ursprüngliche nachricht", "weitergeleitete nachricht"),
    *("message d'origine", "message transféré", "mensaje original", "messaggio originale", "oorspronkelijk bericht"),
}
_FROM = ("from:", "von:", "de:", "de :", "da:", "van:", "från:", "fra:", "od:")
_THEN = (
    *(
        "sent:",
        "date:",
        "to:",
        "gesendet:",
        "datum:",
        "an:",
        "envoyé:",
        "envoyé :",
        "date :",
        "enviado:",
        "enviado el:",
    ),
    *("para:", "inviato:", "verzonden:", "skickat:", "sendt:", "wysłano:"),
)


def without_quotes(lines: Sequence[str]) -> list[str]:
    """The lines a person wrote: no quoted lines, nothing of the mail they answer, no signature.

    What follows “On ... wrote:” is the mail that is answered, unless nothing stands above it and it is quoted with
    ``>``: then the answer may come below.
    """
    written: list[str] = []
    begun = False
    index = 0
    while index < len(lines):
        line = lines[index]
        length = _attribution(lines, index)
        if length and (begun or not _next(lines, index + length).startswith(">")):
            break
        if line.rstrip() == "--" or _original(lines, index):
            break
        if not length and not line.lstrip().startswith(">"):
            written.append(line)
            begun = begun or bool(line.strip())
        index += length or 1
    return written


def _attribution(lines: Sequence[str], index: int) -> int:
    """How many lines from here on say who wrote what follows: none, or up to three."""
    first = lines[index].strip()
    for beginning, verb in _ATTRIBUTIONS:
        if first.startswith(beginning):
            said = ""
            for count, line in enumerate(lines[index : index + 3], start=1):
                if not line.strip():
                    break
                said += " " + line.strip()[:_LONGEST_LINE]
                if said.endswith(":") and verb in said:
                    return count
    return 0


def _original(lines: Sequence[str], index: int) -> bool:
    line = lines[index].strip().lower()
    if (line.startswith("--") and line.strip("- ") in _ORIGINALS) or line == "begin forwarded message:":
        return True
    if len(line) > 4 and not line.strip("_"):
        return _next(lines, index + 1).lower().startswith(_FROM)
    plain = line.replace("*", "")
    return plain.startswith(_FROM) and _next(lines, index + 1).replace("*", "").lower().startswith(_THEN)


def _next(lines: Sequence[str], index: int) -> str:
    """The next line that is not empty; an empty one counts only once, or a mail of empty lines would take for ever."""
    for line in lines[index : index + 2]:
        if line.strip():
            return line.strip()
    return ""
