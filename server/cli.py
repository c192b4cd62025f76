"""``poste-server``: run the post office, and look after it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from server.operator_terminal import log_to_stderr, say
from server.settings import Settings, SettingsRefused, from_environment

REFUSED = 1
FOUND_WRONG = 4
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
    from server.serving import serve

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
    from server.serving import serve_alone

    serve_alone(_settings(db, data), lambda rooms, office: rooms.work(office))


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
    from server.mail.running import takes_mail
    from server.serving import serve_alone

    settings = _settings(db, data)
    if not takes_mail(settings):
        raise SettingsRefused("say where mail comes in: POSTE_MAIL_LISTEN=lmtp://127.0.0.1:8424, or POSTE_MAIL_IMAP")
    serve_alone(settings, lambda rooms, office: rooms.take_mail(office))


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
    from server.mail import outbox as box
    from server.service.office import enter

    office = enter(_settings(db, data), founding=False)
    try:
        if retry or retry_all:
            queued = box.retry(office, None if retry_all else retry)
            say(f"{queued} queued again.", err=True)
            if queued < len(set(retry)):
                say("The others were not given up; `poste-server outbox` lists those that were.", err=True)
                sys.exit(REFUSED)
            return
        rows = box.listed(office, state)
        say(f"{len(rows)} {state}." if rows else f"No mail is {state}.", err=True)
        for row in rows:
            tried = f"{row.attempts} attempt{'' if row.attempts == 1 else 's'}"
            facts = [f"{row.id:>6}", row.created[:16], f"{row.name:<16}", f"{row.kind:<12}", f"{tried:<11}"]
            say("  ".join([*facts, (row.table or "-")[:8], row.address or "-", row.error or ""]).rstrip())
    finally:
        office.close()


@cli.command()
@_database
def migrate(db: str | None, data: Path | None) -> None:
    """Bring the database up to date, or make it.

    `run` does so by itself; this does nothing else.
    """
    from server.storage import Storage

    storage = Storage(_settings(db, data).database)
    storage.migrate()
    storage.close()
    say("The database is up to date.", err=True)


@cli.command()
@_database
def check(db: str | None, data: Path | None) -> None:
    """Verify and replay every log in the database.

    What is derived from the logs is compared. Ends with exit code 4 if anything is wrong.
    """
    from server.check import check_all
    from server.service.office import enter

    office = enter(_settings(db, data), founding=False)
    tables = entries = 0
    sound = True
    for checked in check_all(office):
        tables, entries, sound = tables + 1, entries + checked.entries, sound and not checked.wrong
        for wrong in checked.wrong:
            say(str(wrong))
    office.close()
    say(f"{tables} tables, {entries} entries: {'all is well' if sound else 'see above'}.", err=True)
    if not sound:
        sys.exit(FOUND_WRONG)


@cli.command()
@click.argument("table")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file to write.")
@_database
def export(table: str, output: Path | None, db: str | None, data: Path | None) -> None:
    """Write the log of TABLE as it stands.

    Of a finished table that is its record.
    """
    from server.problems import Refused
    from server.service import reading
    from server.service.office import enter

    office = enter(_settings(db, data), founding=False)
    try:
        lines = reading.log(office, table, -1, 0)
    except Refused as refused:
        raise click.ClickException(str(refused)) from None
    finally:
        office.close()
    record = b"".join(line + b"\n" for line in lines)
    if output is None:
        sys.stdout.buffer.write(record)
    else:
        output.write_bytes(record)


def main() -> None:
    """Run the command; a set-up that cannot work is said in one line."""
    try:
        cli.main(standalone_mode=True)
    except SettingsRefused as refused:
        say(f"poste-server: {refused}", err=True)
        sys.exit(1)
