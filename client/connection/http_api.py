"""The HTTP client: requests signed by RFC 9421, answers as typed values, troubles as sentences with an exit code."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from ipaddress import ip_address
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
import requests
from requests_http_signature import HTTPSignatureAuth, algorithms

from client.connection.request_deadlines import PATIENCE, Deadlines, LateError
from client.connection.response_types import (
    Events,
    Info,
    MailboxStatus,
    MoveAnswer,
    Player,
    Receipt,
    Summary,
    SummaryPage,
    ViewAnswer,
    WaitingTables,
)
from client.output import CommandRefused, ExitCode
from engine.harmless_text import shown
from engine.keys import SigningKey
from engine.record.audit import LARGEST_RECORD
from engine.typed_json import decode

CONNECT_SECONDS = 5
READ_SECONDS = 30
LARGEST_ANSWER = 8 * 1024 * 1024
"""Bytes of an answer that is not a log."""
OVERHEARD = (
    "WARNING: {server} is asked over plain http, and not on this machine: whoever is on the way can read what you and "
    "the server say, your hand and your address too, and pass for the server. Use https:// if it can be had."
)
LONGEST_TEXT = 1000
"""Characters of anything that a server says."""
PAGE = 50
T = TypeVar("T")


class Unreachable(CommandRefused):
    """The server cannot be asked, or does not answer as a server should."""

    exit_code = ExitCode.UNREACHABLE


class Busy(Unreachable):
    """The server is there and cannot do this now: as a rule it has no place left to wait for news in."""


class Problem(CommandRefused):
    """The server said no; ``code`` says to what."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(body.get("code", "unknown"))
        self.body = body
        super().__init__(_sentence(body, status, self.code))


def _sentence(body: Mapping[str, Any], status: int, code: str) -> str:
    detail = shown(str(body.get("detail") or body.get("title") or f"The server refused ({status})."), LONGEST_TEXT)
    stop = "" if detail.endswith((".", "!", "?")) else "."
    lines = [f"{detail[:1].upper()}{detail[1:]}{stop} [{shown(code, 100)}]"]
    for label, member in (("expected: ", "expected"), ("perhaps:  ", "nearest")):
        found = body.get(member)
        if isinstance(found, list):
            lines += [f"  {label}{shown(str(item), LONGEST_TEXT)}" for item in found[:5]]
    return "\n".join(lines)


class _Signed(HTTPSignatureAuth):
    """Signs a request with the player's key."""

    def __init__(self, key: SigningKey) -> None:
        super().__init__(
            signature_algorithm=algorithms.ED25519,
            key_id=key.public,
            label="poste",
            use_nonce=True,
        )
        self._key = key

    def get_created(self, request: requests.PreparedRequest) -> datetime.datetime:  # noqa: ARG002 - no Date header
        return datetime.datetime.now(datetime.UTC)

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        prepared = self.prepare(request)
        return self.apply(request, prepared, bytes.fromhex(self._key.sign(prepared.signature_base)))


def normal_url(url: str) -> str:
    """A server's address as it is remembered; refuses what is none."""
    parts = urlsplit(url if "://" in url else f"https://{url}")
    if "://" not in url and parts.hostname in ("localhost", "127.0.0.1", "::1"):
        parts = parts._replace(scheme="http")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise CommandRefused(f"“{url}” is not the address of a server; it looks like https://games.example.org")
    path = parts.path.rstrip("/").removesuffix("/v1")
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def is_overheard(url: str) -> bool:
    """Whether others on the way to this server can read along: without TLS, unless it is on this machine.

    >>> is_overheard("http://games.example.org"), is_overheard("http://localhost:8420"), is_overheard("http://[::1]:1")
    (True, False, False)
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost" or host.endswith(".localhost")
    return parts.scheme == "http" and not is_here


def _session() -> requests.Session:
    session = _Session()
    session.headers["User-Agent"] = "poste"
    # Environment proxies stay in force; a netrc must not add a second identity to ours.
    session.auth = lambda request: request
    return session


class _Session(requests.Session):
    """Goes nowhere else than where it is told, and does not even read on to find out where that would be."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002 - its signature
        return None


