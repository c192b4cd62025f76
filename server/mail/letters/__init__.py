"""What mails say: letters, their words, and how they are laid out."""
