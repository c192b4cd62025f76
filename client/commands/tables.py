"""List tables: yours, those that wait for players, those that are over."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from client.output import json_option, print_json, print_text, say
from client.screen.argument_types import GameKey
from client.screen.shared_options import as_option
from engine.typed_json import convert

if TYPE_CHECKING:
    from client.connection.response_types import Summary, Waiting
    from client.table.player_desk import Desk
    from client.trust.table_memory import Memory
    from engine.game import AnyGame

MOST = 1000
UNFOLDED = 1000
_DUEL = 2
"""Of so many players the one wins when the other resigns."""


@click.command("tables")
@click.option("--mine", "which", flag_value="mine", default=True, help="Where you sit (this is what you get).")
@click.option("--open", "which", flag_value="open", help="Where there is a seat free.")
@click.option("--waiting", "which", flag_value="waiting", help="Where it is your turn, or your vote is wanted.")
@click.option("--finished", "which", flag_value="finished", help="Where the game is over.")
@click.option("--game", type=GameKey(), help="Only of this game.")
@click.option("--limit", type=click.IntRange(1, MOST), default=50, show_default=True, help="How many at most.")
@as_option
@json_option
def command(which: str, game: AnyGame | None, limit: int, who: str | None, as_json: bool) -> None:
    """List tables, newest first. What is said of tables where you sit is verified against their logs.

    \b
    Examples:
        poste tables
        poste tables --open --game paris-paris
    """
    from client.table.player_desk import Desk

    desk = Desk.of(who)
    found = _found(desk, which, game.key if game else None, limit)
    if which in ("mine", "waiting"):
        found = [_verified(desk, summary) for summary in found]
    if which == "waiting":
        voting = _to_vote_at(desk, {summary.table for summary in found}, game.key if game else None)
        found = [*found, *voting][:limit]
    if which == "mine":
        _ask_for_missing(desk, {summary.table for summary in found})
    if as_json:
        print_json(found)
    elif found:
        _print(desk, found)
    else:
        hint = {"mine": " Open one with poste new GAME, or see poste tables --open."}.get(which, "")
        say(f"There are none.{hint}")


def _found(desk: Desk, which: str, game: str | None, limit: int) -> list[Summary]:
    import msgspec

    unsaid: dict[str, Any] = {"voted": [], "absent": [], "away": {}}  # whatever the server says of what only logs tell
    return [msgspec.structs.replace(summary, **unsaid) for summary in desk.api().tables(which, limit, game)]


def _to_vote_at(desk: Desk, listed: set[str], game: str | None) -> list[Summary]:
    """The player's further tables at which their vote is wanted; servers list only those where it is their turn."""
    mine = [each for each in _found(desk, "mine", game, MOST) if each.voting and each.table not in listed]
    return [each for each in (_verified(desk, summary) for summary in mine) if _may_vote(desk, each)]


def _may_vote(desk: Desk, summary: Summary) -> bool:
    me = desk.identity.registered
    return any(summary.players[seat] == me for seat in summary.voting if seat not in summary.voted)


def _verified(desk: Desk, summary: Summary) -> Summary:
    """What the server says in brief must be what its log says at length; what time there is is reckoned here."""
    from client.trust.log_verification import Unverified

    memory = desk.memory(summary.table)
    chain = memory.chain
    if (summary.head, summary.length) != (chain.head, chain.length):
        chain = desk.sync(memory)
    if summary.length > chain.length:
        why = "the server says that the table has more entries than it shows."
        raise desk.caught(Unverified("log/shorter", why, chain.length), memory, [])
    players = [player.name if player else None for player in chain.players]
    if summary.length == chain.length and (summary.players, summary.phase) != (players, chain.phase):
        why = "the server says that other people sit there than its log does."
        raise desk.caught(Unverified("table/seats", why), memory, [])
    return _timed(desk, memory, summary)


def _timed(desk: Desk, memory: Memory, summary: Summary) -> Summary:
    """The summary with what follows from the verified log: deadlines, bots, votes, days off, why it was given up."""
    import msgspec

    from client.screen.absences_and_votes import holidays
    from client.screen.table_status import abandonment
    from client.trust.log_verification import Unverified
    from client.trust.table_clock import timing

    found = timing(memory.log)
    moments = {sealed.entry.at for sealed in memory.log}
    waiting = []
    for asked in summary.waiting:
        if asked.since not in moments or not 0 <= asked.seat < len(summary.players):
            why = "the server says that somebody is asked since a moment that is not in its log."
            raise desk.caught(Unverified("table/since", why), memory, [msgspec.json.encode(summary)])
        due = found.due(asked.seat, asked.since) if found and asked.since else None
        waiting.append(msgspec.structs.replace(asked, due=due))
    live = found if summary.phase == "playing" else None
    return msgspec.structs.replace(
        summary,
        waiting=waiting,
        bots=sorted(live.bots) if live else [],
        voting=sorted(live.voters) if live else [],
        voted=sorted(live.voted) if live else [],
        absent=sorted(live.absent) if live else [],
        away=holidays(live),
        abandoned=abandonment(memory.log),
    )


