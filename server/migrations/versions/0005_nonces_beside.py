"""On SQLite the requests that were served are noted in a file beside the database."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the table where it is not used any more: what is in it is of no use five minutes later."""
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index(op.f("ix_nonces_expires"), "nonces")
        op.drop_table("nonces")
