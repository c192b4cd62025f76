"""The addresses of the server: where mail comes from, and what an address that it comes back to means."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from msgspec import Struct

from engine.scene.canvas import clean
from server.email_addresses import is_address
from server.mail.letters.letter_parts import Letter
from server.mail.outgoing.message_composer import Postmark, Unmailable, compose
from server.settings import Settings, SettingsRefused

OFFICE = "Poste Restante"
_TOKEN = re.compile(r"[a-z2-7]{32}")
_STOP = re.compile(r"stop-([0-9a-f]{32})")
_A_TOKEN, _A_HANDLE = "a" * 32, "0" * 32
_LONGEST_LOCAL = 64
"""What may stand before the ``@``, by RFC 5321."""


class Meant(Struct, frozen=True):
    """What somebody means who writes to an address: a reply, the end of all mail, or (neither) the server."""

    token: str | None = None
    stop: str | None = None


class Counter(Struct, frozen=True):
    """The mail counter of a server: its addresses."""

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
        links += [f"mailto:{self.stop_address(handle)}"] if self.takes_mail else []
        return tuple(links)

    def stop_address(self, handle: str) -> str:
        """The address at which any mail at all means that no more is wanted."""
        return f"{self.local}+stop-{handle}@{self.domain}"

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
        wrong = f"POSTE_MAIL_FROM is “{clean(settings.mail_from)}”; it must be"
        why = wrong if settings.mail_from else "POSTE_MAIL needs POSTE_MAIL_FROM,"
        raise SettingsRefused(f"{why} an address such as post@games.example.org")
    local, _, domain = settings.mail_from.rpartition("@")
    takes_mail = bool(settings.mail_listen or settings.mail_imap)
    found = Counter(local, domain, settings.url.rstrip("/"), takes_mail)
    if takes_mail:
        _check_replies(found)
    try:
        at = datetime.now(UTC)
        sample = found.mark(found.sender, "sample", at, table=None, token=_A_TOKEN, handle=_A_HANDLE, answers=None)
        compose(Letter("A sample", "Nobody gets this."), sample)
    except Unmailable as error:
        raise SettingsRefused(f"no mail can be sent with this POSTE_MAIL_FROM and POSTE_URL: {error}") from None
    return found


def _check_replies(found: Counter) -> None:
    """Raise SettingsRefused unless whatever comes back to the addresses of this counter is understood."""
    if len(longest := found.stop_address(_A_HANDLE).rpartition("@")[0]) > _LONGEST_LOCAL:
        most = _LONGEST_LOCAL - len(longest) + len(found.local)
        why = f"has more than {most} characters before its @, and no room for what a reply needs there"
        raise SettingsRefused(f"POSTE_MAIL_FROM {why}; take something like post@{found.domain}")
    reply, stop = found.reply_to(_A_TOKEN) or "", found.stop_address(_A_HANDLE)
    if (found.meaning(reply), found.meaning(stop)) != (Meant(token=_A_TOKEN), Meant(stop=_A_HANDLE)):
        plain = found.local.partition("+")[0] or "post"
        why = f"replies to {found.sender} could not be told from other mail"
        raise SettingsRefused(f"{why}: write POSTE_MAIL_FROM={plain}@{found.domain}, without a + before the @")
