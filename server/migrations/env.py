"""Runs the migrations on the connection it is given (server/storage/database.py)."""

from __future__ import annotations

from alembic import context

from server.storage.models import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
