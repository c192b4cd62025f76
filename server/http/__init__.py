"""What is asked and answered over HTTP: types, signatures, limits."""
