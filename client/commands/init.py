"""Make yourself an identity: a key of your own."""

from __future__ import annotations

from pathlib import Path

import click

from client.output import json_option, print_json, say
from client.screen.shared_options import as_option


@click.command("init")
@click.argument("name", required=False)
@click.option(
    "--key",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use this OpenSSH Ed25519 key, which stays where it is.",
)
@click.option("--no-passphrase", is_flag=True, help="Do not protect the new key with a passphrase.")
@as_option
@json_option
def command(name: str | None, key_file: Path | None, no_passphrase: bool, who: str | None, as_json: bool) -> None:
    """Make an identity called NAME, with a new key or with one that you have.

    Whoever has the key can play as you; nobody else can, not even the server.

    \b
    Examples:
        poste init alice
        poste init alice --key ~/.ssh/id_ed25519
    """
    from client.trust import key_files
    from client.trust.player_home import Home, usual_name

    home = Home.find()
    name = name or who or usual_name()
    passphrase = "" if key_file or no_passphrase else key_files.new_passphrase()
    identity = home.create(name, passphrase, key_file)
    key_path = home.key_path(identity)
    if as_json:
        print_json({"name": identity.name, "key": identity.key, "key_file": str(key_path)})
        return
    say(f"You are {identity.name}. Your key is in {key_path}; keep a copy of it in a safe place.")
    if home.current() != name:
        say(f"This machine plays as {home.current()} unless you say --as {name}; or poste whoami --as {name} --use")
    other = "" if home.current() == name else f" --as {name}"
    say(f"Next, tell a server your name: poste register URL{other}")
