"""Mail that goes out: waiting, put together, and sent."""
