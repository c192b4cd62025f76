"""Watch a whole game among bots and have it audited."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from client.output import json_option, print_json, print_scene, say
from client.parameters import GameKey

if TYPE_CHECKING:
    from engine.game import AnyGame


@click.command("demo")
@click.argument("game", type=GameKey(), default="paris-paris")
@json_option
def command(game: AnyGame, as_json: bool) -> None:
    """Play a whole GAME among bots, write its record, and audit it.

    \b
    Examples:
        poste demo
        poste demo paris-paris --json
    """
    from client.standings import print_standing
    from engine import selfplay
    from engine.record.audit import audit

    played = selfplay.play(game, ["greedy"] * min(game.seats), secrets.token_bytes(32))
    chain, position = played.table.chain, played.table.playing
    record = Path(tempfile.mkdtemp(prefix="poste-")) / f"{game.key}.poste"
    record.write_bytes(played.data)
    report = audit(record.read_bytes())
    if as_json:
        table = chain.opened.table if chain.opened else None
        print_json(
            {"game": game.key, "table": table, "record": str(record), "audit": report, "standing": report.standing}
        )
        return
    print_scene(game.scene(game.view(position.state, None), chain.names))
    print_standing(chain.names, played.standing)
    verdict = "valid" if report.valid else "NOT valid"
    say(f"\n{played.moves} moves, every one signed; the record audits as {verdict}.")
    say(f"  poste audit {record}\n  poste replay {record} --step")
