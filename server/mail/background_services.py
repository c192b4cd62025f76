"""What runs beside the HTTP server, or in processes of its own: the worker, and where mail comes in."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from urllib.parse import urlsplit

from server.mail.incoming import imap_fetcher
from server.mail.incoming.gateway import Gateway
from server.mail.incoming.smtp_listener import Listener
from server.mail.outgoing.transport import transport
from server.mail.reply_addresses import counter
from server.mail.worker import Post, keep_at
from server.service.deadline_rounds import round_of
from server.service.server_context import ServerContext
from server.settings import Settings, SettingsRefused

_LMTP_PORT = 8424
_SMTP_PORT = 8425


class BackgroundServices:
    """Threads of one process that are started together and stopped together."""

    def __init__(self) -> None:
        self._stop = Event()
        self._threads: list[Thread] = []
        self._listener: Listener | None = None
        self.address: str | None = None
        """Where mail comes in, once it does."""

    def work(self, context: ServerContext) -> None:
        """Do the worker's work: deadlines always, mail if the server is set up for it. Raises SettingsRefused.

        Neither waits for the other: a relay that takes its time stops no clock.
        """
        check(context.settings)
        if context.settings.mail:
            post = Post(context, counter(context.settings), self._stop)

            def send(stop: Event) -> None:
                keep_at(post.work, stop)
                post.close()

            self._thread("post", send)
        self._thread("clock", lambda stop: keep_at(lambda: round_of(context), stop))

    def take_mail(self, context: ServerContext) -> None:
        """Take mail as the settings say. Raises SettingsRefused."""
        settings = context.settings
        check(settings)
        gateway = Gateway(context, counter(settings))
        if settings.mail_listen:
            lmtp, host, port = listening(settings)
            self._listener = Listener(host, port, lmtp=lmtp, welcome=gateway.welcome, deliver=gateway.deliver)
            self._listener.start()
            self.address = f"{'lmtp' if lmtp else 'smtp'}://{host}:{self._listener.port}"
        if settings.mail_imap:
            mailbox = imap_fetcher.parse(settings.mail_imap)
            domain = settings.mail_from.rpartition("@")[2]

            def poll(stop: Event) -> None:
                imap_fetcher.poll(
                    mailbox,
                    gateway.deliver,
                    lambda data: imap_fetcher.recipients_of(data, domain),
                    settings.mail_every,
                    stop,
                )

            self._thread("imap", poll)

    def _thread(self, name: str, run: Callable[[Event], None]) -> None:
        thread = Thread(target=run, args=(self._stop,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def tell(self) -> None:
        """Tell all of them to stop; what was begun is finished."""
        if self._stop.is_set():
            return
        self._stop.set()
        if (listener := self._listener) is not None:
            # In a thread as well: it waits for the deliveries that have begun.
            self._thread("mail in", lambda _: listener.stop())

    def close(self, until: float) -> list[str]:
        """Stop, and wait for all of them until then (by the monotonic clock); gives those that have not ended."""
        self.tell()
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        return [thread.name for thread in self._threads if thread.is_alive()]


def listening(settings: Settings) -> tuple[bool, str, int]:
    """Whether to speak LMTP, and where to listen; raises SettingsRefused."""
    refused = SettingsRefused(f"POSTE_MAIL_LISTEN is “{settings.mail_listen}”; it looks like lmtp://127.0.0.1:8424")
    try:
        parts = urlsplit(settings.mail_listen)
        port = parts.port
    except ValueError:
        raise refused from None
    if parts.scheme not in ("lmtp", "smtp") or not parts.hostname or parts.path not in ("", "/"):
        raise refused
    lmtp = parts.scheme == "lmtp"
    usual = _LMTP_PORT if lmtp else _SMTP_PORT
    return lmtp, parts.hostname, usual if port is None else port


def check(settings: Settings) -> None:
    """Raise SettingsRefused if mail is set up in a way that no mail, or no reply, could ever get through."""
    if takes_mail(settings) and not settings.mail:
        name = "POSTE_MAIL_LISTEN" if settings.mail_listen else "POSTE_MAIL_IMAP"
        missing = "POSTE_MAIL" if settings.mail_from else "POSTE_MAIL and POSTE_MAIL_FROM"
        raise SettingsRefused(f"{name} needs {missing}, or no mail that comes in could be answered: see docs/mail.md")
    if settings.mail:
        counter(settings)
        transport(settings.mail, settings.mail_from).prepare()
    if settings.mail_listen:
        listening(settings)
    if settings.mail_imap:
        imap_fetcher.parse(settings.mail_imap)


def takes_mail(settings: Settings) -> bool:
    """Whether mail comes in at a server set up like this."""
    return bool(settings.mail_listen or settings.mail_imap)
