"""How soon a thread at work lets another of its process go on: a matter of the process, not of anything in it."""

from __future__ import annotations

import sys

SECONDS = 0.0005
"""With Python's own 5 ms a short answer waits for a long one, and a relay for us most of the time: a mail takes five
steps, and each would wait for its turn.
"""


def take_short_turns() -> None:
    """Let the threads of this process, which serves or sends, take turns often."""
    sys.setswitchinterval(min(sys.getswitchinterval(), SECONDS))
