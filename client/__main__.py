"""``python -m client`` is ``poste``."""

from client.cli import main

main()
