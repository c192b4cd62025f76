"""What is verified, remembered and kept on this machine."""
