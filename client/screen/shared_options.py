"""Options and arguments that many commands share, with their shell completion, which never asks a server."""

from __future__ import annotations

import sys

import click
from click.shell_completion import CompletionItem

from client.output import CommandRefused, agrees


def _identities(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    from client.trust.player_home import Home

    return [name for name in Home.find().names() if name.startswith(incomplete)]


def _tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    from client.screen.shell_completion import completed, tables

    return completed(ctx.params.get("who"), lambda desk: tables(desk, incomplete))


def _words(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from client.screen.shell_completion import completed, move_words

    typed = ctx.params.get(param.name or "") or ()
    return completed(ctx.params.get("who"), lambda desk: move_words(desk, list(typed), incomplete))


as_option = click.option(
    "--as",
    "who",
    metavar="NAME",
    envvar="POSTE_AS",
    shell_complete=_identities,
    help="Who you are, if you are several.",
)
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Check everything, sign and send nothing.")
table_argument = click.argument("table", required=False, shell_complete=_tables)
move_argument = click.argument("words", nargs=-1, metavar="[TABLE] [MOVE]...", shell_complete=_words)


def confirmed(question: str, *, yes: bool, default: bool = True) -> bool:
    """Whether the player agrees; without a terminal to ask on, ``--yes`` must have said so."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise CommandRefused("There is no terminal to ask on; say --yes if you mean it.")
    return agrees(question, default=default)
