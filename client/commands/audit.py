"""Verify records of finished games, trusting no one."""

from __future__ import annotations

from typing import Any

import click

from client.options import as_option
from client.output import ExitCode, json_option, print_json, print_text, say
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

    read = {record: record_bytes(record, who) for record in records}
    found = {record: audit(data) for record, data in read.items()}
    if as_json:
        reports = [
            {"file": record} | msgspec.to_builtins(report) | (_more(read[record]) if report.valid else {})
            for record, report in found.items()
        ]
        print_json(reports[0] if len(reports) == 1 else reports)
    else:
        for record, report in found.items():
            _print(record, report, read[record])
    if not all(report.valid for report in found.values()):
        ctx.exit(ExitCode.UNVERIFIED)


def _more(data: bytes) -> dict[str, Any]:
    """What else is to be said of a valid record."""
    return {**_played(data), "abandoned": _abandoned(data)}


def _abandoned(data: bytes) -> str | None:
    from client.telling import abandonment
    from engine.record.audit import entries

    return abandonment(entries(data))


def _played(data: bytes) -> dict[str, int]:
    """Who made the moves of a valid record: the players themselves, their mail, the clock, or a bot."""
    from client.verify import is_by_mail
    from engine.record.audit import entries
    from engine.record.entry import Play, Timeout

    every = [sealed.entry for sealed in entries(data)]
    why = [entry.why for entry in every if isinstance(entry, Timeout)]
    mailed = sum(isinstance(entry, Play) and is_by_mail(entry) for entry in every)
    return {"by_mail": mailed, "by_clock": why.count("deadline"), "by_bot": why.count("bot")}


def _print(record: str, report: Any, data: bytes) -> None:
    from client.standings import print_standing
    from client.words import ABANDONED
    from engine.words import listed

    if not report.valid:
        print_text(f"{record}: NOT valid")
        for fault in report.faults:
            where = "file" if fault.entry is None else f"entry {fault.entry}"
            print_text(f"  {where}: {fault.message} [{fault.code}]")
        return
    print_text(f"{record}: valid. {report.game}, table {report.table[:8]}, {report.entries} entries.")
    if report.standing is None:
        say("The table was abandoned before the game was dealt.")
        return
    if (why := _abandoned(data)) is not None:
        print_text(f"The table was abandoned ({ABANDONED[why]}), and nobody has won. So it stood then:")
    print_standing(report.players, report.standing)
    how = {"by_mail": "came by mail", "by_clock": "played by the clock", "by_bot": "played by a bot"}
    told = [f"{count} {how[name]}" for name, count in _played(data).items() if count]
    if told:
        print_text(f"Of the moves, {listed(told)}.")
    say("Chain, seals, signatures, seed, every move and the standing have been recomputed from the record.")
