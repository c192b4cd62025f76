"""What a player has allowed the mail gateway, and taken back: on the disk before anybody else sees it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import msgspec

from client.answers import Delegation, Mailbox
from client.api import Api
from client.files import append_lines, locked, read_lines
from client.memory import Damaged, Delegated, Revoked
from client.verify import Unverified
from engine.keys import Key, SigningKey, verify
from engine.record.entry import Timestamp, delegate_message, instant, revoke_message, timestamp

Allowed: TypeAlias = Delegated | Revoked

EARLIER = timedelta(minutes=5)
"""A delegation begins so much before it is signed, so that it holds at once where a server's clock is behind."""
_ALLOWED: msgspec.json.Decoder[Allowed] = msgspec.json.Decoder(Allowed)


class Delegations:
    """What one identity has delegated, in order."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def own(self) -> list[Allowed]:
        """Everything delegated and everything taken back."""
        try:
            return [_ALLOWED.decode(line) for line in read_lines(self._path)]
        except (msgspec.DecodeError, UnicodeError):
            raise Damaged(f"{self._path} is damaged; it says what you let mail do for you. Restore it.") from None

    def remember(self, allowed: Allowed) -> None:
        """Write it down."""
        with locked(self._path.with_suffix(".lock")):
            append_lines(self._path, [msgspec.json.encode(allowed)])

    def signed_here(self, delegation: Delegation) -> bool:
        """Whether a delegation was signed on this machine."""
        return any(isinstance(each, Delegated) and each.signature == delegation.signature for each in self.own())

    def moment(self, now: datetime) -> Timestamp:
        """Now, or the first moment after everything that was said before: only what is newer counts."""
        said = [each.begins if isinstance(each, Delegated) else each.before for each in self.own()]
        last = max(map(instant, said), default=now)
        return timestamp(max(now, last + timedelta(milliseconds=1)) if said else now)


def allow(
    api: Api, key: SigningKey, kept: Delegations, to: Key, lasting: timedelta, tables: Sequence[str] | None
) -> Mailbox:
    """Let a mail gateway speak for the player for so long, at these tables or at all; gives the mailbox then."""
    now = datetime.now(UTC)
    begins, ends = kept.moment(now - EARLIER), timestamp(now + lasting)
    signature = key.sign(delegate_message(key.public, to, begins, ends, tables))
    delegated = Delegated(signature, to, begins, ends, None if tables is None else tuple(tables))
    kept.remember(delegated)
    body = {"to": to, "begins": begins, "ends": ends, "signature": signature}
    mailbox = checked(api.delegate(body if tables is None else {**body, "tables": list(tables)}), key.public)
    if mailbox.delegation is None or mailbox.delegation.signature != signature:
        raise Unverified("delegation/other", "the server keeps another delegation than the one you signed.")
    return mailbox


def take_back(api: Api, key: SigningKey, kept: Delegations, also: Delegation | None = None) -> Mailbox:
    """Take back whatever was delegated (``also``: on another machine); gives the mailbox then."""
    before = kept.moment(datetime.now(UTC))
    if also is not None:
        before = max(before, timestamp(instant(also.begins) + timedelta(milliseconds=1)))
    revoked = Revoked(key.sign(revoke_message(key.public, before)), before)
    kept.remember(revoked)
    mailbox = checked(api.revoke({"before": before, "signature": revoked.signature}), key.public)
    if mailbox.delegation is not None:
        raise Unverified("own/revoked", "the server still keeps a delegation that you have taken back.")
    kept.remember(msgspec.structs.replace(revoked, heard=True))
    return mailbox


def checked(mailbox: Mailbox, me: Key) -> Mailbox:
    """A mailbox as the server tells of it; raises Unverified if the player never signed what they are said to."""
    said = mailbox.delegation
    if said is not None:
        message = delegate_message(me, said.to, said.begins, said.ends, said.tables)
        if not verify(me, message, said.signature):
            raise Unverified("signature/forged", "the server keeps a delegation that you never signed.")
    return mailbox
