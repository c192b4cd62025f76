"""A table in words: whose turn it is, for how long, and what has happened."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from client.phrases import ABANDONED, day, marked, since, until
from client.screen.absences_and_votes import attendance, holidays
from client.table.player_desk import Desk
from client.table.verified_view import Seen, opening
from engine.harmless_text import shown
from engine.phrases import clock_in_words, counted, listed, span, won_by_resignation
from engine.record.chain import Phase, given_up
from engine.record.entry import Abandon, Close, Correct, Open, Sealed

LONGEST_EVENT = 1000
"""Characters; what a server says beyond them is not told."""


def headline(seen: Seen) -> str:
    """The table in one line: its id, its game, its players."""
    chain, me = seen.chain, seen.seat
    opened = opening(chain)
    names = [
        marked(player.name, "bot" * (seat in seen.bots), "resigned" * (seat in chain.resigned), "you" * (seat == me))
        for seat, player in enumerate(chain.players)
        if player
    ]
    free = len(chain.players) - len(names)
    names += [counted(free, "empty seat")] if free else []
    return f"Table {opened.table[:8]}, {opened.game.partition('/')[0]}: {listed(names)}."


def status(seen: Seen) -> list[str]:
    """Whose turn it is, what is asked, and how much time there is."""
    chain = seen.chain
    match chain.phase:
        case Phase.SITTING:
            free = sum(player is None for player in chain.players)
            you = "" if seen.seat is not None else f" Sit down with: poste join {seen.memory.table[:8]}"
            return [f"Waiting for {counted(free, 'more player')}.{you}", time_limit(seen)]
        case Phase.CLOSED | Phase.ABANDONED:
            why = abandonment(seen.memory.log)
            return [f"The table was abandoned: {ABANDONED[why]}." if why else "The game is over.", *_result(seen)]
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
    return [*lines, *attendance(seen)]


def time_limit(seen: Seen) -> str:
    """The clock of the table, in words."""
    return clock_in_words(opening(seen.chain).clock)


def abandonment(log: Sequence[Sealed]) -> str | None:
    """Why a table was abandoned, so that nobody has won; None if it was not."""
    opened = log[0].entry if log else None
    entry = next((sealed.entry for sealed in reversed(log) if isinstance(sealed.entry, Abandon)), None)
    return given_up(entry, opened.seats) if entry and isinstance(opened, Open) else None


def _result(seen: Seen) -> list[str]:
    if (victor := seen.chain.victor) is not None:
        return [won_by_resignation(seen.chain.names, victor, seen.seat)]
    last = seen.memory.log[-1].entry
    if not isinstance(last, Close) or last.standing is None:
        return []
    winners = [seen.chain.names[seat] for seat in last.standing.winners]
    return [f"{listed(winners)} {'wins' if len(winners) == 1 else 'share the victory'}."] if last.standing.final else []


def corrections(log: Sequence[Sealed]) -> list[str]:
    """What is to be known of a table whose server has had to correct its clock."""
    return [
        f"The server's clock was wrong: it dated entries up to {day(before.entry.at)}, and said at entry "
        f"{sealed.entry.seq} that it was {day(sealed.entry.at)}."
        for before, sealed in pairwise(log)
        if isinstance(sealed.entry, Correct)
    ]


def happened(desk: Desk, seen: Seen, after: int) -> list[str]:
    """What happened behind this entry, told as the player may know it."""
    if seen.chain.length - 1 <= after:
        return []
    told = desk.api(seen.memory.server).events(seen.memory.table, after, signed=seen.seat is not None)
    return [shown(event.text, LONGEST_EVENT) for entry in told.events for event in entry.events]


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
        "voted": sorted(seen.timing.voted) if seen.timing else [],
        "absent": sorted(seen.timing.absent) if seen.timing else [],
        "away": holidays(seen.timing),
        "abandoned": abandonment(seen.memory.log),
        "seat": seen.seat,
        "length": seen.chain.length,
        "head": seen.chain.head,
        "asked": asked,
        "your_turn": seen.mine is not None,
        "held": seen.held,
        "view": seen.view,
    }
