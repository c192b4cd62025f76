"""Play a whole game here and now: a real server, bots, you, and an audit."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from client.output import ExitCode, json_option, print_json, print_scene, print_text, say
from client.screen.argument_types import GameKey

if TYPE_CHECKING:
    from client.demonstration import Shown
    from engine.game import AnyGame


@click.command("demo")
@click.argument("game", type=GameKey(), default="paris-paris")
@click.option("--seats", type=int, help="How many players; the fewest the game allows unless said.")
@click.option("--auto", is_flag=True, help="Bots only; so it is without a terminal.")
@json_option
@click.pass_context
def command(ctx: click.Context, game: AnyGame, seats: int | None, auto: bool, as_json: bool) -> None:
    """Start a server of its own on this machine, play GAME on it against bots over HTTP, and audit the record.

    Everything is as it would be over the network: keys, signatures, sealed receipts. Nothing else is touched, and the
    server is gone afterwards.

    \b
    Examples:
        poste demo
        poste demo paris-paris --auto --seats 3
        poste demo --auto --json
    """
    from client.connection.local_server import running
    from client.demonstration import demonstrate

    seats = seats or min(game.seats)
    if seats not in game.seats:
        why = f"{game.key} is for {min(game.seats)} to {max(game.seats)} players."
        raise click.BadParameter(why, param_hint="--seats")
    alone = auto or as_json or not sys.stdin.isatty()
    folder = Path(tempfile.mkdtemp(prefix="poste-"))
    with running(folder) as server:
        if not as_json:
            say(f"A server is running at {server}; its data is in {folder}.")
        shown = demonstrate(folder, server, game, seats, alone=alone, quiet=as_json)
    if as_json:
        print_json(
            {
                "game": game.key,
                "table": shown.table,
                "record": str(shown.record),
                "audit": shown.audit,
                "standing": shown.audit.standing,
            }
        )
    else:
        _print(shown)
    if not shown.audit.valid:
        ctx.exit(ExitCode.UNVERIFIED)


def _print(shown: Shown) -> None:
    from client.screen.standings_table import print_standing

    seen = shown.last
    print_text()
    print_scene(seen.game.scene(seen.view, seen.chain.names))
    if shown.audit.standing is not None:
        print_text()
        print_standing(seen.chain.names, shown.audit.standing)
    verdict = "valid" if shown.audit.valid else "NOT valid"
    say(f"\n{shown.audit.entries} entries, every one signed and sealed; the record audits as {verdict}.")
    say(f"  poste audit {shown.record}\n  poste replay {shown.record} --step")