def _ask_for_missing(desk: Desk, listed: set[str]) -> None:
    """A table where the player still sits must not vanish from the list: its log is asked for."""
    from engine.record.chain import Phase

    for table in desk.remembered():
        memory = desk.memory(table)
        chain = memory.chain
        if table in listed or memory.server != desk.server() or chain.seat_of(desk.identity.key) is None:
            continue
        if chain.phase in (Phase.SITTING, Phase.PLAYING):
            desk.sync(memory)


def _print(desk: Desk, found: list[Summary]) -> None:
    from engine.scene import Columns, Scene
    from engine.scene import text as drawing

    rows = tuple(_row(desk, summary) for summary in found)
    header = ("", "table", "game", "players", "now", "time")
    # Into a pipe a table is one line, however long: so it can be searched for.
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else UNFOLDED
    print_text(drawing.draw(Scene("", (Columns("", header, rows),)), width).removesuffix("\n"))


def _row(desk: Desk, summary: Summary) -> tuple[str, ...]:
    from engine.harmless_text import shown

    current = "*" if summary.table == desk.identity.table else ""
    players = ", ".join(_player(summary, seat) if name else "-" for seat, name in enumerate(summary.players))
    game = shown(summary.game.partition("/")[0])
    return (current, summary.table[:8], game, players, _now(desk, summary), _time(desk, summary))


def _player(summary: Summary, seat: int) -> str:
    from client.phrases import day

    ends = summary.away.get(str(seat))
    return _name(summary, seat, f"away until {day(ends)}" if ends else "")


def _name(summary: Summary, seat: int, *marks: str) -> str:
    from client.phrases import marked
    from engine.harmless_text import shown

    name = (summary.players[seat] if 0 <= seat < len(summary.players) else None) or f"seat {seat}"
    return marked(shown(name), "bot" * (seat in summary.bots), *marks)


def _time(desk: Desk, summary: Summary) -> str:
    """How much time the player has, or else whoever is waited for and has the least; before the game, its clock."""
    from client.phrases import until

    if summary.phase == "sitting":
        return _clock(summary)
    me = desk.identity.registered
    mine = [each.due for each in summary.waiting if each.due and each.name == me and not each.held]
    due = mine or [each.due for each in summary.waiting if each.due and not each.held]
    try:
        return until(min(due)) if due and summary.phase == "playing" else ""
    except ValueError:  # of a table where the player does not sit, anything may be said
        return "?"


def _clock(summary: Summary) -> str:
    import msgspec

    from client.phrases import clock_in_brief
    from engine.record.entry import Clock

    try:
        return clock_in_brief(convert(summary.clock, Clock | None))
    except msgspec.ValidationError:  # as above
        return "?"


def _now(desk: Desk, summary: Summary) -> str:
    from client.phrases import ABANDONED
    from engine.harmless_text import shown
    from engine.phrases import counted, listed

    if summary.abandoned is not None:
        return f"abandoned: {ABANDONED.get(summary.abandoned, shown(summary.abandoned))}"
    match summary.phase:
        case "sitting":
            return f"{counted(summary.players.count(None), 'seat')} free"
        case "playing":
            return "; ".join([_asked(desk, summary), *_vote(desk, summary)])
    final = summary.standing is not None and summary.standing.final
    ranking = summary.standing.ranking if summary.standing and final else ()
    winners = [_name(summary, seat) for rank in ranking[:1] for seat in rank]
    if not winners:
        return "over"
    resigned = [_name(summary, seat) for seat in summary.resigned] if summary.seats == _DUEL else []
    return f"over: {listed(winners)} won" + (f", {listed(resigned)} resigned" if resigned else "")


def _asked(desk: Desk, summary: Summary) -> str:
    """Who is waited for; whoever has given a sealed answer is not."""
    from engine.phrases import listed

    me = desk.identity.registered
    asked = [each for each in summary.waiting if not each.held]
    names = ["YOU" if each.name == me else _name(summary, each.seat) for each in asked]
    said = f"waiting for {listed(names)}{_for_how_long(asked)}" if names else "playing"
    sealed = any(each.held and each.name == me for each in summary.waiting)
    return f"{said} (your answer lies sealed)" if sealed else said


def _vote(desk: Desk, summary: Summary) -> list[str]:
    from engine.phrases import listed

    if not summary.voting or not summary.absent:
        return []
    me = desk.identity.registered
    about = ["you" if summary.players[seat] == me else _name(summary, seat) for seat in summary.absent]
    wanted = "YOUR VOTE is wanted" if _may_vote(desk, summary) else "the others vote" if "you" in about else "a vote"
    return [f"{wanted} on going on without {listed(about)}"]


def _for_how_long(asked: list[Waiting]) -> str:
    from client.phrases import since
    from engine.phrases import span

    try:
        longest = max((since(each.since) for each in asked if each.since), default=0)
    except ValueError:  # as above
        return ""
    return f" for {span(longest)}"
