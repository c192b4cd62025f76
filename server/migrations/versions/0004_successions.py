"""What players sign to go on under another key; games of two that ended with a resignation are told as won."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TWO = 2


def upgrade() -> None:
    """Add the columns, and work the standings of such games out anew."""
    with op.batch_alter_table("player_keys") as player_keys:
        for name in ("former", "signature", "consent"):
            player_keys.add_column(sa.Column(name, sa.String(), nullable=True))
        player_keys.create_unique_constraint(op.f("uq_player_keys_former"), ["former"])
    op.add_column("tables", sa.Column("succeeding", sa.Boolean(), nullable=False, server_default=sa.false()))
    _tell_who_has_won(op.get_bind())


def _tell_who_has_won(connection: sa.Connection) -> None:
    tables = sa.table("tables", *map(sa.column, ("number", "seats", "phase", "standing")))
    seats = sa.table("seats", sa.column("table_number"), sa.column("seat"), sa.column("resigned", sa.Boolean()))
    ended = (
        sa.select(tables.c.number, tables.c.standing, seats.c.seat)
        .join_from(tables, seats, seats.c.table_number == tables.c.number)
        .where(tables.c.seats == _TWO, tables.c.phase == "closed", seats.c.resigned, tables.c.standing.is_not(None))
    )
    for number, written, seat in connection.execute(ended).all():
        standing = json.loads(written) | {"final": True, "ranking": [[1 - seat], [seat]]}
        told = json.dumps(standing, separators=(",", ":"), ensure_ascii=False)
        connection.execute(tables.update().where(tables.c.number == number).values(standing=told))
