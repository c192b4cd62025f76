"""The entries of a log in words."""

from __future__ import annotations

from client.phrases import ABANDONED, day
from client.table.turn import written
from client.table.verified_view import Seen
from client.trust.log_verification import is_by_mail
from engine.errors import EngineError
from engine.phrases import listed, won_by_resignation
from engine.record.chain import given_up
from engine.record.entry import (
    Abandon,
    AnyEntry,
    Away,
    Back,
    Close,
    Correct,
    Deal,
    Delegate,
    Open,
    Play,
    Resign,
    Revoke,
    Sit,
    Succeed,
    Timeout,
    Vote,
)
from engine.record.replay import move_of


def told(seen: Seen, entry: AnyEntry) -> str:
    """An entry in a sentence."""
    match entry:
        case Open():
            return f"A table for {entry.game} is opened, with {entry.seats} seats."
        case Sit():
            return f"{entry.name} sits down at seat {entry.seat}."
        case Deal():
            return "The game is dealt."
        case Correct():
            return f"The server's clock was wrong, and is right again: it is {day(entry.at)}, and all time begins anew."
        case Abandon() if given_up(entry, len(seen.chain.players)) is not None:
            return f"The table is abandoned: {ABANDONED[entry.why]}."
        case Abandon():
            return "The game is over."
        case Close() if (victor := seen.chain.victor) is not None:
            return f"The table is closed, the secret revealed. {won_by_resignation(seen.chain.names, victor)}"
        case Close() if entry.standing is not None and entry.standing.final:
            winners = [seen.chain.names[seat] for seat in entry.standing.winners]
            return f"The table is closed, the secret revealed. First: {listed(winners)}."
        case Close():
            return "The table is closed, the secret revealed: the game was not finished, and nobody has won."
    name, by_mail = seen.chain.names[entry.seat], " (by mail)" if is_by_mail(entry) else ""
    if isinstance(entry, Play | Timeout):
        return f"{name}{_played(entry)}: {_move(seen, entry)}"
    return f"{name} {_said(entry)}{by_mail}."


def _played(entry: Play | Timeout) -> str:
    if isinstance(entry, Play):
        return " (by mail)" if is_by_mail(entry) else ""
    return {"resigned": " has resigned", "bot": " (a bot)", "deadline": " let the deadline pass"}[entry.why]


def _move(seen: Seen, entry: Play | Timeout) -> str:
    if seen.view is None:
        return "moves"
    try:
        return written(seen, move_of(seen.game, entry.move))
    except EngineError:
        return "something that is no move"


def _said(entry: Resign | Away | Back | Vote | Delegate | Revoke | Succeed) -> str:
    match entry:
        case Resign():
            return "gets up" if entry.state is None else "resigns"
        case Away():
            return f"takes days off from {day(max(entry.begins, entry.at))} to {day(entry.ends)}"
        case Back():
            return "is back"
        case Vote():
            return "votes to go on" if entry.choice == "continue" else "votes to abandon the table"
        case Delegate():
            return f"lets the mail gateway {entry.to[:8]} play for them until {day(entry.ends)}"
        case Revoke():
            return "no longer lets the mail gateway play for them"
        case Succeed():
            return f"goes on under another key, {entry.to[:8]}"
