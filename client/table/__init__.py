"""What a player does at a table."""
