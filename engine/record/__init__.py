"""A table's log: signed entries, chained by hash, replayed and audited by anyone."""