class Api:
    """One server, spoken to by one player, or by nobody in particular (``key`` None)."""

    def __init__(self, url: str, key: SigningKey | None = None) -> None:
        self.url = url
        self._auth = _Signed(key) if key else None
        self._session = _session()
        self._deadlines = Deadlines()

    def info(self) -> Info:
        """The server and its sealing key."""
        return self._get("", Info)

    def register(self, name: str) -> Player:
        """Register the key under this name."""
        return self._decoded(self._ask("POST", "/players", {"name": name}, signed=True), Player)

    def player(self, name: str) -> Player:
        """Who has this name."""
        return self._get(f"/players/{name}", Player)

    def change_key(self, name: str, succession: Mapping[str, Any]) -> Player:
        """Go on under another key."""
        return self._decoded(self._ask("PUT", f"/players/{name}/key", succession, signed=True), Player)

    def open_table(self, wish: Mapping[str, Any]) -> Summary:
        """Open a table."""
        return self._decoded(self._ask("POST", "/tables", wish, signed=True), Summary)

    def tables(self, which: str, most: int, game: str | None = None) -> list[Summary]:
        """Tables, newest first: open, mine, waiting or finished; all its pages together take no longer than one may."""
        found: dict[str, Summary] = {}
        after, until = None, monotonic() + self._deadlines.seconds
        while len(found) < most:
            query = {"list": which, "after": after, "limit": min(PAGE, most - len(found)), "game": game}
            left = until - monotonic()
            body = self._ask("GET", "/tables", query=query, signed=which in ("mine", "waiting"), seconds=left)
            page = self._decoded(body, SummaryPage)
            new = {summary.table: summary for summary in page.tables if summary.table not in found}
            found |= new
            after = page.next
            if after is None:
                break
            if len(new) < len(page.tables) or not new:
                raise Unreachable(f"{self.url} has a list of tables that goes round in circles.")
        return list(found.values())[:most]

    def waiting(self, wait: int, since: str | None) -> WaitingTables:
        """The tables that wait for the player; with ``wait``, as soon as they are others than ``since`` names."""
        return self._get("/waiting", WaitingTables, {"wait": wait, "since": since}, signed=True, wait=wait)

    def summary(self, table: str) -> Summary:
        """A table in brief."""
        return self._get(f"/tables/{table}", Summary)

    def sit(self, table: str, body: Mapping[str, Any]) -> Receipt:
        """Deliver a signed request for a seat."""
        return self._decoded(self._ask("POST", f"/tables/{table}/sits", body), Receipt)

    def move(self, table: str, body: Mapping[str, Any]) -> MoveAnswer:
        """Deliver a signed move."""
        return self._decoded(self._ask("POST", f"/tables/{table}/moves", body), MoveAnswer)

    def resign(self, table: str, body: Mapping[str, Any]) -> Receipt:
        """Deliver a signed resignation."""
        return self._decoded(self._ask("POST", f"/tables/{table}/resignations", body), Receipt)

    def state(self, table: str, body: Mapping[str, Any]) -> Receipt:
        """Deliver a signed statement: days off, a return, a vote."""
        return self._decoded(self._ask("POST", f"/tables/{table}/statements", body), Receipt)

    def mailbox(self) -> MailboxStatus:
        """The player's mailbox."""
        return self._get("/mailbox", MailboxStatus, signed=True)

    def change_mailbox(self, changes: Mapping[str, Any]) -> MailboxStatus:
        """Change the address, when to send mail, or what may be in it."""
        return self._decoded(self._ask("PUT", "/mailbox", changes, signed=True), MailboxStatus)

    def confirm_mailbox(self, code: str) -> MailboxStatus:
        """Confirm the address with the code that was sent there."""
        return self._decoded(self._ask("POST", "/mailbox/confirmation", {"code": code}, signed=True), MailboxStatus)

    def delegate(self, delegation: Mapping[str, Any]) -> MailboxStatus:
        """Deliver a signed delegation to the mail gateway."""
        return self._decoded(self._ask("PUT", "/mailbox/delegation", delegation, signed=True), MailboxStatus)

    def revoke(self, revocation: Mapping[str, Any]) -> MailboxStatus:
        """Deliver a signed revocation."""
        return self._decoded(self._ask("POST", "/mailbox/revocation", revocation, signed=True), MailboxStatus)

    def log(self, table: str, after: int = -1, wait: int = 0) -> list[bytes]:
        """The lines of the log behind entry ``after``, exactly as they came; with ``wait``, as soon as there are any.

        Everybody may read them: a player signs only to wait, for whom servers keep places.
        """
        query = {"after": after if after >= 0 else None, "wait": wait or None}
        signed = wait > 0 and self._auth is not None
        body = self._ask("GET", f"/tables/{table}/log", query=query, signed=signed, wait=wait, largest=LARGEST_RECORD)
        lines = body.split(b"\n")
        return lines[:-1] if lines[-1] == b"" else lines

    def view(self, table: str, *, signed: bool) -> ViewAnswer:
        """What the player (or an onlooker) may see."""
        return self._get(f"/tables/{table}/view", ViewAnswer, signed=signed)

    def events(self, table: str, after: int, *, signed: bool) -> Events:
        """What happened behind entry ``after``."""
        return self._get(f"/tables/{table}/events", Events, {"after": after}, signed=signed)

    def _get(
        self,
        path: str,
        kind: type[T],
        query: Mapping[str, Any] | None = None,
        *,
        signed: bool = False,
        wait: int = 0,
    ) -> T:
        return self._decoded(self._ask("GET", path, query=query, signed=signed, wait=wait), kind)

    def _decoded(self, body: bytes, kind: type[T]) -> T:
        try:
            return decode(body, kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise Unreachable(f"What {self.url} answers is not what a Poste Restante server says.") from None

    def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        signed: bool = False,
        wait: int = 0,
        largest: int = LARGEST_ANSWER,
        seconds: float | None = None,
    ) -> bytes:
        if signed and self._auth is None:
            raise CommandRefused("This needs an identity. Make one: poste init NAME")

        def exchange() -> tuple[requests.Response, bytes]:
            answer = self._session.request(
                method,
                f"{self.url}/v1{path}",
                params={name: value for name, value in (query or {}).items() if value is not None},
                data=None if body is None else msgspec.json.encode(body),
                headers={"Content-Type": "application/json"} if body is not None else None,
                auth=self._auth if signed else None,
                timeout=(CONNECT_SECONDS, READ_SECONDS + wait),
                allow_redirects=False,
                stream=True,
            )
            return answer, self._read(answer, largest)

        try:
            answer, content = self._deadlines.kept(exchange, seconds, wait)
        except LateError:
            self._session = _session()  # the old one is still being kept busy
            raise Unreachable(self._too_slow()) from None
        except (requests.ConnectionError, requests.Timeout) as error:
            raise Unreachable(self._trouble(error)) from None
        except (requests.RequestException, ValueError) as error:
            raise Unreachable(f"{self.url} cannot be spoken to: {shown(str(error), LONGEST_TEXT)}") from None
        if answer.ok and not answer.is_redirect:
            return content
        raise self._refusal(answer, content)

    def _read(self, answer: requests.Response, largest: int) -> bytes:
        """The whole body; a server that never stops talking is cut off."""
        content = bytearray()
        for piece in answer.iter_content(65536):
            content += piece
            if len(content) > largest:
                raise Unreachable(f"{self.url} sends more than any answer of a server could hold.")
        return bytes(content)

    def _refusal(self, answer: requests.Response, content: bytes) -> CommandRefused:
        if answer.is_redirect:
            where = shown(answer.headers.get("Location", "elsewhere"), LONGEST_TEXT)
            return Unreachable(f"{self.url} sends you to {where}; if you trust that, register there.")
        try:
            body = decode(content, dict[str, Any])
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            body = {}
        if "code" not in body:
            return Unreachable(f"{self.url} answers ({answer.status_code}), but not as a Poste Restante server does.")
        if answer.status_code >= 500:
            kind = Busy if body["code"] == "server/busy" else Unreachable
            return kind(f"{self.url} cannot answer: {_sentence(body, answer.status_code, str(body['code']))}")
        return Problem(answer.status_code, body)

    def _too_slow(self) -> str:
        return (
            f"{self.url} has not finished its answer within {self._deadlines.seconds:g} seconds. What you signed is "
            f"kept; simply try again. If your line is slow, allow it more time: {PATIENCE}=600"
        )

    def _trouble(self, error: requests.RequestException) -> str:
        if isinstance(error, requests.exceptions.SSLError):
            return f"The certificate of {self.url} does not hold; nothing was sent."
        if isinstance(error, requests.Timeout):
            return f"{self.url} does not answer in time. What you signed is kept; simply try again."
        return f"There is nobody at {self.url}. Is the address right, is the server running, are you online?"
