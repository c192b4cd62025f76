"""Small changes to a position, shared by the chapters of the rules."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec.structs import replace

from engine.changed_tuples import with_item
from engine.game import Seat
from engine.games.dinner_in_paris.state import Player, State

T = TypeVar("T")


def without(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """The tuple without this item; of several, the last goes, which among cards in hand is the newest (R28)."""
    at = len(items) - 1 - items[::-1].index(item)
    return items[:at] + items[at + 1 :]


def spent(player: Player, card: str) -> Player:
    """The player with a kept pigeon card face up; of several the oldest, which is usable if any is (R11)."""
    at = player.kept.index(card)
    return replace(player, kept=player.kept[:at] + player.kept[at + 1 :], used=(*player.used, card))


def changed(state: State, seat: Seat, **changes: Any) -> tuple[Player, ...]:
    """The players with one of them changed."""
    return with_item(state.players, seat, replace(state.players[seat], **changes))
