"""Who is asking: requests signed by RFC 9421 with a player's Ed25519 key, each of them served once."""

from __future__ import annotations

import re
import socket
import time
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from flask import Request, request
from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageVerifier,
    HTTPSignatureAlgorithm,
    HTTPSignatureKeyResolver,
    InvalidSignature,
    algorithms,
)
from msgspec import Struct

from engine.keys import Key, verify
from server.problems import RequestRefused
from server.service import used_nonces
from server.service.server_context import ServerContext
from server.settings import Settings

SKEW = 300
"""Seconds by which the player's clock and ours may differ."""
_COVERED = ("@method", "@authority", "@target-uri")
_KEY = re.compile(r"[0-9a-f]{64}")
_NONCE = range(16, 129)
_PORTS = {"http": 80, "https": 443}
Authority: TypeAlias = tuple[str | None, int | None]
"""A host in small letters, and a port."""


class _Expired(InvalidSignature):
    """Signed too long ago, or in the future."""


class _Message(Struct, frozen=True):
    """The request as it was sent, before anything decoded its path."""

    method: str
    url: str
    headers: Any


class _Keys(HTTPSignatureKeyResolver):
    """A key id is the key."""

    def resolve_public_key(self, key_id: str) -> Key:
        if not _KEY.fullmatch(key_id):
            raise InvalidSignature("keyid must be a public key in 64 hexadecimal digits")
        return key_id


class _Ed25519(HTTPSignatureAlgorithm):
    """A request is signed as a move is, or not at all: the same keys and the same signatures hold."""

    algorithm_id = algorithms.ED25519.algorithm_id

    def __init__(self, public_key: Key) -> None:
        self._key = public_key

    def verify(self, signature: bytes, message: bytes) -> None:
        if not verify(self._key, message, signature.hex()):
            raise InvalidSignature("this key did not sign this request")


class _Verifier(HTTPMessageVerifier):
    def validate_created_and_expires(self, sig_input: Any, max_age: object = None) -> None:  # noqa: ARG002
        """The library's own check does not say which of its refusals is about time."""
        created, expires = sig_input.params.get("created"), sig_input.params.get("expires")
        if type(created) is not int:
            raise InvalidSignature("it does not say when it was created")
        now = time.time()
        if abs(now - created) > SKEW:
            raise _Expired("it was created more than five minutes from now")
        if expires is not None and expires < now:
            raise _Expired("it has expired")


_VERIFIER = _Verifier(signature_algorithm=_Ed25519, key_resolver=_Keys())


class Identities:
    """Tells who signed a request to this server."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._url = _authority(context.settings.url) if context.settings.url else None
        self._hosts = _hosts(context.settings)

    def required(self) -> Key:
        """The key that signed the request; raises Refused."""
        key = self.optional()
        if key is None:
            raise RequestRefused("identity/missing", "this request must be signed with your key (RFC 9421)")
        return key

    def optional(self) -> Key | None:
        """The key that signed the request, or None if nobody did; a bad signature is refused all the same."""
        if "Signature-Input" not in request.headers and "Signature" not in request.headers:
            return None
        self._check_meant_for_us(request.host)
        message = _Message(request.method, request.scheme + "://" + request.host + _target(request), request.headers)
        try:
            (result,) = _VERIFIER.verify(message, require_components=_COVERED, body=request.get_data())
        except _Expired as error:
            raise RequestRefused("identity/expired", f"the signature does not hold now: {error}") from None
        except HTTPMessageSignaturesException as error:
            raise RequestRefused("identity/signature", f"the signature does not hold: {str(error)[:200]}") from None
        key, nonce = str(result.parameters["keyid"]), result.nonce or ""
        if len(nonce) not in _NONCE:
            raise RequestRefused("identity/signature", "the signature needs a nonce of 16 to 128 characters")
        if not used_nonces.use(self._context, key, nonce, int(result.parameters["created"]) + 2 * SKEW):
            raise RequestRefused("identity/replayed", "this very request was made before")
        return key

    def _check_meant_for_us(self, host: str) -> None:
        """A request signed for another server, passed on by it, is not the player's wish here.

        Another server may well be another port of the same machine.
        """
        meant = _authority(f"{request.scheme}://{host}")
        if meant != self._url if self._url else meant[0] not in self._hosts or meant[1] != _port():
            raise RequestRefused(
                "identity/signature",
                f"the request is signed for {host[:100]}, which is not the address of this server (see POSTE_URL)",
            )


def _target(incoming: Request) -> str:
    environ = incoming.environ
    target = str(environ.get("REQUEST_URI") or environ.get("RAW_URI") or "")
    if not target.startswith("/"):
        raise RequestRefused("identity/signature", "the request target must be a path")
    return target


def _authority(url: str) -> Authority:
    """Whom a request to this address is meant for; a port that is not written is the scheme's own."""
    try:
        parts = urlsplit(url.lower())
        return parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None, None


def _hosts(settings: Settings) -> frozenset[str | None]:
    """What this machine is called where nobody has said what players call it."""
    return frozenset({"localhost", "127.0.0.1", "::1", socket.gethostname().lower(), settings.host.lower()})


def _port() -> int | None:
    """The port that this request came in by: the socket's, whatever a proxy says; None if it has none."""
    environ = request.environ
    own = environ.get("werkzeug.proxy_fix.orig", environ)
    port = str(own.get("SERVER_PORT", ""))
    # From a Unix socket there is no address, and gunicorn makes up a port from what the request says.
    return int(port) if own.get("REMOTE_ADDR") and port.isdecimal() else None
