"""What a player can do, alone or with the server's help."""

from __future__ import annotations

import msgspec
import pytest

from engine.record.entry import (
    Play,
    Resign,
    move_message,
)
from tests.attacks.forger import STRANGER, Forge, Forger, Forgery, evening

forgery = Forgery()


@forgery("two", "move/illegal")
def an_illegal_move_well_signed(forger: Forger) -> int:
    station = forger.entry(4, Play).move["station"]
    elsewhere = "opera" if station != "opera" else "louvre"
    taken = {"do": "take", "station": elsewhere, "line": "red"}
    position = forger.position(3)
    assert taken not in [msgspec.to_builtins(move) for move in position.game.legal(position.state, min(position.asked))]
    forger.sign(4, move=taken)
    forger.reseal(5)
    return 4


@forgery("sealed", "move/illegal")
def six_fingers_well_signed(forger: Forger) -> int:
    forger.sign(5, move={"do": "show", "fingers": 6})
    forger.reseal(6)
    return 5


@forgery("two", "move/invalid")
def not_a_move_of_this_game_well_signed(forger: Forger) -> int:
    forger.sign(4, move={"do": "bribe", "seat": 1})
    forger.reseal(5)
    return 4


@forgery("two", "move/invalid")
def a_move_with_its_default_spelled_out(forger: Forger) -> int:
    """The same move in another spelling would be another record of the same game."""
    forger.sign(4, move={**forger.entry(4, Play).move, "evict": None})
    forger.reseal(5)
    return 4


@forgery("two", "move/invalid")
def a_move_with_terminal_escapes_in_it(forger: Forger) -> int:
    forger.sign(4, move={"do": "take", "station": "opera", "line": "red", "\x1b[31m": "\x1b[2J"})
    forger.reseal(5)
    return 4


@forgery("two", "move/out-of-turn")
def a_move_out_of_turn_well_signed(forger: Forger) -> int:
    forger.sign(4, seat=1)
    forger.reseal(5)
    return 4


@forgery("two", "signature/forged")
def a_player_moves_for_another(forger: Forger) -> int:
    forger.sign(4, forger.keys[1])
    forger.reseal(5)
    return 4


@forgery("two", "signature/forged")
def a_stranger_moves(forger: Forger) -> int:
    forger.sign(4, STRANGER)
    forger.reseal(5)
    return 4


@forgery("two", "signature/forged")
def a_move_signed_for_another_table(forger: Forger) -> int:
    move = forger.entry(4, Play)
    elsewhere = move_message(evening("three").id, move.base, move.seat, move.move)
    forger.edit(4, signature=forger.keys[0].sign(elsewhere))
    forger.reseal(4)
    return 4


@forgery("two", "signature/forged")
def a_move_signed_for_another_base(forger: Forger) -> int:
    move = forger.entry(4, Play)
    elsewhen = move_message(forger.table, forger.lines[2].hash, move.seat, move.move)
    forger.edit(4, signature=forger.keys[0].sign(elsewhen))
    forger.reseal(4)
    return 4


@forgery("two", "signature/forged")
def a_move_signed_for_another_seat(forger: Forger) -> int:
    move = forger.entry(4, Play)
    forger.edit(4, signature=forger.keys[0].sign(move_message(forger.table, move.base, 1, move.move)))
    forger.reseal(4)
    return 4


@forgery("two", "move/stale")
def a_move_that_names_another_base_well_signed(forger: Forger) -> int:
    forger.sign(6, base=forger.lines[4].hash)
    forger.reseal(7)
    return 6


@forgery("two", "signature/forged")
def a_resignation_made_of_a_move(forger: Forger) -> int:
    """A signature for one purpose serves no other."""
    move = forger.entry(4, Play)
    common = forger.common(4)
    forger.lines[4:-1] = []
    forger.put(4, Resign(**common, seat=move.seat, base=move.prev, signature=move.signature, state=move.state))
    forger.reseal(4)
    return 4


@forgery("given up", "move/stale")
def a_resignation_kept_for_later(forger: Forger) -> int:
    number = forger.first(Resign)
    forger.lines[number], forger.lines[number - 1] = forger.lines[number - 1], forger.lines[number]
    forger.edit(number, at=forger.lines[number - 1].entry.at)
    forger.edit(number - 1, at=forger.lines[number - 2].entry.at)
    forger.reseal(number - 1)
    return number - 1


@forgery("sealed", "move/unordered")
@forgery("dinner-in-paris", "move/unordered")
def sealed_answers_out_of_order(forger: Forger) -> int:
    """A server that lets a later seat answer first could show it the answers of the others."""
    number = forger.first(Play, seat=0)
    forger.lines[number], forger.lines[number + 1] = forger.lines[number + 1], forger.lines[number]
    forger.edit(number, at=forger.lines[number - 1].entry.at)
    forger.reseal(number)
    return number


@forgery("sealed", "move/out-of-turn")
@forgery("dinner-in-paris", "move/out-of-turn")
def two_sealed_answers_of_one_seat(forger: Forger) -> int:
    number = forger.first(Play, seat=0)
    forger.put(number + 1, forger.lines[number].entry)
    forger.reseal(number + 1)
    return number + 1


@pytest.mark.parametrize(("base", "code", "forge"), forgery.all)
def test_a_forgery_is_found(base: str, code: str, forge: Forge) -> None:
    forger = Forger(base)
    expected = forge(forger)
    assert forger.first_fault() == (expected, code)
