"""Let bots play whole games against each other."""

from __future__ import annotations

import hashlib
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from client.output import json_option, print_json, say
from client.screen.argument_types import BotNames, GameKey, HexSeed

if TYPE_CHECKING:
    from engine.game import AnyGame


@click.command("selfplay")
@click.argument("game", type=GameKey())
@click.option("--seats", type=int, help="How many bots; the fewest the game allows unless said.")
@click.option("--games", "count", type=click.IntRange(1, 100_000), default=1, show_default=True, help="How many games.")
@click.option("--bots", type=BotNames(), default="greedy", show_default=True, help="Their policies, repeated in turn.")
@click.option("--seed", type=HexSeed(), help="The same seed plays the same games.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="Write the last game's record here.")
@json_option
def command(
    game: AnyGame,
    seats: int | None,
    count: int,
    bots: tuple[str, ...],
    seed: bytes | None,
    record: Path | None,
    as_json: bool,
) -> None:
    """Let bots play whole games of GAME, each a complete record signed and sealed with throw-away keys.

    \b
    Examples:
        poste selfplay paris-paris --seats 4 --record game.poste
        poste selfplay paris-paris --games 100 --bots greedy,random --json
    """
    from engine import selfplay

    seats = _seats(game, seats, bots)
    seed = seed or secrets.token_bytes(32)
    policies = [bots[seat % len(bots)] for seat in range(seats)]
    began = time.perf_counter()
    results = []
    moves = 0
    for number in range(count):
        played = selfplay.play(game, policies, _seed_of(seed, number))
        moves += played.moves
        results.append(played.standing)
    seconds = time.perf_counter() - began
    if record is not None:
        record.write_bytes(played.data)
    if as_json:
        print_json(
            {
                "game": game.key,
                "seats": seats,
                "bots": policies,
                "seed": seed.hex(),
                "games": count,
                "moves": moves,
                "seconds": round(seconds, 6),
                "moves_per_second": round(moves / seconds, 1),
                "results": results,
                "record": str(record) if record else None,
            }
        )
        return
    from client.screen.standings_table import print_results

    print_results(policies, results)
    say(f"{count} games, {moves} moves, {moves / seconds:,.0f} signed and sealed moves a second. Seed {seed.hex()}.")
    if record:
        say(f"The record of the last game is in {record}; try: poste audit {record}")


def _seats(game: AnyGame, seats: int | None, bots: tuple[str, ...]) -> int:
    if seats is None:
        seats = max(min(game.seats), min(len(bots), max(game.seats)))
    if seats not in game.seats:
        raise click.BadParameter(
            f"{game.key} is for {min(game.seats)} to {max(game.seats)} players.", param_hint="--seats"
        )
    return seats


def _seed_of(seed: bytes, number: int) -> bytes:
    """The seed of one of several games; a single game is played with the seed as given."""
    return seed if number == 0 else hashlib.sha256(seed + number.to_bytes(8, "big")).digest()
