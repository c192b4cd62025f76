"""Verify records of finished games, trusting no one."""

from __future__ import annotations

from typing import Any

import click

from client.options import as_option
from client.output import ExitCode, json_option, print_json, say
from client.sources import RecordSource


@click.command("audit")
@click.argument("records", nargs=-1, required=True, type=RecordSource(), metavar="FILE|TABLE...")
@as_option
@json_option
@click.pass_context
def command(ctx: click.Context, records: tuple[str, ...], who: str | None, as_json: bool) -> None:
    """Verify the record of a finished game from its bytes alone: every signature, every shuffle, every move.

    A FILE needs nothing else; a TABLE is taken from what you remember of it. Ends with exit code 4 if anything is wrong
    with any of them.

    \b
    Examples:
        poste audit game.poste
        poste audit 7f3a
        poste audit *.poste --json
    """
    import msgspec

    from client.sources import record_bytes
    from engine.record.audit import audit

    found = {record: audit(record_bytes(record, who)) for record in records}
    if as_json:
        reports = [{"file": record} | msgspec.to_builtins(report) for record, report in found.items()]
        print_json(reports[0] if len(reports) == 1 else reports)
    else:
        for record, report in found.items():
            _print(record, report)
    if not all(report.valid for report in found.values()):
        ctx.exit(ExitCode.UNVERIFIED)


def _print(record: str, report: Any) -> None:
    from client.standings import print_standing

    if not report.valid:
        click.echo(f"{record}: NOT valid")
        for fault in report.faults:
            where = "file" if fault.entry is None else f"entry {fault.entry}"
            click.echo(f"  {where}: {fault.message} [{fault.code}]")
        return
    click.echo(f"{record}: valid. {report.game}, table {report.table[:8]}, {report.entries} entries.")
    if report.standing is None:
        say("The table was abandoned before the game was dealt.")
        return
    print_standing(report.players, report.standing)
    say("Chain, seals, signatures, seed, every move and the standing have been recomputed from the record.")
