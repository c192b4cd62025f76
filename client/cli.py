"""The ``poste`` command: a group that imports a command only when it is used, so that it starts at once."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from client.output import ExitCode, report_click, report_error, say

COMMANDS = Path(__file__).parent / "commands"


class LazyGroup(click.Group):
    """Finds a command by its file, ``commands/<verb>.py``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every command there is a file for."""
        return sorted(path.stem for path in COMMANDS.glob("[a-z]*.py"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"client.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in ``--help``, from the first line of each file: nothing is imported for it."""
        rows = [(name, _first_line(COMMANDS / f"{name}.py")) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as source:
        return source.readline().strip().strip('"')


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="poste-restante", message="poste %(version)s")
def poste() -> None:
    """Board games by post: take your turn when it suits you; prove afterwards that the game was fair.

    \b
    Examples:
        poste demo                          watch a whole game and have it audited
        poste rules paris-paris             how it is played and how moves are written
        poste init alice                    make yourself a key; then
        poste register URL                  tell a server your name
        poste new paris-paris --clock 3d    open a table; others: poste join
        poste tables                        where you play, and who is waited for
        poste show                          the board, your hand, what is asked
        poste play take louvre/red          take your turn
        poste audit game.poste              verify a record, trusting no one
    """


def main() -> None:
    """Run ``poste``; whatever goes wrong is said in words, with the exit code that belongs to it."""
    try:
        # Outside click's standalone mode ``ctx.exit(code)`` comes back as what the group returns.
        sys.exit(poste(standalone_mode=False))
    except click.exceptions.Abort:
        say("Stopped.")
        sys.exit(ExitCode.REFUSED)
    except click.ClickException as error:
        report_click(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of a pipe has seen enough (poste ... | head); Python must not complain about it at exit.
        sys.stdout = None
        sys.exit(ExitCode.DONE)
    except Exception as error:  # the last line of defence: never a traceback to a user
        sys.exit(report_error(error))
