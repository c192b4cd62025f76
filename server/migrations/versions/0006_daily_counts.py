"""How often something was done today, by whom or to whom, where a day has its limit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the counts."""
    op.create_table(
        "daily_counts",
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("what", name=op.f("pk_daily_counts")),
    )
