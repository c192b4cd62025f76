"""How long a log may grow, so that everybody can audit it: a record of more than 64 MiB is none.

Whoever is refused here can still resign, and the server can still play for those who do not come, give the table up and
close it: for that the other half of a record is kept free.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from engine.game import Seat
from engine.record.audit import LARGEST_RECORD
from engine.record.chain import Chain
from engine.record.entry import Sit, read_line
from server.problems import RequestRefused
from server.storage.models import ENTRIES

MOST_BYTES = LARGEST_RECORD // 2
"""A log as long as this takes no more moves, words or players."""
MOST_SITS = 200
"""So often seats of one table may be taken, and given back before the deal."""
MOST_SITS_OF_PLAYER = 10
"""So often of these by the same player."""
MOST_REMARKS = 500
"""So often a player may take days off, be back, vote, or delegate anew, all taken together, at one table."""


def check_move(chain: Chain) -> None:
    """Raise Refused unless the log has room for a move."""
    if chain.size >= MOST_BYTES:
        full = f"the log of this table is full ({MOST_BYTES // 2**20} MiB), and takes nothing more but resignations"
        raise RequestRefused("limit/log", f"{full}: poste resign. When all but one have resigned, the table is closed")


def check_remark(chain: Chain, seat: Seat) -> None:
    """Raise Refused unless the log has room for something that a player says beside the game."""
    check_move(chain)
    if seat < len(chain.said) and chain.said[seat] >= MOST_REMARKS:
        said = (
            f"beside your moves you have said {MOST_REMARKS} things at this table (days off, back, votes, delegations)"
        )
        raise RequestRefused(
            "limit/log", f"{said}, and its log takes no more of them; moves and a resignation it does take"
        )


def check_sit(connection: Connection, number: int, name: str) -> None:
    """Raise Refused unless the log has room for somebody of this name to sit down."""
    lines = select(ENTRIES.c.line).where(ENTRIES.c.table_number == number).order_by(ENTRIES.c.seq).limit(_LOOKED_AT)
    entries = [read_line(bytes(line)).entry for line in connection.scalars(lines)]
    sits = [entry.name for entry in entries if isinstance(entry, Sit)]
    if sits.count(name) >= MOST_SITS_OF_PLAYER:
        why = f"you have sat down at this table {MOST_SITS_OF_PLAYER} times, and its log takes no more of that"
        raise RequestRefused("limit/log", f"{why}; sit down at another one")
    if len(sits) >= MOST_SITS:
        why = f"seats of this table have been taken {MOST_SITS} times, and its log takes no more of that"
        raise RequestRefused("limit/log", f"{why}; open another one: poste new")


_LOOKED_AT = 10 * MOST_SITS
"""More is not in a log before the deal, not even if all its players change their keys now and then."""
