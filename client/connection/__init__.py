"""What talks to the server."""
