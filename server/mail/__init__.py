"""Mail: turns go out by it, and moves come in."""
