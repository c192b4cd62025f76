"""Open a table and sit down at it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from client.options import as_option
from client.output import json_option, print_json, say
from client.parameters import GameKey

if TYPE_CHECKING:
    from client.desk import Desk
    from client.memory import Memory
    from engine.game import AnyGame

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Time(click.ParamType[int]):
    """A stretch of time: ``90s``, ``15m``, ``12h``, ``3d``."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seconds."""
        found = re.fullmatch(r"([1-9][0-9]{0,6})([smhdw])", str(value))
        if not found:
            self.fail(f"“{value}” is not a time; it looks like 12h or 3d.", param, ctx)
        return int(found[1]) * _UNITS[found[2]]


@click.command("new")
@click.argument("game", type=GameKey())
@click.option("--seats", type=int, help="For how many players; the fewest the game allows unless said.")
@click.option("--option", "-o", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--invite", "-i", multiple=True, metavar="NAME", help="Only these may sit down beside you.")
@click.option("--clock", type=Time(), help="Time for each decision, such as 3d; no limit unless said.")
@click.option("--no-sit", is_flag=True, help="Open the table without sitting down.")
@as_option
@json_option
def command(
    game: AnyGame,
    seats: int | None,
    options: tuple[str, ...],
    invite: tuple[str, ...],
    clock: int | None,
    no_sit: bool,
    who: str | None,
    as_json: bool,
) -> None:
    """Open a table for GAME and sit down at it; others join it by its id.

    \b
    Examples:
        poste new paris-paris
        poste new paris-paris --seats 3 --invite bob --invite carol --clock 3d
    """
    from client.desk import Desk
    from client.seeing import look
    from client.telling import headline, position, status
    from client.turn import sit

    wish: dict[str, Any] = {"game": game.key, "seats": seats or min(game.seats), "options": _options(game, options)}
    if wish["seats"] not in game.seats:
        why = f"{game.key} is for {min(game.seats)} to {max(game.seats)} players."
        raise click.BadParameter(why, param_hint="--seats")
    if invite:
        wish["invite"] = list(invite)
    if clock:
        wish["clock"] = {"kind": "per-decision", "seconds": clock}
    desk = Desk.of(who)
    memory = desk.memory(desk.api().open_table(wish).table)
    _check_opening(desk, memory, wish, game)
    desk.remember(table=memory.table)
    if not no_sit:
        sit(desk, memory, None)
    seen = look(desk, memory)
    if as_json:
        print_json(position(seen))
        return
    click.echo(memory.table)
    say(headline(seen.chain, seen.seat))
    for line in status(seen):
        say(line)
    say(f"Others sit down with: poste join {memory.table[:8]}")


def _options(game: AnyGame, given: tuple[str, ...]) -> dict[str, Any]:
    """The options as plain values, all of them written out."""
    import msgspec

    values: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals:
            raise click.BadParameter(f"“{each}” is not of the form KEY=VALUE.", param_hint="--option")
        values[key.strip()] = value.split(",") if "," in value else value
    try:
        plain: dict[str, Any] = msgspec.to_builtins(msgspec.convert(values, game.options, strict=False))
    except msgspec.ValidationError as error:
        raise click.BadParameter(f"{error}.", param_hint="--option") from None
    return plain


def _check_opening(desk: Desk, memory: Memory, wish: dict[str, Any], game: AnyGame) -> None:
    """Make sure that the table is the one that was asked for."""
    from client.seeing import opening
    from client.verify import Unverified
    from engine.record.canonical import canonical

    opened = opening(desk.sync(memory))
    told = {"game": opened.game, "seats": opened.seats, "options": opened.options}
    wanted = {"game": f"{game.key}/{game.rules_version}", "seats": wish["seats"], "options": wish["options"]}
    seconds = opened.clock.seconds if opened.clock else None
    if canonical(told) != canonical(wanted) or seconds != wish.get("clock", {}).get("seconds"):
        raise desk.caught(Unverified("table/other", "the server opened another table than asked for.", 0), memory, [])
