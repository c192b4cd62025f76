"""The database: connections, transactions, and what wakes those who wait for a change."""
