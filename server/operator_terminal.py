"""What the operator reads on a terminal: the lines of commands and of the log, of which no request can forge one."""

from __future__ import annotations

import logging

import click

from engine.harmless_text import shown

_CHATTY = ("alembic", "waitress.queue", "mail.log")


def say(text: str, *, err: bool = False) -> None:
    """Print lines, on stdout or stderr."""
    click.echo("\n".join(map(shown, text.split("\n"))), err=err)


class _Harmless(logging.Formatter):
    r"""Whatever a message or a traceback quotes, it stays text, and behind the line that it belongs to.

    >>> record = logging.LogRecord("poste", logging.INFO, "", 0, "mail from %s", (chr(27) + "[2J" + chr(10),), None)
    >>> _Harmless("%(levelname)s: %(message)s").format(record)
    'INFO: mail from �[2J\n  '
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line that begins at the margin, and others that do not."""
        return "\n  ".join(map(shown, super().format(record).split("\n")))


def log_to_stderr() -> None:
    """What an operator wants to know, and no more; nothing is changed where somebody else has set up a log."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Harmless("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for chatty in _CHATTY:
        logging.getLogger(chatty).setLevel(logging.ERROR)
