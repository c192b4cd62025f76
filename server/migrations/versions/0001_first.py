"""The first schema: players, tables, their logs, and what is derived from them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table of the database."""
    op.create_table(
        "nonces",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("nonce", sa.String(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", "nonce", name=op.f("pk_nonces")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_nonces_expires"), "nonces", ["expires"], unique=False)
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("folded", name=op.f("uq_players_folded")),
        sa.UniqueConstraint("key", name=op.f("uq_players_key")),
    )
    op.create_table(
        "player_keys",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name=op.f("fk_player_keys_player")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_player_keys")),
    )
    op.create_index(op.f("ix_player_keys_player"), "player_keys", ["player"], unique=False)
    op.create_table(
        "tables",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("opener", sa.Integer(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("clock", sa.String(), nullable=True),
        sa.Column("opened", sa.String(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("turn", sa.String(), nullable=False),
        sa.Column("deadline", sa.String(), nullable=True),
        sa.Column("standing", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["opener"], ["players.id"], name=op.f("fk_tables_opener")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_tables")),
        sa.UniqueConstraint("id", name=op.f("uq_tables_id")),
    )
    op.create_index(op.f("ix_tables_deadline"), "tables", ["deadline"], unique=False)
    op.create_index(op.f("ix_tables_opener_phase"), "tables", ["opener", "phase"], unique=False)
    op.create_index(op.f("ix_tables_phase_number"), "tables", ["phase", "number"], unique=False)
    op.create_table(
        "entries",
        sa.Column("table_number", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("line", sa.LargeBinary(), nullable=False),
        sa.Column("events", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["table_number"], ["tables.number"], name=op.f("fk_entries_table_number")),
        sa.PrimaryKeyConstraint("table_number", "seq", name=op.f("pk_entries")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_entries_table_number_hash"), "entries", ["table_number", "hash"], unique=True)
    op.create_table(
        "held",
        sa.Column("table_number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("base", sa.String(), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["table_number"], ["tables.number"], name=op.f("fk_held_table_number")),
        sa.PrimaryKeyConstraint("table_number", "seat", name=op.f("pk_held")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "invites",
        sa.Column("table_number", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name=op.f("fk_invites_player")),
        sa.ForeignKeyConstraint(["table_number"], ["tables.number"], name=op.f("fk_invites_table_number")),
        sa.PrimaryKeyConstraint("table_number", "player", name=op.f("pk_invites")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_invites_player"), "invites", ["player"], unique=False)
    op.create_table(
        "seats",
        sa.Column("table_number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("resigned", sa.Boolean(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name=op.f("fk_seats_player")),
        sa.ForeignKeyConstraint(["table_number"], ["tables.number"], name=op.f("fk_seats_table_number")),
        sa.PrimaryKeyConstraint("table_number", "seat", name=op.f("pk_seats")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_seats_player_live"), "seats", ["player", "live"], unique=False)
    op.create_table(
        "snapshots",
        sa.Column("table_number", sa.Integer(), nullable=False),
        sa.Column("engine", sa.String(), nullable=False),
        sa.Column("folded", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["table_number"], ["tables.number"], name=op.f("fk_snapshots_table_number")),
        sa.PrimaryKeyConstraint("table_number", name=op.f("pk_snapshots")),
    )
