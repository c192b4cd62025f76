"""Tell a server your name and your key, and remember it as yours."""

from __future__ import annotations

import click

from client.output import json_option, print_json, say
from client.screen.shared_options import as_option


@click.command("register")
@click.argument("url")
@click.argument("name", required=False)
@as_option
@json_option
def command(url: str, name: str | None, who: str | None, as_json: bool) -> None:
    """Register with the server at URL under NAME (yours, unless said), or come back to it: login does the same.

    There is no password: your key is your proof. The server's own key is remembered; if it ever changes you are told.

    \b
    Examples:
        poste register https://games.example.org
        poste register localhost:8420 alice --as alice
        poste login https://games.example.org
    """
    from client.connection.http_api import OVERHEARD, Api, Problem, is_overheard, normal_url
    from client.output import CommandRefused
    from client.table.player_desk import Desk
    from client.trust.log_verification import Unverified

    desk = Desk.of(who)
    server, name = normal_url(url), name or desk.identity.registered or desk.identity.name
    if is_overheard(server):
        say(OVERHEARD.format(server=server))
    api = Api(server, desk.key)
    info = api.info()
    pinned = desk.home.pinned(server)
    if pinned not in (None, info.key):
        raise Unverified("server/key", f"{server} has another key than when you first met it ({pinned[:16]}...).")
    try:
        player = api.register(name)
    except Problem as problem:
        if problem.code != "player/taken":
            raise
        player = api.player(name)
        if player.key != desk.identity.key:
            raise CommandRefused(f"Somebody else is called {name} there; choose another name.") from None
    if player.key != desk.identity.key or player.name != name:
        raise Unverified("player/other", f"asked to register {name}, the server registered somebody else.")
    desk.home.pin(server, info.key)
    desk.remember(server=server, registered=name)
    if as_json:
        print_json({"server": server, "server_key": info.key, "name": name, "key": player.key})
        return
    say(f"You are {name} at {server} (its key: {info.key[:16]}...).")
    say("Next: poste tables --open to see who waits for players, or poste new GAME to open a table.")
