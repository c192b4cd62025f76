"""What the shell may complete, from this machine's memory alone: fast, and silent about whatever is amiss."""

from __future__ import annotations

from collections.abc import Callable

from click.shell_completion import CompletionItem

from client.output import CommandRefused
from client.screen.table_or_move import table_and_move
from client.table.player_desk import Desk
from client.trust.possible_views import ImpossibleView, imagined, possible
from client.trust.table_memory import Memory
from engine import notation
from engine.errors import EngineError
from engine.game import Seat
from engine.harmless_text import shown
from engine.record.replay import game_of


def completed(who: str | None, words: Callable[[Desk], list[CompletionItem]]) -> list[CompletionItem]:
    """What an identity may complete; nothing at all if its home cannot be read."""
    try:
        return words(Desk.of(who))
    except CommandRefused:
        return []


def tables(desk: Desk, incomplete: str) -> list[CompletionItem]:
    """The remembered tables, each with its game and its players."""
    items = []
    for table in desk.remembered():
        if table.startswith(incomplete):
            chain = desk.memory(table).chain
            told = f"{chain.opened.game.partition('/')[0]}: {', '.join(chain.names)}" if chain.opened else ""
            items.append(CompletionItem(table[:8] if len(incomplete) < 8 else table, help=shown(told) or None))
    return items


def move_words(desk: Desk, typed: list[str], incomplete: str) -> list[CompletionItem]:
    """The words with which a legal move may go on; a table first, if nothing is typed yet."""
    items: list[CompletionItem] = []
    named, text = table_and_move(desk, typed)
    fitting = [each for each in desk.remembered() if named is not None and each.startswith(named)]
    table = fitting[0] if len(fitting) == 1 else desk.identity.table if named is None else None
    if table is None:
        return [] if named else tables(desk, incomplete)
    typed = text.split()
    if not typed and incomplete and len(incomplete) >= 2:
        items = tables(desk, incomplete)
    beginning = " ".join([*typed, incomplete])
    count = len(typed)
    following = {text.split()[count] for text in legal_texts(desk.memory(table)) if text.startswith(beginning)}
    return [*items, *(CompletionItem(word) for word in sorted(following))]


def legal_texts(memory: Memory) -> list[str]:
    """The legal moves in the newest view that is remembered."""
    seen, opened = memory.last_view(), memory.chain.opened
    if seen is None or opened is None or seen.seat is None or str(seen.seat) not in seen.asked:
        return []
    try:
        game = game_of(opened)
        view, _ = possible(opened, seen.view)
        forms = game.forms(view)
        return [notation.write(forms, move) for move in game.legal(imagined(game, view), Seat(seen.seat))]
    except (EngineError, ImpossibleView):
        return []
