"""List tables: yours, those that wait for players, those that are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from client.options import as_option
from client.output import json_option, print_json, say
from client.parameters import GameKey

if TYPE_CHECKING:
    from client.answers import Summary
    from client.desk import Desk
    from client.memory import Memory
    from engine.game import AnyGame

PAGE = 50


@click.command("tables")
@click.option("--mine", "which", flag_value="mine", default=True, help="Where you sit (this is what you get).")
@click.option("--open", "which", flag_value="open", help="Where there is a seat free.")
@click.option("--waiting", "which", flag_value="waiting", help="Where it is your turn.")
@click.option("--finished", "which", flag_value="finished", help="Where the game is over.")
@click.option("--game", type=GameKey(), help="Only of this game.")
@click.option("--limit", type=click.IntRange(1, 1000), default=PAGE, show_default=True, help="How many at most.")
@as_option
@json_option
def command(which: str, game: AnyGame | None, limit: int, who: str | None, as_json: bool) -> None:
    """List tables, newest first. What is said of tables where you sit is verified against their logs.

    \b
    Examples:
        poste tables
        poste tables --open --game paris-paris
    """
    from client.desk import Desk

    desk = Desk.of(who)
    found = _found(desk, which, game.key if game else None, limit)
    if which in ("mine", "waiting"):
        found = [_verified(desk, summary) for summary in found]
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
    tables: list[Summary] = []
    after = None
    while len(tables) < limit:
        page = desk.api().tables(which, after, min(PAGE, limit - len(tables)), game)
        tables += page.tables
        after = page.next
        if after is None or not page.tables:
            break
    return tables[:limit]


def _verified(desk: Desk, summary: Summary) -> Summary:
    """What the server says in brief must be what its log says at length; what time there is is reckoned here."""
    from client.verify import Unverified

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
    """The summary with the deadlines and the bots that follow from the verified log."""
    import msgspec

    from client.timing import timing
    from client.verify import Unverified

    found = timing(memory.log)
    moments = {sealed.entry.at for sealed in memory.log}
    waiting = []
    for asked in summary.waiting:
        if asked.since not in moments or not 0 <= asked.seat < len(summary.players):
            why = "the server says that somebody is asked since a moment that is not in its log."
            raise desk.caught(Unverified("table/since", why), memory, [msgspec.json.encode(summary)])
        due = found.due(asked.seat, asked.since) if found and asked.since else None
        waiting.append(msgspec.structs.replace(asked, due=due))
    bots, voting = (sorted(found.bots), sorted(found.voters)) if found else ([], [])
    return msgspec.structs.replace(summary, waiting=waiting, bots=bots, voting=voting)


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
    from engine.scene import Scene, Table
    from engine.scene import text as drawing

    rows = tuple(_row(desk, summary) for summary in found)
    header = ("", "table", "game", "players", "now", "time")
    click.echo(drawing.draw(Scene("", (Table("", header, rows),))), nl=False)


def _row(desk: Desk, summary: Summary) -> tuple[str, ...]:
    from client.api import clean

    current = "*" if summary.table == desk.identity.table else ""
    players = ", ".join(_name(summary, seat) if name else "-" for seat, name in enumerate(summary.players))
    game = clean(summary.game.partition("/")[0])
    return (current, summary.table[:8], game, players, _now(desk, summary), _time(desk, summary))


def _name(summary: Summary, seat: int) -> str:
    from client.api import clean

    name = (summary.players[seat] if 0 <= seat < len(summary.players) else None) or f"seat {seat}"
    return f"{clean(name)} (bot)" if seat in summary.bots else clean(name)


def _time(desk: Desk, summary: Summary) -> str:
    """How much time the player has, or else whoever is waited for and has the least."""
    from client.telling import until

    me = desk.identity.registered
    mine = [each.due for each in summary.waiting if each.due and each.name == me and not each.held]
    due = mine or [each.due for each in summary.waiting if each.due and not each.held]
    try:
        return until(min(due)) if due and summary.phase == "playing" else ""
    except ValueError:  # of a table where the player does not sit, anything may be said
        return "?"


def _now(desk: Desk, summary: Summary) -> Any:
    from client.api import clean
    from client.telling import listed

    match summary.phase:
        case "sitting":
            free = summary.players.count(None)
            return f"{free} seat{'s' if free > 1 else ''} free"
        case "playing":
            me = desk.identity.registered
            names = ["YOU" if each.name == me else _name(summary, each.seat) for each in summary.waiting]
            return f"waiting for {listed(names)}{_for_how_long(summary)}" if names else "playing"
        case "abandoned":
            return "abandoned"
    winners = [summary.players[seat] or "?" for seat in summary.standing.winners] if summary.standing else []
    return f"over: {clean(listed(winners))} won" if winners else "over"


def _for_how_long(summary: Summary) -> str:
    from client.telling import since, span

    try:
        longest = max((since(each.since) for each in summary.waiting if each.since), default=0)
    except ValueError:  # as above
        return ""
    return f" for {span(longest)}"
