"""Read how a game is played and how its moves are written."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from client.output import json_option, print_json, print_text
from client.screen.argument_types import GameKey

if TYPE_CHECKING:
    from engine.game import AnyGame


@click.command("rules")
@click.argument("game", type=GameKey())
@json_option
def command(game: AnyGame, as_json: bool) -> None:
    """Read how GAME is played, how its moves are written, and our rulings where the rulebook is silent.

    \b
    Examples:
        poste rules paris-paris
        poste rules paris --json
    """
    from engine.chance import Chance
    from engine.game import Seat

    book = game.rulebook
    dealt = game.deal(min(game.seats), game.options(), Chance(bytes(32))).state
    forms = [form.usage for form in game.forms(game.view(dealt, Seat(0)))]
    if as_json:
        rules = [{"key": rule.key, "title": rule.title, "text": rule.text} for rule in book.rules]
        print_json({"game": game.key, "title": book.title, "summary": book.summary, "moves": forms, "rules": rules})
        return
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    print_text(f"{book.title}\n{book.byline}\n")
    print_text(_folded(book.summary, width))
    print_text("\nMoves\n")
    for form in forms:
        print_text(f"  {form}")
    for heading, rulings in (("Rules", False), ("Rulings", True)):
        print_text(f"\n{heading}\n")
        for rule in book.rules:
            if rule.is_ruling == rulings:
                print_text(textwrap.fill(f"{rule.key:<6}{rule.title}. {rule.text}", width, subsequent_indent=" " * 6))


def _folded(text: str, width: int) -> str:
    """Paragraphs folded to the width; a list keeps its items."""
    paragraphs = []
    for paragraph in text.strip().split("\n\n"):
        lines = paragraph.splitlines()
        if any(line.lstrip().startswith(("-", "*", "|")) for line in lines):
            paragraphs.append(paragraph)
        else:
            paragraphs.append(textwrap.fill(" ".join(line.strip() for line in lines), width))
    return "\n\n".join(paragraphs)
