"""The addresses of the office: where mail comes from, and what an address that it comes back to means."""

from __future__ import annotations

import re
from datetime import datetime

from msgspec import Struct

from server.mail.addresses import is_address
from server.mail.composing import Postmark
from server.settings import Settings, SettingsRefused

OFFICE = "Poste Restante"
_TOKEN = re.compile(r"[a-z2-7]{32}")
_STOP = re.compile(r"stop-([0-9a-f]{32})")


class Meant(Struct, frozen=True):
    """What somebody means who writes to an address: a reply, the end of all mail, or (neither) the office."""

    token: str | None = None
    stop: str | None = None


class Counter(Struct, frozen=True):
    """The mail counter of an office: its addresses."""

    local: str
    domain: str
    url: str
    takes_mail: bool

    @property
    def sender(self) -> str:
        """The address that mail comes from."""
        return f"{self.local}@{self.domain}"

    def reply_to(self, token: str) -> str | None:
        """The address that replies to one mail go to; None if no mail comes in here."""
        return f"{self.local}+{token}@{self.domain}" if self.takes_mail else None

    def unsubscribe(self, handle: str) -> tuple[str, ...]:
        """Where to go to get no more mail."""
        links = [f"{self.url}/v1/mail/{handle}/stop"] if self.url else []
        links += [f"mailto:{self.local}+stop-{handle}@{self.domain}"] if self.takes_mail else []
        return tuple(links)

    def meaning(self, address: str) -> Meant | None:
        """What is meant by writing to this address; None if it is none of ours."""
        local, _, domain = address.strip().lower().rpartition("@")
        if domain != self.domain.lower():
            return None
        name, plus, detail = local.partition("+")
        if name != self.local.lower():
            return None
        if not plus:
            return Meant()
        if _TOKEN.fullmatch(detail):
            return Meant(token=detail)
        stop = _STOP.fullmatch(detail)
        return Meant(stop=stop[1]) if stop else None

    def mark(
        self, to: str, message_id: str, at: datetime, *, table: str | None, token: str, handle: str, answers: str | None
    ) -> Postmark:
        """What stands at the head of a mail to this address."""
        return Postmark(
            office=OFFICE,
            sender=self.sender,
            domain=self.domain,
            to=to,
            message_id=message_id,
            table=table,
            reply_to=self.reply_to(token),
            unsubscribe=self.unsubscribe(handle),
            in_reply_to=answers,
            at=at,
        )


def counter(settings: Settings) -> Counter:
    """The counter of a server set up like this; raises SettingsRefused."""
    if not is_address(settings.mail_from):
        raise SettingsRefused("POSTE_MAIL needs POSTE_MAIL_FROM, an address such as post@games.example.org")
    local, _, domain = settings.mail_from.rpartition("@")
    takes_mail = bool(settings.mail_listen or settings.mail_imap)
    return Counter(local, domain, settings.url.rstrip("/"), takes_mail)
