"""Mailboxes, the outbox, and the clock's own column; whoever stands in for whom, beside the log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what mail and the clock need; derived columns of tables that are under way are worked out anew."""
    op.create_table(
        "mailboxes",
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("confirmed", sa.String(), nullable=True),
        sa.Column("code", sa.String(), nullable=True),
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column("frequency", sa.String(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("sent", sa.String(), nullable=True),
        sa.Column("delegation", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name=op.f("fk_mailboxes_player")),
        sa.PrimaryKeyConstraint("player", name=op.f("pk_mailboxes")),
        sa.UniqueConstraint("handle", name=op.f("uq_mailboxes_handle")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("table_number", sa.Integer(), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("base", sa.String(), nullable=True),
        sa.Column("seq", sa.Integer(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("due", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name=op.f("fk_outbox_player")),
        sa.ForeignKeyConstraint(["table_number"], ["tables.number"], name=op.f("fk_outbox_table_number")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("message_id", name=op.f("uq_outbox_message_id")),
        sa.UniqueConstraint("token", name=op.f("uq_outbox_token")),
    )
    op.create_index(op.f("ix_outbox_state_due"), "outbox", ["state", "due"], unique=False)
    op.create_index(op.f("ix_outbox_player_kind_created"), "outbox", ["player", "kind", "created"], unique=False)
    op.add_column("held", sa.Column("by", sa.String(), nullable=True))
    op.add_column("tables", sa.Column("attendance", sa.String(), nullable=True))
    op.add_column("tables", sa.Column("look", sa.String(), nullable=True))
    op.create_index(op.f("ix_tables_look"), "tables", ["look"], unique=False)
    # Only a look at the table tells what the new columns say: the clock looks at once, wherever it ran before.
    op.execute("UPDATE tables SET look = at WHERE clock IS NOT NULL AND phase = 'playing'")
    op.drop_index(op.f("ix_tables_deadline"), "tables")
    op.drop_column("tables", "deadline")
