"""When a sealed answer was given, and up to when a player's delegations are revoked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both; answers that are held now count as given when they are opened, as they did before."""
    op.add_column("held", sa.Column("given", sa.String(), nullable=True))
    op.add_column("mailboxes", sa.Column("revoked", sa.String(), nullable=True))
