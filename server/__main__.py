"""``python -m server`` is ``poste-server``."""

from server.cli import main

main()
