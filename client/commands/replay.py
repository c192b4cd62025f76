"""Look at any position of a finished game, as any seat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from client.output import json_option, print_json, print_scene, say
from client.screen.record_sources import RecordSource

if TYPE_CHECKING:
    from engine.game import Seat
    from engine.record.replay import Replay


@click.command("replay")
@click.argument("record", type=RecordSource(), metavar="FILE|TABLE")
@click.option("--at", "entry", type=click.IntRange(min=0), help="After which entry; the last unless said.")
@click.option("--as", "who", metavar="SEAT", help="As which seat (its number or its player); an onlooker unless said.")
@click.option("--step", is_flag=True, help="Walk through the game with the arrow keys.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Write the position as a picture here.")
@json_option
def command(record: str, entry: int | None, who: str | None, step: bool, svg: Path | None, as_json: bool) -> None:
    """Draw a position of the finished game in FILE, or at TABLE; what it shows is recomputed from the signed moves.

    \b
    Examples:
        poste replay game.poste
        poste replay game.poste --at 20 --as 1
        poste replay 7f3a --step
    """
    from client.screen.record_sources import record_bytes
    from client.trust.player_home import Home
    from client.trust.record_files import replayed
    from engine.phrases import won_by_resignation

    # --as names a seat here; if one of your identities is called so, it is also whose memory is meant.
    game = replayed(record_bytes(record, who if who in Home.find().names() else None))
    seat = seat_named(game, who)
    if step:
        from client.screen.replay_viewer import walk

        walk(game, seat, entry)
        return
    last = game.chain.length - 1
    position = game.at(last if entry is None else entry)
    if position is None:
        raise click.BadParameter(f"the game is dealt in entry {game.positions[0].seq}.", param_hint="--at")
    if entry is not None and entry > last:
        raise click.BadParameter(f"the last entry is {last}.", param_hint="--at")
    view = position.game.view(position.state, seat)
    scene = position.game.scene(view, game.chain.names)
    if svg is not None:
        from engine.scene import svg as pictures

        svg.write_text(pictures.draw(scene), encoding="utf-8")
    if as_json:
        print_json(view)
    else:
        print_scene(scene)
        for event in position.told(seat):
            say(position.game.tell(event, game.chain.names))
        if position.victor is not None:
            say(won_by_resignation(game.chain.names, position.victor))
    if game.stopped is not None:
        say(
            f"The replay stops before the end. Entry {game.stopped.entry}: {game.stopped.message} [{game.stopped.code}]"
        )


def seat_named(game: Replay, who: str | None) -> Seat | None:
    """The seat of this number or player; None is an onlooker."""
    from engine.game import Seat

    names = game.chain.names
    if who is None:
        return None
    if who in names:
        return Seat(names.index(who))
    if who.isdecimal() and int(who) < len(names):
        return Seat(int(who))
    known = ", ".join(f"{seat} ({name})" for seat, name in enumerate(names))
    raise click.BadParameter(f"“{who}” is not a seat; there are {known}.", param_hint="--as")
