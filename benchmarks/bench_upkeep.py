"""How long ``poste-server check`` and ``rebuild`` take, and that a table costs the same however many others there are.

``python -m benchmarks upkeep`` prints what a table costs among few and among five times as many.
"""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import func, select, update

from engine.game import Seat
from engine.keys import SigningKey
from engine.record.entry import move_message, sit_message
from engine.record.replay import move_json
from server.service import players, table_actions
from server.service.derived_rebuild import rebuild_all
from server.service.log_check import check_all
from server.service.server_context import ServerContext, enter
from server.service.table_actions import SitRequest, SubmittedMove
from server.settings import Settings
from server.storage.models import ENTRIES

FEW, MANY = 1000, 5000
MOVES = 6
BAR = 1.5
"""A table among many may cost so many times what it costs among few."""


def seated(context: ServerContext) -> None:
    """A table of two new players, and the first moves of their game."""
    keys = [SigningKey(secrets.token_bytes(32)) for _ in range(2)]
    names = [f"p-{secrets.token_hex(8)}" for _ in keys]
    for key, name in zip(keys, names, strict=True):
        players.register(context, key.public, name)
    table = table_actions.open_table(context, keys[0].public, "paris-paris", 2, {}, None, None)
    for seat, (key, name) in enumerate(zip(keys, names, strict=True)):
        base, entropy = context.folded_tables.recent(table).table.chain.head, secrets.token_hex(32)
        signature = key.sign(sit_message(table, base, seat, name, key.public, entropy))
        table_actions.sit(context, table, SitRequest(base, seat, name, key.public, entropy, signature))
    for turn in range(MOVES):
        position = context.folded_tables.recent(table).table.playing
        seat = min(position.asked)
        legal, base = position.game.legal(position.state, seat), position.asked[seat].base
        move = move_json(legal[turn % len(legal)])
        signature = keys[seat].sign(move_message(table, base, seat, move))
        table_actions.play(context, table, SubmittedMove(Seat(seat), base, move, signature))


def seconds(work: Callable[[ServerContext], Iterator[object]], context: ServerContext, count: int) -> float:
    """How long the work takes for every table."""
    began = time.perf_counter()
    assert sum(1 for _ in work(context)) == count
    return time.perf_counter() - began


def report() -> None:
    """Measure both among few tables and among many."""
    with tempfile.TemporaryDirectory() as folder:
        context = enter(Settings(data=Path(folder)))
        costs: dict[str, list[float]] = {}
        for already, count in ((0, FEW), (FEW, MANY)):
            for _ in range(already, count):
                seated(context)
            with context.storage.reading() as connection:
                entries = connection.scalar(select(func.count()).select_from(ENTRIES))
            print(f"{count} tables of {2 * count} players, {entries} entries")
            with context.storage.writing() as connection:
                connection.execute(update(ENTRIES).values(events=b"[]"))
            for name, work in (("rebuild", rebuild_all), ("check", check_all)):
                taken = seconds(work, context, count)
                costs.setdefault(name, []).append(taken / count)
                print(f"  {name:<8} {taken:7.1f} s, {1000 * taken / count:5.2f} ms a table")
        context.close()
    for name, (few, many) in costs.items():
        print(f"{name}: a table among {MANY} costs {many / few:.2f} x one among {FEW}, bar {BAR}")
