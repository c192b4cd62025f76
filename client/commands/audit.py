"""Verify records of finished games, trusting no one."""

from __future__ import annotations

from typing import Any

import click

from client.output import ExitCode, json_option, print_json, say


@click.command("audit")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@json_option
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    """Verify the record of a finished game from the FILE alone: every signature, every shuffle, every move.

    Ends with exit code 4 if anything is wrong with any of the files.

    \b
    Examples:
        poste audit game.poste
        poste audit *.poste --json
    """
    import msgspec

    from client.records import read_bytes
    from engine.record.audit import audit

    found = {file: audit(read_bytes(file)) for file in files}
    if as_json:
        reports = [{"file": file} | msgspec.to_builtins(report) for file, report in found.items()]
        print_json(reports[0] if len(reports) == 1 else reports)
    else:
        for file, report in found.items():
            _print(file, report)
    if not all(report.valid for report in found.values()):
        ctx.exit(ExitCode.UNVERIFIED)


def _print(file: str, report: Any) -> None:
    from client.standings import print_standing

    if not report.valid:
        click.echo(f"{file}: NOT valid")
        for fault in report.faults:
            where = "file" if fault.entry is None else f"entry {fault.entry}"
            click.echo(f"  {where}: {fault.message} [{fault.code}]")
        return
    click.echo(f"{file}: valid. {report.game}, table {report.table[:8]}, {report.entries} entries.")
    if report.standing is None:
        say("The table was abandoned before the game was dealt.")
        return
    print_standing(report.players, report.standing)
    say("Chain, seals, signatures, seed, every move and the standing have been recomputed from the file.")
