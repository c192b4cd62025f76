"""``poste-server``: run the post office, and look after it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from server.operator_terminal import log_to_stderr, say
from server.owner_only_files import UMASK
from server.settings import Settings, SettingsRefused, from_environment

REFUSED = 1
FOUND_WRONG = 4
_REBUILD = "poste-server rebuild"
STATES = ("queued", "sent", "collected", "moot", "dead")


def _settings(db: str | None, data: Path | None, **given: object) -> Settings:
    return from_environment(os.environ, db=db, data=data, **given)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="poste-restante", message="poste-server %(version)s")
def cli() -> None:
    """The post office: keeps tables until their players call for them."""
    log_to_stderr()


def _database(command: click.decorators.FC) -> click.decorators.FC:
    command = click.option("--db", metavar="URL", help="The database; a SQLite file or postgresql://...  [POSTE_DB]")(
        command
    )
    return click.option(
        "--data", type=click.Path(path_type=Path), metavar="DIR", help="The data directory.  [POSTE_DATA]"
    )(command)


@cli.command()
@click.option("--host", metavar="HOST", help="The address to listen on.  [POSTE_HOST, 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="The port; 0 takes a free one.  [POSTE_PORT, 8420]")
@_database
def run(host: str | None, port: int | None, db: str | None, data: Path | None) -> None:
    """Run the server until it is told to stop.

    SIGTERM or Ctrl-C stop it; requests in flight are finished first. The first start makes the key and the database.

    \b
    Example:
        poste-server run --port 8420
    """  # noqa: D301 - click reads the backspace
    from server.http_server import serve

    serve(_settings(db, data, host=host, port=port))


@cli.command()
@_database
def worker(db: str | None, data: Path | None) -> None:
    """Let deadlines pass and send the mail.

    That is what `run` does beside serving, in a process of its own. Several may run.

    \b
    Example:
        POSTE_WORKER=0 poste-server run & poste-server worker
    """  # noqa: D301 - click reads the backspace
    from server.http_server import serve_alone

    serve_alone(_settings(db, data), lambda rooms, context: rooms.work(context))


@cli.command()
@_database
def mail(db: str | None, data: Path | None) -> None:
    """Take the mail that comes in, in a process of its own.

    It comes by LMTP or SMTP (POSTE_MAIL_LISTEN) or out of a mailbox (POSTE_MAIL_IMAP).

    \b
    Example:
        POSTE_MAIL=smtp://relay POSTE_MAIL_FROM=post@games.example.org \\
            POSTE_MAIL_LISTEN=lmtp://127.0.0.1:8424 poste-server mail
    """  # noqa: D301 - click reads the backspace
    from server.http_server import serve_alone
    from server.mail.background_services import takes_mail

    settings = _settings(db, data)
    if not takes_mail(settings):
        raise SettingsRefused("say where mail comes in: POSTE_MAIL_LISTEN=lmtp://127.0.0.1:8424, or POSTE_MAIL_IMAP")
    serve_alone(settings, lambda rooms, context: rooms.take_mail(context))


@cli.command()
@click.option(
    "--state", type=click.Choice(["queued", "sent", "collected", "moot", "dead"]), default="dead", show_default=True
)
@click.option("--retry", multiple=True, type=int, metavar="ID", help="Queue this dead mail again.")
@click.option("--retry-all", is_flag=True, help="Queue every dead mail again.")
@_database
def outbox(state: str, retry: tuple[int, ...], retry_all: bool, db: str | None, data: Path | None) -> None:
    """List mails that were given up, and try again.

    With --state those that wait, were sent, or became pointless.

    \b
    Examples:
        poste-server outbox
        poste-server outbox --retry-all
    """  # noqa: D301 - click reads the backspace
    from server.mail.outgoing import outbox as box
    from server.service.server_context import enter

    context = enter(_settings(db, data), founding=False)
    try:
        if retry or retry_all:
            queued = box.retry(context, None if retry_all else retry)
            say(f"{queued} queued again.", err=True)
            if queued < len(set(retry)):
                say("The others were not given up; `poste-server outbox` lists those that were.", err=True)
                sys.exit(REFUSED)
            return
        rows = box.listed(context, state)
        say(f"{len(rows)} {state}." if rows else f"No mail is {state}.", err=True)
        for row in rows:
            tried = f"{row.attempts} attempt{'' if row.attempts == 1 else 's'}"
            facts = [f"{row.id:>6}", row.created[:16], f"{row.name:<16}", f"{row.kind:<12}", f"{tried:<11}"]
            say("  ".join([*facts, (row.table or "-")[:8], row.address or "-", row.error or ""]).rstrip())
    finally:
        context.close()


@cli.command()
@click.argument("tables", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Correct every table that is dated ahead of this clock.")
@_database
def correct(tables: tuple[str, ...], every: bool, db: str | None, data: Path | None) -> None:
    """List the tables that are dated ahead, or put them right.

    A clock that was wrong has dated them so, and players' programs refuse them. Set it right first. What was played
    stays played; it is put on record that the clock was wrong, nobody has missed a deadline, and every open decision
    begins anew.

    \b
    Examples:
        poste-server correct
        poste-server correct 7f3a
        poste-server correct --all
    """  # noqa: D301 - click reads the backspace
    from server.clock_guard import tables_ahead
    from server.problems import RequestRefused
    from server.service.deadline_rounds import correct_clock
    from server.service.server_context import enter

    context = enter(_settings(db, data), founding=False)
    try:
        ahead = tables_ahead(context.storage, context.now())
        if not (tables or every):
            say(f"It is {context.now()} here; {len(ahead)} tables are dated ahead of it.", err=True)
            for row in ahead:
                say(f"{row.id}  {row.at}")
            return
        for table in [row.id for row in ahead] if every else tables:
            corrected = correct_clock(context, table)
            say(f"{corrected.table} goes on at {corrected.at}.")
    except RequestRefused as refused:
        raise click.ClickException(str(refused)) from None
    finally:
        context.close()


@cli.command()
@_database
def migrate(db: str | None, data: Path | None) -> None:
    """Bring the database up to date, or make it.

    `run` does so by itself; this does nothing else.
    """
    from server.storage.database import Storage

    storage = Storage(_settings(db, data).database)
    storage.migrate()
    storage.close()
    say("The database is up to date.", err=True)


@cli.command()
@_database
def check(db: str | None, data: Path | None) -> None:
    """Verify and replay every log in the database.

    What is derived from the logs is compared. Ends with exit code 4 if anything is wrong with a log, and with 1 if only
    what is derived is wrong: `rebuild` puts that right.
    """
    from server.service.log_check import check_all
    from server.service.server_context import enter

    context = enter(_settings(db, data), founding=False)
    tables = entries = reworded = 0
    derived = damaged = False
    try:
        for checked in check_all(context):
            tables, entries, reworded = tables + 1, entries + checked.entries, reworded + checked.reworded
            for wrong in checked.wrong:
                say(str(wrong))
                derived, damaged = derived or wrong.derived, damaged or not wrong.derived
    finally:
        context.close()
    found = "see above" if damaged else f"the logs are sound, what is derived from them is not: {_REBUILD}"
    say(f"{tables} tables, {entries} entries: {found if damaged or derived else 'all is well'}.", err=True)
    if reworded:
        say(f"{reworded} entries are told in the words of another version. To tell them anew: {_REBUILD}.", err=True)
    if damaged or derived:
        sys.exit(FOUND_WRONG if damaged else REFUSED)


@cli.command()
@_database
def rebuild(db: str | None, data: Path | None) -> None:
    """Work out anew what is derived from the logs.

    One table after the other, beside a running server if need be. Says what it has changed, and leaves alone what is
    right, so it may be broken off and begun again. Ends with exit code 4 if a log is damaged; `check` says more.

    \b
    Example:
        poste-server rebuild
    """  # noqa: D301 - click reads the backspace
    from server.service.derived_rebuild import rebuild_all
    from server.service.server_context import enter

    context = enter(_settings(db, data), founding=False)
    tables = changed = 0
    damaged = False
    try:
        for rebuilt in rebuild_all(context):
            tables, changed = tables + 1, changed + rebuilt.changed
            damaged = damaged or rebuilt.damaged is not None
            if rebuilt.changed or rebuilt.damaged is not None:
                say(str(rebuilt))
    finally:
        context.close()
    say(f"{tables} tables, {changed} of them rebuilt{': see above' if damaged else ''}.", err=True)
    if damaged:
        sys.exit(FOUND_WRONG)


@cli.command()
@click.argument("table")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file to write.")
@_database
def export(table: str, output: Path | None, db: str | None, data: Path | None) -> None:
    """Write the log of TABLE as it stands.

    Of a finished table that is its record.
    """
    from server.problems import RequestRefused
    from server.service import table_reads
    from server.service.server_context import enter

    context = enter(_settings(db, data), founding=False)
    try:
        lines = table_reads.log(context, table, -1, 0)
    except RequestRefused as refused:
        raise click.ClickException(str(refused)) from None
    finally:
        context.close()
    record = b"".join(line + b"\n" for line in lines)
    if output is None:
        sys.stdout.buffer.write(record)
    else:
        output.write_bytes(record)


def main() -> None:
    """Run the command; a set-up that cannot work is said in one line."""
    from server.storage.database_trouble import DatabaseTrouble

    os.umask(UMASK)
    try:
        cli.main(standalone_mode=True)
    except (SettingsRefused, DatabaseTrouble) as refused:
        say(f"poste-server: {refused}", err=True)
        sys.exit(1)
