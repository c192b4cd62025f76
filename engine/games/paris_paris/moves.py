"""The one thing a player does."""

from __future__ import annotations

from engine.game import Move, Seat


class Take(Move, frozen=True):
    """Take a token that is laid out and open a shop at its station, evicting a shop if the station is full."""

    station: str
    line: str
    evict: Seat | None = None
