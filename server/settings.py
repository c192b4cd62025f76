"""How a server is set up: from the environment, with defaults that need no care."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_data_dir


class SettingsRefused(Exception):
    """The server cannot start as it is set up; says what to change."""


def default_data() -> Path:
    """Where a server keeps its key, and its database if it is a file."""
    return Path(user_data_dir("poste-server"))


@dataclass(frozen=True)
class Settings:
    """One server's set-up. Every field has an environment variable, ``POSTE_`` and its name in capitals."""

    data: Path = field(default_factory=default_data)
    """The data directory: the signing key lives here."""
    db: str = ""
    """The database URL; empty is the SQLite file ``poste.db`` in the data directory."""
    host: str = "127.0.0.1"
    port: int = 8420
    url: str = ""
    """The address players use, as ``https://games.example.org``: signed requests must be meant for it."""
    proxies: int = 0
    """How many reverse proxies stand in front, whose ``X-Forwarded-*`` are believed."""
    threads: int = 24
    """Worker threads of ``poste-server run``."""
    polls: int = 16
    """How many requests may wait for news at the same time; always fewer than the threads."""
    connections: int = 1000
    """Connections that may be open at the same time, a tenth of them from one network."""
    rate: float = 50.0
    """Requests per second and address that are served in the long run; 0 is no limit."""
    burst: int = 400
    """Requests an address may make at once before the rate counts."""
    body: int = 64 * 1024
    """The largest request body, in bytes."""
    tables: int = 100
    """Unfinished tables that one player may have opened."""
    registrations: int = 50
    """Players that may be registered from one network in a day; 0 is no limit, here and in the next three."""
    confirmations: int = 50
    """Confirmation mails that may be asked for from one network in a day."""
    invitations: int = 30
    """Invitations of one player that go out by mail in a day."""
    invited: int = 10
    """Invitations that one player gets by mail in a day."""
    snapshot_every: int = 16
    """Entries between two snapshots of a table."""
    cache: int = 512
    """Tables kept folded in memory."""
    worker: int = 1
    """Whether ``run`` also does what ``worker`` and ``mail`` do (1), or leaves it to processes of their own (0)."""
    reminder: int = 86400
    """Seconds before a deadline at which a player is reminded, unless that is more than a quarter of their time."""
    mail: str = ""
    """How mail goes out: ``smtp://...``, ``smtps://...`` or ``maildir:///...``; empty is no mail at all."""
    mail_from: str = ""
    """The address mail comes from, and with ``+...`` before the ``@`` goes back to."""
    mail_listen: str = ""
    """Where mail comes in: ``lmtp://127.0.0.1:8424`` or ``smtp://...``; empty is nowhere."""
    mail_imap: str = ""
    """A mailbox that is polled for mail instead: ``imaps://user:password@host/INBOX``."""
    mail_every: int = 60
    """Seconds between two looks into that mailbox."""
    mail_lease: int = 120
    """Seconds after which a mail that a worker took and never sent is taken by another."""

    @property
    def database(self) -> str:
        """The database URL, written for SQLAlchemy with the drivers this server uses."""
        if not self.db:
            return f"sqlite:///{self.data / 'poste.db'}"
        scheme, mark, rest = self.db.partition("://")
        if not mark:
            return f"sqlite:///{self.db}"
        return f"postgresql+psycopg://{rest}" if scheme in ("postgres", "postgresql") else self.db

    @property
    def shown_database(self) -> str:
        """The database as it may be shown to anybody: without a password."""
        scheme, _, place = self.database.partition("://")
        return place.removeprefix("/") if scheme == "sqlite" else f"postgresql://{place.rpartition('@')[2]}"

    @property
    def polling(self) -> int:
        """How many long polls may run without taking the last threads from everybody else."""
        return max(1, min(self.polls, self.threads - max(2, self.threads // 4)))


_NUMBERS = {"port": (0, 65535), "proxies": (0, 10), "threads": (2, 512), "polls": (1, 512), "burst": (1, 10**6)} | {
    "connections": (10, 10**5),
    "body": (1024, 2**24),
    "tables": (1, 10**6),
    **dict.fromkeys(("registrations", "confirmations", "invitations", "invited"), (0, 10**6)),
    "snapshot_every": (1, 10**6),
    "cache": (1, 10**6),
    "worker": (0, 1),
    "reminder": (0, 10**7),
    "mail_every": (1, 86400),
    "mail_lease": (1, 86400),
}


def from_environment(environ: Mapping[str, str], **given: object) -> Settings:
    """The settings of the environment; what is given (and not None) goes before it. Raises SettingsRefused."""
    found: dict[str, object] = {}
    for name in Settings.__dataclass_fields__:
        text = environ.get(f"POSTE_{name.upper()}")
        if text:
            found[name] = _read(name, text)
    found |= {name: value for name, value in given.items() if value is not None}
    return Settings(**found)  # type: ignore[arg-type]


def _read(name: str, text: str) -> object:
    if name in _NUMBERS:
        low, high = _NUMBERS[name]
        return int(_number(name, text, int, low, high, f"a whole number from {low} to {high}"))
    if name == "rate":
        return _number(name, text, float, 0.0, inf, "a number, and not less than 0 (which is no limit)")
    if name == "url":
        _check_url(text)
    return Path(text) if name == "data" else text


def _number(name: str, text: str, kind: type[float], low: float, high: float, expected: str) -> float:
    try:
        number = kind(text)
    except ValueError:
        number = nan
    if not low <= number <= high:
        raise SettingsRefused(f"POSTE_{name.upper()} is “{text}”; it must be {expected}")
    return number


def _check_url(text: str) -> None:
    """Raise SettingsRefused unless links can be made of this, and it says for whom requests are signed."""
    try:
        parts = urlsplit(text)
        sound = text.isascii() and text.isprintable() and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not text.startswith(("https://", "http://")) or " " in text or "?" in text or "#" in text:
        why = "it looks like https://games.example.org; a name with other letters is written with xn--"
        raise SettingsRefused(f"POSTE_URL is “{text}”, which no link can be made of: {why}")
