"""Mail that comes in: received, read for what a person wants, and done."""
