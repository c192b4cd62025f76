"""Open a table and sit down at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from client.output import json_option, print_json, print_text, say
from client.screen.argument_types import ClockTime, Days, GameKey
from client.screen.shared_options import as_option
from engine.typed_json import convert

if TYPE_CHECKING:
    from client.table.player_desk import Desk
    from client.trust.table_memory import Memory
    from engine.game import AnyGame


@click.command("new")
@click.argument("game", type=GameKey())
@click.option("--seats", type=int, help="For how many players; the fewest the game allows unless said.")
@click.option("--option", "-o", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--invite", "-i", multiple=True, metavar="NAME", help="Only these may sit down beside you.")
@click.option("--clock", type=ClockTime(), help="3d for each decision; or bank:7d+12h, an account. Else no limit.")
@click.option("--weekends-off", is_flag=True, help="The clock stands still on Saturdays and Sundays (UTC).")
@click.option(
    "--vacation", type=Days(), help="Days off that everybody may take in a year, such as 3w; none unless said."
)
@click.option("--strikes", type=click.IntRange(1, 99), help="After so many deadlines missed in a row --then happens.")
@click.option("--then", type=click.Choice(["bot", "vote"]), help="A bot plays on (unless said), or the others vote.")
@click.option("--no-sit", is_flag=True, help="Open the table without sitting down.")
@as_option
@json_option
def command(
    game: AnyGame,
    seats: int | None,
    options: tuple[str, ...],
    invite: tuple[str, ...],
    clock: dict[str, Any] | None,
    weekends_off: bool,
    vacation: int | None,
    strikes: int | None,
    then: str | None,
    no_sit: bool,
    who: str | None,
    as_json: bool,
) -> None:
    """Open a table for GAME and sit down at it; others join it by its id.

    A clock of 3d gives everybody three days for each decision. One of bank:7d+12h gives everybody seven days on
    account, and twelve hours more with each answer, up to seven days again; bank:7d+12h/10d up to ten.

    \b
    Examples:
        poste new paris-paris
        poste new paris-paris --seats 3 --invite bob --invite carol --clock 3d
        poste new paris-paris --clock bank:7d+12h --weekends-off --vacation 3w --strikes 2 --then bot
    """
    from client.screen.table_status import headline, position, status
    from client.table.player_desk import Desk
    from client.table.turn import sit
    from client.table.verified_view import look

    wish: dict[str, Any] = {"game": game.key, "seats": seats or min(game.seats), "options": _options(game, options)}
    if wish["seats"] not in game.seats:
        why = f"{game.key} is for {min(game.seats)} to {max(game.seats)} players."
        raise click.BadParameter(why, param_hint="--seats")
    if invite:
        wish["invite"] = list(invite)
    if (wished := _clock(clock, weekends_off, vacation, strikes, then)) is not None:
        wish["clock"] = wished
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
    print_text(memory.table)
    say(headline(seen))
    for line in status(seen):
        say(line)
    if not no_sit:
        say(f"Others sit down with: poste join {memory.table[:8]}")


def _clock(
    clock: dict[str, Any] | None, weekends_off: bool, vacation: int | None, strikes: int | None, then: str | None
) -> dict[str, Any] | None:
    """The clock that is wished for; its options are no use without one."""
    more = {"weekends_off": weekends_off or None, "vacation": vacation, "strikes": strikes, "then": then}
    given = {name: value for name, value in more.items() if value is not None}
    if clock is None and given:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise click.UsageError(f"A table without --clock has no use for {options}.")
    if then and not strikes:
        raise click.UsageError("--then says what happens after --strikes deadlines; say how many.")
    return None if clock is None else clock | given


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
        plain: dict[str, Any] = msgspec.to_builtins(convert(values, game.options, strict=False))
    except msgspec.ValidationError as error:
        raise click.BadParameter(f"{error}.", param_hint="--option") from None
    return plain


def _check_opening(desk: Desk, memory: Memory, wish: dict[str, Any], game: AnyGame) -> None:
    """Make sure that the table is the one that was asked for."""
    from client.table.verified_view import opening
    from client.trust.log_verification import Unverified
    from engine.record.canonical import canonical
    from engine.record.entry import Clock

    opened = opening(desk.sync(memory))
    told = {"game": opened.game, "seats": opened.seats, "options": opened.options}
    wanted = {"game": f"{game.key}/{game.rules_version}", "seats": wish["seats"], "options": wish["options"]}
    clock = convert(wish["clock"], Clock) if "clock" in wish else None
    if canonical(told) != canonical(wanted) or opened.clock != clock:
        raise desk.caught(Unverified("table/other", "the server opened another table than asked for.", 0), memory, [])
