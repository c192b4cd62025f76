"""Signed requests that were served already."""

from __future__ import annotations

import time

from sqlalchemy import delete, insert
from sqlalchemy.exc import IntegrityError

from engine.keys import Key
from server.service.server_context import ServerContext
from server.storage.models import NONCES

_SWEEP = 64
"""One in so many new nonces sweeps away those whose signatures have expired anyway."""


def use(context: ServerContext, key: Key, nonce: str, expires: int) -> bool:
    """Whether this key uses this nonce for the first time; it is remembered until ``expires`` (Unix time)."""
    try:
        with context.storage.noting() as connection:
            connection.execute(insert(NONCES), {"key": key, "nonce": nonce, "expires": expires})
            if hash(nonce) % _SWEEP == 0:
                connection.execute(delete(NONCES).where(NONCES.c.expires < int(time.time())))
    except IntegrityError:
        return False
    return True
