"""One module a step, applied in order."""
