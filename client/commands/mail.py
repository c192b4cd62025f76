"""Get mail when it is your turn, and play by answering it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from client.output import CommandRefused, json_option, print_json, print_text, say
from client.screen.argument_types import Time
from client.screen.shared_options import as_option, confirmed, yes_option

if TYPE_CHECKING:
    from client.connection.response_types import DelegationStatus, MailboxStatus
    from client.table.player_desk import Desk

NO_MAIL = "This server sends no mail."
MEANING = """\
The mail gateway of {server} will sign for you what comes to a reply address, {until}. Every mail that asks you
something has such an address of its own; it does not matter who writes to it, or from where. So whoever can
READ your mail, or learns a reply address, or runs that server, can play for you {where}: do not
forward such mails. Every such move is marked in the log."""


@click.group("mail", invoke_without_command=True)
@as_option
@json_option
@click.pass_context
def command(ctx: click.Context, who: str | None, as_json: bool) -> None:
    """Mail from the server: where to, how often, and whether you may play by answering it. Alone, how it stands.

    \b
    Examples:
        poste mail
        poste mail address me@example.org
        poste mail confirm 0a1b2c3d4e
        poste mail when daily
        poste mail enable --for 1y
    """
    if ctx.invoked_subcommand is None:
        desk, as_json = _asked(ctx, who, as_json)
        _tell(desk, desk.api().mailbox(), as_json=as_json)


@command.command("address")
@click.argument("address")
@as_option
@json_option
@click.pass_context
def set_address(ctx: click.Context, address: str, who: str | None, as_json: bool) -> None:
    """Get mail at ADDRESS.

    A code is sent there; until you have confirmed the address with it you get no mail, nor at the one you had before.

    \b
    Example:
        poste mail address me@example.org
    """
    from engine.harmless_text import shown

    desk, as_json = _asked(ctx, who, as_json)
    before = desk.api().mailbox()
    after = desk.api().change_mailbox({"address": address})
    if before.confirmed and not after.confirmed and before.address is not None:
        say(f"{shown(before.address)} gets no mail any more.")
    _tell(desk, after, as_json=as_json, asked_now=True)


@command.command("confirm")
@click.argument("code")
@as_option
@json_option
@click.pass_context
def confirm_address(ctx: click.Context, code: str, who: str | None, as_json: bool) -> None:
    """Confirm your address with the CODE that was sent there.

    \b
    Example:
        poste mail confirm 0a1b2c3d4e
    """
    desk, as_json = _asked(ctx, who, as_json)
    _need_address(desk)
    _tell(desk, desk.api().confirm_mailbox(code), as_json=as_json)


@command.command("when")
@click.argument("when", type=click.Choice(["off", "turns", "hourly", "daily"]))
@as_option
@json_option
@click.pass_context
def set_when(ctx: click.Context, when: str, who: str | None, as_json: bool) -> None:
    """Get mail at every turn, hourly, daily, or not at all (off).

    Hourly and daily mail brings together what there is to tell.

    \b
    Examples:
        poste mail when turns
        poste mail when off
    """
    desk, as_json = _asked(ctx, who, as_json)
    if when != "off":
        _need_address(desk)
    _tell(desk, desk.api().change_mailbox({"when": when}), as_json=as_json)


@command.command("private")
@click.argument("private", type=click.Choice(["on", "off"]))
@as_option
@json_option
@click.pass_context
def set_private(ctx: click.Context, private: str, who: str | None, as_json: bool) -> None:
    """Whether your mail may show your hand.

    That is all that only you may see. Mail is read by whoever carries it.

    \b
    Example:
        poste mail private off
    """
    desk, as_json = _asked(ctx, who, as_json)
    _tell(desk, desk.api().change_mailbox({"private": private == "on"}), as_json=as_json)


@command.command("enable")
@click.option("--for", "lasting", type=Time(), default="1y", show_default=True, help="For how long.")
@click.option("--table", "tables", multiple=True, metavar="TABLE", help="Only at this table; may be said repeatedly.")
@yes_option
@as_option
@json_option
@click.pass_context
def enable(
    ctx: click.Context, lasting: int, tables: tuple[str, ...], yes: bool, who: str | None, as_json: bool
) -> None:
    """Play by mail: let the server's mail gateway sign for you.

    Your own key stays where it is.

    \b
    Examples:
        poste mail enable
        poste mail enable --for 2w --table 7f3a
    """
    from datetime import UTC, datetime, timedelta

    from client.trust.gateway_delegations import allow
    from engine.phrases import listed

    desk, as_json = _asked(ctx, who, as_json)
    gateway = desk.gateway()
    ids = sorted({desk.table_id(table) for table in tables}) or None
    where = f"at {listed([table[:8] for table in ids])}" if ids else "at all your tables"
    until = f"until {datetime.now(UTC) + timedelta(seconds=lasting):%Y-%m-%d}"
    say(MEANING.format(server=desk.server(), until=until, where=where))
    if not confirmed("Do you want that?", yes=yes, default=False):
        raise CommandRefused("Nothing was signed.")
    mailbox = allow(desk.api(), desk.key, desk.delegations, gateway, timedelta(seconds=lasting), ids)
    _tell(desk, mailbox, as_json=as_json)


@command.command("disable")
@as_option
@json_option
@click.pass_context
def disable(ctx: click.Context, who: str | None, as_json: bool) -> None:
    """No longer play by mail.

    Takes back whatever you let the mail gateway do; mail still comes (see poste mail when).

    \b
    Example:
        poste mail disable
    """
    from client.table.statements import live_tables
    from client.trust.gateway_delegations import take_back

    desk, as_json = _asked(ctx, who, as_json)
    mailbox = take_back(desk.api(), desk.key, desk.delegations)
    _tell(desk, mailbox, as_json=as_json)
    for _ in live_tables(desk):
        pass  # Every log is looked at now: what mail says in it from here on was said after the server knew.


def _need_address(desk: Desk) -> None:
    """Refuse where there is no address, or no mail at all."""
    if desk.api().info().mail is None:
        raise CommandRefused(f"{NO_MAIL} [mail/none]")
    if desk.api().mailbox().address is None:
        raise CommandRefused(
            "You have given no address yet. Say first where to: poste mail address ADDRESS [mail/address]"
        )


def _asked(ctx: click.Context, who: str | None, as_json: bool) -> tuple[Desk, bool]:
    """Whose desk, and whether for a script: ``--as`` and ``--json`` may stand before or after the second word."""
    from client.table.player_desk import Desk

    outer = ctx.parent.params if ctx.parent and ctx.parent.command is command else {}
    return Desk.of(who or outer.get("who")), as_json or bool(outer.get("as_json"))


def _tell(desk: Desk, mailbox: MailboxStatus, *, as_json: bool, asked_now: bool = False) -> None:
    from client.trust.gateway_delegations import checked

    checked(mailbox, desk.identity.key)
    if as_json:
        print_json(mailbox)
        return
    sends = desk.api().info().mail is not None
    lines = _getting(mailbox, asked_now=asked_now) if sends else [NO_MAIL]
    if sends or mailbox.delegation is not None:
        lines.append(_playing(desk, mailbox.delegation))
    for line in lines:
        print_text(line)


def _getting(mailbox: MailboxStatus, *, asked_now: bool) -> list[str]:
    """Whether and where mail comes."""
    from engine.harmless_text import shown

    where, confirm = shown(mailbox.address or ""), "until it is confirmed you get no mail: poste mail confirm CODE"
    if mailbox.address is None:
        return ["You have given no address, and so you get no mail: poste mail address ADDRESS"]
    if not mailbox.confirmed and asked_now:
        return [f"A code is on its way to {where}; {confirm}"]
    if not mailbox.confirmed:
        return [f"{where} waits for its code; {confirm}", f"To have a new code sent: poste mail address {where}"]
    if mailbox.when == "off":
        return [f"You want no mail, so {where} gets none. To get it again: poste mail when turns"]
    what = "mail at every turn" if mailbox.when == "turns" else f"{shown(mailbox.when)} mail"
    return [f"{where} gets {what}, {'with' if mailbox.private else 'without'} your hand."]


def _playing(desk: Desk, said: DelegationStatus | None) -> str:
    """Whether the gateway may speak for the player."""
    from client.phrases import day
    from engine.phrases import listed

    if said is None:
        return "Nobody can play for you by mail: poste mail enable"
    where = f"at {listed([table[:8] for table in said.tables])}" if said.tables else "at all your tables"
    elsewhere = "" if desk.delegations.signed_here(said) else " You signed that on another machine."
    return f"You can play by mail {where} until {day(said.ends)} (UTC).{elsewhere}"
