"""List the games there are."""

from __future__ import annotations

import click

from client.output import json_option, print_json, print_text


@click.command("games")
@json_option
def command(as_json: bool) -> None:
    """List the games there are.

    \b
    Examples:
        poste games
        poste games --json
    """
    from engine import games

    found = [games.load(key) for key in games.keys()]
    if as_json:
        print_json(
            [
                {
                    "key": game.key,
                    "version": game.rules_version,
                    "versions": list(games.versions(game.key)),
                    "title": game.rulebook.title,
                    "byline": game.rulebook.byline,
                    "seats": list(game.seats),
                }
                for game in found
            ]
        )
        return
    for game in found:
        seats = f"{game.seats.start}-{game.seats.stop - 1} players"
        print_text(f"{game.key:<18}{seats:<14}{game.rulebook.title}, {game.rulebook.byline}")
