"""A table in words: whose turn it is, for how long, and what has happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from client.api import clean
from client.desk import Desk
from client.seeing import Seen, opening
from engine.record.chain import Phase
from engine.record.entry import Abandon, Close, instant, timestamp


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``.

    >>> listed(["alice", "bob", "carol"])
    'alice, bob and carol'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def span(seconds: float) -> str:
    """A stretch of time as people say it.

    >>> [span(seconds) for seconds in (5, 100, 4000, 86400 * 2.6)]
    ['a moment', '2 minutes', '67 minutes', '3 days']
    """
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        count = round(seconds / size)
        if count >= 2 or (count == 1 and name == "minute"):
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "a moment"


def since(at: str) -> float:
    """How many seconds ago a timestamp was."""
    return (datetime.now(UTC) - instant(at)).total_seconds()


def until(at: str) -> str:
    """How long there is until a timestamp, or since when it has passed."""
    left = -since(at)
    return f"{span(left)} left" if left > 0 else f"overdue by {span(-left)}"


def day(at: str) -> str:
    """The day of a timestamp, and the time if it is not midnight.

    >>> day("2026-12-20T00:00:00.000Z"), day("2026-12-20T06:40:00.000Z")
    ('2026-12-20', '2026-12-20 06:40')
    """
    return at[:10] if at[11:16] == "00:00" else f"{at[:10]} {at[11:16]}"


def now() -> str:
    """This moment, as entries write it."""
    return timestamp(datetime.now(UTC))


def headline(seen: Seen) -> str:
    """The table in one line: its id, its game, its players."""
    chain, me = seen.chain, seen.seat
    opened = opening(chain)
    names = [f"{seen.names[seat]}{' (you)' * (seat == me)}" for seat, player in enumerate(chain.players) if player]
    free = len(chain.players) - len(names)
    names += [f"{free} empty seat{'s' if free > 1 else ''}"] if free else []
    return f"Table {opened.table[:8]}, {opened.game.partition('/')[0]}: {listed(names)}."


def status(seen: Seen) -> list[str]:
    """Whose turn it is, what is asked, and how much time there is."""
    chain = seen.chain
    match chain.phase:
        case Phase.SITTING:
            free = sum(player is None for player in chain.players)
            you = "" if seen.seat is not None else f" Sit down with: poste join {seen.memory.table[:8]}"
            return [f"Waiting for {free} more player{'s' if free > 1 else ''}.{you}"]
        case Phase.CLOSED | Phase.ABANDONED:
            return ["The table was abandoned." if _abandoned(seen) else "The game is over.", *_result(seen)]
    lines = []
    for seat, question in seen.asked.items():
        deadline = seen.due(seat)
        time = until(deadline) if deadline else f"asked {span(since(question.since))} ago"
        if seat != seen.seat:
            lines.append(f"{seen.names[seat]} is asked: {question.prompt} ({time})")
        elif seen.held is None:
            lines.append(f"It is your turn: {question.prompt} ({time})")
        else:
            lines.append(f"Your answer lies sealed with the server; you may replace it. ({time})")
    return [*lines, *_attendance(seen)]


def _attendance(seen: Seen) -> list[str]:
    """Who is away, in whose seat a bot plays, and whether there is a vote."""
    if seen.timing is None:
        return []
    lines = []
    for seat in range(len(seen.chain.players)):
        absence = seen.timing.absence(seat, now())
        if absence is not None and absence.begins <= now():
            who = "You have" if seat == seen.seat else f"{seen.names[seat]} has"
            lines.append(f"{who} days off until {day(absence.ends)}.")
    if seen.seat in seen.timing.bots:
        lines.append("A bot plays for you. Take your seat back with: poste back")
    if seen.seat in seen.timing.voters - seen.timing.attendance.votes:
        lines.append("Somebody lets deadline after deadline pass. Go on? poste vote continue, or poste vote abandon")
    return lines


def _abandoned(seen: Seen) -> bool:
    return any(isinstance(sealed.entry, Abandon) for sealed in seen.memory.log)


def _result(seen: Seen) -> list[str]:
    last = seen.memory.log[-1].entry
    if not isinstance(last, Close) or last.standing is None:
        return []
    winners = [seen.chain.names[seat] for seat in last.standing.winners]
    return [f"{listed(winners)} {'wins' if len(winners) == 1 else 'share the victory'}."] if last.standing.final else []


def happened(desk: Desk, seen: Seen, after: int) -> list[str]:
    """What happened behind this entry, told as the player may know it."""
    if seen.chain.length - 1 <= after:
        return []
    told = desk.api(seen.memory.server).events(seen.memory.table, after, signed=seen.seat is not None)
    return [clean(event.text) for entry in told.events for event in entry.events]


def position(seen: Seen) -> dict[str, Any]:
    """The same for scripts."""
    asked = {
        str(seat): {
            "kind": question.kind,
            "prompt": question.prompt,
            "sealed": question.sealed,
            "base": question.base,
            "since": question.since,
            "due": seen.due(seat),
        }
        for seat, question in seen.asked.items()
    }
    opened = opening(seen.chain)
    return {
        "table": seen.memory.table,
        "game": opened.game,
        "options": opened.options,
        "phase": seen.chain.phase,
        "players": [player.name if player else None for player in seen.chain.players],
        "resigned": sorted(seen.chain.resigned),
        "clock": opened.clock,
        "bots": sorted(seen.timing.bots) if seen.timing else [],
        "voting": sorted(seen.timing.voters) if seen.timing else [],
        "seat": seen.seat,
        "length": seen.chain.length,
        "head": seen.chain.head,
        "asked": asked,
        "your_turn": seen.mine is not None,
        "held": seen.held,
        "view": seen.view,
    }
