"""Daily caps: how often a day players are registered and strangers are written to, by whom and to whom.

They are counted in the transaction of what they count, so that no restart forgets them and all processes of a server
count together. A day is UTC's.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, time, timedelta

from sqlalchemy import Connection, case
from sqlalchemy.dialects import postgresql, sqlite

from engine.record.entry import instant
from server.problems import RequestRefused
from server.service.server_context import ServerContext
from server.storage.models import DAILY_COUNTS


def count_registration(context: ServerContext, connection: Connection, network: str | None) -> None:
    """One more player from this network; raises Refused. What is None comes from this machine, and is not counted."""
    if not _counted(context, connection, "registrations", network, context.settings.registrations):
        why = f"{context.settings.registrations} players a day may be registered from one network; try again tomorrow"
        raise RequestRefused("limit/players", why, retry=_until_tomorrow(context))


def count_confirmation(context: ServerContext, connection: Connection, network: str | None) -> None:
    """One more stranger's address that is asked, because somebody in this network wants it; raises Refused."""
    if not _counted(context, connection, "confirmations", network, context.settings.confirmations):
        why = f"{context.settings.confirmations} confirmation mails a day must do for one network; try again tomorrow"
        raise RequestRefused("limit/mail", why, retry=_until_tomorrow(context))


def may_invite_by_mail(context: ServerContext, connection: Connection, inviter: int, guest: int) -> bool:
    """Whether one more invitation by this player, and to this one, goes out by mail; it is counted if so.

    Whoever asks about several guests asks in the order of their numbers: no two transactions wait for each other then.
    """
    # The inviter first: whoever may send no more must not use up what others may send to a guest.
    return _counted(context, connection, "invitations", str(inviter), context.settings.invitations) and _counted(
        context, connection, "invited", str(guest), context.settings.invited
    )


def _counted(context: ServerContext, connection: Connection, what: str, who: str | None, most: int) -> bool:
    """Count one more; False, and nothing is counted, if that were more than ``most`` (0: there is no limit)."""
    if who is None or most == 0:
        return True
    today = context.now()[:10]
    same_day = DAILY_COUNTS.c.day == today
    made = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(DAILY_COUNTS)
    one_more = made.values(what=_mark(context, what, who), day=today, number=1).on_conflict_do_update(
        index_elements=["what"],
        set_={"day": today, "number": case((same_day, DAILY_COUNTS.c.number + 1), else_=1)},
        where=~same_day | (DAILY_COUNTS.c.number < most),
    )
    return connection.execute(one_more.returning(DAILY_COUNTS.c.number)).one_or_none() is not None


def _mark(context: ServerContext, what: str, who: str) -> str:
    """What is counted, without saying of whom: a database need not tell where its players live."""
    return f"{what}.{hmac.digest(context.stationery.secret, f'{what} {who}'.encode(), 'sha256').hex()[:24]}"


def _until_tomorrow(context: ServerContext) -> int:
    now = instant(context.now())
    tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    return int((tomorrow - now).total_seconds()) + 1
