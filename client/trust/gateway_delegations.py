"""What a player has allowed the mail gateway, and taken back: on the disk before anybody else sees it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import msgspec

from client.connection.http_api import Api
from client.connection.response_types import DelegationStatus, MailboxStatus
from client.output import CommandRefused, say
from client.trust.durable_files import append_lines, locked, read_lines
from client.trust.log_verification import Unverified
from client.trust.table_memory import Damaged, Delegated, Revoked
from engine.keys import Key, SigningKey, verify
from engine.record.clock import CLOCKS_DIFFER
from engine.record.entry import Timestamp, delegate_message, instant, revoke_message, timestamp
from engine.typed_json import decode

Allowed: TypeAlias = Delegated | Revoked

EARLIER = timedelta(minutes=5)
"""A delegation begins so much before it is signed, so that it holds at once where a server's clock is behind."""


class Delegations:
    """What one identity has delegated, in order."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def own(self) -> list[Allowed]:
        """Everything delegated and everything taken back."""
        try:
            return [decode(line, Allowed) for line in read_lines(self._path)]
        except (msgspec.DecodeError, UnicodeError):
            raise Damaged(f"{self._path} is damaged; it says what you let mail do for you. Restore it.") from None

    def remember(self, allowed: Allowed) -> None:
        """Write it down."""
        with locked(self._path.with_suffix(".lock")):
            append_lines(self._path, [msgspec.json.encode(allowed)])

    def signed_here(self, delegation: DelegationStatus) -> bool:
        """Whether a delegation was signed on this machine."""
        return any(isinstance(each, Delegated) and each.signature == delegation.signature for each in self.own())

    def standing(self) -> list[Delegated]:
        """What was delegated here and never taken back here."""
        standing: list[Delegated] = []
        for each in self.own():
            if isinstance(each, Delegated):
                standing.append(each)
            else:
                standing = [one for one in standing if one.begins >= each.before]
        return standing

    def moment(self, now: datetime, *elsewhere: Timestamp | None, earlier: timedelta = timedelta()) -> Timestamp:
        """So much before now, or the first moment after all that was said before, here or elsewhere: only what is newer
        counts.

        What was dated far ahead here, under a clock that was wrong, no server has taken, and it does not count.
        """
        said = [instant(each.begins if isinstance(each, Delegated) else each.before) for each in self.own()]
        heard = [moment for moment in said if moment <= now + CLOCKS_DIFFER]
        last = max([*heard, *map(instant, filter(None, elsewhere))], default=None)
        first = now - earlier
        return timestamp(first if last is None else max(first, last + timedelta(milliseconds=1)))


def allow(
    api: Api, key: SigningKey, kept: Delegations, to: Key, lasting: timedelta, tables: Sequence[str] | None
) -> MailboxStatus:
    """Let a mail gateway speak for the player for so long, at these tables or at all; gives the mailbox then.

    Whatever was allowed before beyond that is taken back first, on record: a narrower delegation by itself leaves the
    former one standing wherever it is in a log.
    """
    now = datetime.now(UTC)
    ends, mailbox = timestamp(now + lasting), checked(api.mailbox(), key.public)
    former: list[DelegationStatus | Delegated] = [*kept.standing()]
    former += [mailbox.delegation] if mailbox.delegation is not None else []
    if any(each.ends > timestamp(now) and not _within(each, to, ends, tables) for each in former):
        mailbox = take_back(api, key, kept, mailbox)
    soon = timestamp(now + CLOCKS_DIFFER)
    said = (mailbox.revoked, mailbox.begins)
    begins = kept.moment(now, *said, earlier=EARLIER) if (mailbox.revoked or "") <= soon else None
    if begins is None or begins > soon:
        why = f"What you last said of playing by mail, you said at {begins or mailbox.revoked}, which is not yet"
        raise CommandRefused(f"{why}: is the clock of this machine right? Nothing was signed.")
    signature = key.sign(delegate_message(key.public, to, begins, ends, tables))
    delegated = Delegated(signature, to, begins, ends, None if tables is None else tuple(tables))
    kept.remember(delegated)
    body = {"to": to, "begins": begins, "ends": ends, "signature": signature}
    mailbox = checked(api.delegate(body if tables is None else {**body, "tables": list(tables)}), key.public)
    if mailbox.delegation is None or mailbox.delegation.signature != signature:
        raise Unverified("delegation/other", "the server keeps another delegation than the one you signed.")
    return mailbox


def _within(former: DelegationStatus | Delegated, to: Key, ends: Timestamp, tables: Sequence[str] | None) -> bool:
    """Whether nothing was allowed before that is not allowed now."""
    if former.to != to or former.ends > ends:
        return False
    return tables is None or (former.tables is not None and set(former.tables) <= set(tables))


def take_back(api: Api, key: SigningKey, kept: Delegations, mailbox: MailboxStatus | None = None) -> MailboxStatus:
    """Take back whatever was delegated, here or (as ``mailbox`` says) on another machine; gives the mailbox then."""
    mailbox = mailbox or checked(api.mailbox(), key.public)
    before = kept.moment(datetime.now(UTC), mailbox.begins)
    revoked = Revoked(key.sign(revoke_message(key.public, before)), before)
    kept.remember(revoked)
    mailbox = checked(api.revoke({"before": before, "signature": revoked.signature}), key.public)
    # One that begins later was signed on another machine in the meantime: that is the player's own doing.
    if mailbox.delegation is not None and mailbox.delegation.begins < before:
        raise Unverified("own/revoked", "the server still keeps a delegation that you have taken back.")
    kept.remember(msgspec.structs.replace(revoked, heard=True, answered=timestamp(datetime.now(UTC))))
    for each in kept.standing():
        say(f"What you signed here to let mail speak for you from {each.begins} on can be taken back only then.")
    return mailbox


def checked(mailbox: MailboxStatus, me: Key) -> MailboxStatus:
    """A mailbox as the server tells of it; raises Unverified if the player never signed what they are said to."""
    said = mailbox.delegation
    if said is not None:
        message = delegate_message(me, said.to, said.begins, said.ends, said.tables)
        if not verify(me, message, said.signature):
            raise Unverified("signature/forged", "the server keeps a delegation that you never signed.")
    if mailbox.revoked is not None:
        try:
            instant(mailbox.revoked)
        except ValueError:
            raise Unverified("mailbox/malformed", f"the server tells of {mailbox.revoked}, which never was.") from None
    return mailbox
