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
        for summary in found:
            _verify(desk, summary)
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


def _verify(desk: Desk, summary: Summary) -> None:
    """What the server says in brief must be what its log says at length."""
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
    click.echo(drawing.draw(Scene("", (Table("", ("", "table", "game", "players", "now"), rows),))), nl=False)


def _row(desk: Desk, summary: Summary) -> tuple[str, ...]:
    from client.api import clean

    current = "*" if summary.table == desk.identity.table else ""
    players = ", ".join(clean(name) if name else "-" for name in summary.players)
    return (current, summary.table[:8], clean(summary.game.partition("/")[0]), players, _now(desk, summary))


def _now(desk: Desk, summary: Summary) -> Any:
    from client.api import clean
    from client.telling import listed, since, span

    match summary.phase:
        case "sitting":
            free = summary.players.count(None)
            return f"{free} seat{'s' if free > 1 else ''} free"
        case "playing":
            me = desk.identity.registered
            names = ["YOU" if each.name == me else clean(each.name or f"seat {each.seat}") for each in summary.waiting]
            longest = max((since(each.since) for each in summary.waiting if each.since), default=0)
            return f"waiting for {listed(names)} for {span(longest)}" if names else "playing"
        case "abandoned":
            return "abandoned"
    winners = [summary.players[seat] or "?" for seat in summary.standing.winners] if summary.standing else []
    return f"over: {clean(listed(winners))} won" if winners else "over"
