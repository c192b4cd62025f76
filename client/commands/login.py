"""Another word for register."""

from __future__ import annotations

import copy

from client.commands import register

command = copy.copy(register.command)
command.name = "login"
