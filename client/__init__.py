"""The player's side: the ``poste`` command."""
