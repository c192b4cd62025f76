"""A whole game over real HTTP: a server process, players with homes of their own, a record, an audit."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from client.connection.http_api import Api
from client.output import print_scene, print_text, say
from client.screen.move_picker import choose
from client.screen.table_status import happened, status
from client.table.bot_player import play_once, play_to_the_end
from client.table.long_polling import await_news
from client.table.player_desk import Desk
from client.table.turn import deliver, sign, sit
from client.table.verified_view import Seen, look
from client.trust.player_home import Home, usual_name
from client.trust.table_memory import Memory
from engine.bots import POLICIES
from engine.chance import Chance
from engine.game import AnyGame
from engine.record.audit import Audit, audit
from engine.record.chain import Phase

BOTS = ("anne", "bruno", "chloe", "denis", "edith", "fabien", "gaston")


class Shown(Struct, frozen=True):
    """What came of a demonstration."""

    table: str
    record: Path
    audit: Audit
    last: Seen


def player(folder: Path, server: str, name: str) -> Desk:
    """A player with a home, a key and a name on the server."""
    home = Home(folder / name)
    desk = Desk(home, home.create(name, ""))
    api = Api(server, desk.key)
    home.pin(server, api.info().key)
    api.register(name)
    desk.remember(server=server, registered=name)
    return desk


def demonstrate(folder: Path, server: str, game: AnyGame, seats: int, *, alone: bool, quiet: bool) -> Shown:
    """Seat everybody, play the game to its end, export the record and audit it; ``alone`` are the bots."""
    names = BOTS[:seats] if alone else (usual_name(), *[bot for bot in BOTS if bot != usual_name()][: seats - 1])
    desks = [player(folder, server, name) for name in names]
    wish = {"game": game.key, "seats": seats}
    table = desks[0].api().open_table(wish).table
    memories = [desk.memory(table) for desk in desks]
    for desk, memory in zip(desks, memories, strict=True):
        sit(desk, memory, None)
    bots = [_Bot(desk, memory) for desk, memory in zip(desks[1:], memories[1:], strict=True)]
    for bot in bots:
        bot.start()
    first = (desks[0], memories[0])
    last = _watched(*first, quiet=quiet) if alone else _played(*first)
    for bot in bots:
        bot.finish()
    record = folder / f"{game.key}-{table[:8]}.poste"
    record.write_bytes(b"".join(sealed.line + b"\n" for sealed in memories[0].log))
    return Shown(table, record, audit(record.read_bytes()), last)


class _Bot(threading.Thread):
    """A bot that plays in the background, with its own home and its own memory."""

    def __init__(self, desk: Desk, memory: Memory) -> None:
        super().__init__(daemon=True)
        self._desk, self._memory = desk, memory
        self._failure: Exception | None = None

    def run(self) -> None:
        try:
            play_to_the_end(self._desk, self._memory, POLICIES["greedy"])
        except Exception as failure:  # it is raised again where somebody can see it
            self._failure = failure

    def finish(self) -> None:
        """Wait for the end of the game, and raise whatever went wrong."""
        self.join(timeout=60)
        if self._failure:
            raise self._failure


def _watched(desk: Desk, memory: Memory, *, quiet: bool) -> Seen:
    """The first bot plays here, and tells what happens."""
    mind, told = Chance(secrets.token_bytes(32)), _teller(desk, quiet=quiet)
    while True:
        seen = look(desk, memory)
        told(seen)
        if seen.chain.phase is not Phase.PLAYING:
            return seen
        if seen.mine is not None and seen.held is None:
            play_once(desk, seen, POLICIES["greedy"], mind)
        else:
            await_news(desk, memory)


def _played(desk: Desk, memory: Memory) -> Seen:
    """The person at the terminal plays."""
    told = _teller(desk, quiet=False)
    while True:
        seen = look(desk, memory)
        told(seen)
        if seen.chain.phase is not Phase.PLAYING:
            return seen
        if seen.mine is None or seen.held is not None:
            await_news(desk, memory)
            continue
        print_text()
        print_scene(seen.game.scene(seen.view, seen.chain.names))
        for line in status(seen):
            say(f"\n{line}")
        deliver(desk, memory, sign(desk, seen, choose(seen)))


def _teller(desk: Desk, *, quiet: bool) -> Callable[[Seen], None]:
    """Tells on stderr what has happened since it last did."""
    heard = -1

    def tell(seen: Seen) -> None:
        nonlocal heard
        if not quiet:
            for line in happened(desk, seen, heard):
                say(line)
        heard = seen.chain.length - 1

    return tell
