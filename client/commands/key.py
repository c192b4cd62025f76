"""Your key: which it is, and a new one in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from client.output import CommandRefused, json_option, print_json, print_text, say
from client.screen.shared_options import as_option, confirmed, yes_option

if TYPE_CHECKING:
    from client.table.player_desk import Desk

WARNING = (
    "From then on your present key does nothing more: not here, not on your other machines, at no table, not by mail."
)


@click.group("key", invoke_without_command=True)
@as_option
@json_option
@click.pass_context
def command(ctx: click.Context, who: str | None, as_json: bool) -> None:
    """The key that you sign with, and a new one in its place. Alone, which it is and where.

    \b
    Examples:
        poste key
        poste key rotate
    """
    if ctx.invoked_subcommand is not None:
        return
    from client.trust.player_home import Home

    home = Home.find()
    identity = home.identity(who)
    told = {"key": identity.key, "key_file": str(home.key_path(identity))}
    if as_json:
        print_json(told)
        return
    print_text(told["key"])
    say(f"It is in {told['key_file']}.")


@command.command("rotate")
@click.option("--no-passphrase", is_flag=True, help="Do not protect the new key with a passphrase.")
@yes_option
@as_option
@json_option
@click.pass_context
def rotate(ctx: click.Context, no_passphrase: bool, yes: bool, who: str | None, as_json: bool) -> None:
    """Go on under a new key, at all your tables. If it was cut off, say it again: it is seen through.

    What you have answered unseen you are asked again, and what you allowed the mail gateway has ended. On other
    machines begin anew, with the new key.

    \b
    Example:
        poste key rotate
    """
    from client.table.player_desk import Desk
    from client.trust import key_files
    from client.trust.player_home import Home

    given = ctx.parent.params if ctx.parent is not None else {}  # what was said before the verb counts too
    who, as_json = who or given.get("who"), as_json or bool(given.get("as_json"))
    home = Home.find()
    desk = Desk(home, home.identity(who))
    api, name = desk.api(), desk.name()
    begun = desk.identity.next
    if begun is None:
        if not confirmed(f"{WARNING} Go on?", yes=yes, default=False):
            raise CommandRefused("Your key stays as it is.")
        begun = home.next_key(desk.identity, "" if no_passphrase else key_files.new_passphrase())
    said = begun.succession
    if api.player(name).key != said.to:
        api.change_key(name, {"to": said.to, "signature": said.signature, "consent": said.consent})
    former = home.key_path(desk.identity)
    desk = Desk(home, home.change_key(desk.identity, begun))
    tables, missing = _looked_at(desk)
    told = {"key": said.to, "key_file": str(home.key_path(desk.identity)), "former": said.former}
    if as_json:
        print_json({**told, "tables": tables, "missing": missing})
        return
    say(f"You are still {name}; your new key is in {told['key_file']}. Keep a copy of it in a safe place.")
    say(f"The former one, in {former}, does nothing more.")
    for table in missing:
        say(f"The log of table {table[:8]} does not tell of it yet. Look again: poste show {table[:8]}")


def _looked_at(desk: Desk) -> tuple[list[str], list[str]]:
    """The tables whose logs tell of the change, and those where the former key still sits."""
    from engine.record.chain import Phase

    tables: list[str] = []
    missing: list[str] = []
    for table in desk.remembered():
        memory = desk.memory(table)
        before = memory.chain
        if memory.server != desk.server() or before.phase is Phase.CLOSED:
            continue
        chain = desk.sync(memory)
        if chain.seat_of(desk.identity.key) is not None:
            tables.append(table)
        elif any(chain.seat_of(each.former) is not None for each in desk.identity.former):
            missing.append(table)
    return tables, missing
