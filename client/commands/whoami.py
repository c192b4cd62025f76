"""Say who you are, where, and which table you mean."""

from __future__ import annotations

import click

from client.output import json_option, print_json, print_text, say
from client.screen.shared_options import as_option


@click.command("whoami")
@click.option("--use", is_flag=True, help="Be this identity from now on when --as does not say.")
@as_option
@json_option
def command(use: bool, who: str | None, as_json: bool) -> None:
    """Say who you are; with --use, become the identity that --as names.

    \b
    Examples:
        poste whoami
        poste whoami --as bob --use
    """
    from client.connection.http_api import OVERHEARD, is_overheard
    from client.trust.player_home import Home

    home = Home.find()
    identity = home.identity(who)
    if use:
        home.make_current(identity.name)
    told = {
        "identity": identity.name,
        "name": identity.registered,
        "server": identity.server,
        "table": identity.table,
        "key": identity.key,
        "key_file": str(home.key_path(identity)),
        "home": str(home.path),
        "identities": home.names(),
    }
    if identity.server is not None and is_overheard(identity.server):
        say(OVERHEARD.format(server=identity.server))
    if as_json:
        print_json(told)
        return
    print_text(identity.registered or identity.name)
    say(f"  key       {identity.key}")
    say(f"  in        {told['key_file']}")
    say(f"  server    {identity.server or 'none yet (poste register URL)'}")
    say(f"  table     {identity.table[:8] if identity.table else 'none yet (poste tables)'}")
    if len(home.names()) > 1:
        say(f"  also here {', '.join(name for name in home.names() if name != identity.name)}")
