"""Let a bot play for you, as an ordinary player."""

from __future__ import annotations

import click

from client.output import json_option, print_json, say
from client.screen.shared_options import as_option, table_argument


@click.command("bot")
@table_argument
@click.option("--policy", default="greedy", show_default=True, help="How it plays: greedy or random.")
@as_option
@json_option
def command(table: str | None, policy: str, who: str | None, as_json: bool) -> None:
    """Sit down at TABLE, if you do not sit there yet, and play every turn until the game is over.

    The bot sees what you would see and no more.

    \b
    Examples:
        poste bot 7f3a --as robot
        poste bot --policy random --as robot
    """
    from client.screen.table_status import abandonment, headline, status
    from client.table.bot_player import play_to_the_end
    from client.table.player_desk import Desk
    from engine.bots import POLICIES

    if policy not in POLICIES:
        raise click.BadParameter(f"there is no bot “{policy}”; there are {', '.join(sorted(POLICIES))}.")
    desk = Desk.of(who)
    memory = desk.table(table)
    heard = None if as_json else say
    moves, seen = play_to_the_end(desk, memory, POLICIES[policy], heard)
    if as_json:
        last = seen.memory.log[-1].entry
        standing = getattr(last, "standing", None)
        ended = {"phase": seen.chain.phase, "standing": standing, "abandoned": abandonment(seen.memory.log)}
        print_json({"table": memory.table, "moves": moves, **ended})
        return
    say(headline(seen))
    for line in status(seen):
        say(line)
