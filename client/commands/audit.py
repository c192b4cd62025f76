"""Verify records of finished games, trusting no one."""

from __future__ import annotations

from typing import Any

import click

from client.output import ExitCode, json_option, print_json, print_text, say
from client.screen.record_sources import RecordSource
from client.screen.shared_options import as_option


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
    valid, reports = True, []
    for record in records:
        report = _audited(record, who, as_json=as_json)
        valid = valid and report["valid"]
        reports.append(report)
    if as_json:
        print_json(reports[0] if len(reports) == 1 else reports)
    if not valid:
        ctx.exit(ExitCode.UNVERIFIED)


def _audited(record: str, who: str | None, *, as_json: bool) -> dict[str, Any]:
    """What is found in one record, and said of it unless a script wants it; of several only one is held at a time."""
    import msgspec

    from client.screen.record_sources import record_bytes
    from engine.record.audit import audit

    data = record_bytes(record, who)
    report = audit(data)
    if not as_json:
        _print(record, report, data)
        return {"valid": report.valid}
    found: dict[str, Any] = msgspec.to_builtins(report)
    return {"file": record} | found | (_more(data) if report.valid else {})


def _more(data: bytes) -> dict[str, Any]:
    """What else is to be said of a valid record."""
    return {**_played(data), "abandoned": _abandoned(data)}


def _abandoned(data: bytes) -> str | None:
    from client.screen.table_status import abandonment
    from engine.record.audit import each_entry
    from engine.record.entry import Abandon, Open

    return abandonment([sealed for sealed in each_entry(data) if isinstance(sealed.entry, Open | Abandon)])


def _played(data: bytes) -> dict[str, int]:
    """Who made the moves of a valid record: the players themselves, their mail, the clock, or a bot."""
    from client.trust.log_verification import is_by_mail
    from engine.record.audit import each_entry
    from engine.record.entry import Play, Timeout

    played = {"by_mail": 0, "by_clock": 0, "by_bot": 0}
    for entry in (sealed.entry for sealed in each_entry(data)):
        if isinstance(entry, Timeout):
            played["by_clock"] += entry.why == "deadline"
            played["by_bot"] += entry.why == "bot"
        played["by_mail"] += isinstance(entry, Play) and is_by_mail(entry)
    return played


def _print(record: str, report: Any, data: bytes) -> None:
    from client.phrases import ABANDONED
    from client.screen.standings_table import print_standing
    from engine.phrases import listed, won_by_resignation
    from engine.record.audit import MOST_FAULTS

    if not report.valid:
        print_text(f"{record}: NOT valid")
        for fault in report.faults:
            where = "file" if fault.entry is None else f"entry {fault.entry}"
            print_text(f"  {where}: {fault.message} [{fault.code}]")
        if len(report.faults) == MOST_FAULTS:
            say(f"The audit stopped at {MOST_FAULTS} faults.")
        return
    print_text(f"{record}: valid. {report.game}, table {report.table[:8]}, {report.entries} entries.")
    if report.standing is None:
        say("The table was abandoned before the game was dealt.")
        return
    if (why := _abandoned(data)) is not None:
        print_text(f"The table was abandoned ({ABANDONED[why]}), and nobody has won. So it stood then:")
    if report.victor is not None:
        print_text(won_by_resignation(report.players, report.victor))
    print_standing(report.players, report.standing)
    how = {"by_mail": "came by mail", "by_clock": "played by the clock", "by_bot": "played by a bot"}
    told = [f"{count} {how[name]}" for name, count in _played(data).items() if count]
    if told:
        print_text(f"Of the moves, {listed(told)}.")
    say("Chain, seals, signatures, seed, every move and the standing have been recomputed from the record.")
