"""The schema's history; runs on SQLite and PostgreSQL alike."""
